"""The confidence of bodies: poses that were followed from a true start and from wrong ones, and clouds without a person."""

from __future__ import annotations

import concurrent.futures
import math

import numpy as np

import body_negatives
from bodies import Depth, Rendered, joint_errors_mm, recorded
from calibration import ALARM_COLUMNS, RELIABILITY_COLUMNS, alarms, fit, held_out, reliability
from common import Job, rounded, table

COLUMNS = ALARM_COLUMNS
RIGHT_MM = 100  # mean joint error of a right pose
STEPS = 6  # clouds from a start to the result
STARTS = ("true", "true", "true", "near", "backwards", "swapped", "displaced", "rest", "lost", "find")


def features(estimate) -> np.ndarray:
    """What the logistic function takes: src/filter/evidence/confidence.cpp has the same in the same order."""
    e = estimate.evidence
    return np.array([e.on_body, e.near_on_body, e.body_seen])


def rotated(pose: np.ndarray, yaw_rad: float) -> np.ndarray:
    """The pose with its root turned about y."""
    c, s = math.cos(yaw_rad / 2), math.sin(yaw_rad / 2)
    w, x, y, z = pose[3:7]
    pose = pose.copy()
    pose[3:7] = c * w - s * y, c * x + s * z, c * y + s * w, c * z - s * x
    return pose


def swapped(skeleton, pose: np.ndarray) -> np.ndarray:
    """The pose with the angles of the left limbs at the right and the other way round."""
    names, pose, old = skeleton.joint_names, pose.copy(), pose
    for name in names:
        for side, other in (("left", "right"), ("Left", "Right")):
            if side in name and (twin := name.replace(side, other)) in names:
                a, b = skeleton.first_angle(name), skeleton.first_angle(twin)
                count = min(len(skeleton[name].rotations), len(skeleton[twin].rotations))
                pose[a:a + count], pose[b:b + count] = old[b:b + count], old[a:a + count]
    return pose


def start_pose(random, skeleton, pose: np.ndarray, kind: str) -> np.ndarray:
    pose = np.array(pose, np.float32)
    away = random.uniform(0, 2 * np.pi)
    aside = np.array([math.cos(away), 0.3 * random.normal(), math.sin(away)])
    if kind == "near":
        pose[:3] += 0.1 * random.normal(0, 1, 3)
        pose[7:] += 0.3 * random.normal(0, 1, len(pose) - 7)
    elif kind == "backwards":
        pose = rotated(pose, math.pi + random.normal(0, 0.2))
    elif kind == "swapped":
        pose = swapped(skeleton, pose)
    elif kind == "displaced":
        pose[:3] += random.uniform(0.15, 0.5) * aside
    elif kind == "rest":
        rest = np.array(skeleton.rest_pose(), np.float32)
        rest[:7] = pose[:7]
        pose = rotated(rest, random.uniform(-1, 1))
    elif kind == "lost":
        pose[:3] += random.uniform(0.6, 1.5) * aside
    pose[2] = max(pose[2], 1)
    return pose


class Noisy(Rendered):
    """A motion of a known body, with noise, outliers and background that differ from run to run."""

    def cloud(self, frame, points, seed):
        random = np.random.default_rng([seed, frame // STEPS])
        return self.tp.capsule.render_points(
            self.skeleton.capsules(self.motion[frame]), points=points, noise_m=random.uniform(0.003, 0.02), outliers=random.choice([0, 0.1, 0.2]),
            background=random.choice([0, 0, 0, 0.2]), seed=seed + frame)

    def pose(self, frame):
        return np.array(self.motion[frame], np.float32)

    def compare(self, joints):
        return np.asarray(joints)


class Fitted(Depth):
    """Depth images, with the body that was fitted to the sensor's joints of the first one."""

    def __init__(self, tp, folder, table):
        super().__init__(tp, folder, table, "given")
        self.skeleton = tp.capsule.fit_radii(self.human.skeleton, self.human.start.pose, self.cloud(0, 4000, 1))
        self.files = self.files[:int(max(table.frames)) + 1]

    def pose(self, frame):
        return np.array(self.tp.capsule.fit_pose(self.human.skeleton, self.table.names, self.truth(frame), start=self.human.start.pose).pose, np.float32)

    def compare(self, joints):
        return np.asarray(self.tp.capsule.positions_of(self.skeleton, joints, self.table.names))


def sequences(job: Job):
    """Motions with a true pose for every frame, by the group that is left out together."""
    capsule = job.tp.capsule
    for number, height in enumerate((1.45, 1.6, 1.75, 1.9)):
        human = capsule.human(height=height)
        yield f"walk {height}", Noisy(job.tp, f"walk {height}", human, capsule.make_walk(human, frames=60), number * math.pi / 2 + 0.3)
    for path in job.found("mocap_cmu/*.bvh", "recorded motions are"):
        skeleton, _, slow = recorded(capsule, path)
        for yaw in (math.pi, math.pi + 0.8, 0.5 * math.pi):
            yield path.stem, Noisy(job.tp, path.stem, skeleton, slow, yaw)
    for path in job.found("depth_mhad/*/joints.csv", "depth images are"):
        yield path.parent.name, Fitted(job.tp, path.parent, capsule.read_joints_csv(path))


def follow(job: Job, group: str, motion, seed: int, number: int, keep) -> list[dict]:
    """Results of one place in a motion, from every kind of start."""
    random = np.random.default_rng([seed, number])
    samples, points = int(random.choice([200, 300, 600])), int(random.choice([1000, 2000]))
    first = int(random.integers(0, max(1, len(motion) - STEPS)))
    kind = STARTS[number % len(STARTS)]
    body = job.tp.capsule.ParticleFilter(motion.skeleton, samples=samples, layers=5, seed=seed, max_points=points, device="cpu:1")
    if kind == "find":
        body.find(motion.cloud(first, points, 1000 * seed + 10 * number))
    else:
        body.start(start_pose(random, motion.skeleton, motion.pose(first), kind))
    results = []
    for frame in range(first, min(first + STEPS, len(motion))):
        cloud = motion.cloud(frame, points, 1000 * seed + 10 * number)
        estimate = body(cloud)
        truth = motion.truth(frame)
        if frame in (first, first + STEPS - 1) and np.isfinite(truth).any():
            error = float(np.nanmean(joint_errors_mm(motion.compare(estimate.joints)[None], truth[None])))
            results.append({"data": "MHAD" if isinstance(motion, Fitted) else "walk" if group.startswith("walk") else "CMU", "group": group,
                            "start": kind, "right": error < RIGHT_MM, "error_mm": round(error, 1), **keep(motion.skeleton, cloud, estimate)})
    return results


def search(job: Job, kind: str, group: str, cloud: np.ndarray, seed: int, keep) -> list[dict]:
    """The body that a user would be shown for a cloud: searched for, or put in its middle."""
    capsule = job.tp.capsule
    random = np.random.default_rng([seed, len(cloud)])
    skeleton = capsule.human(height=max(capsule.find_standing_person(cloud).height_m, 0.3))
    body = capsule.ParticleFilter(skeleton, samples=200, layers=5, seed=seed, max_points=len(cloud), device="cpu:1")
    if random.random() < 0.5:
        skeleton, pose = capsule.fit_body(skeleton, body.find(cloud).pose, cloud)
        body = capsule.ParticleFilter(skeleton, samples=200, layers=5, seed=seed, max_points=len(cloud), device="cpu:1")
    else:
        pose = np.array(skeleton.rest_pose(), np.float32)
        pose[:3] = np.median(cloud, axis=0)
        pose = rotated(pose, random.uniform(0, 2 * np.pi))
    body.start(pose)
    for _ in range(STEPS):
        estimate = body(cloud)
    return [{"data": kind, "group": group, "start": "find", "right": False, "error_mm": None, **keep(skeleton, cloud, estimate)}]


def cases(job: Job, keep) -> list[dict]:
    """All results. keep(skeleton, cloud, estimate): what to keep of one."""
    seed = job.seeds_or([1])[0]
    starts = 2 if job.quick else 3 * len(STARTS)
    negatives = 1 if job.quick else 40
    work = []
    for group, motion in sequences(job):
        work += [(follow, group, motion, seed, number) for number in range(starts)]
    for i, (kind, cloud) in enumerate(body_negatives.clouds(seed, negatives, 1500)):
        work.append((search, kind, f"{kind} {i % 10}", cloud, seed + i))
    for i, cloud in enumerate(body_negatives.motorcycle(job, seed, negatives, 1500)):
        work.append((search, "motorcycle", f"motorcycle {i % 10}", cloud, seed + i))
    done = []
    with concurrent.futures.ThreadPoolExecutor(job.jobs) as pool:  # calls release the GIL
        for number, some in enumerate(pool.map(lambda item: item[0](job, *item[1:], keep) if not job.stopped else [], work)):
            done += some
            if number % 50 == 49:
                job.say(f"body_confidence: {number + 1} of {len(work)}")
    return done


def evaluate(job: Job):
    """Rows of what is found of each kind at the default threshold; with job.calibrate also the coefficients, and the reliability when each group is left out."""
    every = cases(job, lambda skeleton, cloud, estimate: {
        "confidence": estimate.confidence, "found": estimate.found, "tracking": estimate.score >= 0.2, "features": features(estimate)})
    rows = []
    for kind in dict.fromkeys(case["data"] for case in every):
        some = [case for case in every if case["data"] == kind]
        is_person = some[0]["error_mm"] is not None
        for name, part in (("true start", ("true",)), ("searched for", ("find",)), ("wrong start", STARTS[3:-1])) if is_person else (("no person", ("find",)),):
            if chosen := [case for case in some if case["start"] in part]:
                rows.append(alarms(f"{kind}, {name}", [case["confidence"] for case in chosen], [case["found"] for case in chosen],
                                   [case["right"] for case in chosen] if is_person else None))
    x, right = np.array([case["features"] for case in every]), np.array([case["right"] for case in every])
    people = np.array([case["error_mm"] is not None for case in every])
    found, score = np.array([case["found"] for case in every]), np.array([case["tracking"] for case in every])
    said = [f"by the score alone (min_score 0.2): {score[right].mean():.1%} of the right poses found, {score[people & ~right].mean():.1%} of the wrong ones, "
            f"false alarms {score[~people].mean():.1%}" if (~people).any() and right.any() and (people & ~right).any() else ""]
    if right.any() and (people & ~right).any():
        said.append(f"with the confidence: {found[right].mean():.1%} of the right poses found, {found[people & ~right].mean():.1%} of the wrong ones, false alarms {found[~people].mean():.1%}")
    for line in filter(None, said):
        job.say(f"body_confidence: {line}")
    tables = [reliability("the coefficients of the library", [case["confidence"] for case in every], right)]
    if job.calibrate:
        left_out = held_out(x, right, [case["group"] for case in every], folds=len({case["group"] for case in every}))
        tables.append(reliability("each sequence left out", left_out, right))
        job.say(f"body_confidence: coefficients {np.round(fit(x, right), 2).tolist()} (constant, on_body, near_on_body, body_seen); each sequence left out, at 0.5: "
                f"{(left_out >= 0.5)[right].mean():.1%} of the right poses found, {(left_out >= 0.5)[people & ~right].mean():.1%} of the wrong ones, "
                f"false alarms {(left_out >= 0.5)[~people].mean():.1%}")
    for rows_of_table in tables:
        job.say(table(RELIABILITY_COLUMNS, rows_of_table))
    kept = [{key: case[key] for key in ("data", "group", "start", "right", "error_mm", "found")} | {"confidence": rounded(case["confidence"], 4),
            "features": [rounded(v, 4) for v in case["features"]]} for case in every]
    return rows, kept, {"right": f"mean joint error below {RIGHT_MM} mm", "found": "confidence at least 0.5"}
