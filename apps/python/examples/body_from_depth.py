"""Follow a person through depth images (16-bit PGM files, in millimetres) and write the motion as a BVH file.

python body_from_depth.py depth/ body.bvh
"""

import sys
from pathlib import Path

import triptych as tp

KINECT = (525.0, 525.0, 319.5, 239.5)  # fx, fy, cx, cy, in pixels


def track(files, camera, nearest_m=0.5, farthest_m=4.0, points=8000, **options):
    """The skeleton, and an Estimate for each depth image. The person's height comes from the first one."""
    body, estimates = None, []
    for file in files:
        cloud = tp.capsule.cloud_from_depth(tp.capsule.read_pgm(file), camera, nearest_m=nearest_m, farthest_m=farthest_m)
        cloud = tp.capsule.subsample(cloud, points)
        if body is None:
            person = tp.capsule.find_standing_person(cloud)
            body = tp.capsule.ParticleFilter(tp.capsule.human(height=person.height_m), **options)
        estimates.append(body(cloud))
        print(f"{file}: {estimates[-1].status}, score {estimates[-1].score:.2f}")
    return body.skeleton, estimates


if __name__ == "__main__":
    skeleton, estimates = track(sorted(Path(sys.argv[1]).glob("*.pgm")), KINECT)
    tp.capsule.save_bvh(sys.argv[2], skeleton, estimates)
