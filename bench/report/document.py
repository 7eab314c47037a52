"""A report as data: sections of text, tables and charts; and how numbers are written. markdown() writes it, page.py makes the HTML."""

import math
from dataclasses import dataclass, field

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


@dataclass
class Bullets:
    lines: list


@dataclass
class Section:
    title: str
    level: int = 2
    body: list = field(default_factory=list)  # str, Table, Chart, Bullets

    def __bool__(self):
        return bool(self.body)


@dataclass
class Answer:
    """A line of the summary: a question, our time, what one would use instead, and the machine's limit."""

    question: str
    ours: str
    instead: str
    times_faster: str
    share_of_limit: str


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
            else:
                parts.append(block)
    return "\n\n".join(parts) + "\n"
