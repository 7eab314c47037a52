"""The U test, and what compare.py calls slower, faster and the same."""

import contextlib
import io
import os
import random
import unittest

import compare
from samples import Files, entry


def made(names, rounds, seed, factor=lambda name: 1.0):
    """Rounds of entries whose times vary by 2 % between rounds, and now and then by 15 %."""
    chance = random.Random(seed)
    return [entry(name, 100 * factor(name) * (1 + chance.gauss(0, 0.02)) * (1.15 if chance.random() < 0.05 else 1)) for name in names for _ in range(rounds)]


class UTest(unittest.TestCase):
    def test_known_values(self):
        """As scipy.stats.mannwhitneyu(a, b) of SciPy 1.10 gives them; the first is the example of its documentation."""
        cases = [([19, 22, 16, 29, 24], [20, 11, 17, 12], 0.1111111111111111), ([1, 2, 3, 4], [5, 6, 7, 8], 2 / 70),
                 ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 2 / 252), ([1, 1, 2, 3, 4, 5, 5, 6, 7], [4, 5, 6, 7, 7, 8, 9, 9, 10], 0.00768461508699071),
                 (list(range(1, 11)), [n + 0.5 for n in range(5, 15)], 0.009108496398030965), ([1, 3], [2, 4], 2 / 3), ([5, 5], [5, 5], 1)]
        for a, b, p in cases:
            self.assertAlmostEqual(compare.mann_whitney(a, b), p, 12)
            self.assertAlmostEqual(compare.mann_whitney(b, a), p, 12)


class Comparison(unittest.TestCase):
    names = [f"sum/float/automatic/rotating/{2**k}" for k in range(10, 30)] + [f"new/thing{k}" for k in range(80)]

    def run_on(self, before, after, *options):
        with Files() as files, contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            old, new = os.path.join(files.folder.name, "old"), os.path.join(files.folder.name, "new")
            os.mkdir(old), os.mkdir(new)
            files.results("old/a.json", before), files.results("new/a.json", after), files.text("new/other.json", "{}")
            return compare.main(["--before", old, "--after", new, *options]), out.getvalue() + err.getvalue()

    def test_two_runs_of_one_state_are_the_same(self):
        code, text = self.run_on(made(self.names, 5, 1), made(self.names, 5, 2))
        same = int(text.split(" same, ")[0].split()[-1])
        self.assertGreaterEqual(same, 97, text)

    def test_a_slowdown_by_a_fifth_is_found_and_nothing_else(self):
        slow = set(self.names[::10])
        code, text = self.run_on(made(self.names, 5, 1), made(self.names, 5, 2, lambda name: 1.2 if name in slow else 1), "--changed")
        self.assertEqual(code, 1)
        found = {line.split(" | ")[0][2:] for line in text.splitlines() if line.endswith("| slower |")}
        self.assertEqual(found & slow, slow)
        self.assertLessEqual(len(found - slow), 3)

    def test_a_gain_is_no_failure(self):
        code, text = self.run_on(made(self.names[:3], 5, 1), made(self.names[:3], 5, 2, lambda _: 0.5))
        self.assertEqual((code, text.count("| faster |")), (0, 3))

    def test_few_rounds_are_judged_by_their_spreads(self):
        code, text = self.run_on([entry("a/b", 10, 9, 11), entry("c/d", 10, 9, 11)], [entry("a/b", 11.5, 10.5, 12), entry("c/d", 12, 11.5, 13)])
        self.assertEqual(code, 1)
        self.assertIn("1 same, 1 slower", text)
        self.assertIn("Fewer than 4 rounds", text)

    def test_aggregates_and_missing_entries(self):
        code, text = self.run_on([entry("a/b", 10), entry("gone/x", 1), entry("a/b", 99, run_type="aggregate")], [entry("a/b", 10)])
        self.assertEqual(code, 0)
        self.assertIn("only before: gone/x", text)

    def test_nothing_in_common_is_said(self):
        code, text = self.run_on([entry("a/b", 10)], [entry("c/d", 10)])
        self.assertEqual(code, 2)
        self.assertIn("no entry in common", text)


if __name__ == "__main__":
    unittest.main()
