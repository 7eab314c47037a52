"""The report as one HTML file: no network, light and dark, phone and paper. Tables sort by a click and filter by a word; charts read out
the point under the pointer, and a click on a legend entry hides its line."""

import html
import json
import pathlib
import re

from document import Bullets, Chart, Picture, Section, Table

HERE = pathlib.Path(__file__).parent
STYLE, SCRIPT = ((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))


def inline(text):
    return re.sub(r"`(.+?)`", r"<code>\1</code>", re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(str(text), quote=False)))


def anchor(title):
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def table_html(table):
    head = "".join(f"<th>{inline(cell)}</th>" for cell in table.head)
    rows = "".join("<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in row) + "</tr>\n" for row in table.rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>'


def chart_html(chart, number):
    """Ids of several drawings must not meet on one page: each gets the name of its chart in front."""
    name = f"c{number}-"
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}", chart.svg)
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{html.escape(chart.caption)}" ', 1)
    data = f'<script type="application/json">{json.dumps(chart.series).replace("<", chr(92) + "u003c")}</script>' if chart.series else ""
    return f'<figure class="chart" data-name="{name}">{svg}{data}<figcaption>{inline(chart.caption)}</figcaption></figure>'


def block_html(block, number):
    if isinstance(block, Table):
        return table_html(block)
    if isinstance(block, Chart):
        return chart_html(block, number)
    if isinstance(block, Bullets):
        return "<ul>" + "".join(f"<li>{inline(line)}</li>" for line in block.lines) + "</ul>"
    if isinstance(block, Picture):
        words = inline(f"{block.kind}: {block.caption}" if block.kind else block.caption)
        return f'<figure><img alt="{html.escape(block.caption)}" src="{block.address}"><figcaption>{words}</figcaption></figure>'
    return f"<p>{inline(block)}</p>"


def card_html(answer):
    meter = ""
    if answer.share is not None:
        share = f"{answer.share * 100:.0f} %"
        meter = f'<div class="meter"><i style="width:{min(100, answer.share * 100):.0f}%"></i></div><small>{share} of the limit: {inline(answer.limit)}</small>'
    elif answer.limit:
        meter = f"<small>limit: {inline(answer.limit)}</small>"
    paper = f"<small>{inline(answer.paper)}</small>" if answer.paper else ""
    instead = f"<small>instead: {inline(answer.instead)}</small>" if answer.instead else ""
    return (f'<div class="card"><div class="asked">{inline(answer.question)}</div><div class="factor">{inline(answer.factor)}</div>'
            f"<div><b>{inline(answer.ours)}</b></div>{instead}{paper}{meter}</div>")


def page(title, facts, answers, sections):
    parts, chart = [], 0
    for section in filter(None, sections):
        body, pictures = [], []
        for block in section.body:
            chart += isinstance(block, Chart)
            (pictures if isinstance(block, Picture) else body).append(block_html(block, chart))
        if pictures:
            body.append(f'<div class="pictures">{"".join(pictures)}</div>')
        name = f' id="{anchor(section.title)}"' if section.level == 2 else ""
        heading = f"<h{section.level}{name}>{inline(section.title)}</h{section.level}>"
        if section.level >= 4:
            parts.append(f"<details><summary>{inline(section.title)}</summary>{''.join(body)}</details>")
        else:
            parts.append(heading + "".join(body))
    links = "".join(f'<a href="#{anchor(s.title)}">{inline(s.title)}</a>' for s in sections if isinstance(s, Section) and s and s.level == 2)
    known = "".join(f"<dt>{html.escape(key)}</dt><dd>{html.escape(value)}</dd>" for key, value in facts.items())
    lead = ("Each card: what was asked, how many times as fast Triptych is as what one would use instead, and how close it comes to the limit "
            "of this machine, measured in the same run." if answers else "This run has nothing to compare Triptych with.")
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title><style>{STYLE}</style></head><body>
<div id="errors"></div>
<h1>{html.escape(title)}</h1>
<p class="lead">{lead}</p>
<div class="cards" id="summary">{''.join(map(card_html, answers))}</div>
<nav>{links}</nav>
{''.join(parts)}
<h2 id="about">This run</h2><dl class="facts">{known}</dl>
<p class="lead">Times are medians. A speed-up is the other side's time over ours. Same: the spreads, from the 10th to the 90th percentile, overlap.
Click a column to sort it, a legend entry to hide its line.</p>
<script>{SCRIPT}</script></body></html>
"""
