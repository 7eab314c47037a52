"""Charts by matplotlib, as SVG text that depends on the data alone: fixed ids, no date."""

import io
import math
import re
from dataclasses import dataclass, field

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  the backend is chosen first
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator  # noqa: E402

from document import Chart, size_text, time_text  # noqa: E402

plt.rcParams.update({
    "svg.hashsalt": "triptych", "svg.fonttype": "none", "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Arial"], "font.size": 10, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.color": "#e4e7eb", "axes.edgecolor": "#8a929b", "axes.axisbelow": True,
    "figure.facecolor": "white", "axes.facecolor": "none", "legend.frameon": False, "axes.titlesize": 11})

OURS, DASHED, DOTTED = 3.2, (0, (5, 3)), (0, (1, 2))
STYLES = {  # colour, width, dashes
    "automatic": ("#d55e00", OURS, "-"), "plan": ("#d55e00", OURS, "-"), "culled": ("#d55e00", OURS, "-"),
    "gpu_one_pass": ("#d55e00", OURS, "-"), "gpu_one_pass, half": ("#cc79a7", OURS, "-"),
    "global_atomic": ("#882255", 1.5, "-"), "shared_atomic": ("#cc79a7", 1.5, "-"), "tree_interleaved": ("#b08900", 1.5, "-"),
    "tree_sequential": ("#e6b800", 1.5, "-"), "grid_stride_shared": ("#332288", 1.5, "-"),
    "grid_stride_shared_x2": ("#5566cc", 1.5, "-"), "grid_stride_register": ("#0072b2", 1.5, "-"),
    "grid_stride_atomic": ("#56b4e9", 1.5, "-"), "warp_shuffle": ("#009e73", 1.5, "-"), "single_pass": ("#117733", 1.5, "-"),
    "cluster": ("#44aa99", 1.5, "-"), "cub_block": ("#8c8c8c", 1.5, DASHED), "cub_device": ("#666666", 1.5, DASHED),
    "thrust": ("#a08060", 1.5, DOTTED), "peer_cub": ("#000000", 2, DASHED), "peer_thrust": ("#6b4423", 2, DOTTED),
    "simd": ("#009e73", 2.4, "-"), "threads": ("#0072b2", 2.4, "-"), "thrust_omp": ("#6b4423", 2, DASHED),
    "sequential": ("#8c8c8c", 1.5, "-"), "compensated": ("#b08900", 1.5, "-"), "pairwise": ("#cc79a7", 1.5, "-"), "listing": ("#8c8c8c", 1.5, "-"),
    "cpu_literal": ("#8c8c8c", 1.5, "-"), "cpu_one_pass": ("#009e73", 1.8, "-"), "cpu_threads": ("#0072b2", 2.4, "-"), "gpu_literal": ("#882255", 1.6, "-")}
CYCLE = ["#0072b2", "#009e73", "#cc79a7", "#b08900", "#56b4e9", "#882255", "#44aa99", "#666666"]
RAMP = ["#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#5cb84a", "#a8b820", "#d9a400"]


def style_of(series, index):
    return STYLES.get(series, (CYCLE[index % len(CYCLE)], 1.6, DASHED if series.startswith("peer_") else "-"))


def ramp_style(index, count):
    return (RAMP[0 if count < 2 else index * (len(RAMP) - 1) // (count - 1)], 2, "-")


@dataclass
class Line:
    label: str
    points: list  # (x, y)
    style: tuple


@dataclass
class Panel:
    lines: list
    x: str
    y: str = ""
    title: str = ""
    rules: list = field(default_factory=list)  # (y, label): a limit
    floor: tuple | None = None  # (points, label): nothing can be below


def shorter(svg):
    """Coordinates to a hundredth of a point and no metadata: the same picture in fewer bytes."""
    number = lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
    return re.sub(r' (?:d|x|y|transform)="[^"]*"', lambda match: re.sub(r"-?\d+\.\d{3,}", number, match[0]),
                  re.sub(r"\n <metadata>.*?</metadata>", "", svg, flags=re.S))


def save(figure, title, subtitle):
    height = figure.get_figheight()
    figure.suptitle(title, x=0.01, y=1 - 0.08 / height, ha="left", va="top", fontsize=13, fontweight="bold")
    figure.text(0.01, 1 - 0.38 / height, subtitle, fontsize=9.5, color="#5a6470", va="top")
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    svg = text.getvalue()
    return shorter("\n".join(line.rstrip() for line in svg[svg.index("<svg"):].splitlines()) + "\n")


def drawn_at(figure, axis, x, y):
    """Where a point lies in the SVG."""
    scale = 72 / figure.dpi
    at_x, at_y = axis.transData.transform((x, y))
    return round(at_x * scale, 1), round(figure.get_figheight() * 72 - at_y * scale, 1)


def size_tick(n):
    text = size_text(round(n))
    return f"$2^{{{text[2:]}}}$" if text.startswith("2^") else text


def read_out(y_format, y):
    """A value as its axis writes it, but to three digits."""
    return re.sub(r"\d+\.\d{4,}", lambda match: f"{float(match[0]):.3g}", y_format(y))


def line_chart(file, caption, title, subtitle, panels, y_format, sizes=False, y_log=True):
    """Panels side by side with one y axis and one legend. sizes: x is written as powers of two."""
    figure, axes = plt.subplots(1, len(panels), figsize=(10.4, 5.2), sharey=True, squeeze=False)
    labels, series = {}, {}
    for at, (axis, panel) in enumerate(zip(axes[0], panels)):
        for line in panel.lines:
            colour, width, dashes = line.style
            drawn, = axis.plot(*zip(*line.points), color=colour, linewidth=width, linestyle=dashes, marker="o",
                               markersize=width + 0.8, zorder=3 if width == OURS else 2)
            labels.setdefault(line.label, drawn)
            one = series.setdefault(line.label, {"label": line.label, "ids": [], "points": []})
            one["ids"].append(f"line{list(series).index(line.label)}-{at}")
            drawn.set_gid(one["ids"][-1])
        axis.set_xscale("log", base=2 if sizes else 10)
        if y_log:
            axis.set_yscale("log")
            low, high = axis.get_ylim()
            few = high / low < 300
            axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=20))
            axis.yaxis.set_minor_locator(NullLocator())
        x_low, x_high = axis.get_xlim()
        if not sizes and x_high / x_low < 100:
            axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=20))
        axis.xaxis.set_minor_locator(NullLocator())
        axis.xaxis.set_major_formatter(FuncFormatter(lambda x, _: size_tick(x) if sizes else f"{x:,.0f}"))
        axis.yaxis.set_major_formatter(FuncFormatter(lambda y, _: y_format(y)))
        if panel.floor:
            points, label = panel.floor
            bottom = axis.get_ylim()[0]
            axis.fill_between(*zip(*points), bottom, color="#eef1f4", zorder=0)
            axis.text(points[0][0], points[0][1] * 0.9, label, fontsize=8.5, color="#5a6470", va="top")
        for at, (y, label) in enumerate(sorted(panel.rules)):
            axis.axhline(y, color="#8a929b", linewidth=1, linestyle=DASHED, zorder=1)
            side = "top" if at + 1 < len(panel.rules) else "bottom"  # the names of two limits may not meet
            axis.annotate(label, (1, y), xycoords=("axes fraction", "data"), ha="right", va=side, fontsize=8.5, color="#5a6470")
        axis.set(xlabel=panel.x, ylabel=panel.y, title=panel.title)
    if not y_log:
        for axis in axes[0]:
            axis.autoscale(axis="y")
        axes[0][0].set_ylim(bottom=0)
    legend = figure.legend(labels.values(), labels.keys(), loc="center left", bbox_to_anchor=(0.765, 0.48), fontsize=8.5)
    for at, (one, key, words) in enumerate(zip(series.values(), legend.get_lines(), legend.get_texts())):
        one["keys"] = [f"key{at}", f"keytext{at}"]
        key.set_gid(one["keys"][0])
        words.set_gid(one["keys"][1])
    figure.subplots_adjust(left=0.08, right=0.76, top=0.82, bottom=0.11, wspace=0.12)
    for axis, panel in zip(axes[0], panels):
        for line in panel.lines:
            for x, y in line.points:
                size = size_text(round(x)) if sizes else f"{x:,.0f}"
                series[line.label]["points"].append([*drawn_at(figure, axis, x, y), f"{line.label}: {read_out(y_format, y)} at {size} {panel.x}"])
    return Chart(file, caption, save(figure, title, subtitle), list(series.values()))


def bar_chart(file, caption, title, subtitle, rows, keys, x_label, rule=None):
    """rows: (label, [(us, colour)]), or (heading, None); keys: (label, colour); rule: (us, label)."""
    figure, axis = plt.subplots(figsize=(10.4, 1.6 + 0.33 * len(rows)))
    low = min(us for _, bars in rows for us, _ in bars or [])
    low = 10.0 ** math.floor(math.log10(low / 2))  # leaves even the shortest bar some length
    axis.set_xscale("log")
    for at, (label, bars) in enumerate(rows):
        for i, (us, colour) in enumerate(bars or []):
            height = 0.8 / len(bars)
            y = at - 0.4 + height * (i + 0.5)
            axis.barh(y, us - low, height * 0.92, left=low, color=colour)
            axis.text(us * 1.06, y, time_text(us), va="center", fontsize=7.5)
    axis.set_yticks(range(len(rows)), [label for label, _ in rows])
    for tick, (_, bars) in zip(axis.get_yticklabels(), rows):
        tick.set_fontweight("bold" if bars is None else "normal")
    axis.invert_yaxis()
    axis.grid(axis="y", visible=False)
    axis.xaxis.set_major_formatter(FuncFormatter(lambda us, _: time_text(us)))
    axis.set_xlabel(x_label)
    if rule:
        axis.axvline(rule[0], color="#5a6470", linewidth=1, linestyle=DASHED)
        axis.annotate(rule[1], (rule[0], 1), xycoords=("data", "axes fraction"), fontsize=8.5, color="#5a6470", va="bottom")
    axis.legend([plt.Rectangle((0, 0), 1, 1, color=colour) for _, colour in keys], [label for label, _ in keys], loc="lower right",
                fontsize=8.5, frameon=True, edgecolor="white")
    figure.subplots_adjust(left=0.17, right=0.97, top=1 - 0.85 / figure.get_figheight(), bottom=0.5 / figure.get_figheight())
    return Chart(file, caption, save(figure, title, subtitle))
