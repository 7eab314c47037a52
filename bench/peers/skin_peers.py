#!/usr/bin/env python3
"""What a user would pick instead of skin_tracker: the same sums in PyTorch and by OpenCV.

Times the weights, their sum, the centroid and the second moments of 1920 x 1080 RGBA frames: PyTorch eager and
compiled on the GPU, the chain cv2.transform, clip, cv2.moments on the CPU; and Triptych's Python module beside them. Every
result is checked before it is timed. Writes JSON with the hardware in it; what is not installed is said and left out.
"""
import argparse
import os
import sys
import time

from peer_results import cpu_name, summary, torch_context, triptych_with_gpu, write_results

WIDTH, HEIGHT = 1920, 1080
FILTER = (0.012, -0.004, -0.006, -0.3)  # of skin_tracker_bench


def make_frames(numpy, count):
    random = numpy.random.default_rng(3)
    return random.integers(0, 256, (count, HEIGHT, WIDTH, 4), dtype=numpy.uint8)


def exact_head(numpy, frame):
    """Centroid and area in double precision, from the formula."""
    pixels = frame.astype(numpy.float64)
    weight = numpy.clip(pixels[..., 0] * FILTER[0] + pixels[..., 1] * FILTER[1] + pixels[..., 2] * FILTER[2] + FILTER[3], 0, 1)
    total = weight.sum()
    x = (weight.sum(0) * numpy.arange(WIDTH)).sum() / total
    y = (weight.sum(1) * numpy.arange(HEIGHT)).sum() / total
    return x, y, total / (WIDTH * HEIGHT)


def check(head, exact, who, pixels):
    if abs(head[0] - exact[0]) > pixels or abs(head[1] - exact[1]) > pixels or abs(head[2] / exact[2] - 1) > 1e-3:
        raise RuntimeError(f"{who} found {head} instead of {exact}")


def by_opencv(numpy, cv2, frames, trials, results):
    """transform gives the plane's value of every pixel, clip the weight, moments the sums."""
    row = numpy.array([[FILTER[0], FILTER[1], FILTER[2], 0.0, FILTER[3]]], dtype=numpy.float32)
    plane = numpy.empty((HEIGHT, WIDTH), numpy.float32)
    floats = numpy.empty((HEIGHT, WIDTH, 4), numpy.float32)

    def head(frame):
        numpy.copyto(floats, frame)  # transform keeps the depth of what it is given
        cv2.transform(floats, row, plane)
        numpy.clip(plane, 0, 1, out=plane)
        m = cv2.moments(plane)
        return m["m10"] / m["m00"], m["m01"] / m["m00"], m["m00"] / (WIDTH * HEIGHT)

    def head_by_opencv_alone(frame):
        cv2.transform(frame.astype(numpy.float32), row, plane)
        cv2.min(cv2.max(plane, 0, plane), 1, plane)
        m = cv2.moments(plane)
        return m["m10"] / m["m00"], m["m01"] / m["m00"], m["m00"] / (WIDTH * HEIGHT)

    every = os.cpu_count() or 1
    for name, chain in (("clip by numpy", head), ("clip by OpenCV", head_by_opencv_alone)):
        exact = exact_head(numpy, frames[0])
        check(chain(frames[0]), exact, "OpenCV", 0.01)
        for threads in sorted({1, every}):
            cv2.setNumThreads(threads)
            times = []
            for k in range(-3, trials):
                frame = frames[k % len(frames)]
                begin = time.perf_counter()
                chain(frame)
                if k >= 0:
                    times.append(1e6 * (time.perf_counter() - begin))
            results.append({"name": f"skin/rgba/peer_opencv/{name}/threads:{threads}", **summary(times)})
    return {"opencv": cv2.__version__}


def by_torch(numpy, torch, frames, trials, results):
    device = torch.device("cuda")
    torch.set_grad_enabled(False)
    on_gpu = torch.from_numpy(frames).to(device)
    column = torch.arange(WIDTH, device=device, dtype=torch.float32) - WIDTH // 2
    row = (torch.arange(HEIGHT, device=device, dtype=torch.float32) - HEIGHT // 2)[:, None]

    def sums(frame):
        weight = (frame[..., 0] * FILTER[0] + frame[..., 1] * FILTER[1] + frame[..., 2] * FILTER[2] + FILTER[3]).clamp(0, 1)
        wx, wy = weight * column, weight * row
        return torch.stack([weight.sum(), wx.sum(), wy.sum(), (wx * column).sum(), (wx * row).sum(), (wy * row).sum()])

    def head(of):
        total, x, y = of[:3].double().tolist()
        return x / total + WIDTH // 2, y / total + HEIGHT // 2, total / (WIDTH * HEIGHT)

    def timed(call):
        times = []
        for k in range(-5, trials):
            begin = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            begin.record()
            call(k % len(frames))
            end.record()
            end.synchronize()
            if k >= 0:
                times.append(1e3 * begin.elapsed_time(end))
        return summary(times)

    exact = exact_head(numpy, frames[0])
    ways = [("eager", sums)]
    try:
        compiled = torch.compile(sums, mode="max-autotune")
        compiled(on_gpu[0])
        ways.append(("compiled", compiled))
    except Exception as error:  # no compiler for its kernels, for example
        print(f"torch.compile does not work here: {str(error)[:200]}", file=sys.stderr)
    for name, way in ways:
        check(head(way(on_gpu[0])), exact, f"torch {name}", 0.05)
        results.append({"name": f"skin/rgba/peer_torch_{name}/rotating", **timed(lambda k: way(on_gpu[k]))})
        results.append({"name": f"skin/rgba/peer_torch_{name}/resident", **timed(lambda _: way(on_gpu[0]))})
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        sums(on_gpu[0])
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = sums(on_gpu[0])
    graph.replay()
    check(head(kept), exact, "torch in a graph", 0.05)
    results.append({"name": "skin/rgba/peer_torch_graph/resident", **timed(lambda _: graph.replay())})
    by_triptych(exact, lambda k: on_gpu[k], timed, results)
    return torch_context(torch, device)


def by_triptych(exact, frame, timed, results):
    """Triptych's own Python module on the same tensors; its times include the way of the result to the host."""
    tp = triptych_with_gpu()
    if tp is None:
        return
    skin = tp.skin.LinearFilter(*FILTER)
    head = tp.skin.locate(frame(0), skin, format="rgba")
    check((head.x_px, head.y_px, head.area), exact, "triptych", 0.05)
    results.append({"name": "skin/rgba/python_triptych/rotating", **timed(lambda k: tp.skin.locate(frame(k), skin, format="rgba"))})
    results.append({"name": "skin/rgba/python_triptych/resident", **timed(lambda _: tp.skin.locate(frame(0), skin, format="rgba"))})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", help="where the JSON goes; without it: standard output")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--frames", type=int, default=16, help="how many frames go round")
    options = parser.parse_args()
    if options.trials < 1 or options.frames < 1:
        parser.error("--trials and --frames must be at least 1")
    try:
        import numpy
    except ImportError:
        print("numpy is not installed: nothing can be measured", file=sys.stderr)
        return 0
    frames = make_frames(numpy, options.frames)
    results = []
    context = {"cpu": cpu_name(), "cores": os.cpu_count(), "width": WIDTH, "height": HEIGHT, "trials": options.trials}
    try:
        import cv2

        context.update(by_opencv(numpy, cv2, frames, options.trials, results))
    except ImportError:
        print("cv2 is not installed: the OpenCV chain is left out", file=sys.stderr)
    try:
        import torch

        if torch.cuda.is_available():
            context.update(by_torch(numpy, torch, frames, options.trials, results))
        else:
            print("PyTorch sees no GPU: its forms are left out", file=sys.stderr)
    except ImportError:
        print("torch is not installed: its forms are left out", file=sys.stderr)
    write_results(options.out, context, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
