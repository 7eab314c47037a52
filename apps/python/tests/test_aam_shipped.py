"""triptych.aam: varied faces, the model that ships, and the offset of a detector's boxes."""

import os
import pickle

import numpy as np
import pytest

import triptych as tp


def small_model():
    images, landmarks = zip(*[tp.aam.render_face(tp.aam.random_face(1, i)) for i in range(4)])
    return tp.aam.train(images, landmarks, levels=[{"pixels": 300}], displacements={"per_face": 1}, appearance_pixels=0)


def test_varied_faces():
    face = tp.aam.varied_face(1, 7)
    image, landmarks = tp.aam.render_face(face)
    assert image.shape == (256, 256) and landmarks.shape == (68, 2)
    assert np.array_equal(tp.aam.render_face(tp.aam.varied_face(1, 7)).image, image)
    assert not np.array_equal(tp.aam.render_face(tp.aam.varied_face(1, 8)).image, image)
    copy = pickle.loads(pickle.dumps(face))
    assert copy == face and np.array_equal(tp.aam.render_face(copy).image, image)
    assert face != tp.aam.varied_face(1, 8) and "varied_face" in repr(face)


def test_the_default_model_is_the_file_that_is_named(tmp_path, monkeypatch):
    model = small_model()
    model.save(tmp_path / "m.aam")
    monkeypatch.setenv("TRIPTYCH_FACE_MODEL", os.fspath(tmp_path / "m.aam"))
    assert np.array_equal(tp.aam.default_model().mean, model.mean)
    monkeypatch.setenv("TRIPTYCH_FACE_MODEL", os.fspath(tmp_path / "none.aam"))
    with pytest.raises(tp.Error, match="TRIPTYCH_FACE_MODEL"):
        tp.aam.default_model()


def test_the_default_model_is_trained_once_and_kept(tmp_path, monkeypatch, capsys):
    model, calls = small_model(), []

    def train(progress):
        calls.append(progress)
        return model

    monkeypatch.delenv("TRIPTYCH_FACE_MODEL", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", os.fspath(tmp_path))
    monkeypatch.setattr(tp.aam, "_default_model_path", lambda: None)
    monkeypatch.setattr(tp.aam, "_train_default_model", train)
    assert np.array_equal(tp.aam.default_model(progress=print).mean, model.mean)
    assert "training the face model" in capsys.readouterr().err
    assert np.array_equal(tp.aam.default_model().mean, model.mean)
    assert calls == [print] and capsys.readouterr().err == ""
    assert [path.parent.name for path in tmp_path.rglob("*.aam")] == ["triptych"]
    # A cache that cannot be written is said, and does no harm.
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", os.fspath(tmp_path / "file"))
    assert np.array_equal(tp.aam.default_model().mean, model.mean)
    assert "cannot be kept" in capsys.readouterr().err


def test_offset_of_boxes():
    model = small_model()
    offset = tp.aam.BoxOffset(0.03, 0.12, 0.8)
    rng = np.random.default_rng(1)
    shapes = [np.asarray(model.mean) * rng.uniform(50, 90) + rng.uniform(100, 150, 2) for _ in range(9)]
    boxes = []
    for shape in shapes:
        x, y, w, h = tp.aam.bounds(shape)
        side = np.sqrt(w * h) / offset.scale
        boxes.append((x + w / 2 - side * (0.5 + offset.shift_x), y + h / 2 - side * (0.5 + offset.shift_y), side, side))
    assert np.allclose(tp.aam.calibrate_box_offset(boxes, shapes), offset, atol=1e-12)
    assert isinstance(tp.aam.calibrate_box_offset(np.array(boxes), np.array(shapes)), tp.aam.BoxOffset)
    start = tp.aam.start_in_box(model, boxes[0], 300, 300, offset=offset)
    assert np.allclose(start, shapes[0], atol=1e-9)
    assert np.array_equal(tp.aam.start_in_box(model, boxes[0], 300, 300, None), tp.aam.start_in_box(model, boxes[0], 300, 300))


def test_offsets_that_are_refused():
    model, shape = small_model(), [(0, 0), (9, 1), (5, 8)]
    for bad in ((0, 0), "abc", (0, 0, 0), (float("nan"), 0, 1), (0, 0, -1)):
        with pytest.raises(tp.InvalidArgument, match="offset"):
            tp.aam.start_in_box(model, (9, 9, 99, 99), 256, 256, offset=bad)
    for boxes, shapes in (([], []), ([(0, 0, 9, 9)], [shape, shape]), ([(0, 0, 0, 9)], [shape]), (3, [shape])):
        with pytest.raises(tp.InvalidArgument, match="boxes"):
            tp.aam.calibrate_box_offset(boxes, shapes)
    with pytest.raises(tp.InvalidArgument, match="shapes"):
        tp.aam.calibrate_box_offset([(0, 0, 9, 9)], [[(1, 1), (1, 1)]])
