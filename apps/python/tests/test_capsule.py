"""triptych.capsule: skeletons, kinematics, motions, fitting, synthetic points."""

import pickle

import numpy as np
import pytest

import triptych as tp

capsule = tp.capsule


@pytest.fixture(scope="module")
def human():
    return capsule.human()


def rotation(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def of_quaternion(q):
    w, x, y, z = np.asarray(q, np.float64) / np.linalg.norm(np.asarray(q, np.float64))
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def kinematics(skeleton, pose):
    """Forward kinematics in double precision: joints and capsules."""
    pose = np.asarray(pose, np.float64)
    frames, at = [], 7
    for joint in skeleton:
        offset = np.array(joint.offset_m)
        if joint.parent < 0:
            frames.append((of_quaternion(pose[3:7]), pose[:3] + offset))
            continue
        turn, place = frames[joint.parent]
        place = place + turn @ offset
        for one in joint.rotations:
            turn = turn @ rotation(one.axis, pose[at])
            at += 1
        frames.append((turn, place))
    assert at == len(pose)
    capsules = []
    for one in skeleton.body_capsules:
        turn, place = frames[one.joint]
        capsules.append([*(place + turn @ one.a_m), one.radius_m, *(place + turn @ one.b_m)])
    return np.array([place for _, place in frames]), np.array(capsules)


def random_poses(rng, skeleton, count):
    low, high = skeleton.limits.T
    angles = low + rng.random((count, len(low))) * (high - low)
    quaternions = rng.standard_normal((count, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
    return np.hstack([rng.standard_normal((count, 3)), quaternions, angles]).astype(np.float32)


def test_kinematics_against_numpy(rng, human):
    poses = random_poses(rng, human, 20)
    joints, capsules = human.joints(poses), human.capsules(poses)
    assert joints.shape == (20, 24, 3) and joints.dtype == np.float32
    assert capsules.shape == (20, 40, 7) and capsules.dtype == np.float32
    for i, pose in enumerate(poses):
        wanted_joints, wanted_capsules = kinematics(human, pose)
        assert np.abs(joints[i] - wanted_joints).max() < 2e-6
        assert np.abs(capsules[i] - wanted_capsules).max() < 2e-6


def test_one_pose_many_poses_lists_and_threads_give_the_same_bits(rng, human):
    poses = random_poses(rng, human, 50)
    for method in (human.joints, human.capsules):
        many = method(poses)
        assert np.array_equal(many, [method(pose) for pose in poses])
        assert np.array_equal(many, method(poses.tolist()))
        assert np.array_equal(many, method(poses.astype(np.float64)))
        assert np.array_equal(many[::2], method(poses[::2]))  # rows that lie apart
        assert np.array_equal(many, method(capsule.Motion(poses)))
        for threads in (1, 2, 3):
            assert np.array_equal(many, method(poses, threads=threads))
        assert method(poses[:0]).shape == (0, *many.shape[1:])


def test_what_a_human_is(human):
    assert len(human) == 24 and human.pose_size == 45 and human.capsule_count == 40
    assert human.joint_names[0] == human[0].name and human.joint_names[-1] == human[-1].name
    assert [joint.parent for joint in human] == human.parents and human.parents[0] == -1
    assert human["head"] == human[human.find("head")] and human.find("no such") == -1
    assert human.limits.shape == (38, 2) and np.all(human.limits[:, 0] <= human.limits[:, 1])
    assert human.free_angle_count == np.count_nonzero(human.limits[:, 0] < human.limits[:, 1])
    assert human.first_angle(1) == 7 and human.first_angle("head") > 7
    assert repr(human) == "<Skeleton: 24 joints, 40 capsules, poses of 45 numbers>"
    assert human == capsule.human(1.75) and human != capsule.human(1.8) and human != 3
    assert capsule.human(height=1.75, girth=1.5).body_capsules[0].radius_m > human.body_capsules[0].radius_m
    assert capsule.human(thigh=1.2) != human
    with pytest.raises(TypeError):
        hash(human)


def test_the_rest_pose_and_clamp(rng, human):
    rest = human.rest_pose()
    assert rest.shape == (45,) and rest.dtype == np.float32
    assert np.array_equal(rest[:7], [0, 0, 0, 1, 0, 0, 0])
    assert np.array_equal(rest[7:], np.clip(0, *human.limits.T))
    poses = random_poses(rng, human, 5)
    poses[:, 7:] *= 5
    wanted = poses.copy()
    wanted[:, 7:] = np.clip(poses[:, 7:], *human.limits.T)
    assert np.array_equal(human.clamp(poses), wanted)
    assert np.array_equal(human.clamp(poses[0]), wanted[0])


def arm():
    joints = [
        capsule.Joint("shoulder", rotations="xyz"),
        ("elbow", 0, (0, -0.3, 0), [capsule.Rotation("z", 0, 2)]),
        {"name": "wrist", "parent": 1, "offset_m": np.array([0, -0.25, 0]), "rotations": [("x", -1, 1), "y"]},
    ]
    capsules = [
        capsule.BodyCapsule(0, (0, 0, 0), (0, -0.3, 0), 0.05),
        (1, (0, 0, 0), (0, -0.25, 0), 0.04),
        {"joint": 2, "a_m": (0, 0, 0), "b_m": (0, 0, 0), "radius_m": 0.05},
    ]
    return capsule.Skeleton(joints, capsules)


def test_a_skeleton_of_ones_own(rng):
    skeleton = arm()
    assert skeleton.joint_names == ["shoulder", "elbow", "wrist"] and skeleton.parents == [-1, 0, 1]
    assert skeleton.pose_size == 10
    assert np.array_equal(skeleton.limits, np.array([[0, 2], [-1, 1], [-np.pi, np.pi]], np.float32))
    pose = random_poses(rng, skeleton, 1)[0]
    joints, capsules = kinematics(skeleton, pose)
    assert np.abs(skeleton.joints(pose) - joints).max() < 1e-6
    assert np.abs(skeleton.capsules(pose) - capsules).max() < 1e-6
    assert capsule.Skeleton(list(skeleton), skeleton.body_capsules) == skeleton


def test_values_and_their_pickles(human):
    fitted = capsule.fit_human(KINECT, kinect_positions(human, human.rest_pose()))
    values = [
        capsule.Rotation("y", -1.5, 0.1),
        capsule.Joint("knee", 3, (0, -0.4, 0.01), ["x", ("y", 0, 0)]),
        capsule.BodyCapsule(2, (0, 0.1, 0), (0, -0.1, 0), 0.07),
        human,
        arm(),
        capsule.make_walk(human, frames=3),
        fitted,
        fitted.start,
        capsule.StereoCalibration((500, 510, 3.5, 4), 0.1, 2, 640, 480),
        capsule.JointTable(["a", "b"], [3, 5], [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [np.nan] * 3]]),
        capsule.temper([-1.0, -2.0, -np.inf], 2),
        capsule.cloud_from_depth(np.full((3, 4), 900, np.uint16), (300, 300, 2, 1)),
        capsule.find_standing_person(capsule.render_points(human.capsules(in_view(human)), points=400)),
    ]
    for value in values:
        copy = pickle.loads(pickle.dumps(value))
        assert copy == value and type(copy) is type(value) and repr(copy) == repr(value)
        assert value != 1 and value is not None
    assert values[0] != capsule.Rotation("x", -1.5, 0.1)
    assert repr(values[0]) == "Rotation('y', lower_rad=-1.5, upper_rad=0.1)"
    assert values[1].offset_m == (0, np.float32(-0.4), np.float32(0.01)) and values[1].rotations[1].upper_rad == 0


def in_view(human):
    pose = human.rest_pose()
    pose[2] = 3
    return pose


def test_motions(rng, human):
    poses = random_poses(rng, human, 7)
    motion = capsule.Motion(poses, frame_time_s=0.01)
    assert len(motion) == 7 and motion.shape == (7, 45) and motion.pose_size == 45 and motion.frame_time_s == 0.01
    assert np.array_equal(motion, poses) and np.array_equal(motion.poses, poses)
    assert not motion.poses.flags.writeable and np.shares_memory(motion.poses, np.asarray(motion))
    assert np.array_equal(motion[2], poses[2]) and np.array_equal(motion[-1], poses[-1])
    assert motion[1:3] == capsule.Motion(poses[1:3], 0.01) and motion[1:3].frame_time_s == 0.01
    assert np.array_equal(list(motion), poses)
    assert np.asarray(motion, np.float64).dtype == np.float64 and np.array(motion).flags.writeable
    assert np.array_equal(capsule.Motion(motion), poses)
    view = motion.poses
    del motion
    assert np.array_equal(view, poses)  # the view keeps the motion
    with pytest.raises(IndexError):
        capsule.Motion(poses)[7]


def test_a_walk_in_view(human):
    walk = capsule.make_walk(human, frames=20, rate_hz=10)
    assert walk.shape == (20, 45) and walk.frame_time_s == pytest.approx(0.1)
    angles = walk.poses[:, 7:]
    assert np.all(angles >= human.limits[:, 0]) and np.all(angles <= human.limits[:, 1])
    placed = capsule.place_in_view(human, walk, distance_m=4)
    assert placed != walk and placed.frame_time_s == walk.frame_time_s
    root = placed.poses[:, :3]
    assert np.abs(root[:, :2].max(0) + root[:, :2].min(0)).max() < 1e-5  # centred
    assert np.array_equal(placed.poses[:, 7:], angles)
    again = capsule.place_in_view(human, walk.poses, distance_m=4)
    assert np.array_equal(again, placed)
    faster = capsule.make_walk(human, frames=20, rate_hz=10, speed_mps=1.6)
    step = lambda motion: np.linalg.norm(np.diff(motion.poses[:, [0, 2]], axis=0), axis=1).mean()  # noqa: E731
    assert step(faster) == pytest.approx(2 * step(walk), rel=0.01)


# ---- synthetic points

def hit_spheres_and_cylinders(body, camera, direction):
    """The first positive root of a ray on a body of capsules, by closed formulas in double precision."""
    d = np.asarray(direction, np.float64)
    d = d / np.linalg.norm(d)
    best = np.inf
    for ax, ay, az, r, bx, by, bz in np.asarray(body, np.float64):
        a, b = np.array([ax, ay, az]) - camera, np.array([bx, by, bz]) - camera
        for centre in (a, b):
            half = d @ centre
            inner = half * half - centre @ centre + r * r
            if inner >= 0 and half - np.sqrt(inner) > 0:
                best = min(best, half - np.sqrt(inner))
        length = np.linalg.norm(b - a)
        if length == 0:
            continue
        c = (b - a) / length
        u, v = d - (d @ c) * c, a - (a @ c) * c
        p, q, s = u @ u, u @ v, v @ v - r * r
        if p > 0 and q * q - p * s >= 0:
            t = (q - np.sqrt(q * q - p * s)) / p
            if t > 0 and 0 <= t * (d @ c) - a @ c <= length:
                best = min(best, t)
    return best


def test_first_hit_against_numpy(rng, human):
    body = human.capsules(in_view(human))
    camera = np.array([0.02, -0.05, 0.1], np.float32)
    directions = np.column_stack([rng.uniform(-1, 1, (200, 2)) * [0.1, 0.3], np.ones(200)]).astype(np.float32)
    got = capsule.first_hit(body, camera, directions)
    wanted = np.array([hit_spheres_and_cylinders(body, camera.astype(float), d) for d in directions])
    assert got.shape == (200,) and got.dtype == np.float64
    assert np.array_equal(np.isinf(got), np.isinf(wanted)) and 50 < np.isfinite(got).sum() < 180
    hits = np.isfinite(wanted)
    assert np.abs(got[hits] - wanted[hits]).max() < 1e-9
    assert capsule.first_hit(body, camera, directions[0]) == got[0]
    assert capsule.first_hit(body, (0, 0, 0), (0, 0, -1)) == np.inf


def test_rendered_points_lie_on_the_body(human):
    body = human.capsules(in_view(human))
    points = capsule.render_points(body, points=300, noise_m=0)
    assert points.shape == (300, 3) and points.dtype == np.float32
    distances = np.linalg.norm(points.astype(np.float64), axis=1)
    assert np.abs(capsule.first_hit(body, (0, 0, 0), points) - distances).max() < 1e-5
    assert np.array_equal(points, capsule.render_points(body, points=300, noise_m=0, threads=1))
    noisy = capsule.render_points(body, points=4000, noise_m=0.02)
    off = np.linalg.norm(noisy.astype(np.float64), axis=1) - capsule.first_hit(body, (0, 0, 0), noisy)
    assert np.nanstd(off[np.isfinite(off)]) == pytest.approx(0.02, rel=0.1)
    assert not np.array_equal(noisy, capsule.render_points(body, points=4000, noise_m=0.02, seed=2))


# ---- fitting

KINECT = [joint.kinect for joint in capsule.kinect_joints()]


def kinect_positions(human, pose):
    return capsule.positions_of(human, human.joints(pose), KINECT)


def test_kinect_joints(human):
    assert len(KINECT) == 20 and {"head", "shoulder_center", "left_elbow"} <= set(KINECT)
    joints = human.joints(in_view(human))
    places = kinect_positions(human, in_view(human))
    for joint, place in zip(capsule.kinect_joints(), places):
        first, second = (joints[human.find(name)].astype(np.float64) for name in (joint.from_joint, joint.to_joint))
        assert np.abs(first + joint.share * (second - first) - place).max() < 1e-6
        assert joint.kinect in repr(joint)
    own = [name for name in human.joint_names if name not in KINECT]  # the others are the Kinect's
    assert len(own) > 10
    assert np.array_equal(capsule.positions_of(human, joints, own), [joints[human.find(name)] for name in own])


def test_a_pose_is_found_from_positions(human):
    walk = capsule.place_in_view(human, capsule.make_walk(human, frames=4))
    for pose in walk:
        fitted = capsule.fit_pose(human, KINECT, kinect_positions(human, pose))
        assert fitted.pose.shape == (45,) and fitted.mean_error_m < 0.02
        errors = np.linalg.norm(kinect_positions(human, fitted.pose) - kinect_positions(human, pose), axis=1)
        assert errors.mean() == pytest.approx(fitted.mean_error_m, abs=1e-5)
        again = capsule.fit_pose(human, KINECT, kinect_positions(human, pose).tolist(), start=fitted.pose)
        assert again.mean_error_m <= fitted.mean_error_m + 1e-4


def test_a_human_is_found_from_positions():
    tall = capsule.human(height=1.9, thigh=1.1)
    fitted = capsule.fit_human(KINECT, kinect_positions(tall, in_view(tall)))
    assert fitted.start.mean_error_m < 0.02
    thigh = lambda skeleton: np.linalg.norm(skeleton["left_shin"].offset_m)  # noqa: E731
    assert thigh(fitted.skeleton) == pytest.approx(thigh(tall), rel=0.05)


def test_radii_follow_the_cloud(human):
    thick = capsule.human(girth=1.3)
    pose = in_view(human)
    points = capsule.render_points(thick.capsules(pose), points=2000, noise_m=0.001)
    fitted = capsule.fit_radii(human, pose, points)
    ratio = np.array([b.radius_m / a.radius_m for a, b in zip(human.body_capsules, fitted.body_capsules)])
    assert ratio.mean() == pytest.approx(1.3, abs=0.15)


def test_a_body_that_was_found_too_near_goes_back(human):
    thick = capsule.human(girth=1.3)
    pose = in_view(human)
    points = capsule.render_points(thick.capsules(pose), points=2000, noise_m=0.001)
    near = np.array(pose)
    near[2] -= 0.03
    fitted, back = capsule.fit_body(human, near, points)
    ratio = np.array([b.radius_m / a.radius_m for a, b in zip(human.body_capsules, fitted.body_capsules)])
    assert ratio.mean() == pytest.approx(1.3, abs=0.1)
    assert back[2] == pytest.approx(pose[2], abs=0.011)  # two steps of its grid
    np.testing.assert_array_equal(back[3:], near[3:])


def test_a_standing_person_is_found(human):
    points = capsule.render_points(human.capsules(in_view(human)), points=2000, noise_m=0.002)
    person = capsule.find_standing_person(points)
    assert person.height_m == pytest.approx(1.75, abs=0.1)
    assert person.root == pytest.approx((0, 0, 3), abs=0.1)


# ---- errors

BODY = capsule.human().capsules(in_view(capsule.human()))
POINTS = capsule.render_points(BODY, points=60)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: capsule.human(height=9), "^height: "),
        (lambda: capsule.human(girth=0), "girth|factor"),
        (lambda: capsule.human().joints(np.zeros(44)), r"^pose: expected float32 of shape \(45,\) or \(n, 45\), not"),
        (lambda: capsule.human().joints("pose"), "^pose: expected an array of numbers, not a str"),
        (lambda: capsule.human().capsules(np.zeros((2, 3, 45))), "^pose: "),
        (lambda: capsule.human().clamp(np.full(45, np.nan)), "^pose: "),
        (lambda: capsule.human().clamp([1, 2]), "^pose: "),
        (lambda: capsule.human().first_angle(1.5), "^joint: expected a number or a name, not a float"),
        (lambda: capsule.human().adjust(3), "^changes: expected a dict or JSON text, not a int"),
        (lambda: capsule.Rotation("w"), "^axis: 'w' is none of 'x', 'y', 'z'"),
        (lambda: capsule.Joint("a", "b"), "^parent: expected the number of a joint"),
        (lambda: capsule.Joint("a", 0, (1, 2)), "^offset_m: expected three numbers"),
        (lambda: capsule.Joint("a", 0, (1, 2, 3), 5), "^rotations: expected a list of Rotations, not a int"),
        (lambda: capsule.Joint("a", 0, (1, 2, 3), [(1, 2)]), "^rotations: item 0 is none of the Rotations"),
        (lambda: capsule.BodyCapsule(0, "a", (0, 0, 0), 1), "^a_m: "),
        (lambda: capsule.Skeleton(3, []), "^joints: expected a list of Joints, not a int"),
        (lambda: capsule.Skeleton([3], []), "^joints: item 0 is none of the Joints"),
        (lambda: capsule.Skeleton([("a",)], [("b",)]), "^capsules: item 0 is none of the BodyCapsules"),
        (lambda: capsule.Skeleton([], []), "joint"),
        (lambda: capsule.Skeleton([("a",), ("b", 5)], []), "b"),
        (lambda: capsule.Motion(np.zeros(45)), r"^poses: expected numbers of shape \(n, pose_size\), not"),
        (lambda: capsule.Motion(["a"]), "^poses: expected an array of numbers"),
        (lambda: capsule.place_in_view(capsule.human(), np.zeros((2, 44))), "^motion: the skeleton has poses of 45"),
        (lambda: capsule.make_walk(capsule.human(), frames=-1), "frames"),
        (lambda: capsule.render_points(BODY[:, :6]), r"^body: expected float32 of shape \(capsules, 7\), not"),
        (lambda: capsule.render_points(BODY, points=-1), "points"),
        (lambda: capsule.render_points(BODY, camera=(1, 2)), "^camera: expected three numbers"),
        (lambda: capsule.first_hit(BODY, (0, 0, 0), (0, 0, 0)), "direction"),
        (lambda: capsule.first_hit(BODY, (0, 0, 0), np.zeros((2, 2))), r"^direction: expected numbers of shape"),
        (lambda: capsule.first_hit(BODY, (np.nan, 0, 0), (0, 0, 1)), "camera"),
        (
            lambda: capsule.fit_pose(capsule.human(), KINECT, np.zeros((3, 3))),
            r"^positions: expected numbers of shape \(20, 3\)",
        ),
        (
            lambda: capsule.fit_pose(capsule.human(), "head", np.zeros((1, 3))),
            "^names: expected a list of texts, not a str",
        ),
        (lambda: capsule.fit_pose(capsule.human(), ["head", 1], np.zeros((2, 3))), "^names: expected a list of texts"),
        (lambda: capsule.fit_pose(capsule.human(), KINECT, np.zeros((20, 3)), [1]), "^start: expected 45 numbers"),
        (lambda: capsule.positions_of(capsule.human(), np.zeros((24, 3)), ["no such"]), "^names: .*no such"),
        (lambda: capsule.positions_of(capsule.human(), np.zeros((2, 3)), ["head"]), "^joints: "),
        (lambda: capsule.fit_radii(capsule.human(), np.zeros(3), POINTS), "^pose: expected 45 numbers"),
        (lambda: capsule.fit_body(capsule.human(), np.zeros(3), POINTS), "^pose: expected 45 numbers"),
        (
            lambda: capsule.fit_radii(capsule.human(), capsule.human().rest_pose(), POINTS[:0]),
            "^points: there are none",
        ),
        (lambda: capsule.find_standing_person(POINTS[:20]), "^points: "),
        (
            lambda: capsule.find_standing_person(POINTS.astype(float)),
            r"^points: expected float32 of shape \(n, 3\), not float64",
        ),
        (lambda: capsule.subsample(POINTS[:, ::-1], 3), "^points: the array must be contiguous"),
        (lambda: capsule.subsample(POINTS, -1), "^count: "),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(tp.InvalidArgument, match=message):
        call()


def test_bad_joints(human):
    with pytest.raises(KeyError, match="no such"):
        human["no such"]
    with pytest.raises(IndexError):
        human[24]
