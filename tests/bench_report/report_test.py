"""The files that a report is made of, and the committed ones."""

import contextlib
import io
import json
import os
import re
import unittest
from html.parser import HTMLParser

import report
from samples import Files, entry, loaded

RESULTS = os.path.join(os.path.dirname(__file__), "..", "..", "bench", "results")


def sample(sizes=(2**10, 2**20, 2**28)):
    made = [entry("limit/read/gpu", 1000, bytes=4e9), entry("limit/launch/gpu", 0.5), entry("new/thing", 3)]
    for n in sizes:
        made += [entry(f"sum/float/automatic/rotating/{n}", 1 + n / 1e6, bytes=4 * n), entry(f"sum/float/peer_cub/rotating/{n}", 2 + n / 1e6)]
    return loaded(*made)


class Page(HTMLParser):
    """Counts tags and checks that they close in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.counts, self.ids = [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.ids += [value for key, value in attributes if key == "id"]
        if tag not in ("meta", "br", "input", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.ids += [value for key, value in attributes if key == "id"]

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()


class Report(unittest.TestCase):
    def test_the_page_is_whole_and_needs_no_network(self):
        text = report.make(sample())["report.html"][1]
        page = Page(text)
        self.assertEqual(page.open, [])
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertGreaterEqual(page.counts["svg"], 2)
        self.assertGreaterEqual(page.counts["table"], 3)
        addresses = set(re.findall(r'(?:src|href)="(https?:[^"]*)"', text)) | set(re.findall(r"url\((https?:[^)]*)\)", text))
        self.assertEqual(addresses, set())
        self.assertTrue("what one would use instead" in text)
        self.assertLess(len(text), 1_000_000)

    def test_the_page_shows_the_charts_as_they_are(self):
        files = report.make(sample())
        without_ids = lambda text: re.sub(r'(\bid="|url\(#|href="#)(c\d+-)?[^")]*|<svg role="img" aria-label="[^"]*"|<svg', "", text)
        charts = [text for name, (_, text) in files.items() if name.endswith(".svg")]
        self.assertGreaterEqual(len(charts), 2)
        for chart in charts:
            self.assertTrue(without_ids(chart) in without_ids(files["report.html"][1]))

    def test_charts_are_the_same_bytes_again(self):
        self.assertEqual(report.make(sample()), report.make(sample()))

    def test_names_cannot_inject_markup(self):
        text = report.make(loaded(entry("<script>alert(1)</script>/x", 1)))["report.html"][1]
        self.assertNotIn("<script>alert", text)

    def test_accuracy_has_its_table_its_pictures_and_a_card(self):
        with Files() as files:
            with open(os.path.join(files.folder.name, "worst.jpg"), "wb") as picture:
                picture.write(b"pixels")
            columns = [{"key": "faces", "title": "faces"}, {"key": "below_005", "title": "below 0.05", "unit": "%"}, {"key": "none", "title": "never measured"}]
            table = {"task": "faces", "context": {"commit": "abc"}, "columns": columns, "rows": [{"faces": "wild", "below_005": 90.0}, {"faces": "IMM", "below_005": None}],
                     "pictures": [{"file": "worst.jpg", "caption": "a face", "kind": "worst"}, {"file": "gone.jpg", "caption": "no file", "kind": "best"}]}
            paths = [files.text("faces.json", json.dumps(table)), files.results("a.json", [entry("aam/float/peer_opencv/resident/1x60x4096", 1, share_below=0.27)])]
            made = report.make_of(paths)
        page = made["report.html"][1]
        for words in ("Landmarks of faces", "below 0.05 (%)", '<img alt="a face" src="data:image/jpeg;base64,cGl4ZWxz">', "90 %", "OpenCV's FacemarkAAM, 27 %", "commit abc"):
            self.assertTrue(words in page, words)
        self.assertFalse("no file" in page or "never measured" in page)
        self.assertTrue(f"| IMM | {report.DASH} |" in made["comparison.md"][1])

    def test_peers_stand_beside_ours_and_absent_ones_are_named(self):
        with Files() as files:
            made = [entry("skin/rgba/peer_opencv/clip/threads:2", 100), entry("skin/rgba/peer_torch_graph/resident", 30), entry("skin/rgba/peer_torch_compiled/resident", 60), entry("skin/rgba/fast/resident/1920x1080", 3),
                    entry("skin/rgba/threads/total/1920x1080", 20), entry("skin/rgba/threads/resident/1920x1080", 9), entry("skin/rgba/simd/total/1920x1080", 40),
                    entry("skin/rgba/peer_opencv/clip/threads:1", 100), entry("aam/float/peer_torch_graph/resident/1x60x4096", 50),
                    entry("aam/float/gpu_one_pass/frames_10/1x60x4096", 100), entry("aam/float/gpu_one_pass/rotating/1x60x4096", 10)]
            files.text("absent.txt", "capsule_peers: torch is not installed\n")
            text = report.make_of([files.results("a.json", made)])["comparison.md"][1]
        self.assertIn("| skin rgba | opencv, clip, 2 threads | 100 \N{MICRO SIGN}s | threads | 20 \N{MICRO SIGN}s | 5.00x |", text)
        self.assertIn("| skin rgba | torch_graph, resident | 30 \N{MICRO SIGN}s | fast | 3 \N{MICRO SIGN}s | 10.0x |", text)
        self.assertIn("| skin rgba | opencv, clip, 1 threads | 100 \N{MICRO SIGN}s | simd | 40 \N{MICRO SIGN}s | 2.50x |", text)
        self.assertIn("| aam float 1 x 60 x 4096 | torch_graph, resident | 50 \N{MICRO SIGN}s | gpu_one_pass | 10 \N{MICRO SIGN}s | 5.00x |", text)
        self.assertIn("| skin rgba | torch_compiled, resident | 60 \N{MICRO SIGN}s | fast | 3 \N{MICRO SIGN}s | 20.0x |", text)
        self.assertIn("- capsule_peers: torch is not installed", text)

    def test_program_writes_or_says_why_not(self):
        with Files() as files:
            out, err = os.path.join(files.folder.name, "out"), io.StringIO()
            good = files.results("good.json", [entry("sum/float/automatic/rotating/8", 1)])
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
                self.assertEqual(report.main(["--out", out, good]), 0)
                self.assertEqual(report.main(["--out", out + "2", files.text("bad.json", "{")]), 1)
            self.assertTrue(os.path.exists(os.path.join(out, "comparison.md")))
            self.assertFalse(os.path.exists(out + "2"))
            self.assertIn("bad.json: this is not JSON", err.getvalue())

    def test_the_committed_tables_are_those_of_the_committed_results(self):
        folders = list(report.reports_under(RESULTS))
        self.assertGreaterEqual(len(folders), 2)
        for folder, files in folders:
            with open(os.path.join(folder, "comparison.md"), encoding="utf-8") as file:
                self.assertTrue(file.read() == report.make_of(files)["comparison.md"][1], f"{folder}: run bench/report/report.py --again bench/results")


if __name__ == "__main__":
    unittest.main()
