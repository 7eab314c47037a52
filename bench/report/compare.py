#!/usr/bin/env python3
"""Two states of the code, measured on one machine in several rounds: which entries became slower or faster.

Usage: compare.py [--limit PERCENT] [--alpha P] [--only REGEX] [--changed] --before FILE_OR_FOLDER... --after FILE_OR_FOLDER...

The files are JSON of the bench programs; a folder stands for the result files in it. The method is that of Google Benchmark's own
compare.py: the two-sided Mann-Whitney U test over the rounds of an entry (scripts/bench --rounds N, or several files). An entry has
changed when the test says so (p below P, default 0.05) and its median moved by more than PERCENT (default 5). With fewer than four
rounds on a side the test cannot say anything: then an entry has changed when the spreads of its calls (10th to 90th percentile) do not
overlap, and the table says "spreads". Exit code 1 when an entry became slower.
"""

import argparse
import glob
import math
import os
import re
import statistics
import sys

from document import Table, markdown_table, three_digits
from results import ResultError, is_results, read_entry, read_file

FEWEST_ROUNDS = 4  # of each side: below, the smallest possible p is 0.1


def mann_whitney(a, b):
    """The two-sided p-value: exact for small samples without ties, else the normal approximation with both corrections."""
    n, m = len(a), len(b)
    u = sum((x > y) + 0.5 * (x == y) for x in a for y in b)
    u = min(u, n * m - u)
    values = sorted(a + b)
    ties = [values.count(value) for value in set(values)]
    if max(ties) == 1 and min(n, m) <= 8:
        ways = [[1] + [0] * (n * m)] + [[0] * (n * m + 1) for _ in range(n)]  # ways[i][u]: of choosing i of the values seen so far
        for seen in range(1, n + m + 1):
            for i in range(min(seen, n), 0, -1):
                step = seen - i  # values of b below this one of a
                if step <= m:
                    ways[i] = [ways[i][k] + (ways[i - 1][k - step] if k >= step else 0) for k in range(n * m + 1)]
        return min(1.0, 2 * sum(ways[n][:int(u) + 1]) / math.comb(n + m, n))
    variance = n * m / 12 * (n + m + 1 - sum(t**3 - t for t in ties) / ((n + m) * (n + m - 1)))
    if variance == 0:
        return 1.0
    return min(1.0, math.erfc(max(0.0, n * m / 2 - u - 0.5) / math.sqrt(2 * variance)))


def result_files(paths):
    for path in paths:
        found = sorted(glob.glob(os.path.join(path, "*.json"))) if os.path.isdir(path) else [path]
        yield from (file for file in found if file == path or is_results(file))


def rounds(paths, only=""):
    """{name: the entries of its rounds}"""
    found = {}
    for path in result_files(paths):
        for values in read_file(path)["benchmarks"]:
            entry = None if values.get("run_type") == "aggregate" else read_entry(values, path, [])
            if entry and entry.kind != "limit" and re.search(only, entry.text):  # limits are the machine's, not the code's
                found.setdefault(entry.text, []).append(entry)
    return found


def verdict(before, after, limit, alpha):
    """(change of the median as a share, p or None, "same", "slower" or "faster")"""
    old, new = ([e.us for e in entries] for entries in (before, after))
    change = statistics.median(new) / statistics.median(old) - 1
    if min(len(old), len(new)) >= FEWEST_ROUNDS:
        p = mann_whitney(old, new)
        changed = p < alpha
    else:
        p = None
        low = lambda entries: min(e.low or e.us for e in entries)
        high = lambda entries: max(e.high or e.us for e in entries)
        changed = max(low(before), low(after)) > min(high(before), high(after))
    if not changed or abs(change) <= limit:
        return change, p, "same"
    return change, p, "slower" if change > 0 else "faster"


def compare(before, after, limit=0.05, alpha=0.05):
    """Rows (change, name, median before, after, rounds, p, verdict), slowest change first."""
    rows = []
    for name in before.keys() & after.keys():
        change, p, said = verdict(before[name], after[name], limit, alpha)
        medians = [statistics.median(e.us for e in entries[name]) for entries in (before, after)]
        rows.append((change, name, *medians, f"{len(before[name])}, {len(after[name])}", p, said))
    return sorted(rows, key=lambda row: (-row[0], row[1]))


def table(rows):
    return markdown_table(Table(["entry", "before, us", "after, us", "change", "rounds", "p", "verdict"],
                                [[name, three_digits(old), three_digits(new), f"{change:+.1%}", count, "spreads" if p is None else f"{p:.2g}", said]
                                 for change, name, old, new, count, p, said in rows]))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", nargs="+", required=True, metavar="FILE_OR_FOLDER")
    parser.add_argument("--after", nargs="+", required=True, metavar="FILE_OR_FOLDER")
    parser.add_argument("--limit", type=float, default=5, metavar="PERCENT")
    parser.add_argument("--alpha", type=float, default=0.05, metavar="P")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--changed", action="store_true", help="leave out the entries that are the same")
    options = parser.parse_args(arguments)
    try:
        before, after = rounds(options.before, options.only), rounds(options.after, options.only)
    except ResultError as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 2
    rows = compare(before, after, options.limit / 100, options.alpha)
    if not rows:
        print("compare.py: the two sides have no entry in common", file=sys.stderr)
        return 2
    shown = [row for row in rows if row[-1] != "same" or not options.changed]
    if shown:
        print(table(shown) + "\n")
    counts = {said: sum(row[-1] == said for row in rows) for said in ("same", "slower", "faster")}
    print(f"{len(rows)} entries: {counts['same']} same, {counts['slower']} slower, {counts['faster']} faster "
          f"(U test, p below {options.alpha:g}, and more than {options.limit:g} %)")
    if any(row[5] is None for row in rows):
        print(f"Fewer than {FEWEST_ROUNDS} rounds on a side: spreads were compared; scripts/bench --rounds 9 measures more.")
    for side, names in (("before", before.keys() - after.keys()), ("after", after.keys() - before.keys())):
        if names:
            print(f"only {side}: {', '.join(sorted(names)[:5])}" + (f" and {len(names) - 5} more" if len(names) > 5 else ""))
    return 1 if counts["slower"] else 0


if __name__ == "__main__":
    sys.exit(main())
