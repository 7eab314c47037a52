#!/usr/bin/env python3
"""Runs libFuzzer programs for some time each and counts their inputs.

The corpus of each program is kept in OUT/corpus/NAME and grows from run to run. An input that crashes, takes more than ten seconds
or more than a gigabyte is kept in OUT/found/NAME-*; the run then fails. OUT/fuzz.json adds up the inputs and the seconds of all runs.
"""
import argparse
import json
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path


def run(name, args):
    corpus = args.out / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    (args.out / "found").mkdir(exist_ok=True)
    command = [args.programs / f"{name}_fuzz", corpus, args.seeds / name, f"-max_total_time={args.seconds}", "-timeout=10",
               "-rss_limit_mb=1024", "-print_final_stats=1", f"-artifact_prefix={args.out / 'found' / name}-"]
    began = time.monotonic()
    done = subprocess.run(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace")
    (args.out / f"{name}.log").write_text(done.stderr)
    count = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    edges = re.findall(r"\bcov: (\d+)", done.stderr)
    return {"inputs": int(count[1]) if count else 0, "edges": int(edges[-1]) if edges else 0, "seconds": round(time.monotonic() - began),
            "failed": done.returncode != 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME", help="harnesses: NAME_fuzz is the program, SEEDS/NAME the seeds")
    parser.add_argument("--programs", type=Path, required=True, help="the folder of the programs")
    parser.add_argument("--seeds", type=Path, required=True, help="the folder of the seeds")
    parser.add_argument("--out", type=Path, required=True, help="where corpora, findings, logs and counts go")
    parser.add_argument("--seconds", type=int, default=60, help="time for each harness (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="harnesses at a time (default: %(default)s)")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    results = args.out / "fuzz.json"
    counts = json.loads(results.read_text()) if results.exists() else {}
    failed = []
    print(f"{len(args.names)} harnesses, {args.seconds} s each, {args.jobs} at a time", flush=True)
    with ThreadPoolExecutor(args.jobs) as pool:
        runs = {pool.submit(run, name, args): name for name in args.names}
        for at, done in enumerate(as_completed(runs), 1):
            name, count = runs[done], done.result()
            print(f"{at} of {len(args.names)}: {name}: {count['inputs']} inputs, {count['edges']} edges{' FAILED' if count['failed'] else ''}", flush=True)
            if count["failed"]:
                failed.append(name)
            for key in ("inputs", "seconds"):
                count[key] += counts.get(name, {}).get(key, 0)
            counts[name] = count
            results.write_text(json.dumps(counts, indent=1, sort_keys=True) + "\n")
    if failed:
        sys.exit(f"{', '.join(failed)}: the log is {args.out}/NAME.log, the input {args.out}/found/NAME-*")


if __name__ == "__main__":
    main()
