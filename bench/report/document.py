"""A report as data: sections of text, tables and charts; and how numbers are written. markdown() writes it, page.py makes the HTML."""

import math
from dataclasses import dataclass, field

from results import fitted_exponent

DASH = "\N{EN DASH}"


@dataclass
class Table:
    head: list
    rows: list


@dataclass
class Chart:
    file: str
    caption: str
    svg: str
    series: list = field(default_factory=list)  # what the page needs: {"label", "ids": of its lines and of its legend, "points": (x, y, words)}


@dataclass
class Picture:
    """A picture of an accuracy table, as a data: address."""

    address: str
    caption: str
    kind: str


@dataclass
class Bullets:
    lines: list


@dataclass
class Section:
    title: str
    level: int = 2
    body: list = field(default_factory=list)  # str, Table, Chart, Bullets, Picture

    def __bool__(self):
        return bool(self.body)


@dataclass
class Answer:
    """A card of the summary: what was asked, our result, what one would use instead, and how far the machine's limit is."""

    question: str
    ours: str
    instead: str
    factor: str  # times as fast as the other, or what is better
    share: float | None = None  # of the limit
    limit: str = ""  # the limit in words
    paper: str = ""  # against the best of the paper's versions on the same machine


def three_digits(value):
    """Three significant digits, never an exponent: 0.00123, 12.3, 12300."""
    if value is None or not math.isfinite(value):
        return DASH
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    if abs(value) / 10.0**exponent >= 9.995:
        exponent += 1
    return f"{value:.{2 - exponent}f}" if exponent <= 2 else f"{round(value, 2 - exponent):.0f}"


def times(factor):
    return three_digits(factor) + "x"


def percent(share):
    return DASH if share is None else f"{share * 100:.0f} %"


def spread(entry):
    return DASH if entry.low is None else f"{three_digits(entry.low)} to {three_digits(entry.high)}"


def rate(gb_per_s):
    return three_digits(gb_per_s) + " GB/s" if gb_per_s < 999.5 else three_digits(gb_per_s / 1000) + " TB/s"


def size_text(n):
    return f"2^{n.bit_length() - 1}" if n > 0 and n & (n - 1) == 0 else str(n)


def bytes_text(count):
    """8.29 MB, or a dash."""
    if count is None:
        return DASH
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("bytes", 1)):
        if count >= scale * 0.9995 or scale == 1:
            return f"{count / scale:.3g} {unit}"


def time_text(us):
    """A tick or a bar: 20 ns, 1.5 us, 100 ms."""
    for unit, scale in (("s", 1e6), ("ms", 1e3), ("\N{MICRO SIGN}s", 1), ("ns", 1e-3)):
        if us >= scale * 0.9995 or unit == "ns":
            return f"{us / scale:.3g} {unit}"


def markdown_table(table):
    escaped = [[str(cell).replace("|", "\\|") for cell in row] for row in [table.head] + table.rows]
    lines = ["| " + " | ".join(row) + " |" for row in escaped]
    return "\n".join([lines[0], "| --- |" + " ---: |" * (len(table.head) - 1)] + lines[1:])


def markdown(title, sections):
    parts = ["# " + title]
    for section in filter(None, sections):
        parts.append("#" * section.level + " " + section.title)
        for block in section.body:
            if isinstance(block, Table):
                parts.append(markdown_table(block))
            elif isinstance(block, Chart):
                parts.append(f"![{block.caption}]({block.file})")
            elif isinstance(block, Bullets):
                parts.append("\n".join("- " + line for line in block.lines))
            elif isinstance(block, Picture):
                continue  # the page has them
            else:
                parts.append(block)
    return "\n\n".join(parts) + "\n"


NOT_MEASURED = "not measured"


def growth_section(rows):
    """rows: (what, what grows, [(size, us)], the paper's exponent or None). Fitted over the larger half of the sizes, three at least."""
    made = []
    for what, grows, points, paper in rows:
        points = sorted(points)
        kept = points[min(len(points) // 2, max(0, len(points) - 3)):]
        power = fitted_exponent(kept)
        if power is not None:
            ends = [kept[0][0], kept[-1][0]]
            words = [size_text(n) if n.bit_count() == 1 and ends[1].bit_count() == 1 else f"{n:,}" for n in ends]
            made.append([what, grows, " to ".join(words), f"{power:.2f}", DASH if paper is None else f"{paper:.2f}"])
    return [Section("Growth", 3, ["Time = constant x size^exponent, fitted by least squares in logarithms over the larger half of the sizes. 1: linear.",
                                  Table(["what", "size", "fitted over", "exponent", "paper's"], made)])] if made else []


def module_section(title, lines, first=None):
    """The heading of a module with its main results in words; the rest is folded away."""
    first = lines[:6] if first is None else first
    made = [Section(title, 2, [Bullets(first)] if first else ["Every form at every size."])]
    return made, [Section(f"{title}: all comparisons in words", 4, [Bullets(lines)])] if len(lines) > len(first) else []


def every_time(title, entries, speed_up=None, limit=lambda entry: None):
    """All times in one table, with what each share is based on. speed_up: (column, function of an entry); limit: the one of its file that counts
    where the bench measured none beside the entry."""
    rows = []
    for e in entries:
        row = [e.text.split("/", 1)[-1], three_digits(e.us), spread(e)] + ([three_digits(speed_up[1](e))] if speed_up else [])
        operations = e.counters.get("operations")
        rows.append(row + [bytes_text(e.bytes), three_digits(e.gb_per_s), DASH if not operations else f"{operations / 1e6:.3g} M", percent(e.share_of(limit(e)))])
    head = ["name", "time (us)", "10th to 90th percentile (us)"] + ([speed_up[0]] if speed_up else []) + ["bytes", "GB/s", "operations", "share of its limit"]
    return [Section(title, 4, [Table(head, rows)])] if rows else []
