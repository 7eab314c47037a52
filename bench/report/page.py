"""The report as one HTML file: no network, light and dark, tables that sort by a click and filter by a word."""

import html
import re

from document import Bullets, Chart, Section, Table

STYLE = """
:root { color-scheme: light dark; --text: #1c2126; --soft: #5a6470; --line: #d9dee3; --back: #ffffff; --card: #f6f8fa; --ours: #d55e00; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ec; --soft: #9aa4ae; --line: #39414a; --back: #15191d; --card: #1e242a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); }
h1 { font-size: 1.5rem; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); } h3, h4 { margin-bottom: .3rem; }
nav a { margin-right: 1rem; white-space: nowrap; } a { color: inherit; }
.facts { color: var(--soft); font-size: .85rem; } .wide { overflow-x: auto; } figure { margin: 1rem 0; background: #fff; border-radius: 6px; }
figure svg { width: 100%; height: auto; display: block; } figcaption { padding: 0 .6rem .5rem; color: #5a6470; font-size: .85rem; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; margin: .4rem 0 1rem; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } th { cursor: pointer; background: var(--card); position: sticky; top: 0; }
#summary td { font-size: 1rem; white-space: normal; } #summary td:nth-child(4) { font-weight: 700; color: var(--ours); }
input { font: inherit; padding: .2rem .5rem; width: 16rem; max-width: 100%; } summary { cursor: pointer; font-weight: 600; margin: .6rem 0; }
@media print { input, nav { display: none; } details > * { display: block; } body { max-width: none; } }
"""

SCRIPT = """
const value = text => { const n = parseFloat(text.replace(/[^0-9.eE^-]/g, '').replace(/^2\\^/, '')); return Number.isNaN(n) ? text : n; };
const key = text => /^2\\^\\d+$/.test(text) ? 2 ** parseInt(text.slice(2)) : value(text);
document.querySelectorAll('table').forEach(table => {
  const body = table.tBodies[0];
  table.querySelectorAll('th').forEach((head, column) => head.addEventListener('click', () => {
    const down = head.dataset.down = head.dataset.down === '1' ? '' : '1';
    const rows = [...body.rows].map(row => [key(row.cells[column].textContent), row]);
    rows.sort(([a], [b]) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === 'number' ? -1 : 1) * (down ? 1 : -1));
    rows.forEach(([, row]) => body.append(row));
  }));
  if (body.rows.length < 12) return;
  const filter = document.createElement('input');
  filter.placeholder = 'filter rows';
  filter.addEventListener('input', () => [...body.rows].forEach(row => {
    row.hidden = !row.textContent.toLowerCase().includes(filter.value.toLowerCase());
  }));
  table.parentElement.before(filter);
});
"""


def inline(text):
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(str(text), quote=False))


def anchor(title):
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def table_html(table, name=""):
    head = "".join(f"<th>{inline(cell)}</th>" for cell in table.head)
    rows = "".join("<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in row) + "</tr>\n" for row in table.rows)
    return f'<div class="wide"><table{f" id={name}" if name else ""}><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>'


def block_html(block, number):
    if isinstance(block, Table):
        return table_html(block)
    if isinstance(block, Chart):  # ids of several drawings must not meet on one page
        svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>c{number}-", block.svg)
        return f"<figure>{svg}<figcaption>{inline(block.caption)}</figcaption></figure>"
    if isinstance(block, Bullets):
        return "<ul>" + "".join(f"<li>{inline(line)}</li>" for line in block.lines) + "</ul>"
    return f"<p>{inline(block)}</p>"


def page(title, facts, answers, sections):
    parts, chart = [], 0
    for section in filter(None, sections):
        body = []
        for block in section.body:
            chart += isinstance(block, Chart)
            body.append(block_html(block, chart))
        heading = f'<h{section.level} id="{anchor(section.title)}">{inline(section.title)}</h{section.level}>'
        if section.level >= 4:
            parts.append(f"<details><summary>{inline(section.title)}</summary>{''.join(body)}</details>")
        else:
            parts.append(heading + "".join(body))
    links = "".join(f'<a href="#{anchor(s.title)}">{inline(s.title)}</a>' for s in sections if isinstance(s, Section) and s and s.level == 2)
    summary = Table(["what was asked", "Triptych", "what one would use instead", "times as fast", "share of the machine's limit"],
                    [[a.question, a.ours, a.instead, a.times_faster, a.share_of_limit] for a in answers])
    known = "".join(f"{html.escape(key)}: {html.escape(value)}<br>" for key, value in facts.items())
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title><style>{STYLE}</style></head><body>
<h1>{html.escape(title)}</h1>
{table_html(summary, "summary") if answers else ""}
<p class="facts">{known}Times are medians. Limits were measured in the same run.</p>
<nav>{links}</nav>
{''.join(parts)}
<script>{SCRIPT}</script></body></html>
"""
