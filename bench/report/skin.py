"""The skin tracker: the paper's Table 1 beside ours, and every time."""

from charts import bar_chart
from document import DASH, NOT_MEASURED, Answer, Section, Table, bytes_text, every_time, module_section, percent, three_digits, time_text, times
from reduction import overlap

GPU, CPU, BOTH = "here, GPU", "here, CPU", "here, both"
COLOURS = {GPU: "#0072b2", CPU: "#d55e00", BOTH: "#009e73"}
PAPER_COLOUR = "#c3c9d0"
# The paper's Table 1: milliseconds on a GT 630M and an i5-2450M, 2013: transfer, calculation.
PAPER = {"gpu1": (2.05, 131.34), "gpu2": (2.05, 38.59), "gpu3": (2.05, 23.19), "gpu4": (2.05, 9.68), "gpu5": (2.05, 3.81),
         "gpu6": (2.05, 3.36), "gpu7": (2.05, 3.06), "gpu8": (2.05, 2.94), "cpu1": (0, 36.74), "cpu2": (0, 23.12), "cpu3": (0, 12.34),
         "joint": (1.54, 2.12)}
VARIANTS = [(name, CPU if name.startswith("cpu") else BOTH if name == "joint" else GPU, "total") for name in PAPER] + [
    ("fixed", CPU, "total"), ("simd", CPU, "total"), ("threads", CPU, "total"), ("fast", GPU, "total"), ("cub", GPU, "total"),
    ("thrust", GPU, "total"), ("tracker_cuda", GPU, "pinned"), ("tracker_joint", BOTH, "pinned")]


class Skin:
    """The entries of one size of frames, that of most names. Peers, whose names tell none, belong to it."""

    def __init__(self, results):
        entries = [e for e in results.entries if e.kind == "skin"]
        sizes = [e.size for e in entries if e.size]
        self.frame = max(sizes, key=sizes.count, default=())
        self.entries = [e for e in entries if e.size in ((), self.frame)]

    def at(self, series, mode, format="rgba"):
        return next((e for e in self.entries if (e.series, e.mode, e.type) == (series, mode, format)), None)

    def us(self, series, mode):
        entry = self.at(series, mode)
        return entry.us if entry else None


def table(results):
    """The twelve columns of the paper's table as rows, then ours. What this run does not have is called not measured."""
    skin = Skin(results)
    if not skin.entries:
        return []
    cpu1 = skin.us("cpu1", "total")
    rows, bars, keys = [], [], []
    for series, where, mode in VARIANTS:
        total = skin.us(series, mode)
        transfer, calculation = skin.us(series, "transfer"), skin.us(series, "calculation") or (total if where == CPU else None)
        paper = PAPER.get(series)
        if total is None and calculation is None and not paper:
            continue
        row = [series if mode == "total" else f"{series}, {mode}"]
        row += [f"{ms:.2f}" if ms else DASH for ms in (*paper, sum(paper))] if paper else [DASH] * 3
        row += [three_digits(sum(PAPER["cpu1"]) / sum(paper)), three_digits(1e3 / sum(paper))] if paper else [DASH] * 2
        if total is None and calculation is None:
            row += [NOT_MEASURED] + [DASH] * 4
        else:
            row += [three_digits(us and us / 1e3) for us in (transfer, calculation, total)]
            row += [three_digits(cpu1 and total and cpu1 / total), three_digits(total and 1e6 / total)]
        rows.append(row)
        if total:
            bars.append((row[0], ([(sum(paper) * 1e3, PAPER_COLOUR)] if paper else []) + [(total, COLOURS[where])]))
            keys += [(where, COLOURS[where])] if (where, COLOURS[where]) not in keys else []
    size = " of {} x {} pixels".format(*skin.frame) if skin.frame else ""
    body = [f"Milliseconds per frame. Paper: its Table 1, on a GT 630M and an i5-2450M, 2013. Here: RGBA frames{size}, in pinned memory where "
            "the GPU takes part. A speed-up is the total of cpu1 over that of the variant, on the same machine.",
            Table(["variant", "paper: transfer", "paper: calculation", "paper: total", "paper: speed-up", "paper: frames/s", "here: transfer",
                   "here: calculation", "here: total", "here: speed-up", "here: frames/s"], rows)]
    if bars:
        copy = results.limit("copy/gpu") and next(e.us for e in results.entries if e.text == "limit/copy/gpu")
        body.append(bar_chart("skin_table.svg", "total time of a frame by every version, with the paper's own times (its figure 4)",
                              f"The paper's Table 1 and figure 4 on {results.on()}",
                              "From a frame in host memory to the moments or the head, median, lower is better", bars,
                              keys + [("the paper's own: GT 630M, i5-2450M, 2013", PAPER_COLOUR)], "total time of a frame",
                              (copy, f"the copy to the GPU, {time_text(copy)}") if copy and "gpu" in results.facts else None))
    return [Section("The paper's Table 1", 3, body)]


def faster(ours, other, words):
    note = " (same: the spreads overlap)" if overlap(ours, other) else ""
    return f"is **{times(other.us / ours.us)}** as fast as {words}{note}"


def best_of(skin, names, mode):
    return min((e for e in (skin.at(name, mode) for name in names) if e), key=lambda e: e.us, default=None)


def best_paper_kernel(skin):
    return best_of(skin, [f"gpu{i}" for i in range(1, 9)], "resident")


def over_paper(ours, paper):
    return f"{times(paper.us / ours.us)} as fast as {paper.series}, the best of the paper's versions on this machine" if paper else ""


def batch_of(skin):
    batches = [e for e in skin.entries if e.series.startswith("batch") and e.type == "rgba" and e.mode == "rotating"]
    return max(batches, key=lambda e: int(e.series[5:]), default=None)


def opencv_peer(skin, threads):
    chains = [e for e in skin.entries if e.series == "peer_opencv" and e.threads == threads]
    return min(chains, key=lambda e: e.us, default=None)


def threads_of_bench(results):
    """The 2 of "CPU: <name>, 2 of 16 logical cores, ..."."""
    words = results.facts.get("cpu", "").split(" of ")[0].split(", ")[-1]
    return int(words) if words.isdigit() else 0


def verdict(results):
    skin, lines = Skin(results), []
    fast = skin.at("fast", "resident")
    if fast:
        paper = best_paper_kernel(skin)
        others = [(paper, f"{paper.series}, the fastest of the paper's kernels")] if paper else []
        others += [(skin.at("cub", "resident"), "CUB"), (skin.at("thrust", "calculation"), "Thrust (calls one by one)")]
        others += [(skin.at(peer, "resident"), f"{peer} (calls one by one)") for peer in ("peer_torch_compiled", "peer_torch_graph")]
        words = ", ".join(f"**{times(e.us / fast.us)}** as fast as {name}" for e, name in others if e)
        lines.append(f"skin of rgba, resident: fast takes **{three_digits(fast.us)} us** in a graph" + (f": {words}." if words else "."))
    batch = batch_of(skin)
    if batch:
        share = batch.share_of("read/gpu")
        lines.append(f"skin of rgba: {batch.series} takes **{three_digits(batch.us / int(batch.series[5:]))} us** per frame"
                     + (f", **{percent(share)}** of what the GPU can read." if share else "."))
    tracker = skin.at("tracker_cuda", "pinned")
    copy = next((e.us for e in results.entries if e.text == "limit/copy/gpu"), None)
    if tracker and copy:
        lines.append(f"skin of rgba, pinned: tracker_cuda takes **{times(tracker.us / copy)}** the time of the copy alone "
                     f"({three_digits(tracker.us)} us, the copy {three_digits(copy)} us).")
    modes = [("pinned", f) for f in ("rgba", "rgb", "nv12", "yuyv")]
    modes[1:1] = [(m, "rgba") for m in ("pinned_by_itself", "pinned_12_threads", "pinned_8_threads", "pinned_4_threads", "pinned_2_threads")]
    for mode, format in modes:
        joint = skin.at("tracker_joint", mode, format)
        alone = [e for e in (skin.at("tracker_cpu", mode, format), skin.at("tracker_cuda", "pinned", format)) if e]
        if joint and alone:
            better = min(alone, key=lambda e: e.us)
            lines.append(f"skin of {format}, {mode}: tracker_joint {faster(joint, better, better.series + ', the better of CPU and GPU alone')}.")
    nv12 = skin.at("tracker_cuda", "pinned", "nv12")
    if nv12 and tracker:
        lines.append(f"skin of nv12, pinned: tracker_cuda {faster(nv12, tracker, 'with rgba')}.")
    for series, threads, limit, words in (("threads", threads_of_bench(results), "read/cpu_all", "all cores"),
                                          ("simd", 1, "read/cpu_1", "one core")):
        ours = skin.at(series, "total")
        other = ours and threads and opencv_peer(skin, threads)
        share = ours and ours.share_of(limit)
        said = ([faster(ours, other, f"OpenCV on {threads} threads")] if other else []) + (
            [f"reaches **{percent(share)}** of what {words} can read"] if share else [])
        if said:
            lines.append(f"skin of rgba: {series} {' and '.join(said)}.")
    return lines


def answers(results):
    skin = Skin(results)
    found = []
    fast, cub = skin.at("fast", "resident"), skin.at("cub", "resident")
    if fast and cub:
        found.append(Answer("head in a 1080p frame in GPU memory", time_text(fast.us), f"CUB, {time_text(cub.us)}", times(cub.us / fast.us),
                            fast.share_of("read/gpu"), f"reading {bytes_text(fast.bytes)} from memory", over_paper(fast, best_paper_kernel(skin))))
    threads, opencv, loop = skin.at("threads", "total"), opencv_peer(skin, threads_of_bench(results)), skin.at("cpu1", "total")
    other, name = (opencv, "OpenCV") if opencv else (loop, "the plain loop (cpu1)")
    if threads and other:
        found.append(Answer("head in a 1080p frame on the CPU", time_text(threads.us), f"{name}, {time_text(other.us)}", times(other.us / threads.us),
                            threads.share_of("read/cpu_all"), f"reading {bytes_text(threads.bytes)} by all cores",
                            over_paper(threads, best_of(skin, ["cpu1", "cpu2", "cpu3"], "total"))))
    return found


def sections(results):
    entries = [e for e in results.entries if e.kind == "skin"]
    if not entries:
        return []
    made, rest = module_section("Skin tracker", verdict(results))
    return made + table(results) + rest + every_time("Skin tracker: every time", entries)
