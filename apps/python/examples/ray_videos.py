"""Track the heads in many videos with Ray Data, on one machine or a cluster; needs `pip install 'ray[data]' imageio imageio-ffmpeg`.

python ray_videos.py heads/ film1.mp4 300,120,90,120 film2.mp4 80,40,60,80

Writes Parquet files to heads/: a row for each frame. Each worker has a GPU of its own where there are any, else a core.
"""

import sys

import ray

from heads_of_video import heads_of_video


class HeadTracker:
    def __call__(self, batch):  # one video
        return heads_of_video(batch["video"][0], batch["face"][0], device=self.device)

    def __init__(self, device):
        self.device = device


def track(videos, workers=2):
    """A dataset with a row for each frame. videos: [{"video": path, "face": [x, y, width, height]}, ...]"""
    gpus = int(ray.cluster_resources().get("GPU", 0))
    return ray.data.from_items(videos, override_num_blocks=len(videos)).map_batches(
        HeadTracker,
        fn_constructor_args=["cuda" if gpus else "cpu:1"],
        batch_size=1,
        concurrency=min(workers, gpus or workers),
        num_gpus=1 if gpus else 0,
    )


if __name__ == "__main__":
    ray.init()
    faces = [[float(number) for number in text.split(",")] for text in sys.argv[3::2]]
    track([{"video": v, "face": f} for v, f in zip(sys.argv[2::2], faces)]).write_parquet(sys.argv[1])
