"""triptych.capsule.ParticleFilter on the CPU."""

import pickle
import threading

import numpy as np
import pytest

import triptych as tp

capsule = tp.capsule


class Walk:
    """A walking human as points."""

    def __init__(self, frames, points=600):
        self.skeleton = capsule.human()
        self.motion = capsule.place_in_view(self.skeleton, capsule.make_walk(self.skeleton, frames=frames))
        self.clouds = [
            capsule.render_points(self.skeleton.capsules(pose), points=points, outliers=0.1, seed=i + 1)
            for i, pose in enumerate(self.motion)
        ]

    def filter(self, **options):
        made = capsule.ParticleFilter(self.skeleton, **{"samples": 150, "device": "cpu", **options})
        made.start(self.motion[0])
        return made


@pytest.fixture(scope="module")
def walk():
    return Walk(5)


def test_it_follows_a_walk():
    walk = Walk(10, points=1500)
    body = walk.filter(samples=300)
    errors = []
    for cloud, pose in zip(walk.clouds, walk.motion):
        estimate = body(cloud)
        assert estimate.found and estimate.status == "tracking" and 0.5 < estimate.score <= 1
        assert estimate.points.used == 1500 and estimate.points.not_finite == estimate.points.not_in_front == 0
        assert estimate.pose.shape == (45,) and estimate.joints.shape == (24, 3)
        assert estimate.covariances.shape == (24, 3, 3) and estimate.joints.dtype == np.float32
        assert estimate.effective_samples >= 1 and estimate.log_likelihood < 0 and estimate.latency_us > 0
        assert np.array_equal(estimate.joints, walk.skeleton.joints(estimate.pose))
        errors.append(np.linalg.norm(estimate.joints - walk.skeleton.joints(pose), axis=1).mean())
    assert np.mean(errors) < 0.06
    assert body.latency.frames == 10 and body.latency.median_us > 0
    assert np.array_equal(body.pose, estimate.pose) and body.skeleton == walk.skeleton
    assert body.device == "cpu" and "particle filter of 300 samples" in repr(body)


def test_the_score_and_the_likelihood(walk):
    """Of the best sample of the last layer, as log_likelihood() finds it."""
    body = walk.filter()
    estimate = body(walk.clouds[0])
    rays = capsule.Rays(walk.clouds[0])
    assert estimate.score == pytest.approx(1 + estimate.log_likelihood / rays.max_loss, abs=1e-6)


def test_the_covariances_are_those_of_the_samples(walk):
    body = walk.filter(samples=400)
    estimate = body(walk.clouds[0])
    samples = body.samples()
    assert samples.shape == (400, 45) and samples.dtype == np.float32
    joints = walk.skeleton.joints(samples).astype(np.float64)
    centred = joints - joints.mean(0)
    wanted = np.einsum("sji,sjk->jik", centred, centred) / 400
    assert np.allclose(estimate.covariance, wanted, rtol=1e-3, atol=2e-7)
    assert np.array_equal(estimate.covariance, estimate.covariances)
    assert np.array_equal(estimate.covariance, np.swapaxes(estimate.covariance, 1, 2))


def test_the_same_bits_every_time(walk):
    body = walk.filter(device="cpu:1")
    first = [body(cloud) for cloud in walk.clouds]
    other = walk.filter(device="cpu:2")
    assert [other(cloud) for cloud in walk.clouds] == first
    assert np.array_equal(other.samples(), body.samples())
    seed = walk.filter(seed=2)
    assert [seed(cloud) for cloud in walk.clouds] != first


def test_submit_and_next_are_a_call(walk):
    called, submitted = walk.filter(), walk.filter()
    wanted = [called(cloud) for cloud in walk.clouds]
    got = []
    for cloud in walk.clouds:
        if submitted.in_flight == 3:
            got.append(submitted.next())
        submitted.submit(cloud)
    while submitted.in_flight:
        got.append(submitted.next())
    assert got == wanted
    with pytest.raises(tp.InvalidArgument, match="no frame is in flight"):
        submitted.next()


def test_a_list_of_estimates_is_a_motion(walk, tmp_path):
    body = walk.filter()
    poses = [body(cloud) for cloud in walk.clouds]
    capsule.save_bvh(tmp_path / "walk.bvh", body.skeleton, poses, frame_time_s=0.05)
    capsule.save_bvh(tmp_path / "same.bvh", body.skeleton, capsule.Motion([p.pose for p in poses], 0.05))
    assert (tmp_path / "walk.bvh").read_bytes() == (tmp_path / "same.bvh").read_bytes()
    skeleton, motion = capsule.load_bvh(tmp_path / "walk.bvh", metres_per_unit=1)
    assert motion.frame_time_s == pytest.approx(0.05) and len(motion) == len(poses)
    assert np.abs(skeleton.joints(motion) - [p.joints for p in poses]).max() < 1e-4
    capsule.write_poses_csv(tmp_path / "walk.csv", body.skeleton, poses, first_frame=7)
    table = capsule.read_joints_csv(tmp_path / "walk.csv")
    assert table.frames.tolist() == [7, 8, 9, 10, 11] and table.names == body.skeleton.joint_names
    assert np.array_equal(table.joints, [p.joints for p in poses])
    with pytest.raises(tp.InvalidArgument, match="^poses: item 1 is no Estimate but a int"):
        capsule.save_bvh(tmp_path / "bad.bvh", body.skeleton, [poses[0], 1])


def test_a_filter_that_was_not_started_searches():
    walk = Walk(2, points=300)
    options = {"samples": 60, "layers": 3, "device": "cpu"}
    found = capsule.ParticleFilter(walk.skeleton, **options)
    assert found.pose is None
    first = found.find(walk.clouds[0])
    assert np.array_equal(found.pose, first.pose)
    wanted = [found(cloud) for cloud in walk.clouds]
    searched = capsule.ParticleFilter(walk.skeleton, **options)
    assert [searched(cloud) for cloud in walk.clouds] == wanted
    submitted = capsule.ParticleFilter(walk.skeleton, **options)
    for cloud in walk.clouds:
        submitted.submit(cloud)
    assert [submitted.next(), submitted.next()] == wanted
    submitted.reset()
    assert submitted.pose is None and submitted.in_flight == 0 and submitted.latency.frames == 0
    with pytest.raises(tp.InvalidArgument, match="no samples before"):
        submitted.samples()
    with pytest.raises(tp.InvalidArgument, match="no pose can be found in 0 points"):
        submitted(walk.clouds[0][:0])
    with pytest.raises(tp.InvalidArgument, match="^cloud: no pose can be found in 2 points"):
        submitted.find(np.array([[np.nan, 0, 0], [0, 0, -1]], np.float32))


def test_sigmas(walk):
    cloud = walk.clouds[0]
    same = walk.filter()(cloud, np.full(len(cloud), 0.03, np.float32))
    assert same.pose == pytest.approx(walk.filter()(cloud).pose, abs=0.3)
    other = walk.filter()(cloud, np.full(len(cloud), 0.06, np.float32))
    assert other.log_likelihood != same.log_likelihood


def test_clouds_that_cannot_be_used(walk):
    body = walk.filter()
    empty = body(walk.clouds[0][:0])
    assert not empty.found and empty.status == "lost" and empty.points.used == 0
    bad = np.array([[np.nan, 0, 1], [0, 0, -1], [0, np.inf, 1]], np.float32)
    estimate = body(bad)
    assert estimate.points.not_finite == 2 and estimate.points.not_in_front == 1
    assert np.isfinite(estimate.pose).all()
    assert "lost" in repr(estimate)


def test_read_only_arrays_and_clouds_of_files(walk, tmp_path):
    cloud = walk.clouds[0].copy()
    cloud.flags.writeable = False
    wanted = walk.filter()(cloud)
    capsule.write_ply(tmp_path / "cloud.ply", cloud)
    assert walk.filter()(capsule.read_cloud(tmp_path / "cloud.ply")) == wanted


def test_pickles(walk):
    body = walk.filter(samples=77, layers=2, motion="random_walk", loss="absolute", camera=(0, 0.01, 0), sigma_m=0.05)
    fresh = pickle.loads(pickle.dumps(capsule.ParticleFilter(walk.skeleton, samples=10, device="cpu:1")))
    assert fresh.pose is None and fresh.options["samples"] == 10 and fresh.options["device"] == "cpu:1"
    copy = pickle.loads(pickle.dumps(body))
    assert copy.options == body.options and copy.skeleton == body.skeleton and np.array_equal(copy.pose, body.pose)
    assert copy.options["motion"] == "random_walk" and copy.options["sigma_m"] == 0.05
    estimate = body(walk.clouds[0])
    assert copy(walk.clouds[0]) == estimate  # both were started at the same pose
    later = pickle.loads(pickle.dumps(body))
    restarted = capsule.ParticleFilter(body.skeleton, **body.options)
    restarted.start(estimate.pose)
    assert later(walk.clouds[1]) == restarted(walk.clouds[1])
    same = pickle.loads(pickle.dumps(estimate))
    assert same == estimate and same.latency_us == estimate.latency_us
    assert same.points == estimate.points and pickle.loads(pickle.dumps(same.points)) == same.points
    assert np.array_equal(same.covariance, estimate.covariance)


def test_close_and_with(walk):
    with walk.filter() as body:
        body(walk.clouds[0])
    with pytest.raises(tp.InvalidArgument, match="closed"):
        body(walk.clouds[0])


def test_default_samples():
    assert capsule.default_samples("cpu") == 1000
    assert capsule.ParticleFilter(arm(), device="cpu").options["samples"] == 0
    assert "of 1000 samples" in repr(capsule.ParticleFilter(arm(), device="cpu"))


def arm():
    return capsule.Skeleton([("shoulder",)], [(0, (0, 0, 0), (0, -0.3, 0), 0.05)])


def bad_calls(walk):
    body = walk.filter()
    cloud = walk.clouds[0]
    return [
        (
            lambda: body(cloud.astype(np.float64)),
            r"^cloud: expected float32 of shape \(n, 3\), not float64 of shape \(600, 3\)",
        ),
        (lambda: body(cloud[:, :2]), r"^cloud: expected float32 of shape \(n, 3\), not float32 of shape \(600, 2\)"),
        (lambda: body(cloud[0]), "^cloud: expected float32 of shape"),
        (lambda: body(cloud[::2]), "^cloud: the array must be contiguous"),
        (lambda: body([[0, 0, 1]]), "^cloud: expected an array .*, not a list"),
        (lambda: body.submit("cloud"), "^cloud: expected an array"),
        (lambda: body.find(3), "^cloud: expected an array"),
        (lambda: body(np.zeros((65537, 3), np.float32)), "^cloud: 65537 points are more than max_points=65536"),
        (
            lambda: body(cloud, np.ones(3, np.float32)),
            r"^sigma: expected float32 of shape \(600,\), one for each point",
        ),
        (lambda: body(cloud, np.ones(600)), "^sigma: expected float32"),
        (lambda: body(cloud, np.zeros(600, np.float32)), "sigma"),
        (lambda: body.start(np.zeros(44)), "^pose: expected 45 numbers, not"),
        (lambda: body.start(np.full(45, np.nan)), "^pose: "),
        (lambda: body.start(np.zeros(45)), "^pose: .*orientation"),
        (lambda: walk.filter(motion="jump"), "^motion: 'jump' is none of 'random_walk', 'constant_velocity'"),
        (lambda: walk.filter(loss="cubed"), "^loss: 'cubed' is none of 'squared', 'absolute'"),
        (lambda: walk.filter(surface="last"), "^surface: 'last' is none of 'closest', 'first'"),
        (lambda: walk.filter(inside="out"), "^inside: 'out' is none of 'exit_surface', 'ignore'"),
        (lambda: walk.filter(camera=3), "^camera: expected three numbers"),
        (lambda: walk.filter(samples=-1), "samples"),
        (lambda: walk.filter(layers=0), "layers"),
        (lambda: walk.filter(sigma_m=float("nan")), "sigma"),
        (lambda: walk.filter(max_points=-1), "points"),
        (lambda: walk.filter(device="tpu"), "^device: 'tpu' is none of"),
        (lambda: walk.filter(device="joint") if tp.cuda_available() else walk.filter(device="tpu"), "joint|^device"),
        (lambda: capsule.ParticleFilter(capsule.Skeleton([("a",)], []), device="cpu"), "without capsules"),
    ]


def test_bad_arguments(walk):
    for call, message in bad_calls(walk):
        with pytest.raises(tp.InvalidArgument, match=message):
            call()
    with pytest.raises(TypeError):
        capsule.ParticleFilter(3)


def test_two_threads_share_one_filter(walk):
    """Their calls take turns."""
    body = walk.filter(samples=50)
    got = []
    threads = [threading.Thread(target=lambda: got.append(body(walk.clouds[0]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 4 and body.latency.frames == 4


def walk_and_cloud():
    human = tp.capsule.human()
    motion = tp.capsule.place_in_view(human, tp.capsule.make_walk(human, frames=2))
    return human, motion, tp.capsule.render_points(human.capsules(motion[0]), points=1000)


def test_a_confidence_says_whether_the_body_is_there():
    human, motion, cloud = walk_and_cloud()
    body = tp.capsule.ParticleFilter(human, samples=100, device="cpu")
    body.start(motion[0])
    there = body(cloud)
    assert there.found and there.status == "tracking" and there.confidence > 0.8 and there.reason == ""
    assert there.evidence.on_body > 0.8 and there.evidence.near_on_body > 0.8 and there.evidence.body_seen > 0.9 and there.evidence.way == 1
    body.start(motion[0])
    away = body(cloud + np.float32([2, 0, 0]))
    assert not away.found and away.status == "lost" and away.confidence < 0.01
    assert "of the points lie on the body" in away.reason
    assert pickle.loads(pickle.dumps(away)) == away != there
    assert pickle.loads(pickle.dumps(away.evidence)) == away.evidence != there.evidence
    assert "confidence=" in repr(there) and "on_body=" in repr(there.evidence)


def test_min_confidence_decides():
    human, motion, cloud = walk_and_cloud()
    body = tp.capsule.ParticleFilter(human, samples=100, min_confidence=1, device="cpu")
    assert body.options["min_confidence"] == 1
    body.start(motion[0])
    estimate = body(cloud)
    assert not estimate.found and estimate.status == "uncertain" and estimate.reason


def test_a_scene_becomes_a_person():
    _, _, person = walk_and_cloud()
    random = np.random.default_rng(1)
    floor = np.column_stack([random.uniform(-2, 2, 2000), np.full(2000, person[:, 1].min()), random.uniform(1, 5, 2000)])
    box = random.uniform(0, 0.4, (200, 3)) + [1.5, 0, 3]
    room = np.concatenate([person, floor, box]).astype(np.float32)
    given = np.ascontiguousarray(1000 * room[:, [0, 2, 1]])
    convention = tp.capsule.guess_convention(given)
    assert (convention.metres_per_unit, convention.axes, convention.quarter_turns) == (0.001, "z_up", 0)
    assert pickle.loads(pickle.dumps(convention)) == convention and "z_up" in repr(convention)
    back = tp.capsule.to_camera_frame(given, convention)
    assert np.allclose(back, room, atol=1e-5)
    rest, planes = tp.capsule.remove_planes(room)
    assert planes.shape == (1, 4) and abs(planes[0, 1]) > 0.99
    assert 0.9 * 1200 < len(rest) < 1300
    assert abs(len(tp.capsule.choose_person(rest)) - len(person)) < 0.1 * len(person)
    assert tp.capsule.choose_person(rest, near=(1.7, 0, 3))[:, 0].min() > 1
    with pytest.raises(tp.InvalidArgument, match="^points: "):
        tp.capsule.guess_convention(room[:10])
