#!/usr/bin/env python3
"""Writes tests/HARDENING.md from the counts in tests/hardening/*.json; with --tests, first counts what the tests try.

scripts/harden makes the counts. A file that is missing leaves its section out.
"""
import argparse
import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROPERTIES = {"arguments_tried": "Arguments.*", "faults_injected": "*Faults.*:*Allocation.*"}


def count_tests(programs):
    """Runs the cases that count what they try; {program: {property: number}}."""
    counts = {}
    for program in sorted(programs.glob("*_test")):
        with tempfile.TemporaryDirectory() as scratch:
            result = Path(scratch) / "result.xml"
            done = subprocess.run([program, f"--gtest_filter={':'.join(PROPERTIES.values())}", f"--gtest_output=xml:{result}"],
                                  capture_output=True, text=True)
            if done.returncode == 77:  # skipped: it needs mpirun
                continue
            if done.returncode != 0:
                sys.exit(f"{program.name} failed:\n{done.stdout}{done.stderr}")
            if not result.exists():  # not a program of GoogleTest
                continue
            found = {}
            for element in xml.etree.ElementTree.parse(result).iter("property"):
                name = element.get("name")
                if name in PROPERTIES:
                    found[name] = found.get(name, 0) + int(element.get("value"))
            if found:
                counts[program.name] = found
    return counts


def count_threads(junit):
    """The tests of ctest's --output-junit that ran, and those that were skipped."""
    suite = xml.etree.ElementTree.parse(junit).getroot()
    skipped = int(suite.get("skipped", 0)) + int(suite.get("disabled", 0))
    return {"tests": int(suite.get("tests")) - skipped, "skipped": skipped}


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" if i == 0 else "---:" for i in range(len(head))) + " |"]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def load(folder, name):
    path = folder / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def document(folder):
    lines = ["# What was tried to break Triptych", "",
             "Written by `scripts/harden` from the counts in [hardening/](hardening/). Each count ended with nothing lost: no crash, no other",
             "exception than `triptych::Error`, no leak, no changed result.", ""]
    fuzz = load(folder, "fuzz")
    if fuzz:
        total = sum(row["inputs"] for row in fuzz.values())
        lines += ["## Inputs fuzzed", "",
                  f"libFuzzer with clang's address and undefined-behaviour sanitizers: {total:,} inputs for {len(fuzz)} harnesses. An input",
                  "may take ten seconds and a gigabyte. The seeds are replayed by every test run.", ""]
        lines += table(["harness", "inputs", "seconds", "edges reached"],
                       [(name, f"{row['inputs']:,}", row["seconds"], row["edges"]) for name, row in sorted(fuzz.items())])
    tests = {}
    for path in sorted(folder.glob("tests*.json")):  # of several machines
        tests.update(json.loads(path.read_text()))
    if tests:
        arguments = sum(row.get("arguments_tried", 0) for row in tests.values())
        faults = sum(row.get("faults_injected", 0) for row in tests.values())
        lines += ["## Bad arguments and injected faults", "",
                  f"{arguments:,} calls with bad arguments: each is refused with a sentence that names the argument. {faults:,} faults: an allocation",
                  "or a CUDA call that fails, at every position of an object's life; the object then works as before, with the same bits, or says that it must be started again.", ""]
        lines += table(["test program", "arguments tried", "faults injected"],
                       [(name, row.get("arguments_tried", ""), row.get("faults_injected", "")) for name, row in sorted(tests.items())])
    soaks = [(path.stem, json.loads(path.read_text())) for path in sorted(folder.glob("soak_*.json"))]
    if soaks:
        lines += ["## Frames soaked", "", "Cycles of 30 inputs, by turns with `step()` and with `submit()`/`next()`. Memory is that grown in the second half;",
                  "the bits of every result with those of the first cycle. Latencies in microseconds.", ""]
        for stem, rows in soaks:
            lines += [f"{rows[0]['device']}:", ""]
            lines += table(["object", "frames", "different results", "device bytes grown", "host bytes grown", "p50", "p99", "p99.9", "max"],
                           [(f"`{row['object']}`", f"{row['frames']:,}", row["different_results"], row["device_bytes_grown"],
                             f"{row['host_bytes_grown']:,}", *(f"{row[key]:.1f}" for key in ("p50_us", "p99_us", "p999_us", "max_us")))
                            for row in rows])
    threads = load(folder, "threads")
    if threads:
        lines += ["## Threads", "",
                  f"{threads['tests']:,} test programs under clang's thread sanitizer, without a report; {threads['skipped']} more were skipped. Programs that",
                  "replace `operator new` are not among them: the sanitizer replaces it too.", ""]
    coverage = load(folder, "coverage")
    if coverage:
        reasons = load(folder, "coverage_reasons") or {}
        percent = lambda part, whole: f"{100 * part / whole:.1f} %" if whole else ""
        lines += ["## What the tests execute", "",
                  "On the CPU alone (preset `coverage`); kernels and the code around them are tested on a GPU and not counted.",
                  *coverage.get("note", []), ""]
        lines += table(["module", "lines", "branches"],
                       [(name, f"{percent(row['lines_covered'], row['lines'])} of {row['lines']:,}",
                         f"{percent(row['branches_covered'], row['branches'])} of {row['branches']:,}")
                        for name, row in sorted(coverage["modules"].items())])
        lines += ["The files of which the tests execute the least:", "", "| file | lines | what is left |", "| --- | ---: | --- |"]
        lines += [f"| `{row['file']}` | {percent(row['lines_covered'], row['lines'])} of {row['lines']} | {reasons.get(row['file'], '')} |"
                  for row in coverage["lowest"]] + [""]
    defects = load(folder, "defects")
    if defects:
        lines += ["## Defects that were found, and the test that keeps each away", ""]
        lines += ["| defect | test | before the fix |", "| --- | --- | --- |"]
        lines += [f"| {row['defect']} | {row['test']} | {row['before']} |" for row in defects] + [""]
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=Path, metavar="FOLDER", help="run the test programs in FOLDER and count what they try")
    parser.add_argument("--threads", type=Path, metavar="JUNIT", help="count the tests in ctest's report of the thread sanitizer")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when HARDENING.md is not what the counts give")
    args = parser.parse_args()
    if args.tests:
        (HERE / "tests.json").write_text(json.dumps(count_tests(args.tests), indent=1, sort_keys=True) + "\n")
    if args.threads:
        (HERE / "threads.json").write_text(json.dumps(count_threads(args.threads), indent=1, sort_keys=True) + "\n")
    target = HERE.parent / "HARDENING.md"
    text = document(HERE)
    if not args.check:
        target.write_text(text)
    elif target.read_text() != text:
        sys.exit("tests/HARDENING.md is not what tests/hardening/*.json give; run tests/hardening/hardening.py")


if __name__ == "__main__":
    main()
