#!/usr/bin/env python3
"""Names the committed GPU results that are older than the kernels they describe.

A result is out of date when the code of a kernel (without comments and white space) has changed since the commit that wrote the
result. That is a note and no failure: only a machine with that GPU can measure again.
"""

import pathlib
import re
import subprocess
import sys

# Each result file, and the folders of the kernels that it times. All kernels use the collectives.
COLLECTIVES = "reduction/include/triptych/reduction"
RESULTS = {
    "bench/results/h200/reduction_bench.json": [COLLECTIVES, "reduction/src"],
    "bench/results/h200/skin_tracker_bench.json": [COLLECTIVES + "/collective", "skin_tracker/src"],
    "bench/results/h200/capsule_likelihood_bench.json": [COLLECTIVES + "/collective", "capsule_likelihood/src"],
    "bench/results/h200/aam_fit_bench.json": [COLLECTIVES + "/collective", "aam_fit/src"],
    "bench/results/h200/sanitizer.md": [COLLECTIVES, "reduction/src", "skin_tracker/src", "capsule_likelihood/src", "aam_fit/src"],
}


def git(root, *arguments):
    return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True).stdout


def code(text):
    """Without comments and white space."""
    return re.sub(r"\s+", "", re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S))


def changed_kernels(root, commit, folders):
    """The kernel sources (.cu, .cuh) whose code differs between the commit and HEAD."""
    changed = []
    for line in git(root, "diff", "--name-status", "-M", commit, "HEAD", "--", *folders).splitlines():
        status, *paths = line.split("\t")
        if not paths[-1].endswith((".cu", ".cuh")):
            continue
        if status[0] in "MR" and code(git(root, "show", f"{commit}:{paths[0]}")) == code(git(root, "show", f"HEAD:{paths[-1]}")):
            continue
        changed.append(paths[-1])
    return changed


def check(root, results=None):
    """One sentence for each result that is out of date."""
    notes = []
    for result, folders in (RESULTS if results is None else results).items():
        commit = git(root, "log", "--follow", "--diff-filter=AM", "-1", "--format=%H", "--", result).strip()  # a file that only moved is as old as before
        if not commit:
            notes.append(f"{result} is not committed")
            continue
        changed = changed_kernels(root, commit, folders)
        if changed:
            shown = ", ".join(changed[:3]) + (", ..." if len(changed) > 3 else "")
            notes.append(f"{result} is older than {len(changed)} of its kernel sources: {shown}")
    return notes


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    try:
        notes = check(root)
    except (OSError, subprocess.CalledProcessError):
        print("the age of the GPU results is not known: no git history here")
        return
    for note in notes:
        print("note:", note)
    print(f"{len(RESULTS) - len(notes)} of {len(RESULTS)} GPU results are of the kernels in this tree")


if __name__ == "__main__":
    sys.exit(main())
