#!/usr/bin/env python3
"""Results of the bench programs as tables (Markdown), charts (SVG) and one HTML page.

Each FILE.json is what a bench program wrote, or a script of bench/peers:
  reduction_bench --benchmark_out=reduction.json --benchmark_out_format=json
Several files of one machine make one report. A benchmark that occurs more than once counts as repeated: the middle time is shown.

Examples:
  report.py --out report skin_tracker_bench.json skin_peers.json
  report.py --again bench/results       # makes every report under that folder again, each of the results beside it
"""

import argparse
import os
import sys

import aam
import capsule
import page
import reduction
import skin
from document import Bullets, Chart, Section, Table, markdown, percent, rate, spread, three_digits
from results import ResultError, is_results, load

LIMITS = {"limit/read/gpu": "read, GPU", "limit/read/gpu_cache": "read, the GPU's L2 cache", "limit/read/cpu_1": "read, one core",
          "limit/read/cpu_all": "read, all cores", "limit/launch/gpu": "an empty kernel in a graph, GPU",
          "limit/copy/gpu": "copy of a frame from pinned memory to the GPU"}
MODULES = (reduction, skin, capsule, aam)


def limits(results):
    rows = [[LIMITS.get(e.text, e.text), rate(e.gb_per_s) if e.gb_per_s else three_digits(e.us) + " us", three_digits(e.us), spread(e)]
            for e in results.entries if e.kind == "limit"]
    return [Section("Limits", 2, [Table(["limit", "measured", "time (us)", "10th to 90th percentile (us)"], rows)])] if rows else []


def others(results):
    groups = {}
    for e in results.entries:
        if e.kind == "other":
            groups.setdefault(e.group, []).append(
                [e.text, three_digits(e.us), spread(e), three_digits(e.gb_per_s), percent(e.share)])
    head = ["name", "time (us)", "10th to 90th percentile (us)", "GB/s", "share of read"]
    return [Section(group, 2, [Table(head, rows)]) for group, rows in sorted(groups.items())]


def make(results):
    """{file name: (what it holds, text)}"""
    machine = " and ".join(results.machine(key, "") for key in ("gpu", "cpu") if key in results.facts) or "hardware not named"
    sections = limits(results) + [s for module in MODULES for s in module.sections(results)] + others(results)
    if results.failures:
        sections.append(Section("Failed", 2, [Bullets([f"{name}: {reason}" for name, reason in results.failures])]))
    answers = [answer for module in MODULES for answer in module.answers(results)]
    facts = Section("Machine", 2, [Bullets([f"{key}: {value}" for key, value in results.facts.items()]),
                                   "Times are medians. Limits were measured in the same run. A speed-up is the other side's time over ours: above 1, "
                                   "ours is faster. Same: the spreads, from the 10th to the 90th percentile, overlap."])
    title = f"Benchmarks: {machine}"
    files = {"comparison.md": ("limits, verdict and every time as tables", markdown(title, [facts] + sections)),
             "report.html": ("the same as one page with charts", page.page(title, results.facts, answers, sections))}
    for section in sections:
        files.update({block.file: (block.caption, block.svg) for block in section.body if isinstance(block, Chart)})
    return files


def write(folder, files):
    os.makedirs(folder, exist_ok=True)
    for name, (caption, text) in files.items():
        path = os.path.join(folder, name)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".new", path)
        print(f"{path}: {caption}")


def reports_under(root):
    """(folder, its result files) of every folder that has a report. Other JSON files are left alone."""
    for folder, _, names in sorted(os.walk(root)):
        if "comparison.md" in names:
            paths = [os.path.join(folder, name) for name in sorted(names) if name.endswith(".json")]
            yield folder, [path for path in paths if is_results(path)]


def main(arguments):
    parser = argparse.ArgumentParser(prog="report.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE.json")
    parser.add_argument("--out", metavar="DIR", help="where the report goes; made when missing")
    parser.add_argument("--again", metavar="DIR", help="make every report under DIR again")
    options = parser.parse_args(arguments)
    if bool(options.again) == bool(options.out) or bool(options.out) != bool(options.files):
        parser.error("give result files and --out DIR, or --again DIR")
    try:
        for folder, files in reports_under(options.again) if options.again else [(options.out, options.files)]:
            write(folder, make(load(files)))
    except (ResultError, OSError) as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
