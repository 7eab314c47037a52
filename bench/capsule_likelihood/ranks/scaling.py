#!/usr/bin/env python3
"""Strong and weak scaling of a shared filter over MPI ranks, and a model of its time.

Runs ranks_bench under mpirun, writes scaling.json, scaling.md and (with matplotlib) scaling.svg. Each rank has one thread.

    scaling.py BUILD/bin/ranks_bench --out FOLDER [--ranks 1,2,4,8] [--samples N] [--points N] [--device cuda] [--exchange nccl]
    scaling.py --again FOLDER/scaling.json --out FOLDER    the model, the table and the chart of rows that were measured before

strong: the samples are split, their number is fixed. weak: as many samples per rank. cameras: a camera per rank, all weigh all
samples.

The model of a frame on p ranks, from the frame of one rank, the frames without points and the sums of two ranks:
    compute  C(p) = O + (F - O) / p      F: the frame of one rank, O: what every rank does itself for all samples. cameras: C(p) = F
    sums     S(p) = layers * (2 ceil(log2 p) a + 16 (p - 1) / p n b)      n samples, a: latency of a step, b: time per byte
    frame    T(p) = C(p) + S(p) + the gather before a frame (as a small sum) + the broadcast of the cloud (split by samples)
O is fitted to the frames without points (O + D / p, D: kinematics, which the ranks share); a and b follow from sums of 1 and of n
numbers over two ranks. Frames with points on two and more ranks are not used: they check the model. Where there are fewer cores or GPUs than ranks, the ranks take turns: a
row says so, and C(p) is as many times as long.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

# (name, latency of a step in us, time per byte in us, ranks): assumed, for predictions.
ASSUMED = [("8 GPUs, NVLink by NCCL", 3.0, 1 / 150e3, 8), ("64 machines, 100 Gbit/s", 2.5, 1 / 10e3, 64)]


def launch(program, ranks, settings, launcher):
    command = [*launcher, "-n", str(ranks), program]
    for name, value in settings.items():
        command += [f"--{name}", str(value)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def latency_and_byte(two):
    """a and b of the model, from the row of two ranks."""
    a = two["small_sum_us"] / 2
    b = max(0.0, two["sum_us"] - two["small_sum_us"]) / (8 * two["samples"])
    return a, b


def own_share(rows):
    """O of the model as a part of the frame without points on one rank: least squares of O + D / p with D >= 0 and O >= 0."""
    points = [(1 / r["ranks"], r["empty_frame_us"] / r["turns"]) for r in rows]
    mean_x, mean_y = (sum(column) / len(points) for column in zip(*points))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0
    whole = mean_y + slope * (1 - mean_x)
    return min(1.0, max(0.0, (whole - slope) / whole))


def predicted(one, p, a, b, split, samples, turns=1):
    """T(p) in us; one: the row of one rank with the same number of samples; turns: ranks of one core or GPU."""
    steps = 2 * math.ceil(math.log2(p)) if p > 1 else 0
    one_sum = steps * a + (16 * (p - 1) / p) * samples * b
    full, own = one["frame_us"], one["own_us"]
    compute = turns * (full if split == "cameras" else own + (full - own) / p)
    cloud = 12 * one["points"] * b * math.ceil(math.log2(p)) if split == "samples" and p > 1 else 0
    return {"compute_us": compute, "sums_us": one["layers"] * one_sum, "other_us": steps * a + cloud,
            "frame_us": compute + one["layers"] * one_sum + steps * a + cloud,
            "bytes_per_layer": 8 * (samples + 1)}


def processors(device):
    """The cores of this machine, or its GPUs."""
    if device == "cpu":
        return len(os.sched_getaffinity(0))
    try:
        return max(1, subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout.count("GPU "))
    except OSError:
        return 1


def measure(args, launcher):
    common = {"points": args.points, "frames": args.frames, "device": args.device, "exchange": args.exchange, "threads": 1}
    rows = []
    for kind in args.kinds.split(","):
        for p in args.ranks:
            samples = args.samples * (p if kind == "weak" else 1)
            split = "cameras" if kind == "cameras" else "samples"
            row = launch(args.program, p, {**common, "samples": samples, "split": split}, launcher)
            row["kind"] = kind
            row["turns"] = math.ceil(p / processors(args.device))
            rows.append(row)
            print(f"{kind:8} {p:3} ranks: {row['frame_us'] / 1000:9.3f} ms per frame, sum {row['sum_us']:8.1f} us", flush=True)
    return rows


def add_model(rows):
    """Adds to each row what the model says; returns (a, b)."""
    two = [r for r in rows if r["ranks"] == 2]
    if not two:
        return None
    a, b = latency_and_byte(two[0])
    strong = [r for r in rows if r["kind"] == "strong"] or rows
    share = own_share([r for r in strong if r["split"] == strong[0]["split"]])
    for row in rows:
        row["own_us"] = share * row["empty_frame_us"] if row["ranks"] == 1 else None
    for row in rows:
        ones = [r for r in rows if r["ranks"] == 1 and r["kind"] == row["kind"]]
        if not ones:
            continue
        one = dict(ones[0])
        scale = row["samples"] / one["samples"]  # both parts of a frame grow with the samples
        one["frame_us"] *= scale
        one["own_us"] *= scale
        row["model"] = predicted(one, row["ranks"], a, b, row["split"], row["samples"], row["turns"])
    return a, b


def predictions(rows):
    found = []
    for kind in ("strong", "cameras"):
        ones = [r for r in rows if r["ranks"] == 1 and r["kind"] == kind]
        for name, a, b, p in ASSUMED if ones else []:
            model = predicted(ones[0], p, a, b, ones[0]["split"], ones[0]["samples"])
            found.append({"kind": kind, "name": name, "ranks": p, "latency_us": a, "us_per_byte": b, **model,
                          "speed": ones[0]["frame_us"] * (p if kind == "cameras" else 1) / model["frame_us"]})
    return found


def write_markdown(path, rows, forecast, fitted):
    lines = ["# Scaling of a shared filter", "", f"Device: {rows[0]['device']}, one thread per rank, exchange by {rows[0]['exchange']}. "
             f"{rows[0]['points']} points per cloud, {rows[0]['layers']} layers."]
    if fitted:
        lines.append(f"Fitted from two ranks: {fitted[0]:.2f} us per step of a sum, {1 / max(fitted[1], 1e-9) / 1e3:.2f} GB/s.")
    lines += ["", "| kind | ranks | samples | frame ms | model ms | measured / model | sum us | hash of all poses |",
              "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"]
    for r in rows:
        model = r.get("model", {}).get("frame_us")
        turns = f" ({r['turns']} ranks take turns)" if r["turns"] > 1 else ""
        lines.append(f"| {r['kind']}{turns} | {r['ranks']} | {r['samples']} | {r['frame_us'] / 1000:.3f} | "
                     + (f"{model / 1000:.3f} | {r['frame_us'] / model:.2f}" if model else "- | -")
                     + f" | {r['sum_us']:.1f} | `{r['hash']}` |")
    if forecast:
        lines += ["", "## Prediction, not measured", "", "| kind | machine | assumed latency us, GB/s | frame ms | times one rank |",
                  "| --- | --- | --- | ---: | ---: |"]
        lines += [f"| {f['kind']} | {f['name']} | {f['latency_us']}, {1 / f['us_per_byte'] / 1e3:.0f} | {f['frame_us'] / 1000:.3f} | "
                  f"{f['speed']:.1f} |" for f in forecast]
    path.write_text("\n".join(lines) + "\n")


def draw(path, rows, forecast):
    try:
        import matplotlib
    except ImportError:
        print("no chart: Python has no matplotlib")
        return
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "scaling"  # the same file for the same numbers
    from matplotlib import pyplot
    figure, axis = pyplot.subplots(figsize=(8.5, 4.5))
    for kind, colour in (("strong", "C0"), ("weak", "C1"), ("cameras", "C2")):
        some = [r for r in rows if r["kind"] == kind]
        if not some:
            continue
        axis.plot([r["ranks"] for r in some], [r["frame_us"] / 1000 for r in some], "o-", color=colour, label=f"{kind}, measured")
        modelled = [r for r in some if "model" in r]
        axis.plot([r["ranks"] for r in modelled], [r["model"]["frame_us"] / 1000 for r in modelled], ":", color=colour, label=f"{kind}, model")
        guesses = [f for f in forecast if f["kind"] == kind]
        axis.plot([f["ranks"] for f in guesses], [f["frame_us"] / 1000 for f in guesses], "x", color=colour, label=f"{kind}, prediction" if guesses else None)
        for f in guesses:
            axis.annotate(f["name"], (f["ranks"], f["frame_us"] / 1000), xytext=(0, -13), textcoords="offset points", fontsize=7, ha="center")
    ticks = sorted({r["ranks"] for r in rows} | {f["ranks"] for f in forecast})
    axis.set(xscale="log", yscale="log", xlabel="ranks", ylabel="ms per frame", title="A filter shared by ranks", xlim=(0.8, 2 * ticks[-1]))
    axis.margins(y=0.12)
    axis.set_xticks(ticks, [str(t) for t in ticks])
    axis.minorticks_off()
    axis.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="ranks_bench")
    parser.add_argument("--again", type=pathlib.Path, help="a scaling.json: nothing is measured")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--kinds", default="strong,weak,cameras")
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--points", type=int, default=10000)
    parser.add_argument("--frames", type=int, default=10)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--exchange", default="mpi")
    parser.add_argument("--launcher", default="mpirun --oversubscribe --allow-run-as-root --bind-to none")
    args = parser.parse_args()
    args.ranks = [int(p) for p in args.ranks.split(",")]
    if (args.program is None) == (args.again is None):
        parser.error("give the program ranks_bench, or --again FILE")
    commit = os.environ.get("TRIPTYCH_COMMIT", "unknown")
    if args.again:
        record = json.loads(args.again.read_text())
        rows, commit = record["rows"], record["context"]["commit"]
    else:
        rows = measure(args, args.launcher.split())
    fitted = add_model(rows)
    forecast = predictions(rows) if rows[0]["device"].startswith("GPU") else []
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "scaling.json").write_text(json.dumps({"context": {"commit": commit}, "rows": rows, "fitted": fitted, "predictions": forecast}, indent=1) + "\n")
    write_markdown(args.out / "scaling.md", rows, forecast, fitted)
    draw(args.out / "scaling.svg", rows, forecast)
    hashes = {r["hash"] for r in rows if r["kind"] == "strong"}
    if len(hashes) > 1:
        sys.exit(f"the poses depend on the number of ranks: {sorted(hashes)}")


if __name__ == "__main__":
    main()
