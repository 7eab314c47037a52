"""Active appearance models: the paper's Table 1 and figures 6 to 8, and every form at every size.

A time is that of a whole fit of ten iterations, of all faces of a batch together."""

from charts import DASHED, DOTTED, Line, Panel, line_chart, ramp_style, style_of
from document import DASH, NOT_MEASURED, Answer, Section, Table, bytes_text, every_time, growth_section, module_section, three_digits, time_text, times
from results import fitted_exponent

ITERATIONS, BASELINE = 10, "cpu_literal"
# The paper's Table 1: milliseconds per frame on an Athlon II X2 250 and on a GTX 650, 2014, at 4096 i pixels.
PAPER_CPU = [75.57, 180.58, 271.40, 366.81, 445.58, 543.34, 632.59, 727.48, 813.35, 903.71, 1000.40, 1077.62, 1158.40, 1243.77, 1333.50, 1423.24]
PAPER_GPU = [9.74, 11.08, 12.65, 14.06, 15.18, 16.64, 17.94, 19.15, 20.58, 21.85, 23.02, 24.47, 26.54, 26.91, 28.26, 29.58]
PAPER = {4096 * (i + 1): times for i, times in enumerate(zip(PAPER_CPU, PAPER_GPU))}
PAPER_PARTS = {"error": 95, "step": 4, "start": 1}  # its figure 2: percent of the CPU's time
PART_WORDS = {"error": "the error E between model and image", "step": "the step, R times the residual", "start": "the estimate of the start"}
FORMS = ["cpu_literal", "cpu_one_pass", "cpu_threads", "gpu_literal", "gpu_one_pass", "gpu_one_pass, half", "peer_torch_graph", "peer_torch_eager"]


def form_of(entry):
    return entry.series if entry.type == "float" else f"{entry.series}, {entry.type}"


def entries_of(results, trained=False):
    """Single fits and batches: of models that were trained at their size, or of made-up ones, which take as long."""
    return [e for e in results.entries if e.kind == "aam" and not e.mode.startswith(("frames_", "part_")) and (e.mode == "trained") == trained]


def find(results, form, faces, modes, pixels, trained=False):
    return next((e for e in entries_of(results, trained) if form_of(e) == form and e.size == (faces, modes, pixels)), None)


def speed_up(results, entry):
    faces, modes, pixels = entry.size
    base = find(results, BASELINE, 1, modes, pixels, entry.mode == "trained")
    return base.us * faces / entry.us if base else None


def curves_of(results):
    """The number of modes that was measured most often, {form: {pixels: entry}} of one face at the paper's sizes, and whether the models
    were trained at each size: those count where there are any."""
    made_up, trained = ([e for e in entries_of(results, which) if e.size[0] == 1 and e.size[2] in PAPER] for which in (False, True))
    single = trained + [e for e in made_up if e.series.startswith("peer_")] if trained else made_up
    counts = {e.size[1]: sum(o.size[1] == e.size[1] for o in single) for e in single}
    modes = max(counts, key=lambda m: (counts[m], m), default=0)
    curves = {}
    for e in single:
        if e.size[1] == modes:
            curves.setdefault(form_of(e), {})[e.size[2]] = e
    ranked = sorted(curves, key=lambda form: FORMS.index(form) if form in FORMS else 99)
    return modes, {form: dict(sorted(curves[form].items())) for form in ranked}, bool(trained)


def paper_tables(results):
    modes, curves, trained = curves_of(results)
    ours = [form for form in curves if not form.startswith("peer_")]
    if not ours:
        return []
    none = [form for form in ("gpu_literal", "gpu_one_pass") if form not in ours] + (["sizes with a dash"] if len(max(curves.values(), key=len)) < len(PAPER) else [])
    head = ["pixels", "paper: CPU", "paper: GPU", "speed-up"]
    per_frame, per_iteration = [], []
    for form in ours:
        head += [form] if form == BASELINE else [form, "speed-up"]
    for pixels, (cpu, gpu) in PAPER.items():
        cells = [curves[form].get(pixels) for form in ours]
        row = [str(pixels), f"{cpu:.2f}", f"{gpu:.2f}", three_digits(cpu / gpu)]
        for form, e in zip(ours, cells):
            row += [three_digits(e and e.us / 1e3)] + ([] if form == BASELINE else [three_digits(e and speed_up(results, e))])
        per_frame.append(row)
        per_iteration.append([str(pixels), three_digits(cpu * 1e3 / ITERATIONS), three_digits(gpu * 1e3 / ITERATIONS)]
                             + [three_digits(e and e.us / ITERATIONS) for e in cells])
    words = (f"Paper: its Table 1, on an Athlon II X2 250 and a GTX 650, 2014; it does not say how many modes its models have. Here: models "
             f"{'trained at each size on 82 faces' if trained else 'made up at each size'}, {modes} modes, 68 points, ten iterations per frame. "
             f"A speed-up is over the sequential form: the paper's CPU, here {BASELINE}."
             + (f" Not measured in this run: {', '.join(none)}." if none else ""))
    return [Section("The paper's Table 1: milliseconds per frame", 3, [words, Table(head, per_frame)]),
            Section("The paper's Table 1: microseconds per iteration", 4, [Table(["pixels", "paper: CPU", "paper: GPU"] + ours, per_iteration)])]


def size_chart(results, file, caption, title, subtitle, y, y_format, paper, value):
    modes, curves, _ = curves_of(results)
    lines = []
    for i, (form, by_pixels) in enumerate(curves.items()):
        points = [(pixels, value(form, by_pixels, e)) for pixels, e in by_pixels.items()]
        points = [point for point in points if point[1]]
        if len(points) > 1:
            lines.append(Line(form, points, style_of(form, i)))
    if not lines:
        return []
    return [line_chart(file, caption, f"{title} on {results.on()}", f"{subtitle}; {modes} modes", [Panel(lines + paper, "pixels of the texture", y)], y_format)]


def frames_chart(results):
    modes, _, _ = curves_of(results)
    panels = []
    for form in ("cpu_literal", "gpu_literal", "gpu_one_pass"):
        by_pixels = {}
        for e in results.entries:
            if e.kind == "aam" and e.mode != "trained" and e.size[:2] == (1, modes) and form_of(e) == form:
                frames = int(e.mode[7:]) if e.mode.startswith("frames_") else 1
                by_pixels.setdefault(e.size[2], {})[frames] = e.us
        sizes = [pixels for pixels in (4096, 8192, 16384, 32768, 65536) if len(by_pixels.get(pixels, {})) > 1]
        lines = [Line(f"{pixels} pixels", sorted(by_pixels[pixels].items()), ramp_style(i, len(sizes))) for i, pixels in enumerate(sizes)]
        which = {"cpu_literal": 0, "gpu_literal": 1}.get(form)
        if lines and which is not None:  # the paper's lines are straight: its Table 1 times the frames
            ends = (lines[0].points[0][0], lines[0].points[-1][0])
            lines += [Line(f"the paper's, {n} pixels", [(frames, 1e3 * PAPER[n][which] * frames) for frames in ends], (colour, 1.5, DASHED))
                      for n, colour in ((4096, "#8c8c8c"), (65536, "#000000"))]
        if lines:
            panels.append(Panel(lines, "frames", "" if panels else "time", form))
    if not panels:
        return []
    return [line_chart("aam_frames.svg", "the paper's figure 6: time against frames at five sizes, the paper's own (its Table 1 times the frames) beside ours",
                       f"The paper's figure 6 on {results.machine('gpu', 'the CPU')}",
                       f"Time of that many frames, ten iterations each, lower is better; {modes} modes", panels, time_text)]


def charts(results):
    paper = lambda label, style, value: Line(label, [(pixels, value(*ms)) for pixels, ms in PAPER.items()], style)
    grey, black = ("#8c8c8c", 2, DASHED), ("#000000", 2, DOTTED)
    return frames_chart(results) + size_chart(
        results, "aam_growth.svg", "the paper's figure 7: growth of the time with the size, the paper's own beside ours", "The paper's figure 7",
        "Time of a frame over that at 4096 pixels, lower is better", "time over that at 4096 pixels", lambda y: f"{y * 100:g} %",
        [paper("the paper's CPU", grey, lambda cpu, gpu: cpu / PAPER_CPU[0]), paper("the paper's GPU", black, lambda cpu, gpu: gpu / PAPER_GPU[0])],
        lambda form, by_pixels, e: e.us / by_pixels[4096].us if 4096 in by_pixels else None) + size_chart(
        results, "aam_speed_up.svg", "the paper's figure 8: speed-up over the sequential form, the paper's own beside ours", "The paper's figure 8",
        "Time of the sequential form on one core over that of the form, higher is better", f"speed-up over {BASELINE}", lambda y: f"{y:g}",
        [paper("the paper: GPU over CPU", black, lambda cpu, gpu: cpu / gpu)],
        lambda form, by_pixels, e: None if form == BASELINE else speed_up(results, e))


def errors(entry):
    c = entry.counters
    return f" (mean error {three_digits(c['mean_error'])}, {c['share_below'] * 100:.0f} % below 0.05)" if {"mean_error", "share_below"} <= c.keys() else ""


def verdict(results):
    lines, entries = [], entries_of(results)
    over = lambda ours, others: ", ".join(f"**{times(e.us / ours.us)}** as fast as {form_of(e)}" for e in others if e)
    forms = {"gpu_one_pass": ["gpu_literal", "peer_torch_graph", "peer_torch_eager", "cpu_threads", BASELINE], "cpu_threads": ["cpu_one_pass", BASELINE]}
    forms["gpu_one_pass, half"] = forms["gpu_one_pass"]
    for form, others in forms.items():
        for modes, pixels in ((60, 65536), (60, 16384), (60, 4096), (20, 65536), (20, 16384), (20, 4096)):
            ours = find(results, form, 1, modes, pixels)
            words = ours and over(ours, [find(results, other, 1, modes, pixels) for other in others])
            if ours:
                lines.append(f"aam, {modes} modes, {pixels} pixels: {form} takes **{three_digits(ours.us)} us** per fit" + (f": {words}." if words else "."))
    for batch in entries:
        faces, modes, pixels = batch.size
        one = find(results, form_of(batch), 1, modes, pixels)
        if faces > 1 and batch.series == "gpu_one_pass" and one:
            words = over(batch, [find(results, peer, *batch.size) for peer in ("peer_torch_graph", "peer_torch_eager")])
            lines.append(f"aam, {faces} faces, {modes} modes, {pixels} pixels: {form_of(batch)} takes **{three_digits(batch.us / faces)} us** per fit: "
                         f"**{times(one.us * faces / batch.us)}** the throughput of single fits" + (f", {words}." if words else "."))
    worst = max((e for e in entries if "difference_px" in e.counters), key=lambda e: e.counters["difference_px"], default=None)
    if worst:
        lines.append(f"aam: half-precision storage moves a landmark by at most **{three_digits(worst.counters['difference_px'])} px** "
                     f"(at {worst.size[1]} modes and {worst.size[2]} pixels).")
    for e in entries:
        if e.series in ("peer_opencv", "cpu_fitter") and errors(e):
            ours = find(results, "cpu_one_pass", *e.size)
            name = "OpenCV's FacemarkAAM" if e.series == "peer_opencv" else "our default model"
            lines.append(f"aam, held-out faces, {e.size[1]} modes, {e.size[2]} pixels: {name} takes **{three_digits(e.us / 1e3)} ms** on one thread{errors(e)}"
                         + (f"; cpu_one_pass with as many pixels and modes **{three_digits(ours.us / 1e3)} ms**{errors(ours)}." if ours else "."))
    return lines


def answers(results):
    found = []
    for ours, question, others, limit in (("gpu_one_pass", "a face model fitted, on the GPU", (("peer_torch_graph", "PyTorch in a CUDA graph"), ("gpu_literal", "the paper's ten kernels")), "gpu_cache"),
                                          ("cpu_threads", "a face model fitted, on the CPU", ((BASELINE, "the paper's loop on one core"),), "cpu_all")):
        at = lambda form: find(results, form, 1, 60, 65536)
        entry = at(ours)
        name, other = next(((name, at(form)) for form, name in others if at(form)), ("", None))
        if entry and other:
            literal = at("gpu_literal") if ours.startswith("gpu") and other.series != "gpu_literal" else None
            share, bound = entry.share_of(f"read/{limit}"), f"reading the model ten times {'from the L2 cache' if limit == 'gpu_cache' else 'by all cores'}, {bytes_text(entry.bytes)}"
            if share and share > 1:
                share, bound = None, "not memory: the caches hold the model"
            found.append(Answer(f"{question}: ten iterations, 60 modes, 65,536 pixels", time_text(entry.us), f"{name}, {time_text(other.us)}",
                                times(other.us / entry.us), share, bound if entry.bytes else "",
                                f"{times(literal.us / entry.us)} as fast as gpu_literal, the paper's kernels on this machine" if literal else ""))
    return found


def parts_section(results):
    """The paper's figure 2: where the time of the sequential form goes."""
    parts = {e.mode[5:]: e for e in results.entries if e.kind == "aam" and e.series == BASELINE and e.mode.startswith("part_")}
    whole = sum(e.us for e in parts.values())
    rows = [[PART_WORDS[part], f"{share} %", f"{100 * parts[part].us / whole:.0f} %" if part in parts else NOT_MEASURED] for part, share in PAPER_PARTS.items()]
    rows += [[part, DASH, f"{100 * e.us / whole:.0f} %"] for part, e in parts.items() if part not in PAPER_PARTS]
    return Section("The paper's figure 2: where the sequential form spends its time", 3, [Table(["part", "paper: CPU", f"here: {BASELINE}"], rows)])


def sections(results):
    if not entries_of(results) and not entries_of(results, trained=True):
        return []
    made, rest = module_section("Active appearance models", verdict(results))
    made += paper_tables(results) + [parts_section(results), Section("The paper's figures 6 to 8", 3, charts(results))]
    modes, curves, _ = curves_of(results)
    in_paper = {form: fitted_exponent([(4096 * (i + 1), ms) for i, ms in enumerate(values)][8:])
                for form, values in ((BASELINE, PAPER_CPU), ("gpu_literal", PAPER_GPU))}
    rows = [(f"{form}, {modes} modes", "pixels", [(n, e.us) for n, e in by_pixels.items()], in_paper.get(form)) for form, by_pixels in curves.items()]
    return made + growth_section(rows) + rest + every_time("Active appearance models: every time", [e for e in results.entries if e.kind == "aam"],
                                                    ("speed-up over the loop", lambda e: None if e.mode.startswith(("frames_", "part_")) else speed_up(results, e)))
