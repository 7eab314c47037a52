#!/usr/bin/env python3
"""check_length.py finds a README of one word too many."""

import pathlib
import tempfile
import unittest

import check_length


class Length(unittest.TestCase):
    def problems_with(self, top, module, more=""):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            (root / "core").mkdir()
            (root / "README.md").write_text("word " * top + more)
            (root / "core/README.md").write_text("word\n" * module)
            return check_length.check(root)[0]

    def test_as_long_as_allowed(self):
        self.assertEqual(self.problems_with(550, 500), [])

    def test_comments_are_not_counted(self):
        self.assertEqual(self.problems_with(550, 500, "<!-- figures: h200\n| a | b |\n-->\n"), [])

    def test_a_word_too_many(self):
        self.assertEqual(self.problems_with(551, 501),
                         ["README.md: 551 words; at most 550: move the rest to docs/",
                          "core/README.md: 501 words; at most 500: move the rest to docs/"])


if __name__ == "__main__":
    unittest.main()
