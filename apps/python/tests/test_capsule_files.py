"""triptych.capsule: clouds from images, and files."""

import json

import numpy as np
import pytest

import triptych as tp

capsule = tp.capsule


# ---- clouds from images

def depth_image(rng, height=13, width=17):
    depth = rng.integers(500, 4000, (height, width)).astype(np.uint16)
    depth[rng.random((height, width)) < 0.1] = 0
    return depth


def cloud_of_depth(depth, fx, fy, cx, cy, scale=0.001, sign=-1.0):
    v, u = np.nonzero(depth)
    z = depth[v, u] * scale
    return np.column_stack([(u - cx) / fx * z, sign * (v - cy) / fy * z, z])


def test_clouds_from_depth(rng):
    depth = depth_image(rng)
    camera = (300.0, 310.0, 8.5, 6.25)
    cloud = capsule.cloud_from_depth(depth, camera)
    wanted = cloud_of_depth(depth, *camera)
    assert isinstance(cloud, capsule.Cloud) and len(cloud) == len(wanted)
    assert cloud.dropped == np.count_nonzero(depth == 0) and cloud.too_far == 0
    assert cloud.points.shape == wanted.shape and cloud.points.dtype == np.float32
    assert np.allclose(cloud.points, wanted, rtol=1e-6, atol=1e-6)
    matrix = [[300, 0, 8.5], [0, 310, 6.25], [0, 0, 1]]
    assert capsule.cloud_from_depth(depth, matrix) == cloud
    assert capsule.cloud_from_depth(depth, np.array(matrix, np.float32)) == cloud
    down = capsule.cloud_from_depth(depth, camera, y="down", metres_per_unit=0.002)
    assert np.allclose(down.points, cloud_of_depth(depth, *camera, 0.002, 1.0), rtol=1e-6, atol=1e-6)
    near = capsule.cloud_from_depth(depth, camera, nearest_m=1, farthest_m=2)
    z = wanted[:, 2]
    assert len(near) == np.count_nonzero((z >= 1) & (z <= 2)) and len(near) + near.dropped == depth.size
    every = capsule.cloud_from_depth(depth, camera, step=3)
    assert len(every) == np.count_nonzero(depth[::3, ::3])
    assert repr(cloud) == f"<Cloud: {len(wanted)} points, {cloud.dropped} dropped>"


def test_images_are_read_where_they_lie(rng):
    large = depth_image(rng, 40, 50)
    region = large[5:20, 7:30]  # rows that lie apart
    wanted = capsule.cloud_from_depth(region.copy(), (300, 300, 8, 6))
    assert capsule.cloud_from_depth(region, (300, 300, 8, 6)) == wanted
    region.flags.writeable = False
    assert capsule.cloud_from_depth(region, (300, 300, 8, 6)) == wanted
    one_row = large[:1]
    assert len(capsule.cloud_from_depth(one_row, (300, 300, 8, 6))) == np.count_nonzero(one_row)


def test_a_cloud_is_an_array(rng):
    cloud = capsule.cloud_from_depth(depth_image(rng), (300, 300, 8, 6))
    assert np.array_equal(cloud, cloud.points) and not cloud.points.flags.writeable
    assert np.shares_memory(np.asarray(cloud), cloud.points)
    assert np.asarray(cloud, np.float64).dtype == np.float64
    view = cloud.points
    wanted = view.copy()
    del cloud
    assert np.array_equal(view, wanted)  # the view keeps the cloud


def test_clouds_from_disparity(rng):
    disparity = rng.uniform(5, 50, (9, 11)).astype(np.float32)
    disparity[2, 3], disparity[4, 5], disparity[6, 7] = np.inf, np.nan, -10
    calibration = capsule.StereoCalibration((500, 510, 5, 4), baseline_m=0.2, offset_px=3)
    cloud = capsule.cloud_from_disparity(disparity, calibration)
    good = np.isfinite(disparity) & (disparity + 3 > 0)
    v, u = np.nonzero(good)
    z = 0.2 * 500 / (disparity[v, u].astype(np.float64) + 3)
    wanted = np.column_stack([(u - 5) / 500 * z, -(v - 4) / 510 * z, z])
    assert len(cloud) == len(wanted) and cloud.dropped == 3
    assert np.allclose(cloud.points, wanted, rtol=1e-5, atol=1e-6)
    near = capsule.cloud_from_disparity(disparity, calibration, nearest_m=3, farthest_m=6, y="down", step=2)
    assert 0 < len(near) < len(cloud) and near.points[:, 2].min() >= 3 and near.points[:, 2].max() <= 6


def test_calibrations(tmp_path):
    path = tmp_path / "calib.txt"
    path.write_text(
        "cam0=[3997.684 0 1176.728; 0 3997.684 1011.728; 0 0 1]\n"
        "cam1=[3997.684 0 1307.839; 0 3997.684 1011.728; 0 0 1]\n"
        "doffs=131.111\nbaseline=193.001\nwidth=2964\nheight=1988\n"
    )
    calibration = capsule.read_calibration(path)
    assert calibration.intrinsics == (3997.684, 3997.684, 1176.728, 1011.728)
    assert calibration.baseline_m == pytest.approx(0.193001) and calibration.offset_px == 131.111
    assert (calibration.width, calibration.height) == (2964, 1988)
    assert eval(repr(calibration), {"StereoCalibration": capsule.StereoCalibration}) == calibration
    path.write_text("cam0=[3997.684 0")
    with pytest.raises(tp.ParseError) as problem:
        capsule.read_calibration(str(path))
    assert problem.value.line == 1 and problem.value.file == str(path)


def test_image_files(rng, tmp_path):
    wide = rng.integers(0, 65536, (5, 7)).astype(np.uint16)
    (tmp_path / "a.pgm").write_bytes(b"P5\n7 5\n65535\n" + wide.astype(">u2").tobytes())
    assert np.array_equal(capsule.read_pgm(tmp_path / "a.pgm"), wide)
    small = rng.integers(0, 256, (3, 4)).astype(np.uint8)
    (tmp_path / "b.pgm").write_bytes(b"P5\n4 3\n255\n" + small.tobytes())
    got = capsule.read_pgm(str(tmp_path / "b.pgm"))
    assert got.dtype == np.uint16 and np.array_equal(got, small)
    floats = rng.standard_normal((4, 6)).astype(np.float32)
    (tmp_path / "c.pfm").write_bytes(b"Pf\n6 4\n-1.0\n" + floats[::-1].astype("<f4").tobytes())
    got = capsule.read_pfm(tmp_path / "c.pfm")
    assert got.dtype == np.float32 and np.array_equal(got, floats)
    (tmp_path / "d.pfm").write_bytes(b"Pf\n6 4\n")
    with pytest.raises(tp.ParseError):
        capsule.read_pfm(tmp_path / "d.pfm")
    with pytest.raises(tp.Error, match="none.pgm"):
        capsule.read_pgm(tmp_path / "none.pgm")


# ---- files of clouds

def test_cloud_files(rng, tmp_path):
    points = rng.uniform(-5, 5, (100, 3)).astype(np.float32)
    capsule.write_ply(tmp_path / "a.ply", points)
    assert np.array_equal(capsule.read_cloud(tmp_path / "a.ply"), points)
    capsule.write_ply(tmp_path / "b.ply", capsule.read_cloud(tmp_path / "a.ply"))
    assert (tmp_path / "a.ply").read_bytes() == (tmp_path / "b.ply").read_bytes()
    np.savetxt(tmp_path / "c.txt", points, fmt="%.9g")
    assert np.array_equal(capsule.read_cloud(str(tmp_path / "c.txt")), points)
    scaled = capsule.read_cloud(tmp_path / "c.txt", metres_per_unit=0.5)
    assert np.allclose(scaled, points * 0.5, rtol=1e-6)
    (tmp_path / "d.txt").write_text("1 2 3\n4 5 2000\nnan 0 0\n1 2\n")
    with pytest.raises(tp.ParseError) as problem:
        capsule.read_cloud(tmp_path / "d.txt")
    assert problem.value.line == 4
    (tmp_path / "d.txt").write_text("1 2 3\n4 5 2000\nnan 0 0\n")
    cloud = capsule.read_cloud(tmp_path / "d.txt")
    assert len(cloud) == 1 and cloud.dropped == 2 and cloud.too_far == 1


def test_subsample(rng):
    points = rng.standard_normal((1000, 3)).astype(np.float32)
    few = capsule.subsample(points, 100)
    assert few.shape == (100, 3)
    rows = [np.flatnonzero((points == row).all(1))[0] for row in few]
    assert np.array_equal(np.array(rows) // 10, np.arange(100))  # one of each run of ten
    assert np.array_equal(few, capsule.subsample(points, 100, seed=1))
    assert not np.array_equal(few, capsule.subsample(points, 100, seed=2))
    assert np.array_equal(capsule.subsample(points, 5000), points)
    assert capsule.subsample(points, 0).shape == (0, 3)


# ---- skeletons and motions

def test_json(tmp_path):
    human = capsule.human(height=1.83, girth=1.1)
    human.save(tmp_path / "human.json")
    assert capsule.Skeleton.load(tmp_path / "human.json") == human
    assert capsule.Skeleton.from_json(human.to_json()) == human
    assert json.loads(human.to_json())["joints"][0]["parent"] is None
    with pytest.raises(tp.ParseError) as problem:
        capsule.Skeleton.from_json('{\n"joints": 3}')
    assert problem.value.line == 2
    with pytest.raises(tp.Error, match="none.json"):
        capsule.Skeleton.load(tmp_path / "none.json")
    twins = capsule.Skeleton([("a",), ("a", 0)], [(0, (0, 0, 0), (0, 0, 1), 0.1)])
    with pytest.raises(tp.InvalidArgument, match="a"):
        twins.to_json()


def test_adjust(tmp_path):
    human = capsule.human()
    changes = {"radius_scale": 2, "joints": {"head": {"limits_deg": {"x": [-10, 20]}, "radius_scale": 0.5}}}
    adjusted = human.adjust(changes)
    rotation = adjusted["head"].rotations[0]
    assert np.rad2deg([rotation.lower_rad, rotation.upper_rad]) == pytest.approx([-10, 20], abs=1e-4)
    head = human.find("head")
    for before, after in zip(human.body_capsules, adjusted.body_capsules):
        assert after.radius_m == pytest.approx(before.radius_m * (1 if before.joint == head else 2), rel=1e-6)
    assert human.adjust(json.dumps(changes)) == adjusted
    (tmp_path / "changes.json").write_text(json.dumps(changes))
    assert human.adjust_from(tmp_path / "changes.json") == adjusted
    assert human.adjust({}) == human
    with pytest.raises(tp.ParseError, match="no_such"):
        human.adjust({"joints": {"no_such": {}}})


def test_bvh(tmp_path):
    human = capsule.human()
    walk = capsule.place_in_view(human, capsule.make_walk(human, frames=6, rate_hz=20))
    path = tmp_path / "walk.bvh"
    for poses in (walk, walk.poses, walk.poses.tolist()):
        capsule.save_bvh(path, human, poses, frame_time_s=0.05)
        skeleton, motion = capsule.load_bvh(path)
        assert sorted(skeleton.joint_names) == sorted(human.joint_names)
        assert len(motion) == 6 and motion.frame_time_s == pytest.approx(0.05)
        order = [human.find(name) for name in skeleton.joint_names]
        assert np.abs(skeleton.joints(motion) - human.joints(walk)[:, order]).max() < 1e-4
    capsule.save_bvh(path, human, walk, metres_per_unit=0.01)
    assert "centimetre" in capsule.guess_bvh_scale(path).unit and capsule.guess_bvh_scale(path).metres_per_unit == 0.01
    skeleton, motion = capsule.load_bvh(str(path), metres_per_unit=0.01, fixed_at_frame=-1)
    assert motion.frame_time_s == pytest.approx(1 / 20)
    assert np.abs(skeleton.joints(motion)[:, 0] - human.joints(walk)[:, 0]).max() < 1e-4
    doubled, _ = capsule.load_bvh(path, metres_per_unit=0.02)
    thighs = [np.linalg.norm(one["left_shin"].offset_m) for one in (human, doubled)]
    assert thighs[1] == pytest.approx(2 * thighs[0], rel=1e-4)
    path.write_text("HIERARCHY\nROOT hips\n{\n  OFFSET a\n")
    with pytest.raises(tp.ParseError) as problem:
        capsule.load_bvh(path)
    assert problem.value.line == 4


def test_joints_as_csv(rng, tmp_path):
    places = rng.standard_normal((3, 2, 3)).astype(np.float32)
    places[1, 1] = np.nan
    table = capsule.JointTable(["left", "right"], np.array([4, 5, 9]), places)
    assert len(table) == 3 and table.names == ["left", "right"] and table.frames.tolist() == [4, 5, 9]
    assert table.frames.dtype == np.int64 and table.find("right") == 1 and table.find("no") == -1
    assert np.array_equal(table.joints, places, equal_nan=True)
    capsule.write_joints_csv(tmp_path / "joints.csv", table)
    again = capsule.read_joints_csv(str(tmp_path / "joints.csv"))
    assert again.names == table.names and np.array_equal(again.frames, table.frames)
    assert np.array_equal(again.joints, places, equal_nan=True)
    assert "frame,joint,x_m,y_m,z_m" in (tmp_path / "joints.csv").read_text()
    human = capsule.human()
    walk = capsule.make_walk(human, frames=3)
    capsule.write_poses_csv(tmp_path / "walk.csv", human, walk, first_frame=10)
    table = capsule.read_joints_csv(tmp_path / "walk.csv")
    assert table.frames.tolist() == [10, 11, 12] and np.array_equal(table.joints, human.joints(walk))
    (tmp_path / "bad.csv").write_text("frame,joint,x_m,y_m,z_m\n1,a,0,0\n")
    with pytest.raises(tp.ParseError) as problem:
        capsule.read_joints_csv(tmp_path / "bad.csv")
    assert problem.value.line == 2


# ---- errors

DEPTH = np.ones((4, 6), np.uint16)
DISPARITY = np.ones((4, 6), np.float32)
CALIBRATION = capsule.StereoCalibration((500, 500, 3, 2), 0.1)
POINTS = np.ones((4, 3), np.float32)


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda: capsule.cloud_from_depth(DISPARITY, (1, 1, 0, 0)),
            r"^depth: expected uint16 of shape \(height, width\), not float32",
        ),
        (lambda: capsule.cloud_from_depth(DEPTH[0], (1, 1, 0, 0)), "^depth: expected uint16"),
        (lambda: capsule.cloud_from_depth(DEPTH[:0], (1, 1, 0, 0)), "^depth: the image is empty"),
        (lambda: capsule.cloud_from_depth(DEPTH.T, (1, 1, 0, 0)), "^depth: the pixels of a row must be contiguous"),
        (lambda: capsule.cloud_from_depth(DEPTH[::-1], (1, 1, 0, 0)), "^depth: the pixels of a row"),
        (lambda: capsule.cloud_from_depth([[1]], (1, 1, 0, 0)), "^depth: expected an array"),
        (lambda: capsule.cloud_from_depth(DEPTH, (1, 1)), "^intrinsics: expected fx, fy, cx, cy or a matrix"),
        (lambda: capsule.cloud_from_depth(DEPTH, np.ones((3, 3))), "^intrinsics: expected a matrix"),
        (lambda: capsule.cloud_from_depth(DEPTH, "camera"), "^intrinsics: "),
        (lambda: capsule.cloud_from_depth(DEPTH, (np.nan, 1, 0, 0)), "fx|focal"),
        (lambda: capsule.cloud_from_depth(DEPTH, (1, 1, 0, 0), y="left"), "^y: 'left' is none of 'up', 'down'"),
        (lambda: capsule.cloud_from_depth(DEPTH, (1, 1, 0, 0), step=0), "step"),
        (lambda: capsule.cloud_from_depth(DEPTH, (1, 1, 0, 0), nearest_m=float("nan")), "nearest|range"),
        (lambda: capsule.cloud_from_disparity(DEPTH, CALIBRATION), "^disparity: expected float32"),
        (lambda: capsule.cloud_from_disparity(DISPARITY[:, ::2], CALIBRATION), "^disparity: the pixels of a row"),
        (lambda: capsule.StereoCalibration(3, 0.1), "^intrinsics: "),
        (lambda: capsule.write_ply("no such folder/a.ply", POINTS[:, :2]), "^points: expected float32"),
        (lambda: capsule.read_cloud(__file__, metres_per_unit=-1), "metres_per_unit|unit"),
        (lambda: capsule.JointTable(["a"], [1], np.zeros((1, 2, 3))), "^joints: expected numbers of shape"),
        (lambda: capsule.JointTable(["a"], [1.5], np.zeros((1, 1, 3))), "^frames: expected a list of whole numbers"),
        (lambda: capsule.JointTable("a", [1], np.zeros((1, 1, 3))), "^names: expected a list of texts"),
        (lambda: capsule.save_bvh("a.bvh", capsule.human(), np.zeros((2, 44))), "^poses: the skeleton has poses of 45"),
        (lambda: capsule.save_bvh("a.bvh", capsule.human(), 3), "^poses: "),
        (lambda: capsule.save_bvh("a.bvh", capsule.human(), np.full((2, 45), np.nan)), "finite"),
        (lambda: capsule.save_bvh("a.bvh", capsule.human(), np.ones((2, 45)), metres_per_unit=0), "unit"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(tp.InvalidArgument, match=message):
        call()


def test_files_that_cannot_be_written():
    with pytest.raises(tp.Error, match="no such folder"):
        capsule.write_ply("no such folder/a.ply", POINTS)
    with pytest.raises(TypeError):
        capsule.read_cloud(3)
