"""triptych.aam: files, shapes and synthetic faces against NumPy."""

import pickle

import numpy as np
import pytest

import triptych as tp
from triptych import aam


def invalid(argument):
    return pytest.raises(tp.InvalidArgument, match=rf"^{argument}")


# Shapes


def test_align_is_the_least_squares_similarity(rng):
    source, target = rng.normal(size=(2, 30, 2))
    pose = aam.align(source, target)
    rows = []
    for x, y in source:
        rows += [[x, -y, 1, 0], [y, x, 0, 1]]
    a, b, tx, ty = np.linalg.lstsq(np.array(rows), target.ravel(), rcond=None)[0]
    np.testing.assert_allclose([pose.sx, pose.sy, pose.tx, pose.ty], [a - 1, b, tx, ty], atol=1e-12)
    moved = pose(source)
    np.testing.assert_allclose(moved, source @ pose.matrix[:, :2].T + pose.matrix[:, 2], atol=1e-12)
    np.testing.assert_allclose(pose.inverse()(moved), source, atol=1e-12)
    other = aam.Similarity(sx=0.1, sy=0.2, tx=3)
    np.testing.assert_allclose((other @ pose)(source), other(moved), atol=1e-12)
    assert pickle.loads(pickle.dumps(other)) == other == eval(repr(other), vars(aam))
    assert other != pose
    with invalid("target: "):
        aam.align(source, target[1:])
    with invalid("source: "):
        aam.align(np.zeros((3, 2)), target[:3])
    with invalid("sx, sy, tx, ty: "):
        aam.Similarity(sx=np.nan)


def test_measures_of_shapes(rng):
    shape, truth = 100 * rng.random((2, 20, 2))
    low, size = truth.min(axis=0), np.ptp(truth, axis=0)
    np.testing.assert_allclose(aam.bounds(truth), [*low, *size], rtol=1e-12)
    assert aam.face_size(truth) == pytest.approx(np.sqrt(size.prod()), rel=1e-12)
    error = np.linalg.norm(shape - truth, axis=1).mean() / np.sqrt(size.prod())
    assert aam.shape_error(shape, truth) == pytest.approx(error, rel=1e-12)
    assert aam.shape_error(shape.tolist(), truth.tolist()) == aam.shape_error(shape, truth)
    placed = aam.place_in_box(shape, (10, 20, 30, 60))
    extent = np.ptp(shape, axis=0)
    scale = np.sqrt(30 * 60 / extent.prod())
    np.testing.assert_allclose(np.ptp(placed, axis=0), scale * extent, rtol=1e-9)
    np.testing.assert_allclose(placed.min(axis=0) + np.ptp(placed, axis=0) / 2, [25, 50], rtol=1e-9)
    starts = aam.evaluation_starts(shape, truth)
    assert starts.shape == (5, 20, 2)
    np.testing.assert_allclose(starts[0], aam.place_in_box(shape, aam.bounds(truth)), rtol=1e-12)
    np.testing.assert_allclose(starts[1] - starts[0], np.tile([0.06 * size[0], 0], (20, 1)), atol=1e-9)


@pytest.mark.parametrize("call", [aam.bounds, aam.face_size, lambda s: aam.place_in_box(s, (0, 0, 1, 1))])
def test_shapes_are_checked(call):
    for bad in (np.zeros((0, 2)), np.zeros((3, 3)), np.zeros(4), "abc", [[1, np.nan]], [[1, 2], [3]], 5):
        with invalid("shape: "):
            call(bad)


def test_triangles_are_delaunay(rng):
    points = rng.random((25, 2))
    triangles = aam.triangulate(points)
    assert triangles.dtype == np.int32 and triangles.shape[1] == 3
    for corners in points[triangles]:  # no other point lies in the circle through the corners
        a = np.c_[2 * corners, np.ones(3)]
        x, y, c = np.linalg.solve(a, (corners**2).sum(axis=1))
        radius = np.sqrt(c + x * x + y * y)
        assert (np.hypot(*(points - [x, y]).T) > radius * (1 - 1e-9)).all()
    with invalid("points: "):
        aam.triangulate([[0, 0], [1, 1], [2, 2]])


# Files


def test_landmark_files(tmp_path, rng):
    shape = 100 * rng.random((7, 2))
    for path in (tmp_path / "a.pts", str(tmp_path / "a.pts")):
        aam.write_pts(path, shape)
        np.testing.assert_array_equal(aam.read_pts(path), shape)
        np.testing.assert_array_equal(aam.read_pts(path, one_based=True), shape - 1)
    (tmp_path / "bad.pts").write_text("version: 1\nn_points: 2\n{\n1 2\n3 x\n}\n")
    with pytest.raises(tp.ParseError) as caught:
        aam.read_pts(tmp_path / "bad.pts")
    assert caught.value.line == 5 and caught.value.file.endswith("bad.pts")
    (tmp_path / "a.asf").write_text("# comment\n2\n0 0 0.25 0.5 0 1 2\n0 0 0.75 1 1 0 1\nface.jpg\n")
    asf = aam.read_asf(tmp_path / "a.asf")
    np.testing.assert_array_equal(asf.relative, [[0.25, 0.5], [0.75, 1]])
    assert asf.image == "face.jpg" and "face.jpg" in repr(asf)
    with invalid("shape: "):
        aam.write_pts(tmp_path / "b.pts", [[np.inf, 1]])
    assert not (tmp_path / "b.pts").exists()


def test_grey_images(tmp_path, rng):
    image = rng.integers(0, 256, (9, 13), np.uint8)
    aam.write_pgm(tmp_path / "a.pgm", image[:, 2:7])
    np.testing.assert_array_equal(aam.read_pnm(tmp_path / "a.pgm"), image[:, 2:7])
    colour = rng.integers(0, 256, (4, 5, 3), np.uint8)
    (tmp_path / "a.ppm").write_bytes(b"P6\n5 4\n255\n" + colour.tobytes())
    grey = (colour.astype(int) @ [299, 587, 114] + 500) // 1000
    np.testing.assert_array_equal(aam.read_pnm(tmp_path / "a.ppm"), grey)
    with invalid("image: expected a grey image"):
        aam.write_pgm(tmp_path / "b.pgm", colour)


def test_folders_of_examples(tmp_path):
    faces = [aam.render_face(aam.random_face(1, i), 64 + i, 64) for i in range(3)]
    for i, (image, landmarks) in enumerate(faces):
        aam.write_pgm(tmp_path / f"{i}.pgm", image)
        aam.write_pts(tmp_path / f"{i}.pts", landmarks)
    pairs = aam.find_pairs(tmp_path)
    assert pairs == [(tmp_path / f"{i}.pgm", tmp_path / f"{i}.pts") for i in range(3)]
    calls = []
    examples = aam.load_examples(pairs, progress=lambda *call: calls.append(call))
    assert calls == [("reading faces", i, 3) for i in (1, 2, 3)]
    assert examples.names == ["0.pgm", "1.pgm", "2.pgm"] and examples.landmarks.shape == (3, 68, 2)
    for image, landmarks, face in zip(examples.images, examples.landmarks, faces):
        np.testing.assert_array_equal(image, face[0])
        np.testing.assert_array_equal(landmarks, face[1])
    by_reader = aam.load_examples(str(tmp_path), reader=lambda path: 255 - aam.read_pnm(path))
    np.testing.assert_array_equal(by_reader.images[2], 255 - faces[2][0])
    with pytest.raises(ZeroDivisionError):
        aam.load_examples(pairs, reader=lambda path: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        aam.load_examples(pairs, progress=lambda *call: 1 / 0)
    with pytest.raises(tp.InvalidArgument, match="reader returned: expected a grey image"):
        aam.load_examples(pairs, reader=lambda path: np.zeros((3, 3, 3), np.uint8))
    (tmp_path / "1.pts").unlink()
    with pytest.raises(tp.Error, match="1.pgm has no landmarks"):
        aam.find_pairs(tmp_path)
    with pytest.raises(tp.Error, match="no folder"):
        aam.find_pairs(tmp_path / "none")


def test_examples_go_into_train(tmp_path):
    for i in range(4):
        image, landmarks = aam.render_face(aam.random_face(1, i), 128, 128)
        aam.write_pgm(tmp_path / f"{i}.pgm", image)
        aam.write_pts(tmp_path / f"{i}.pts", landmarks / 2)
    examples = aam.load_examples(tmp_path)
    options = {"levels": [{"pixels": 64}], "appearance_pixels": 0}
    model = aam.train(**examples._asdict(), **options)
    assert model.images == 4 and model == aam.train(examples.images, examples.landmarks, **options)


# Synthetic faces


def test_synthetic_faces():
    face = aam.random_face(7, 3)
    image, landmarks = aam.render_face(face)
    assert image.shape == (256, 256) and image.dtype == np.uint8 and landmarks.shape == (68, 2)
    assert face == aam.random_face(7, 3) and face != aam.random_face(7, 4)
    again = aam.render_face(face)
    np.testing.assert_array_equal(again.image, image)
    np.testing.assert_array_equal(again.landmarks, landmarks)
    assert pickle.loads(pickle.dumps(face)) == face == eval(repr(face), vars(aam))
    assert aam.render_face(face, 300, 200)[0].shape == (200, 300)
    plain = aam.FaceParameters(identity=[0] * 8, x_px=100, size_px=90)
    assert plain.x_px == 100 and plain.identity.shape == (8,) and plain.expression.tolist() == [0] * 4
    centre = np.asarray(aam.render_face(plain)[1]).mean(axis=0)
    assert abs(centre[0] - 100) < 10
    assert aam.face_in_motion(2, 0.5) != aam.face_in_motion(2, 0.6)
    partner = aam.mirror_of_68()
    assert len(partner) == 68 and [partner[i] for i in partner] == list(range(68))
    faces = [aam.render_face(aam.random_face(1, i), 192, 192) for i in range(16)]
    images, shapes = [image for image, _ in faces], np.array([shape for _, shape in faces])
    assert abs(aam.estimate_landmark_offset_px(images, shapes + [2, 0], mirror_points=partner) - 2) < 0.3
    with invalid("identity: "):
        aam.FaceParameters(identity=[1, 2])
    with pytest.raises(tp.InvalidArgument, match="yaw"):
        aam.render_face(aam.FaceParameters(yaw=np.nan))
    with pytest.raises(tp.InvalidArgument):
        aam.render_face(face, 4, 4)
