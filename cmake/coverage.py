#!/usr/bin/env python3
"""Prints the covered lines and branches of each folder, the files with the most uncovered lines, and the functions that were never
executed, from gcov's counts.

Branches are those of conditions; the ones that only an exception takes are left out. A line, branch or function counts once for all
the programs and template instances that contain it.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

NAMED = 20  # files with the most uncovered lines
LOWEST = 10  # files with the lowest share, of those with at least MIN_LINES
MIN_LINES = 10


def counts_of(data_file):
    """gcov's records of one object: its .gcno file, and the .gcda file when it was executed."""
    answer = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", str(data_file)], capture_output=True,
                            text=True, check=True, cwd=data_file.parent)
    for document in answer.stdout.splitlines():
        if document.startswith("{"):
            parsed = json.loads(document)
            for record in parsed["files"]:
                yield pathlib.Path(parsed["current_working_directory"], record["file"]).resolve(), record


def collect(source, build):
    """Of each file of the source tree: {line: executions}, {(line, branch): executions}, {(line, function): executions}."""
    files = collections.defaultdict(lambda: (collections.Counter(), collections.Counter(), collections.Counter()))
    for data_file in sorted(build.rglob("*.gcno")):
        for path, record in counts_of(data_file):
            if not path.is_relative_to(source) or path.is_relative_to(build) or path.relative_to(source).parts[0] in ("tests", "bench"):
                continue
            of_lines, of_branches, of_functions = files[path.relative_to(source)]
            for line in record["lines"]:
                of_lines[line["line_number"]] += line["count"]
                for i, branch in enumerate(line["branches"]):
                    if not branch["throw"]:
                        of_branches[line["line_number"], i] += branch["count"]
            for function in record["functions"]:
                # the name without template arguments and parameters
                name = re.sub(r"<[^<>]*>", "", function["demangled_name"])
                while name != (shorter := re.sub(r"<[^<>]*>|\([^()]*\)( const)?", "", name)):
                    name = shorter
                of_functions[function["start_line"], name.split(" ")[-1]] += function["execution_count"]
    return files


def share(counter):
    covered = sum(1 for count in counter.values() if count > 0)
    return covered, len(counter)


def summary(files):
    """What tests/HARDENING.md states: the modules, and the files with the lowest share of covered lines."""
    modules = collections.defaultdict(lambda: [0, 0, 0, 0])
    for path, (lines, branches, _) in files.items():
        for at, number in enumerate((*share(lines), *share(branches))):
            modules[path.parts[0]][at] += number
    lowest = sorted(((*share(lines), path.as_posix()) for path, (lines, _, _) in files.items() if len(lines) >= MIN_LINES),
                    key=lambda row: row[0] / row[1])
    keys = ("lines_covered", "lines", "branches_covered", "branches")
    return {"modules": {name: dict(zip(keys, numbers)) for name, numbers in modules.items()},
            "lowest": [{"file": name, "lines_covered": covered, "lines": lines} for covered, lines, name in lowest[:LOWEST]]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write the summary for tests/hardening")
    args = parser.parse_args()
    files = collect(args.source.resolve(), args.build.resolve())
    if not files:
        sys.exit(f"there are no counts in {args.build}: build with TRIPTYCH_COVERAGE=ON and run the tests first")
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    for path, (lines, branches, _) in files.items():
        for at, number in enumerate((*share(lines), *share(branches))):
            folders[path.parent.as_posix()][at] += number
            folders["all"][at] += number
    percent = lambda part, whole: f"{100 * part / whole:6.1f} %" if whole else "       -"
    print(f"{'folder':60} {'lines':>16} {'branches':>18}")
    for folder in sorted(folders, key=lambda name: (name == "all", name)):
        line, lines, branch, branches = folders[folder]
        print(f"{folder:60} {percent(line, lines)} of {lines:5} {percent(branch, branches)} of {branches:6}")
    print("\nuncovered lines, the files with the most:")
    missing = {path: sorted(n for n, count in lines.items() if count == 0) for path, (lines, _, _) in files.items()}
    for path, numbers in sorted(missing.items(), key=lambda item: -len(item[1]))[:NAMED]:
        if numbers:
            print(f"{len(numbers):5} {path.as_posix()}: {', '.join(map(str, numbers[:12]))}{', ...' if len(numbers) > 12 else ''}")
    print("\nfunctions that were never executed:")
    for path, (_, _, functions) in sorted(files.items()):
        for (line, name), count in sorted(functions.items()):
            if count == 0:
                print(f"{path.as_posix()}:{line}: {name}")
    if args.json:
        args.json.write_text(json.dumps(summary(files), indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
