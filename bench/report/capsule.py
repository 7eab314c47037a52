"""The capsule likelihood: the paper's figures 5 and 6, and every form at every size."""

import math

from charts import Line, Panel, line_chart, style_of
from document import DASH, NOT_MEASURED, Answer, Section, Table, every_time, growth_section, module_section, three_digits, time_text, times
from results import fitted_exponent

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
    return [line_chart(file, caption, f"{title} on {results.on()}", subtitle, panels, y_format)] if panels else []


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
                         f"**{fitted_exponent([point[:2] for point in curves['culled'][-3:]]):.2f}** at the largest sizes.")
    if any(e.series == BASELINE and e.mode == "sampled" for e in entries_of(results)):
        lines.append(f"{BASELINE} (the paper's loop) and brute_cpu are timed on a few samples; their times are scaled to all samples.")
    return lines


def answers(results):
    found = []
    at = lambda series: results.find("capsule", series, size=HEADLINES[0])
    tiled, loop = at("tiled"), at(BASELINE)
    for series, where, others in (("culled", "on the GPU", (("peer_torch_compiled", "torch.compile"), ("brute", "every pair"))),
                                  ("threads", "on the CPU", ((BASELINE, "the paper's loop on one core, scaled from 2 samples"),))):
        ours = at(series)
        name, other = next(((name, at(other)) for other, name in others if at(other)), ("", None))
        if ours and other:
            paper = f"{times(tiled.us / ours.us)} as fast as tiled, the paper's kernel on this machine" if tiled and series == "culled" else ""
            found.append(Answer(f"2000 bodies of 40 capsules against 50,000 points, {where}", time_text(ours.us), f"{name}, {time_text(other.us)}",
                                times(other.us / ours.us), ours.share, "arithmetic", paper))
    return found


def systems_table(results):
    """The paper's Table 1 (systems) with the speed-ups its text and figure 6 state; ours below."""
    rows = [["paper: two 9800 GX2 (4 GPUs), 512 cores at 1.50 GHz", "4", "up to 600", "2.1 times as fast as the C1060 at the largest problem"],
            ["paper: Tesla C1060, 240 cores at 1.30 GHz", "1", DASH, "its figure 6 alone; the text has no number"],
            ["paper: 8600M GT, 32 cores at 0.94 GHz", "1", "about 20", "the same at all sizes"]]
    entries = entries_of(results)
    end = max(entries, key=lambda e: math.prod(e.size), default=None)
    base = end and baseline_of(results, end)
    if base:
        for series, words in (("tiled", "the paper's tiles"), ("listing_gpu", "the paper's kernel"), ("culled", "ours"), ("threads", "ours, on the CPU")):
            e = results.find("capsule", series, size=end.size)
            where = results.machine("cpu" if series == "threads" else "gpu", "this machine")
            rows.append([f"here: {where}, {series}", DASH if series == "threads" else "1", three_digits(base.us / e.us) if e else NOT_MEASURED, words])
        several = sorted((e for e in entries if e.series.startswith("group_") and e.size == end.size), key=lambda e: e.series)
        rows += [[f"here: {e.series}, from and to host memory", e.series[6:], three_digits(base.us / e.us), "ours"] for e in several]
        if not any(e.series != "group_1" for e in several):
            rows.append(["here: several GPUs", "2 and more", NOT_MEASURED, "this machine has one GPU at most"])
    size = " x ".join(map(str, end.size)) if end else ""
    return Section("Several GPUs: the paper's systems", 3, [f"Speed-up over the sequential loop on one core of the same system; here at {size} "
                                                             "(samples x capsules x points), the loop scaled from 2 samples.",
                                                             Table(["system", "GPUs", "speed-up", "remark"], rows)])


def sections(results):
    entries = entries_of(results)
    if not entries:
        return []
    made, rest = module_section("Capsule likelihood", verdict(results))
    charts = chart(results, "capsule_time.svg", "time of the likelihood against points and against samples, every form",
                   "The paper's figure 5", "Median time for all samples, lower is better", "time of the likelihood", time_text,
                   lambda series, us, over: us)
    charts += chart(results, "capsule_speed_up.svg", "speed-up of the likelihood over the paper's sequential loop, every form",
                    "The paper's figure 6", "Time of the paper's loop on one core (scaled from a few samples) over that of the form",
                    "speed-up over the loop", lambda y: f"{y:g}", lambda series, us, over: None if series == BASELINE else over)
    words = ("The paper plots both without a table: time linear in points and in samples (its figure 5), and speed-ups over its loop that rise to 600 "
             "on four GPUs, with a stable 20 on the smallest (its figure 6).")
    made.append(Section("The paper's figures 5 and 6", 3, [words] + (charts or [f"The sizes of the figures: {NOT_MEASURED} in this run."])))
    made.append(systems_table(results))
    rows = []
    for by_points, what in ((True, "points"), (False, "samples")):
        fixed, _, curves = growth(results, by_points)
        rows += [(f"{series}, {fixed} {'samples' if by_points else 'points'}", what, [point[:2] for point in points], 1.0 if series in ("tiled", BASELINE) else None)
                 for series, points in curves.items()]
    over = lambda e: (lambda base: base and base.us / e.us)(baseline_of(results, e))
    return made + growth_section(rows) + rest + every_time("Capsule likelihood: every time", entries, ("speed-up over the loop", over))
