#!/usr/bin/env python3
"""check_links.py finds links that lead nowhere: each case writes a small checkout and expects the sentence."""

import pathlib
import tempfile
import unittest

import check_links


class Links(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name).resolve()
        (self.root / "core/docs").mkdir(parents=True)
        (self.root / "core/docs/method.md").write_text("# How it works\n\n## The `sum`, twice\n\n## The sum, twice\n")
        (self.root / "core/chart.svg").write_text("")

    def problems_with(self, text):
        (self.root / "core/README.md").write_text(text)
        return check_links.check(self.root)[0]

    def test_links_that_lead_somewhere(self):
        self.assertEqual(self.problems_with(
            "# Title\n[a](docs/method.md), [b](docs/method.md#how-it-works), [c](docs/method.md#the-sum-twice-1), [d](#title),\n"
            "![picture](chart.svg \"a chart\"), [![picture](chart.svg)](docs), [e](https://example.org/none), [f][ref]\n\n"
            "[ref]: docs/method.md\n<img src=\"chart.svg\" width=\"10\">\n"), [])

    def test_a_file_that_is_not_there(self):
        self.assertEqual(self.problems_with("\n[a](docs/other.md)\n"), ["core/README.md:2: docs/other.md does not exist"])

    def test_a_picture_that_is_not_there(self):
        self.assertEqual(self.problems_with("![a](other.svg)"), ["core/README.md:1: other.svg does not exist"])

    def test_a_picture_inside_a_link(self):
        self.assertEqual(self.problems_with("[![a](other.svg)](docs)"), ["core/README.md:1: other.svg does not exist"])

    def test_a_picture_in_html(self):
        self.assertEqual(self.problems_with('<img width="10" src="other.svg">'),
                         ["core/README.md:1: other.svg does not exist"])

    def test_a_reference(self):
        self.assertEqual(self.problems_with("[a][b]\n\n[b]: other.md\n"), ["core/README.md:3: other.md does not exist"])

    def test_an_anchor_that_is_not_there(self):
        self.assertEqual(self.problems_with("[a](docs/method.md#nothing) [b](#nothing)"),
                         ["core/README.md:1: #nothing names a heading that is not there",
                          "core/README.md:1: docs/method.md#nothing names a heading that is not there"])

    def test_a_file_outside(self):
        self.assertEqual(self.problems_with("[a](../../)"), ["core/README.md:1: ../../ lies outside the checkout"])

    def test_code_is_not_looked_at(self):
        self.assertEqual(self.problems_with("`[a](b)`\n```\n[a](b)\n```\n"), [])


if __name__ == "__main__":
    unittest.main()
