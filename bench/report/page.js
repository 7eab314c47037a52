// The script of the report: tables that sort and filter, charts that read out points and hide lines.
window.addEventListener('error', event => { document.getElementById('errors').textContent += event.message + ' '; });
const key = text => {
  if (/^2\^\d+/.test(text)) return 2 ** parseInt(text.slice(2));
  const number = parseFloat(text.replace(/[,\s]/g, ''));
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
