#!/usr/bin/env python3
"""What a call from Python costs: the time of a call less the latency that the C++ object measures inside it.

Takes the medians of many calls, for small inputs and for a 1080p frame, on the CPU and on a GPU when there is one. Needs the Python module
(pip install . in the checkout). Writes JSON with the hardware in it.
"""
import argparse
import os
import statistics
import sys
import time

from peer_results import cpu_name, write_results


def timed(call, calls):
    """The median time of a call in microseconds; the first tenth is not counted."""
    times = []
    for k in range(-calls // 10, calls):
        begin = time.perf_counter_ns()
        call()
        if k >= 0:
            times.append((time.perf_counter_ns() - begin) / 1000)
    return statistics.median(times)


def compare(results, name, step, calls):
    """step() is a call of an object whose result has latency_us."""
    inside = []
    total = timed(lambda: inside.append(step().latency_us), calls)
    latency = statistics.median(inside[-calls:])
    results.append({"name": name, "call_us": total, "cpp_us": latency, "overhead_us": total - latency, "calls": calls})


def measure(tp, numpy, device, calls, results):
    place = "cpu" if device.startswith("cpu") else "gpu"
    for width, height in ((64, 64), (1920, 1080)):
        scene = tp.skin.SyntheticScene(width=width, height=height, frames=2)
        frame = scene[0]
        tracker = tp.skin.Tracker(tp.skin.calibrate(frame, face=scene.truth(0).box), like=frame, device=device)
        compare(results, f"python/skin_tracker/{width}x{height}/{place}", lambda: tracker(frame), calls)
    human = tp.capsule.human()
    walk = tp.capsule.place_in_view(human, tp.capsule.make_walk(human, frames=1))
    cloud = tp.capsule.render_points(human.capsules(walk[0]), points=100)
    body = tp.capsule.ParticleFilter(human, samples=16, layers=1, max_points=100, device=device)
    body.start(walk[0])
    compare(results, f"python/particle_filter/16x100/{place}", lambda: body(cloud), calls)
    faces = [tp.aam.render_face(tp.aam.random_face(1, i), 256, 256) for i in range(8)]
    model = tp.aam.train(*zip(*faces), levels=[{"pixels": 64, "iterations": 1}])
    fitter = tp.aam.Fitter(model, device=device)
    image, start = faces[0]
    compare(results, f"python/fitter/64/{place}", lambda: fitter(image, start=start), calls)
    small = numpy.ones(64, numpy.float32)
    reducer = tp.reduce.Reducer(device)
    results.append({"name": f"python/reduce_sum/64/{place}", "call_us": timed(lambda: reducer.sum(small), calls), "calls": calls})
    if place == "cpu":
        results.append({"name": "python/numpy_sum/64/cpu", "call_us": timed(small.sum, calls), "calls": calls})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", help="where the JSON goes; without it: standard output")
    parser.add_argument("--calls", type=int, default=2000)
    options = parser.parse_args()
    try:
        import numpy

        import triptych as tp
    except ImportError as problem:
        sys.exit(f"{problem}: install the Python module with `pip install .`")
    results = []
    measure(tp, numpy, "cpu:1", options.calls, results)
    if tp.cuda_available():
        measure(tp, numpy, "cuda:0", options.calls, results)
    write_results(options.out, {"cpu": cpu_name(), "cores": os.cpu_count(), "triptych": tp.__version__}, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
