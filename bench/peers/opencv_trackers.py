#!/usr/bin/env python3
"""What a user would track a head with instead: OpenCV's CamShift and CSRT, and Triptych's tracker beside them.

Every tracker gets the true box of the first frame of the OTB sequence Girl (TRIPTYCH_DATA_DIR, 128 x 96 pixels) and then each frame, from
memory, on the CPU. An entry has the time of a frame, the share of frames whose centre is within half a box of the true one (share_below)
and the mean distance of the centres in pixels (mean_error). A tracker that follows fewer than a fifth of the frames counts as broken and is
not timed. Writes JSON with the hardware in it; what is not installed is said and left out.
"""
import argparse
import os
import pathlib
import sys
import time

from peer_results import cpu_name, summary, write_results

MIN_SHARE = 0.2


def centre(box):
    x, y, width, height = box
    return x + width / 2, y + height / 2


def cam_shift(cv2, numpy, frames, box):
    """Hue histogram of the first box, back-projected; OpenCV's own example."""
    x, y, width, height = box
    hsv = cv2.cvtColor(frames[0], cv2.COLOR_BGR2HSV)[y : y + height, x : x + width]
    mask = cv2.inRange(hsv, numpy.array((0, 60, 32), numpy.uint8), numpy.array((180, 255, 255), numpy.uint8))
    histogram = cv2.calcHist([hsv], [0], mask, [180], [0, 180])
    cv2.normalize(histogram, histogram, 0, 255, cv2.NORM_MINMAX)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 10, 1)
    window = tuple(box)

    def step(frame):
        nonlocal window
        weights = cv2.calcBackProject([cv2.cvtColor(frame, cv2.COLOR_BGR2HSV)], [0], histogram, [0, 180], 1)
        _, window = cv2.CamShift(weights, window, criteria)
        return centre(window)

    return step


def csrt(cv2, _, frames, box):
    tracker = cv2.TrackerCSRT_create()
    tracker.init(frames[0], tuple(box))

    def step(frame):
        found, window = tracker.update(frame)
        return centre(window) if found else (float("inf"), float("inf"))

    return step


def triptych_tracker(tp, numpy, frames, box):
    rgb = [numpy.ascontiguousarray(frame[..., ::-1]) for frame in frames]  # once: a camera would deliver it
    known = {id(frame): converted for frame, converted in zip(frames, rgb)}
    tracker = tp.skin.Tracker(tp.skin.calibrate(rgb[0], face=box), like=rgb[0], face=box, device="cpu:1")

    def step(frame):
        head = tracker(known[id(frame)])
        return head.x_px, head.y_px

    return step


def follow(step, frames, boxes):
    """Times in microseconds, and the distances of the centres in pixels, over the frames after the first."""
    times, distances, close = [], [], 0
    for frame, box in zip(frames[1:], boxes[1:]):
        begin = time.perf_counter()
        x, y = step(frame)
        times.append(1e6 * (time.perf_counter() - begin))
        true_x, true_y = centre(box)
        close += abs(x - true_x) <= box[2] / 2 and abs(y - true_y) <= box[3] / 2
        distances.append(((x - true_x) ** 2 + (y - true_y) ** 2) ** 0.5)
    return times, distances, close / len(times)


def measure(name, make, frames, boxes, results):
    times, distances, share = follow(make(), frames, boxes)
    if share < MIN_SHARE:
        print(f"{name} follows {share:.0%} of the frames: not timed", file=sys.stderr)
        return
    height, width = frames[0].shape[:2]
    seen = [d for d in distances if d < float("inf")]
    results.append({"name": f"skin/rgb/{name}/girl/{width}x{height}", **summary(times), "share_below": share,
                    "mean_error": sum(seen) / len(seen), "frames": len(times)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", help="where the JSON goes; without it: standard output")
    parser.add_argument("--data", default=os.environ.get("TRIPTYCH_DATA_DIR"), help="folder with head_girl/; default: TRIPTYCH_DATA_DIR")
    parser.add_argument("--frames", type=int, default=500)
    options = parser.parse_args()
    results = []
    context = {"cpu": cpu_name(), "cores": os.cpu_count()}
    try:
        import cv2
        import numpy
    except ImportError as error:
        print(f"{error.name} is not installed: nothing can be measured", file=sys.stderr)
        write_results(options.out, context, results)
        return 0
    folder = pathlib.Path(options.data or "") / "head_girl"
    truth = folder / "groundtruth_rect.txt"
    if not options.data or not truth.is_file():
        print("there is no head_girl/ in TRIPTYCH_DATA_DIR: nothing is measured", file=sys.stderr)
        write_results(options.out, context, results)
        return 0
    boxes = [tuple(int(n) for n in line.split()) for line in truth.read_text(encoding="utf-8").splitlines() if line.split()]
    frames = [cv2.imread(str(path)) for path in sorted((folder / "img").glob("*.jpg"))][: options.frames]
    boxes = boxes[: len(frames)]
    context.update({"opencv": cv2.__version__})
    cv2.setNumThreads(1)
    measure("peer_opencv_camshift", lambda: cam_shift(cv2, numpy, frames, boxes[0]), frames, boxes, results)
    if hasattr(cv2, "TrackerCSRT_create"):
        measure("peer_opencv_csrt", lambda: csrt(cv2, numpy, frames, boxes[0]), frames, boxes, results)
    else:
        print("this OpenCV has no TrackerCSRT: it is left out", file=sys.stderr)
    try:
        import triptych

        measure("python_triptych", lambda: triptych_tracker(triptych, numpy, frames, boxes[0]), frames, boxes, results)
    except ImportError:
        print("the Python module triptych is not installed: it is left out", file=sys.stderr)
    write_results(options.out, context, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
