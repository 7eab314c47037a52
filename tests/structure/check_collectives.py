#!/usr/bin/env python3
"""Fails where a kernel outside reduction/ reduces or scans by itself instead of by triptych/reduction/collective.

Looked for: warp shuffles, warp reductions, and flagged words between blocks (relaxed, acquire or release loads and stores in
PTX, cuda::atomic_ref). Votes (__ballot_sync, __any_sync, __all_sync, __syncthreads_or) and barriers are allowed.

Usage: check_collectives.py [--uses] [ROOT]     --uses: also list the files that include a collective
"""

import pathlib
import re
import sys

WORKLOADS = ("capsule_likelihood", "skin_tracker", "aam_fit")
SUFFIXES = {".cu", ".cuh", ".hpp", ".inl"}  # a .cpp holds no kernel
FORBIDDEN = {
    "a shuffle": re.compile(r"\b__shfl_\w+"),
    "a warp reduction": re.compile(r"\b__reduce_\w+_sync"),
    "a flagged word": re.compile(r"\b(?:ld|st|atom|red)\.(?:relaxed|acquire|release|acq_rel)\b|\batomic_ref\b"),
    "a cooperative-groups reduction": re.compile(r"\bcooperative_groups::(?:reduce|inclusive_scan|exclusive_scan)\b"),
}
COLLECTIVE = re.compile(r"#include <triptych/reduction/collective/(\w+\.cuh)>")

# "file: what" -> why it may stay. Empty: nothing needs an exception.
EXCEPTIONS = {}


def without_comments(text):
    """The text with comments blanked, line numbers kept."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    return re.sub(r"//[^\n]*|/\*.*?\*/", blank, text, flags=re.S)


def check(root):
    problems, uses, met = [], {}, set()
    for workload in WORKLOADS:
        for path in sorted((root / workload).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            where = path.relative_to(root).as_posix()
            text = path.read_text()
            headers = sorted(set(COLLECTIVE.findall(text)))
            if headers:
                uses[where] = headers
            for number, line in enumerate(without_comments(text).splitlines(), 1):
                for what, pattern in FORBIDDEN.items():
                    if not pattern.search(line):
                        continue
                    if f"{where}: {what}" in EXCEPTIONS:
                        met.add(f"{where}: {what}")
                    else:
                        problems.append(f"{where}:{number}: {what}; use triptych/reduction/collective")
    problems += [f"exception that nothing needs any more: {e}" for e in EXCEPTIONS.keys() - met]
    problems += [f"{w}: no file uses a collective" for w in WORKLOADS if not any(u.startswith(w + "/") for u in uses)]
    return problems, uses


def main():
    arguments = [a for a in sys.argv[1:] if a != "--uses"]
    root = pathlib.Path(arguments[0]).resolve() if arguments else pathlib.Path(__file__).resolve().parents[2]
    problems, uses = check(root)
    for problem in problems:
        print(problem)
    if "--uses" in sys.argv[1:]:
        for where, headers in uses.items():
            print(f"{where}: {', '.join(headers)}")
    if problems:
        return 1
    print(f"no kernel of the workloads reduces by hand; {len(uses)} files use the collectives")
    return 0


if __name__ == "__main__":
    sys.exit(main())
