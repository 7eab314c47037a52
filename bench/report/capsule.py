"""The capsule likelihood: the paper's figures 5 and 6, and every form at every size."""

import math

from charts import Line, Panel, line_chart, style_of
from document import Answer, Bullets, Section, Table, three_digits, time_text, times

BASELINE = "listing"  # the paper's sequential loop, timed on a few samples and scaled
HEADLINES = [(2000, 40, 50000), (3500, 48, 43000)]  # samples, capsules, points


def entries_of(results):
    return [e for e in results.entries if e.kind == "capsule"]


def baseline_of(results, entry):
    return results.find("capsule", BASELINE, type=entry.type, size=entry.size)


def growth(results, by_points):
    """The curves that end in the largest work: the same samples and more points, or the other way round.
    Returns (the fixed number, capsules, {series: [(size, us, speed-up)]})."""
    entries = entries_of(results)
    end = max(entries, key=lambda e: math.prod(e.size), default=None)
    if end is None:
        return 0, 0, {}
    fixed, free = (0, 2) if by_points else (2, 0)
    curves = {}
    for e in entries:
        if e.size[fixed] == end.size[fixed] and e.size[1] == end.size[1] and e.type == end.type:
            base = baseline_of(results, e)
            curves.setdefault(e.series, []).append((e.size[free], e.us, base.us / e.us if base else None))
    return end.size[fixed], end.size[1], {s: sorted(points) for s, points in curves.items() if len(points) > 1}


def exponent(points):
    """The power with which the time grows over a curve's last three sizes."""
    (n0, t0, _), (n1, t1, _) = points[-3], points[-1]
    return math.log(t1 / t0) / math.log(n1 / n0)


def chart(results, file, caption, title, subtitle, y, y_format, value):
    panels = []
    for by_points, what, fixed_words in ((True, "points", "samples"), (False, "samples", "points")):
        fixed, capsules, curves = growth(results, by_points)
        lines = []
        for i, (series, points) in enumerate(curves.items()):
            drawn = [(n, value(series, us, over)) for n, us, over in points]
            drawn = [point for point in drawn if point[1]]
            if len(drawn) > 1:
                lines.append(Line(series, drawn, style_of(series, i)))
        if lines:
            panels.append(Panel(lines, what, "" if panels else y, f"{fixed} {fixed_words}, {capsules} capsules"))
    machine = results.machine("gpu", "") + " and its host" if "gpu" in results.facts else results.machine("cpu", "the CPU")
    return [line_chart(file, caption, f"{title} on {machine}", subtitle, panels, y_format)] if panels else []


def verdict(results):
    lines = []
    forms = {"culled": ["brute", "tiled", "peer_torch_compiled", "peer_torch_eager", "threads", BASELINE],
             "brute": ["peer_torch_compiled", BASELINE], "threads": ["simd", "brute_cpu", BASELINE]}
    for size in HEADLINES:
        for form, others in forms.items():
            ours = results.find("capsule", form, size=size)
            if not ours:
                continue
            found = [(other, results.find("capsule", other, size=size)) for other in others]
            words = ", ".join(f"**{times(e.us / ours.us)}** as fast as {other}" for other, e in found if e)
            lines.append(f"capsule, {' x '.join(map(str, size))}: {form} takes **{three_digits(ours.us / 1e3)} ms**" + (f": {words}." if words else "."))
    for by_points, what in ((True, "points"), (False, "samples")):
        fixed, _, curves = growth(results, by_points)
        if len(curves.get("culled", [])) >= 3:
            lines.append(f"capsule, {fixed} {'samples' if by_points else 'points'}: the time of culled grows as {what} to the power "
                         f"**{exponent(curves['culled']):.2f}** at the largest sizes.")
    if any(e.series == BASELINE and e.mode == "sampled" for e in entries_of(results)):
        lines.append(f"{BASELINE} (the paper's loop) and brute_cpu are timed on a few samples; their times are scaled to all samples.")
    return lines


def answers(results):
    ours, other = results.find("capsule", "culled", size=HEADLINES[0]), results.find("capsule", "peer_torch_compiled", size=HEADLINES[0])
    if not ours or not other:
        return []
    return [Answer("2000 bodies of 40 capsules against 50,000 points", time_text(ours.us), f"torch.compile {time_text(other.us)}",
                   times(other.us / ours.us), "")]


def sections(results):
    entries = entries_of(results)
    if not entries:
        return []
    made = [Section("Capsule likelihood: verdict", 2, [Bullets(verdict(results))] if verdict(results) else [])]
    charts = chart(results, "capsule_time.svg", "time of the likelihood against points and against samples, every form",
                   "The paper's figure 5", "Median time for all samples, lower is better", "time of the likelihood", time_text,
                   lambda series, us, over: us)
    charts += chart(results, "capsule_speed_up.svg", "speed-up of the likelihood over the paper's sequential loop, every form",
                    "The paper's figure 6", "Time of the paper's loop on one core (scaled from a few samples) over that of the form",
                    "speed-up over the loop", lambda y: f"{y:g}", lambda series, us, over: None if series == BASELINE else over)
    made.append(Section("The paper's figures 5 and 6", 3, charts))
    by_size = {}
    for e in entries:
        by_size.setdefault((e.type, e.size[1], e.size[0], e.size[2]), []).append(e)
    ms = lambda us: three_digits(us and us / 1e3)
    for (loss, capsules, samples, points), group in sorted(by_size.items()):
        rows = []
        for e in group:
            base = baseline_of(results, e)
            rows.append([f"{e.series}, {e.mode}", ms(e.us), ms(e.low), ms(e.high), three_digits(base and base.us / e.us)])
        made.append(Section(f"{samples} samples, {capsules} capsules, {points} points, {loss}", 4,
                            [Table(["form", "ms", "10th percentile", "90th percentile", "speed-up over the loop"], rows)]))
    return made
