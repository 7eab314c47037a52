"""Track the heads in many videos with Dask, a process per core; needs `pip install dask imageio imageio-ffmpeg`.

python dask_videos.py film1.mp4 300,120,90,120 film2.mp4 80,40,60,80
"""

import sys

import dask

from heads_of_video import heads_of_video


def track(videos, workers=2):
    """A list of tables, one for each video. videos: [{"video": path, "face": [x, y, width, height]}, ...]"""
    tasks = [dask.delayed(heads_of_video)(v["video"], v["face"], device="cpu:1") for v in videos]
    return list(dask.compute(*tasks, scheduler="processes", num_workers=workers))


if __name__ == "__main__":
    faces = [[float(number) for number in text.split(",")] for text in sys.argv[2::2]]
    for table in track([{"video": v, "face": f} for v, f in zip(sys.argv[1::2], faces)]):
        print(f"{table['video'][0]}: found in {table['found'].sum()} of {len(table['frame'])} frames")
