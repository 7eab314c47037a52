"""The heads in one video: what the examples for Ray and Dask do with each of many. Needs `pip install imageio imageio-ffmpeg`."""

import imageio.v3 as imageio
import numpy as np

import triptych as tp


def heads_of_video(video, face, device="auto"):
    """Columns of a table with a row for each frame. face: (x, y, width, height) in the first frame."""
    frames = imageio.imiter(video)
    first = np.asarray(next(frames))
    tracker = tp.skin.Tracker.from_box(first, face, max_width=first.shape[1], max_height=first.shape[0], device=device)
    heads = [tracker(first)] + [tracker(np.asarray(frame)) for frame in frames]
    return {
        "video": np.array([str(video)] * len(heads)),
        "frame": np.arange(len(heads)),
        "found": np.array([head.found for head in heads]),
        "x_px": np.array([head.x_px for head in heads]),
        "y_px": np.array([head.y_px for head in heads]),
        "distance_m": np.array([head.distance_m for head in heads]),
    }
