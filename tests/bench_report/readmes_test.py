"""The figures of READMEs: written from results, and a changed number is found."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import readmes
from samples import CONTEXT, entry

README = """# Title
<!-- figures: h200
It takes {us sum/float/automatic/rotating/8} us, CUB {times sum/float/peer_*/rotating/8 sum/float/automatic/rotating/8} times that.
| {share sum/float/automatic/rotating/8} | {limit sum/float/automatic/rotating/8 read/gpu} us | {accuracy heads within video=girl} % |
-->
<!-- /figures -->
Other text, 17 us.
"""


class Readmes(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.root = pathlib.Path(self.scratch.name)
        machine = self.root / "bench" / "results" / "h200"
        (machine / "accuracy").mkdir(parents=True)
        made = [entry("limit/read/gpu", 1000, bytes=4e9), entry("sum/float/automatic/rotating/8", 2, bytes=4e6), entry("sum/float/peer_cub/rotating/8", 3),
                entry("sum/float/peer_thrust/rotating/8", 30)]
        (machine / "reduction_bench.json").write_text(json.dumps({"context": CONTEXT, "benchmarks": made}))
        rows = [{"video": "girl", "within": 98.4}, {"video": "boy", "within": 1}]
        (machine / "accuracy" / "heads.json").write_text(json.dumps({"task": "heads", "context": {}, "columns": [], "rows": rows}))
        self.path = self.root / "README.md"
        self.path.write_text(README)

    def run_it(self, check):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            return readmes.run(check, self.root), out.getvalue(), err.getvalue()

    def test_figures_are_written_and_then_agree(self):
        self.assertEqual(self.run_it(check=True)[0], 1)
        self.assertEqual(self.path.read_text(), README)  # a check writes nothing
        self.assertEqual(self.run_it(check=False)[0], 0)
        self.assertIn("-->\nIt takes 2.00 us, CUB 1.50 times that.\n| 50 % | 1.00 us | 98.4 % |\n<!-- /figures -->\nOther text, 17 us.", self.path.read_text())
        self.assertEqual(self.run_it(check=True)[:2], (0, "1 blocks of figures are those of the results\n"))

    def test_an_edited_number_is_found(self):
        self.run_it(check=False)
        self.path.write_text(self.path.read_text().replace("takes 2.00 us", "takes 1.90 us"))
        code, out, _ = self.run_it(check=True)
        self.assertEqual(code, 1)
        self.assertIn("README.md:2: the results say\n  It takes 2.00 us, CUB 1.50 times that.\nnot\n  It takes 1.90 us", out)

    def test_a_new_result_is_found(self):
        self.run_it(check=False)
        results = self.root / "bench/results/h200/reduction_bench.json"
        results.write_text(results.read_text().replace('"real_time": 2', '"real_time": 1'))
        self.assertEqual(self.run_it(check=True)[0], 1)
        self.run_it(check=False)
        self.assertIn("It takes 1.00 us, CUB 3.00 times", self.path.read_text())

    def test_what_is_not_measured_is_a_dash_or_what_stands_there(self):
        self.path.write_text("<!-- figures: h200\n{us nowhere} {us nowhere else 6} {us@other sum/float/automatic/rotating/8} {nonsense 1}\n-->\n<!-- /figures -->\n")
        code, _, err = self.run_it(check=False)
        dash = readmes.DASH
        self.assertIn(f"-->\n{dash} 6 {dash} {dash}\n", self.path.read_text())
        self.assertEqual(err.count("not measured"), 4)

    def test_a_block_without_an_end_is_named(self):
        self.path.write_text(README.replace("<!-- /figures -->", ""))
        code, out, _ = self.run_it(check=False)
        self.assertEqual(code, 1)
        self.assertIn("no end mark", out)

    def test_large_figures_have_their_thousands_apart(self):
        self.assertEqual([readmes.figure(value) for value in (9876, 18820, 1234567, 0.05)], ["9880", "18,800", "1,230,000", "0.0500"])


if __name__ == "__main__":
    unittest.main()
