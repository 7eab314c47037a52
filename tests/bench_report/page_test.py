"""The page in a browser: charts and tables are there, nothing fails, tables sort and filter, lines hide, points are read out."""

import html
import json
import os
import re
import shutil
import subprocess
import unittest

import report
from report_test import sample
from samples import Files

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
# Runs in the page after its own script, and leaves what it saw in the document.
PROBE = """
<pre id="seen"></pre><script>
addEventListener('load', () => {
  const seen = {}, table = [...document.querySelectorAll('table')].find(one => one.tBodies[0].rows.length >= 10);
  const column = () => [...table.tBodies[0].rows].map(row => row.cells[1].textContent);
  table.tHead.rows[0].cells[1].click();
  seen.up = column();
  table.tHead.rows[0].cells[1].click();
  seen.down = column();
  const filter = table.parentElement.previousElementSibling;
  filter.value = 'peer_cub 1024';
  filter.dispatchEvent(new Event('input'));
  seen.filtered = [...table.tBodies[0].rows].filter(row => !row.hidden).map(row => row.cells[0].textContent);
  const figure = document.querySelector('figure.chart'), svg = figure.querySelector('svg'), series = JSON.parse(figure.querySelector('script').textContent);
  const line = document.getElementById(figure.dataset.name + series[0].ids[0]);
  const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width, [x, y, words] = series[0].points[1];
  const point = () => svg.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + x * scale, clientY: box.top + y * scale}));
  point();
  seen.read = [figure.querySelector('.out').textContent, words];
  figure.querySelector('[data-key]').dispatchEvent(new Event('click'));
  seen.hidden = line.style.display;
  figure.querySelector('[data-key]').dispatchEvent(new Event('click'));
  seen.shown = line.style.display;
  seen.charts = [...document.querySelectorAll('figure.chart svg')].map(one => one.getBoundingClientRect().height > 100);
  seen.wide = document.documentElement.scrollWidth <= innerWidth;
  seen.errors = document.getElementById('errors').textContent;
  document.getElementById('seen').textContent = JSON.stringify(seen);
});
</script>"""


@unittest.skipUnless(CHROMIUM, "no Chromium here: the page is not opened")
class Browser(unittest.TestCase):
    def seen(self, page, width):
        with Files() as files:
            path = files.text("report.html", page)
            command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", f"--window-size={width},900",
                       f"--user-data-dir={os.path.join(files.folder.name, 'profile')}", "--virtual-time-budget=5000", "--dump-dom", "file://" + path]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        logged = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.S)
        self.assertTrue(found and found[1], f"the probe did not run: {logged} {done.stderr[-300:]}")
        return json.loads(html.unescape(found[1])), logged

    def test_everything_works_and_nothing_is_logged(self):
        page = report.make(sample(2**k for k in range(10, 21, 2)))["report.html"][1]
        seen, logged = self.seen(page.replace("</body>", PROBE + "</body>"), 1200)
        self.assertEqual((seen["errors"], logged), ("", []))
        numbers = [float(text) for text in seen["up"]]
        self.assertEqual(numbers, sorted(numbers))
        self.assertEqual(seen["down"], seen["up"][::-1])
        self.assertEqual(seen["filtered"], ["float/peer_cub/rotating/1024"])
        self.assertEqual(seen["read"][0], seen["read"][1])
        self.assertEqual((seen["hidden"], seen["shown"]), ("none", ""))
        self.assertGreaterEqual(len(seen["charts"]), 2)
        self.assertTrue(all(seen["charts"]))

    def test_a_phone_scrolls_tables_and_not_the_page(self):
        seen, logged = self.seen(report.make(sample(2**k for k in range(10, 21, 2)))["report.html"][1].replace("</body>", PROBE + "</body>"), 500)
        self.assertTrue(seen["wide"])
        self.assertEqual(logged, [])

    def test_a_failing_script_is_noticed(self):
        page = report.make(sample(2**k for k in range(10, 21, 2)))["report.html"][1]
        seen, logged = self.seen(page.replace("</body>", PROBE + "<script>nowhere.at.all = 1;</script></body>"), 1200)
        self.assertIn("nowhere is not defined", seen["errors"])
        self.assertEqual(len(logged), 1)


if __name__ == "__main__":
    if not CHROMIUM:
        print("no Chromium here: the page is not opened")
    unittest.main()
