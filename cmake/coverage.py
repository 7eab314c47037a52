#!/usr/bin/env python3
"""Prints the covered lines and branches of each folder, and the files with the most uncovered lines, from gcov's counts.

Branches are those of conditions; the ones that only an exception takes are left out. A line or branch counts once for all the
programs and template instances that contain it. Usage: coverage.py SOURCE BUILD
"""

import collections
import json
import pathlib
import subprocess
import sys

NAMED = 20  # files with the most uncovered lines


def counts_of(data_file):
    """gcov's records of one object: its .gcno file, and the .gcda file when it was executed."""
    answer = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", str(data_file)], capture_output=True,
                            text=True, check=True, cwd=data_file.parent)
    for document in answer.stdout.splitlines():
        if document.startswith("{"):
            parsed = json.loads(document)
            for record in parsed["files"]:
                yield pathlib.Path(parsed["current_working_directory"], record["file"]).resolve(), record["lines"]


def collect(source, build):
    """Of each file of the source tree: {line: executions}, {(line, branch): executions}."""
    files = collections.defaultdict(lambda: (collections.Counter(), collections.Counter()))
    for data_file in sorted(build.rglob("*.gcno")):
        for path, lines in counts_of(data_file):
            if not path.is_relative_to(source) or path.is_relative_to(build) or path.relative_to(source).parts[0] == "tests":
                continue
            of_lines, of_branches = files[path.relative_to(source)]
            for line in lines:
                of_lines[line["line_number"]] += line["count"]
                for i, branch in enumerate(line["branches"]):
                    if not branch["throw"]:
                        of_branches[line["line_number"], i] += branch["count"]
    return files


def share(counter):
    covered = sum(1 for count in counter.values() if count > 0)
    return covered, len(counter)


def main():
    source, build = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    files = collect(source, build)
    if not files:
        sys.exit(f"there are no counts in {build}: build with TRIPTYCH_COVERAGE=ON and run the tests first")
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    for path, (lines, branches) in files.items():
        for at, number in enumerate((*share(lines), *share(branches))):
            folders[path.parent.as_posix()][at] += number
            folders["all"][at] += number
    percent = lambda part, whole: f"{100 * part / whole:6.1f} %" if whole else "       -"
    print(f"{'folder':60} {'lines':>16} {'branches':>18}")
    for folder in sorted(folders, key=lambda name: (name == "all", name)):
        line, lines, branch, branches = folders[folder]
        print(f"{folder:60} {percent(line, lines)} of {lines:5} {percent(branch, branches)} of {branches:6}")
    print("\nuncovered lines, the files with the most:")
    missing = {path: sorted(n for n, count in lines.items() if count == 0) for path, (lines, _) in files.items()}
    for path, numbers in sorted(missing.items(), key=lambda item: -len(item[1]))[:NAMED]:
        if numbers:
            print(f"{len(numbers):5} {path.as_posix()}: {', '.join(map(str, numbers[:12]))}{', ...' if len(numbers) > 12 else ''}")


if __name__ == "__main__":
    main()
