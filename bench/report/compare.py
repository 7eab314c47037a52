#!/usr/bin/env python3
"""Two states of the code, measured in turns on one machine: a Markdown table of every entry, slowest change first.

Usage: compare.py [--limit PERCENT] [--only REGEX] --before FILE... --after FILE...

The files are JSON of the bench programs (--benchmark_out), several rounds of each state. An entry's time is the median of its
rounds; its noise is the largest distance of a round from that median, in either state. Exit code 1 when an entry is slower by
more than PERCENT (default 3) and by more than its noise.
"""

import argparse
import json
import re
import statistics
import sys


def load(files, only):
    """Entry -> times of its rounds, microseconds."""
    times = {}
    for file in files:
        with open(file) as text:
            for entry in json.load(text)["benchmarks"]:
                name = re.sub(r"/iterations:\d+|/manual_time", "", entry["name"])
                scale = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[entry["time_unit"]]
                if re.search(only, name):
                    times.setdefault(name, []).append(entry["real_time"] * scale)
    return times


def noise(times):
    """The largest distance of a round from the median, as a share."""
    middle = statistics.median(times)
    return max(abs(t - middle) for t in times) / middle if middle > 0 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", nargs="+", required=True, metavar="FILE")
    parser.add_argument("--after", nargs="+", required=True, metavar="FILE")
    parser.add_argument("--limit", type=float, default=3, metavar="PERCENT")
    parser.add_argument("--only", default="", metavar="REGEX")
    options = parser.parse_args()
    before, after = load(options.before, options.only), load(options.after, options.only)
    rows = []
    for name in sorted(before.keys() & after.keys()):
        old, new = statistics.median(before[name]), statistics.median(after[name])
        rows.append((new / old - 1, name, old, new, max(noise(before[name]), noise(after[name]))))
    rows.sort(reverse=True)
    slower = [row for row in rows if row[0] * 100 > options.limit and row[0] > row[4]]
    print("| entry | before, us | after, us | change | noise |\n| --- | ---: | ---: | ---: | ---: |")
    for change, name, old, new, spread in rows:
        print(f"| {name} | {old:.2f} | {new:.2f} | {change:+.1%} | {spread:.1%} |")
    print(f"\n{len(rows)} entries, {len(slower)} slower by more than {options.limit:g} % and by more than the noise")
    for name in sorted(before.keys() ^ after.keys()):
        print(f"only {'before' if name in before else 'after'}: {name}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
