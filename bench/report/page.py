"""The report as one HTML file: no network, light and dark, phone and paper. Tables sort by a click and filter by a word; charts read out
the point under the pointer, and a click on a legend entry hides its line."""

import html
import json
import re

from document import Bullets, Chart, Picture, Section, Table

STYLE = """
:root { color-scheme: light dark; --text: #1b2027; --soft: #5b6672; --line: #dde2e8; --back: #ffffff; --card: #f5f7f9; --ours: #c25200; --bar: #e8a87c; }
@media (prefers-color-scheme: dark) { :root { --text: #e7eaee; --soft: #a0abb6; --line: #353d46; --back: #14181c; --card: #1d232a; --ours: #ff9a4d; --bar: #8a4a1c; }
  figure.chart svg { filter: invert(.93) hue-rotate(180deg); } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 3rem; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--text); background: var(--back); }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .4rem 0; } h2 { margin: 3rem 0 .6rem; font-size: 1.4rem; border-bottom: 2px solid var(--ours); padding-bottom: .2rem; }
h3 { margin: 1.8rem 0 .3rem; font-size: 1.1rem; } a { color: inherit; } p { max-width: 60rem; } li { margin: .15rem 0; }
.lead { color: var(--soft); margin: .2rem 0 1rem; }
nav { position: sticky; top: 0; z-index: 3; background: var(--back); border-bottom: 1px solid var(--line); padding: .4rem 0; display: flex; gap: .2rem 1.1rem; overflow-x: auto; font-size: .9rem; }
nav a { white-space: nowrap; text-decoration: none; color: var(--soft); } nav a:hover { color: var(--ours); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .8rem; margin: 1rem 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .8rem 1rem; break-inside: avoid; }
.card .asked { font-weight: 600; } .card .factor { font-size: 2rem; font-weight: 700; color: var(--ours); line-height: 1.2; }
.card small { color: var(--soft); display: block; } .meter { height: .45rem; border-radius: 4px; background: var(--line); margin: .5rem 0 .15rem; overflow: hidden; }
.meter i { display: block; height: 100%; background: var(--ours); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; color: var(--soft); font-size: .85rem; margin: 0; overflow-wrap: anywhere; } .facts dd { margin: 0; }
.wide { overflow-x: auto; max-height: 80vh; border: 1px solid var(--line); border-radius: 8px; margin: .4rem 0 1.2rem; width: fit-content; max-width: 100%; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; } tbody tr:last-child td { border-bottom: 0; }
th:first-child, td:first-child { text-align: left; } tbody tr:hover { background: var(--card); } td b { color: var(--ours); }
th { cursor: pointer; background: var(--card); position: sticky; top: 0; z-index: 1; white-space: normal; min-width: 4.5rem; vertical-align: bottom; font-weight: 600; }
th::after { content: " "; color: var(--ours); } th[data-order=up]::after { content: " \\25B2"; } th[data-order=down]::after { content: " \\25BC"; }
figure { margin: 1rem 0; position: relative; } figure.chart { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
figure.chart svg { width: 100%; min-width: 42rem; height: auto; display: block; } figure.chart [id$=patch_1] path { fill: none !important; }
figcaption { padding: .2rem .6rem .5rem; color: var(--soft); font-size: .85rem; }
.out { position: absolute; top: 0; left: 0; pointer-events: none; background: var(--text); color: var(--back); font-size: .8rem; padding: .15rem .5rem; border-radius: 5px; white-space: nowrap; z-index: 2; }
[data-key] { cursor: pointer; } .pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: .8rem; } .pictures figure { margin: 0; } .pictures img { width: 100%; border-radius: 8px; }
input { font: inherit; font-size: .85rem; padding: .25rem .6rem; width: 16rem; max-width: 100%; border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: inherit; }
summary { cursor: pointer; font-weight: 600; margin: .5rem 0; } details { border-left: 3px solid var(--line); padding-left: .8rem; }
#errors { color: #d00000; font-weight: 700; }
@media (max-width: 30rem) { body { padding: .7rem; font-size: 15px; } h1 { font-size: 1.35rem; } .cards { grid-template-columns: 1fr; } th, td { padding: .25rem .5rem; } .facts { grid-template-columns: 1fr; } .facts dt { font-weight: 600; } }
@media print { input, nav, .out { display: none; } body { max-width: none; font-size: 10pt; } .wide { max-height: none; overflow: visible; border: 0; } th { position: static; } table { font-size: 7.5pt; } figure, tr { break-inside: avoid; } figure.chart svg { min-width: 0; filter: none; } }
"""

SCRIPT = """
window.addEventListener('error', event => { document.getElementById('errors').textContent += event.message + ' '; });
const key = text => {
  if (/^2\\^\\d+/.test(text)) return 2 ** parseInt(text.slice(2));
  const number = parseFloat(text.replace(/[,\\s]/g, ''));
  return Number.isNaN(number) ? text : number;
};
const order = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === 'number' ? -1 : 1;
document.querySelectorAll('table').forEach(table => {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.addEventListener('click', () => {
    const up = head.dataset.order !== 'up';
    heads.forEach(other => { delete other.dataset.order; });
    head.dataset.order = up ? 'up' : 'down';
    const rows = [...body.rows].map(row => [key(row.cells[column].textContent), row]);
    rows.sort(([a], [b]) => typeof a !== typeof b ? order(a, b) : order(a, b) * (up ? 1 : -1)).forEach(([, row]) => body.append(row));
  }));
  if (body.rows.length < 10) return;
  const filter = document.createElement('input');
  filter.placeholder = 'filter ' + body.rows.length + ' rows';
  filter.setAttribute('aria-label', 'filter rows');
  filter.addEventListener('input', () => [...body.rows].forEach(row => {
    row.hidden = !filter.value.toLowerCase().split(' ').every(word => row.textContent.toLowerCase().includes(word));
  }));
  table.parentElement.before(filter);
});
document.querySelectorAll('figure.chart').forEach(figure => {
  const data = figure.querySelector('script');
  if (!data) return;
  const svg = figure.querySelector('svg'), series = JSON.parse(data.textContent), out = document.createElement('div');
  out.className = 'out';
  out.hidden = true;
  figure.append(out);
  const part = id => document.getElementById(figure.dataset.name + id);
  series.forEach(one => one.keys.map(part).filter(Boolean).forEach(element => {
    element.dataset.key = one.label;
    element.addEventListener('click', () => {
      one.off = !one.off;
      one.ids.map(part).forEach(line => { line.style.display = one.off ? 'none' : ''; });
      one.keys.map(part).forEach(other => { other.style.opacity = one.off ? .3 : 1; });
    });
  }));
  svg.addEventListener('pointermove', event => {
    const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
    const x = (event.clientX - box.left) / scale, y = (event.clientY - box.top) / scale;
    let best = null, least = 24 / scale;
    series.forEach(one => one.off || one.points.forEach(point => {
      const distance = Math.hypot(point[0] - x, point[1] - y);
      if (distance < least) { least = distance; best = point; }
    }));
    out.hidden = !best;
    if (!best) return;
    out.textContent = best[2];
    const left = box.left - figure.getBoundingClientRect().left + figure.scrollLeft + best[0] * scale;
    out.style.transform = `translate(${Math.max(4, Math.min(left - out.offsetWidth / 2, svg.clientWidth - out.offsetWidth - 4))}px, ${best[1] * scale - 34}px)`;
  });
  svg.addEventListener('pointerleave', () => { out.hidden = true; });
});
window.addEventListener('beforeprint', () => document.querySelectorAll('details').forEach(one => { one.open = true; }));
"""


def inline(text):
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(str(text), quote=False))


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
