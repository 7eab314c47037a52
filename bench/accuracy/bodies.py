"""Bodies in point clouds: motions whose points are rendered, also faster ones and those of the depth images, and depth images with the joints of the
sensor's software."""

from __future__ import annotations

import concurrent.futures
import math

import numpy as np

from common import Job, Unusable, add_picture, column, extremes, have_pictures, longest_run, pillow, read_image, rounded

COLUMNS = [
    column("motion", "motion"), column("rate_hz", "rate", "Hz"), column("start", "first pose"), column("seed", "seed"), column("frames", "frames"),
    column("mean_mm", "joint error, mean", "mm"), column("median_mm", "median", "mm"), column("worst_mm", "worst", "mm"),
    column("lost", "lost joints"), column("frame_ms", "frame, median", "ms"),
]
LOST_MM, LOST_FRAMES = 150, 10  # a joint is lost when it is farther off for more frames on end
# fx, fy, cx, cy of the depth images, in pixels. The sensor's joints are in the frame of its infrared camera, against whose image the depth image
# is shifted by (-4.8, -3.9) pixels at 640 x 480 (Konolige and Mihelich, wiki.ros.org/kinect_calibration/technical): half of that here.
KINECT = (285.6, 285.6, 160.0 - 2.4, 120.0 - 1.95)
TURN_RAD = 0.8


def joint_errors_mm(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """(frames, joints) of positions (frames, joints, 3) in metres; NaN where the truth is not known."""
    return 1000 * np.linalg.norm(found.astype(float) - truth, axis=2)


def lost_joints(errors_mm: np.ndarray) -> int:
    return sum(longest_run(column > LOST_MM) > LOST_FRAMES for column in errors_mm.T)


def begins_with_added_pose(joints: np.ndarray, rate_hz: float) -> bool:
    """Files often begin with an added pose: the body then moves faster than a person can, and not again in the next frame."""
    if len(joints) < 3:
        return False
    jump, step = (np.linalg.norm(joints[i + 1] - joints[i], axis=1).max() for i in (0, 1))
    return bool(jump > max(20 / rate_hz, 0.1) and jump > 5 * step)


class Rendered:
    """A motion of a known body: 1 cm of noise, a tenth of the points are outliers."""

    start = "given"

    def __init__(self, tp, name, skeleton, motion, yaw_rad=0.0):
        self.tp, self.name, self.skeleton = tp, name, skeleton
        self.motion = tp.capsule.place_in_view(skeleton, motion, yaw_rad=yaw_rad)
        self.rate_hz, self.parents = round(1 / motion.frame_time_s), skeleton.parents

    def __len__(self):
        return len(self.motion)

    def truth(self, frame):
        return np.asarray(self.skeleton.joints(self.motion[frame]))

    def cloud(self, frame, points, seed):
        return self.tp.capsule.render_points(self.skeleton.capsules(self.motion[frame]), points=points, outliers=0.1, seed=seed + frame)

    def first(self, make_filter, points, seed):
        body = make_filter(self.skeleton)
        body.start(self.motion[0])
        return body, lambda joints: joints


class Depth:
    """Depth images. The body is fitted to the sensor's joints in the first frame, or is found knowing nothing."""

    rate_hz = 30

    def __init__(self, tp, folder, table, start):
        self.tp, self.table, self.start, self.name = tp, table, start, f"MHAD {folder.name}"
        self.files = sorted((folder / "depth").glob("*.png"))
        if not self.files or not len(table) or table.frames[0] != 0:
            raise Unusable(f"{folder} has no images in depth/, or joints.csv has no frame 0")
        self.rows = {int(frame): i for i, frame in enumerate(table.frames)}
        human = tp.capsule.fit_human(table.names, table.joints[0])
        self.human, self.parents = human, None

    def fitted_poses(self):
        """Of the person's body in every frame, by the sensor's joints."""
        poses = [self.human.start.pose]
        for positions in self.table.joints:
            poses.append(self.tp.capsule.fit_pose(self.human.skeleton, self.table.names, positions, start=poses[-1]).pose)
        return poses[1:]

    def __len__(self):
        return len(self.files)

    def truth(self, frame):
        return np.asarray(self.table.joints[self.rows[frame]]) if frame in self.rows else np.full((len(self.table.names), 3), np.nan)

    def cloud(self, frame, points, seed):
        depth = read_image(self.files[frame])
        cloud = self.tp.capsule.cloud_from_depth(np.ascontiguousarray(depth, np.uint16), KINECT)
        return self.tp.capsule.subsample(cloud, points, seed=seed + frame)

    def first(self, make_filter, points, seed):
        capsule, cloud = self.tp.capsule, self.cloud(0, points, seed)
        if self.start == "given":
            pose = self.human.start.pose
            skeleton = capsule.fit_radii(self.human.skeleton, pose, cloud)
        else:
            skeleton = capsule.human(height=capsule.find_standing_person(cloud).height_m)
            skeleton, pose = capsule.fit_body(skeleton, make_filter(skeleton).find(cloud).pose, cloud)
        body = make_filter(skeleton)
        body.start(pose)
        return body, lambda joints: np.asarray(capsule.positions_of(skeleton, joints, self.table.names))


def recorded(capsule, path):
    """The skeleton and the motion of a BVH file without a pose added in front, and the same at about 30 Hz."""
    skeleton, motion = capsule.load_bvh(path)
    first = int(begins_with_added_pose(np.array([skeleton.joints(pose) for pose in motion[:3]]), 1 / motion.frame_time_s))
    skeleton, motion = capsule.load_bvh(path, fixed_at_frame=first)
    every = max(1, round(1 / motion.frame_time_s / 30))
    return skeleton, motion[first:], capsule.Motion(np.asarray(motion)[first::every], every * motion.frame_time_s)


def motions(job: Job):
    """Everything to follow, one after the other."""
    capsule = job.tp.capsule
    human = capsule.human()
    walk = capsule.make_walk(human, frames=150)
    yield Rendered(job.tp, "synthetic walk", human, walk)
    yield Rendered(job.tp, "synthetic walk, from the side", human, walk, math.pi / 2)
    for path in job.found("mocap_cmu/*.bvh", "recorded motions are"):
        skeleton, motion, slow = recorded(capsule, path)
        if len(slow) < len(motion):
            yield Rendered(job.tp, path.stem, skeleton, motion, math.pi)
        yield Rendered(job.tp, path.stem, skeleton, slow, math.pi)
        yield Rendered(job.tp, f"{path.stem}, turned by {TURN_RAD} rad", skeleton, slow, math.pi + TURN_RAD)
        yield Rendered(job.tp, f"{path.stem} twice as fast", skeleton, capsule.Motion(np.asarray(slow)[::2], slow.frame_time_s), math.pi)
    for path in job.found("depth_mhad/*/joints.csv", "depth images are"):
        table = capsule.read_joints_csv(path)
        person = Depth(job.tp, path.parent, table, "given")
        yield Rendered(job.tp, f"rendered {person.name}", person.human.skeleton, capsule.Motion(np.asarray(person.fitted_poses()), 1 / person.rate_hz))
        yield person
        yield Depth(job.tp, path.parent, table, "found")


def follow(job: Job, motion, samples: int, points: int, device: str, seed: int):
    """Errors (frames, joints) in mm, the joints found, the true ones, and milliseconds of each frame."""
    def make_filter(skeleton):
        return job.tp.capsule.ParticleFilter(skeleton, samples=samples, layers=5, seed=seed, max_points=points, device=device, **job.filter_options)

    body, comparable = motion.first(make_filter, points, seed)
    found, truth, ms = [], [], []
    for frame in range(min(len(motion), 10) if job.quick else len(motion)):
        if job.stopped:
            break
        estimate = body(motion.cloud(frame, points, seed))
        found.append(comparable(np.asarray(estimate.joints)))
        truth.append(motion.truth(frame))
        ms.append(estimate.latency_us / 1000)
    found, truth = np.array(found), np.array(truth)
    return joint_errors_mm(found, truth), found, truth, ms


def summary(motion: str, rate_hz, start: str, seed, errors: np.ndarray, ms) -> dict:
    return {
        "motion": motion, "rate_hz": rate_hz, "start": start, "seed": seed, "frames": len(errors), "mean_mm": rounded(np.nanmean(errors), 1),
        "median_mm": rounded(np.nanmedian(errors), 1), "worst_mm": rounded(np.nanmax(errors), 0), "lost": lost_joints(errors),
        "frame_ms": rounded(np.median(ms), 2) if len(ms) else None,
    }


def rigid_body(job: Job, motion: Depth) -> np.ndarray:
    """How far a body of fixed lengths stays from the sensor's own joints when it is fitted to them: a bound for any comparison."""
    capsule, errors = job.tp.capsule, []
    for pose, positions in zip(motion.fitted_poses(), motion.table.joints):
        joints = motion.human.skeleton.joints(pose)
        errors.append(joint_errors_mm(np.asarray(capsule.positions_of(motion.human.skeleton, joints, motion.table.names))[None], np.asarray(positions)[None])[0])
    return np.array(errors)


def evaluate(job: Job):
    samples = job.samples or (200 if job.quick else 4000 if job.on_gpu() else 1000)
    points = job.points or (2000 if job.quick else 20000 if job.on_gpu() else 10000)
    jobs = 1 if job.on_gpu() else job.jobs
    device = "cpu:1" if jobs > 1 else job.device

    def one(work):
        motion, seed = work
        result = follow(job, motion, samples, points, device, seed)
        job.say(f"bodies: {motion.name}, {motion.rate_hz} Hz, first pose {motion.start}, seed {seed}: {np.nanmean(result[0]):.1f} mm, {np.median(result[3]):.1f} ms per frame")
        return result

    work = [(motion, seed) for motion in motions(job) for seed in job.seeds_or([1, 2])]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:  # calls release the GIL
        try:
            results = list(pool.map(one, work))
        except BaseException:
            job.stopped = True
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    rows, cases, kept = [], [], []
    for (motion, seed), (errors, found, truth, ms) in zip(work, results):
        rows.append(summary(motion.name, motion.rate_hz, motion.start, seed, errors, ms))
        cases.append({key: rows[-1][key] for key in ("motion", "rate_hz", "start", "seed", "mean_mm")} | {"frame_mm": [rounded(np.nanmean(e), 1) for e in errors]})
        kept.append((rows[-1], motion, found, truth, np.nan_to_num(np.nanmean(errors, axis=1)), seed))
        if isinstance(motion, Depth) and motion.start == "given" and seed == work[-1][1]:
            errors = rigid_body(job, motion)
            rows.append(summary(motion.name, motion.rate_hz, "fitted to the joints", None, errors, []))
    if kept and have_pictures(job):
        for kind, (row, motion, found, truth, per_frame, seed) in extremes(kept, lambda item: item[0]["mean_mm"]):
            frame = int(np.argmax(per_frame))
            add_picture(job, "bodies", kind, draw(motion, motion.cloud(frame, 4000 if job.photos or isinstance(motion, Rendered) else 1, seed), found[frame], truth[frame]),
                        f"{row['motion']}, {row['rate_hz']} Hz, first pose {row['start']}, seed {seed}: {row['mean_mm']} mm on average; "
                        f"its worst frame, {frame + 1}, {per_frame[frame]:.0f} mm. True joints white, found ones green")
    return rows, cases, {"samples": samples, "layers": 5, "points": points, "motions at once": jobs, "noise": "1 cm", "outliers": "10 %", **job.filter_options}


def draw(motion, cloud, found, truth):
    """Seen from the front: the points grey, the joints, and the bones where the skeleton is the same."""
    size, points = 360, np.asarray(cloud)
    known = truth[np.isfinite(truth).all(axis=1)]
    middle = known[:, :2].mean(axis=0) if len(known) else points[:, :2].mean(axis=0)
    scale = size / 2.4
    at = lambda positions: np.stack([size / 2 + (positions[:, 0] - middle[0]) * scale, size / 2 - (positions[:, 1] - middle[1]) * scale], axis=1)
    picture = pillow().Image.new("RGB", (size, size), (24, 24, 28))
    pen = pillow().ImageDraw.Draw(picture)
    pen.point([tuple(p) for p in at(points)], fill=(110, 110, 120))
    for joints, colour in ((truth, (255, 255, 255)), (found, (40, 255, 40))):
        places = at(np.nan_to_num(joints))
        for joint, parent in enumerate(motion.parents if motion.parents is not None else []):
            if parent >= 0:
                pen.line([tuple(places[parent]), tuple(places[joint])], fill=colour, width=2)
        for x, y in places[np.isfinite(joints).all(axis=1)]:
            pen.ellipse((x - 3, y - 3, x + 3, y + 3), fill=colour)
    return picture
