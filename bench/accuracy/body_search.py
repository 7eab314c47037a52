"""Bodies that are searched for: rendered poses at any heading, found by ParticleFilter.find() knowing nothing but the skeleton."""

from __future__ import annotations

import concurrent.futures
import math

import numpy as np

from bodies import joint_errors_mm
from common import Job, column, rounded

COLUMNS = [
    column("pose", "pose"), column("searches", "searches"), column("right", "within 100 mm, %"), column("wrong", "farther off, but found, %"),
    column("median_mm", "joint error, median", "mm"), column("worst_mm", "worst", "mm"),
]
RIGHT_MM = 100  # mean over the joints
HEADINGS = 8
DISTANCE_M = 2.5
LYING_BELOW_M = 1.2  # the camera
# Angles of joints, rotation by rotation, in radians; the others are at rest.
POSES = {
    "standing": {},
    "arms up": {"left_upper_arm": (0, -2.6), "right_upper_arm": (0, 2.6)},
    "arms aside": {"left_upper_arm": (0, -1.5), "right_upper_arm": (0, 1.5)},
    "arms forward": {"left_upper_arm": (1.5,), "right_upper_arm": (1.5,)},
    "one arm up": {"left_upper_arm": (2.6,)},
    "sitting": {"left_thigh": (1.5,), "right_thigh": (1.5,), "left_shin": (-1.5,), "right_shin": (-1.5,)},
    "lying on the back": {},
    "lying on the belly": {},
}
PITCHES_RAD = {"lying on the back": math.pi / 2, "lying on the belly": -math.pi / 2}  # of the whole body, about the axis across it; the others have none


def posed(skeleton, name: str, yaw_rad: float) -> np.ndarray:
    """The pose at a heading, its middle in front of the camera."""
    pose = np.array(skeleton.rest_pose(), np.float32)
    for joint, values in POSES[name].items():
        first = skeleton.first_angle(joint)
        pose[first:first + len(values)] = values
    (cy, sy), (cp, sp) = ((math.cos(angle / 2), math.sin(angle / 2)) for angle in (yaw_rad, PITCHES_RAD.get(name, 0)))
    pose[3:7] = cy * cp, cy * sp, sy * cp, -sy * sp  # first the pitch, then the heading
    joints = np.asarray(skeleton.joints(pose))
    pose[:3] -= (joints.min(axis=0) + joints.max(axis=0)) / 2
    pose[2] += DISTANCE_M
    pose[1] -= LYING_BELOW_M if name in PITCHES_RAD else 0
    return pose


def search(job: Job, skeleton, pose: np.ndarray, seed: int, samples: int, points: int):
    """The mean error of the joints in mm, and whether the filter says that it has found the body."""
    cloud = job.tp.capsule.render_points(skeleton.capsules(pose), points=points, outliers=0.05, seed=seed)
    body = job.tp.capsule.ParticleFilter(skeleton, samples=samples, layers=5, seed=seed, max_points=points, device=job.device if job.on_gpu() else "cpu:1",
                                         **job.filter_options)
    body.find(cloud)
    for _ in range(3):
        estimate = body(cloud)
    return float(joint_errors_mm(np.asarray(estimate.joints)[None], np.asarray(skeleton.joints(pose))[None]).mean()), bool(estimate.found)


def evaluate(job: Job):
    skeleton = job.tp.capsule.human()
    samples, points = job.samples or (100 if job.quick else 300), job.points or (500 if job.quick else 2000)
    headings = 1 if job.quick else HEADINGS
    work = [(name, posed(skeleton, name, 2 * math.pi * heading / headings + 0.2), seed)
            for name in POSES for heading in range(headings) for seed in job.seeds_or([1])]
    with concurrent.futures.ThreadPoolExecutor(1 if job.on_gpu() else job.jobs) as pool:  # calls release the GIL
        results = list(pool.map(lambda item: search(job, skeleton, item[1], item[2], samples, points), work))
    rows, cases = [], []
    for name in POSES:
        errors = np.array([error for (of, _, _), (error, _) in zip(work, results) if of == name])
        found = np.array([is_found for (of, _, _), (_, is_found) in zip(work, results) if of == name])
        rows.append({"pose": name, "searches": len(errors), "right": rounded(100 * (errors < RIGHT_MM).mean(), 1),
                     "wrong": rounded(100 * (found & (errors >= RIGHT_MM)).mean(), 1), "median_mm": rounded(np.median(errors), 1), "worst_mm": rounded(errors.max(), 0)})
        cases += [{"pose": name, "error_mm": rounded(error, 1), "found": bool(is_found)} for error, is_found in zip(errors, found)]
    return rows, cases, {"samples": samples, "points": points, "headings": headings, "noise": "1 cm", "outliers": "5 %", **job.filter_options}
