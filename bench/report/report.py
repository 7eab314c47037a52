#!/usr/bin/env python3
"""Results of the bench programs as tables (Markdown), charts (SVG) and one HTML page; and the figures of the READMEs.

Each FILE.json is what a bench program wrote, a script of bench/peers, or bench/accuracy/accuracy.py. All files of one machine make one
report. A benchmark that occurs more than once counts as repeated: the middle time is shown.

Examples:
  report.py --out report skin_tracker_bench.json skin_peers.json accuracy/heads.json
  report.py --again bench/results       # makes every report under that folder again, each of the results beside it
  report.py --readmes                   # writes the figures of the READMEs again, from bench/results
  report.py --readmes --check           # fails when a README and the results disagree
  report.py --machine                   # the name of this machine's folder
"""

import argparse
import os
import sys

import aam
import accuracy
import capsule
import page
import readmes
import reduction
import skin
from document import DASH, Bullets, Chart, Section, Table, bytes_text, markdown, percent, rate, size_text, spread, three_digits, time_text, times
from results import ResultError, is_results, load, this_machine

LIMITS = {"limit/read/gpu": "read, GPU", "limit/read/gpu_cache": "read, the GPU's L2 cache", "limit/read/cpu_1": "read, one core",
          "limit/read/cpu_all": "read, all cores", "limit/launch/gpu": "an empty kernel in a graph, GPU",
          "limit/copy/gpu": "copy of a frame from pinned memory to the GPU", "limit/fma/gpu": "multiply-adds, GPU",
          "limit/fma/cpu_1": "multiply-adds, one core", "limit/fma/cpu_all": "multiply-adds, all cores"}
OTHERS = {"landmarks": "Landmarks of faces by other libraries and by ours", "python": "Calls from Python", "multiply_other": "Other matrix shapes"}
MODULES = (reduction, skin, capsule, aam)
# What a peer is compared with: the first of these that was measured on the same input; the second list for peers on the CPU.
OURS = {"array": (["automatic"], ["threads", "simd"]), "multiply": (["plan"], []), "skin": (["fast"], ["threads", "simd"]),
        "capsule": (["culled"], ["threads", "simd"]), "aam": (["gpu_one_pass"], ["cpu_fitter", "cpu_one_pass"])}
CPU_PEERS = ("opencv", "numpy", "dlib", "mediapipe", "omp", "cpu")
ACCURACY = ("mean_error", "share_below", "mean_overlap", "found")
PEER_SIZES = [(2**16,), (2**20,), (2**24,), (2**28,), (24, 4096), (24, 65536), (84, 4096), (84, 65536)]  # of arrays and matrices: the rest is in their tables


def limits(results):
    def measured(e):
        rated = e.counters.get("operations", 0) / e.us / 1e3
        return rate(e.gb_per_s) if e.gb_per_s else f"{three_digits(rated)} Gflop/s" if rated else three_digits(e.us) + " us"
    rows = [[LIMITS.get(e.text, e.text), e.source, measured(e), bytes_text(e.bytes), three_digits(e.us), spread(e)] for e in results.entries if e.kind == "limit"]
    words = "What this machine can do, measured by each bench in the same run as the results that it compares with it."
    return [Section("Limits", 2, [words, Table(["limit", "measured by", "measured", "bytes", "time (us)", "10th to 90th percentile (us)"], rows)])] if rows else []


def counters(entry, known=()):
    return ", ".join(f"{key} {three_digits(value)}" for key, value in entry.counters.items() if key in known or not known) or DASH


def rival(results, peer):
    """Our entry on the input of a peer: one that OURS names, else the fastest of the same mode."""
    same = [e for e in results.entries if (e.kind, e.group, e.type) == (peer.kind, peer.group, peer.type) and not e.series.startswith("peer_")
            and (e.size == peer.size or () in (e.size, peer.size)) and e.mode in (peer.mode, "total", "rotating", "resident", "memory")]
    for series in OURS[peer.kind][any(word in CPU_PEERS for word in peer.series.split("_"))][::-1 if peer.threads == 1 else 1]:
        named = [e for e in same if e.series == series]
        if named:
            return max(named, key=lambda e: (e.mode == peer.mode, e.us))
    return min((e for e in same if e.mode == peer.mode), key=lambda e: e.us, default=None)


def peers(results, absent):
    rows = []
    for e in results.entries:
        if e.series.startswith("peer_") and e.kind in OURS and (e.kind not in ("array", "multiply") or e.size in PEER_SIZES):
            ours = rival(results, e)
            size = " x ".join(map(size_text if e.kind == "array" else str, e.size))
            rows.append([" ".join(filter(None, [e.group, e.type, size])), f"{e.series[5:]}, {e.mode}" + (f", {e.threads} threads" if e.threads else ""), time_text(e.us),
                         ours.series if ours else DASH, time_text(ours.us) if ours else DASH, times(e.us / ours.us) if ours else DASH,
                         counters(e, ACCURACY), counters(ours, ACCURACY) if ours else DASH])
    head = ["work", "peer", "its time", "ours", "our time", "times as fast", "its accuracy", "ours"]
    if all(row[6:] == [DASH, DASH] for row in rows):
        head, rows = head[:6], [row[:6] for row in rows]
    body = [Table(head, rows)] if rows else []
    if absent:
        body += ["Absent on this machine:", Bullets(absent)]
    return [Section("Peers", 2, body)] if body else []


def others(results):
    groups = {}
    for e in results.entries:
        if e.kind == "other":
            groups.setdefault(e.group, []).append(
                [e.text, three_digits(e.us), spread(e), bytes_text(e.bytes), three_digits(e.gb_per_s), percent(e.share), counters(e)])
    head = ["name", "time (us)", "10th to 90th percentile (us)", "bytes", "GB/s", "share of its limit", "counters"]
    made = [Section(OTHERS.get(group, group), 3, [Table(head, rows)]) for group, rows in sorted(groups.items())]
    return [Section("Other measurements", 2, ["What no table above has."])] + made if made else []


def make(results, accuracies=(), absent=()):
    """{file name: (what it holds, text)}"""
    machine = " and ".join(results.machine(key, "") for key in ("gpu", "cpu") if key in results.facts) or "hardware not named"
    sections = [s for module in MODULES for s in module.sections(results)] + peers(results, absent) + accuracy.sections(accuracies)
    sections += limits(results) + others(results)
    if results.failures:
        sections.append(Section("Failed", 2, [Bullets([f"{name}: {reason}" for name, reason in results.failures])]))
    answers = [answer for module in MODULES for answer in module.answers(results)] + accuracy.answers(accuracies, results)
    summary = Section("Summary", 2, [Table(
        ["what was asked", "Triptych", "what one would use instead", "times as fast", "share of the limit", "limit"],
        [[a.question, a.ours, a.instead, a.factor, percent(a.share), a.limit] for a in answers])] if answers else [])
    facts = Section("Machine", 2, [Bullets([f"{key}: {value}" for key, value in results.facts.items()]),
                                   "Times are medians. Limits were measured in the same run. A speed-up is the other side's time over ours: above 1, "
                                   "ours is faster. Same: the spreads, from the 10th to the 90th percentile, overlap."])
    title = f"Triptych on {machine}"
    files = {"comparison.md": ("limits, verdict and every time as tables", markdown(title, [facts, summary] + sections)),
             "report.html": ("the same as one page with charts", page.page(title, results.facts, answers, sections))}
    for section in sections:
        files.update({block.file: (block.caption, block.svg) for block in section.body if isinstance(block, Chart)})
    return files


def make_of(paths):
    """The report of these files: results and accuracy tables. absent.txt beside them says which peers are not there."""
    tables = {path: accuracy.read(path) for path in paths}
    absent = []
    for folder in sorted({os.path.dirname(path) for path in paths}):
        path = os.path.join(folder, "absent.txt")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                absent += file.read().splitlines()
    return make(load([path for path in paths if not tables[path]]), [table for table in tables.values() if table], absent)


def write(folder, files):
    os.makedirs(folder, exist_ok=True)
    for name, (caption, text) in files.items():
        path = os.path.join(folder, name)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".new", path)
        print(f"{path}: {caption}")


def json_files(folder):
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".json")] if os.path.isdir(folder) else []


def reports_under(root):
    """(folder, its result files) of every folder that has a report, the accuracy tables of its folder accuracy among them."""
    for folder, _, names in sorted(os.walk(root)):
        if "comparison.md" in names:
            yield folder, [path for path in json_files(folder) + json_files(os.path.join(folder, "accuracy")) if is_results(path) or accuracy.read(path)]


def main(arguments):
    parser = argparse.ArgumentParser(prog="report.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE.json")
    parser.add_argument("--out", metavar="DIR", help="where the report goes; made when missing")
    parser.add_argument("--again", metavar="DIR", help="make every report under DIR again")
    parser.add_argument("--readmes", action="store_true", help="write the figures of the READMEs")
    parser.add_argument("--check", action="store_true", help="with --readmes: change nothing, fail when a figure is not that of the results")
    parser.add_argument("--machine", choices=["gpu", "cpu"], nargs="?", const="gpu", help="print the name of this machine's folder (cpu: as if it had no GPU)")
    options = parser.parse_args(arguments)
    if sum(map(bool, (options.again, options.out, options.readmes, options.machine))) != 1 or bool(options.out) != bool(options.files):
        parser.error("give result files and --out DIR, or --again DIR, or --readmes, or --machine")
    try:
        if options.machine:
            print(this_machine(options.machine == "gpu"))
        elif options.readmes:
            return readmes.run(options.check)
        else:
            for folder, files in reports_under(options.again) if options.again else [(options.out, options.files)]:
                write(folder, make_of(files))
    except (ResultError, OSError) as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
