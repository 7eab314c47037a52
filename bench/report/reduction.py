"""Sums, other reductions and matrix-vector products: every strategy against size."""

from charts import Line, Panel, line_chart, ramp_style, style_of
from document import DASH, Answer, Section, Table, bytes_text, every_time, growth_section, module_section, percent, rate, size_text, three_digits, time_text, times
from results import ARRAYS, geometric_mean

TYPES, MODES = ["float", "double", "int32", "int64"], ["rotating", "resident", "memory"]
SERIES = ("automatic global_atomic shared_atomic tree_interleaved tree_sequential grid_stride_shared grid_stride_shared_x2 "
          "grid_stride_register grid_stride_atomic warp_shuffle single_pass cluster cub_block cub_device thrust sequential compensated "
          "pairwise simd threads thrust_omp plan tuned peer_cub peer_thrust").split()
MODE_WORDS = {"rotating": "rotating inputs, read from memory", "resident": "one input again and again, in the cache"}


def rank(known, name):
    return (known.index(name) if name in known else len(known), name)


def grids(results):
    """(group, type, mode) -> {size: {series: entry}}, in the order of the report."""
    found = {}
    for e in results.entries:
        if e.kind in ("array", "multiply"):
            found.setdefault((e.group, e.type, e.mode), {}).setdefault(e.size, {})[e.series] = e
    order = lambda key: (key[0] == "sum_cpu", rank(ARRAYS, key[0]), rank(TYPES, key[1]), rank(MODES, key[2]))
    return {key: dict(sorted(found[key].items())) for key in sorted(found, key=order)}


def overlap(a, b):
    """Whether the spreads overlap: then neither is called faster."""
    return max(a.low or a.us, b.low or b.us) <= min(a.high or a.us, b.high or b.us)


def comparison(subject, grid, ours, other, low=0, high=float("inf"), words=""):
    pairs = [(size, row[ours], row[other]) for size, row in grid.items() if ours in row and other in row]
    if not pairs:
        return []
    worst_size, a, b = min(pairs, key=lambda pair: pair[2].us / pair[1].us)
    outcome = "same: the spreads overlap" if overlap(a, b) else "faster" if b.us > a.us else "slower"
    line = f"{subject}: {ours}"
    counted = [pair for pair in pairs if low <= pair[0][-1] <= high]
    if counted:
        mean = geometric_mean([b.us / a.us for _, a, b in counted])
        same = sum(overlap(a, b) for _, a, b in counted)
        faster = sum(not overlap(a, b) and b.us > a.us for _, a, b in counted)
        line += (f" is **{times(mean)}** as fast as {other} (geometric mean of {len(counted)} sizes{words}: faster at {faster}, same at "
                 f"{same}, slower at {len(counted) - same - faster}); its worst is ")
    else:
        line += f" against {other}: its worst is "
    return [line + f"{times(b.us / a.us)} at {' x '.join(map(size_text, worst_size))} ({outcome})."]


def verdict(results):
    lines = []
    for (group, type, mode), grid in grids(results).items():
        subject = f"{group} of {type}, {mode}"
        if group == "multiply":
            lines += comparison(subject, grid, "plan", "peer_cublas") + comparison(subject, grid, "tuned", "peer_cublas")
        elif group == "sum_cpu":
            for series, limit, words in (("simd", "read/cpu_1", "one core"), ("threads", "read/cpu_all", "all cores")):
                size, entry = next(((s, row[series]) for s, row in reversed(grid.items()) if series in row), (None, None))
                share = entry and entry.share_of(limit)
                if share:
                    lines.append(f"{subject}: {series} reaches **{percent(share)}** of what {words} can read at {size_text(size[0])}.")
        else:
            lines += comparison(subject, grid, "automatic", "peer_cub", 2**14, 2**22, ", 2^14 to 2^22")
            large = grid.get((2**28,), {}).get("automatic")
            share = large and large.share_of("read/gpu")
            if group == "sum" and share:
                lines.append(f"{subject}: automatic reaches **{percent(share)}** of what the GPU can read at 2^28.")
    return lines


def answers(results):
    all_grids, found = grids(results), []
    grid = all_grids.get(("sum", "float", "rotating"), {})
    for n in (2**20, 2**28):
        ours, cub = grid.get((n,), {}).get("automatic"), grid.get((n,), {}).get("peer_cub")
        if ours and cub:
            found.append(Answer(f"sum of {size_text(n)} floats", time_text(ours.us), f"cub::DeviceReduce, {time_text(cub.us)}", times(cub.us / ours.us),
                                ours.share_of("read/gpu"), f"reading {bytes_text(ours.bytes)} from memory"))
    grid = all_grids.get(("multiply", "float", "rotating"), {})
    ours, cublas = (grid.get((84, 65536), {}).get(series) for series in ("plan", "peer_cublas"))
    if ours and cublas:
        found.append(Answer("84 x 65,536 matrix times vector", time_text(ours.us), f"cuBLAS, {time_text(cublas.us)}", times(cublas.us / ours.us),
                            ours.share_of("read/gpu"), f"reading {bytes_text(ours.bytes)} from memory"))
    grid = all_grids.get(("sum_cpu", "float", "memory"), {})
    size = max(grid, default=None)
    if size and {"threads", "sequential"} <= grid[size].keys():
        ours, loop = grid[size]["threads"], grid[size]["sequential"]
        found.append(Answer(f"sum of {size_text(size[0])} floats on the CPU", time_text(ours.us), f"a plain loop, {time_text(loop.us)}",
                            times(loop.us / ours.us), ours.share_of("read/cpu_all"), f"reading {bytes_text(ours.bytes)} by all cores"))
    return found


def limits_of(grid):
    """The limits that were measured with the entries of a grid."""
    return next((e.limits for row in grid.values() for e in row.values() if e.limits), {})


def floor_of(grid, low, high):
    """The time of an empty kernel, then the time to read the input from memory."""
    launch, read = (limits_of(grid).get(name) for name in ("launch/gpu", "read/gpu"))
    if not launch or not read:
        return None
    sizes = [low * (high / low) ** (i / 100) for i in range(101)]
    return [(n, max(launch, n * 4 / read / 1e3)) for n in sizes], f"limit: launch {three_digits(launch)} us, read {rate(read)}"


def sum_chart(results, all_grids):
    mode = "rotating" if ("sum", "float", "rotating") in all_grids else "resident"
    grid = all_grids.get(("sum", "float", mode))
    if not grid:
        return []
    series = sorted({s for row in grid.values() for s in row}, key=lambda s: rank(SERIES, s))
    lines = [Line(s, [(n, row[s].us) for (n,), row in grid.items() if s in row], style_of(s, i)) for i, s in enumerate(series)]
    sizes = [n for (n,) in grid]
    panel = Panel(lines, "elements", "time of one sum", floor=floor_of(grid, min(sizes), max(sizes)))
    return [line_chart("sum_float.svg", f"time of a float sum against its size, every strategy, {MODE_WORDS[mode]}",
                       f"Sum of floats on {results.machine('gpu', 'the GPU')}",
                       f"Median time against size, lower is better; {MODE_WORDS[mode]}", [panel], time_text, sizes=True)]


def share_chart(results, all_grids):
    panels = []
    for mode in ("rotating", "resident"):
        grid = all_grids.get(("sum", "float", mode), {})
        lines = []
        for series in ("peer_cub", "automatic"):
            points = [(n, row[series].share_of("read/gpu")) for (n,), row in grid.items() if series in row]
            points = [(n, share) for n, share in points if share]
            if points:
                lines.append(Line(series, points, style_of(series, 0)))
        if lines:
            panels.append(Panel(lines, "elements", "" if panels else "share of the read bandwidth", MODE_WORDS[mode], rules=[(1, "memory")]))
    if not panels:
        return []
    return [line_chart("sum_float_share.svg", "share of the GPU's read bandwidth that a float sum reaches, against its size",
                       f"Sum of floats on {results.machine('gpu', 'the GPU')}: share of the read bandwidth",
                       "Bytes read per second over the read bandwidth measured in the same run", panels, lambda y: f"{y * 100:.0f} %",
                       sizes=True, y_log=False)]


def multiply_chart(results, all_grids):
    rows_of_all = sorted({size[0] for key, grid in all_grids.items() if key[0] == "multiply" for size in grid})
    panels = []
    for mode in ("rotating", "resident"):
        by_rows = {}
        for (rows, cols), row in all_grids.get(("multiply", "float", mode), {}).items():
            ours = row.get("plan") or row.get("tuned")
            if ours and "peer_cublas" in row:
                by_rows.setdefault(rows, []).append((cols, row["peer_cublas"].us / ours.us))
        lines = [Line(f"{rows} rows", points, ramp_style(rows_of_all.index(rows), len(rows_of_all))) for rows, points in by_rows.items()]
        if lines:
            panels.append(Panel(lines, "columns", "" if panels else "speed-up over cuBLAS", MODE_WORDS[mode], rules=[(1, "cuBLAS")]))
    if not panels:
        return []
    return [line_chart("multiply.svg", "speed-up of matrix times vector over cuBLAS, against the number of columns",
                       f"Matrix times vector, float, on {results.machine('gpu', 'the GPU')}", "cuBLAS's time over ours, higher is better",
                       panels, lambda y: f"{y:g}x", sizes=True)]


def cpu_chart(results, all_grids):
    key = next((key for key in all_grids if key[0] == "sum_cpu"), None)
    if not key:
        return []
    grid = all_grids[key]
    series = sorted({s for row in grid.values() for s in row}, key=lambda s: rank(SERIES, s))
    lines = [Line(s, [(n, row[s].gb_per_s) for (n,), row in grid.items() if s in row and row[s].gb_per_s], style_of(s, i))
             for i, s in enumerate(series)]
    rules = [(limits_of(grid)[limit], words) for limit, words in (("read/cpu_1", "limit, one core"), ("read/cpu_all", "limit, all cores"))
             if limit in limits_of(grid)]
    return [line_chart("sum_cpu.svg", f"bandwidth of a {key[1]} sum on the CPU against its size, every strategy",
                       f"Sum of {key[1]} values on {results.machine('cpu', 'the CPU')}",
                       "Bytes read per second against size, higher is better; small inputs sit in the caches",
                       [Panel([line for line in lines if line.points], "elements", "GB/s", rules=rules)], lambda y: f"{y:g}", sizes=True)]


def grid_table(results, group, grid):
    series = sorted({s for row in grid.values() for s in row}, key=lambda s: rank(SERIES, s))
    extra = ["automatic, GB/s", "share of read"] if group == "sum" and "automatic" in series else []
    extra = ["fastest, GB/s"] if group == "sum_cpu" else extra
    rows = []
    for size, row in grid.items():
        best = min(e.us for e in row.values())
        cells = [three_digits(row[s].us) if s in row else "" for s in series]
        cells = [f"**{cell}**" if s in row and row[s].us == best else cell for cell, s in zip(cells, series)]
        if group == "sum_cpu":
            cells.append(three_digits(max((e.gb_per_s or 0 for e in row.values()))))
        elif extra:
            entry = row.get("automatic")
            cells += [three_digits(entry.gb_per_s), percent(entry.share_of("read/gpu"))] if entry else [DASH, DASH]
        rows.append([" x ".join(map(size_text, size))] + cells)
    return Table(["rows x columns" if group == "multiply" else "size"] + series + extra, rows)


def growth(results, all_grids):
    rows = []
    for (group, type, mode), grid in all_grids.items():
        if group != "multiply" and type == "float":
            for series in ("automatic", "peer_cub", "threads", "sequential"):
                points = [(n, row[series].us) for (n,), row in grid.items() if series in row]
                rows.append((f"{group}, {mode}: {series}", "elements", points, None))
    return growth_section(rows)


def sections(results):
    all_grids = grids(results)
    if not all_grids:
        return []
    lines = verdict(results)
    first = [line for line in lines if line.startswith(("sum of float, rotating", "multiply of float, rotating: plan", "sum_cpu of float"))]
    made, rest = module_section("Reductions", lines, first)
    charts = [chart for make in (sum_chart, share_chart, multiply_chart, cpu_chart) for chart in make(results, all_grids)]
    made += [Section("Strategies against size", 3, charts)] + growth(results, all_grids) + rest
    for (group, type, mode), grid in all_grids.items():
        made.append(Section(f"{group}, {type}, {mode}", 4, ["Time in us, the fastest of each size bold.", grid_table(results, group, grid)]))
    named = {"automatic", "plan", "threads", "simd", "peer_cub", "peer_cublas"}
    limit = lambda e: "read/gpu" if e.group != "sum_cpu" else "read/cpu_all" if e.series == "threads" else "read/cpu_1"
    return made + every_time("Reductions: shares of the limit, and the bytes they are based on",
                             [e for e in results.entries if e.kind in ("array", "multiply") and e.series in named and e.type == "float"], limit=limit)
