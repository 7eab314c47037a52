"""triptych.aam: models, training, fits and tracking against each other and against NumPy."""

import doctest
import pickle
import threading

import numpy as np
import pytest

import triptych as tp
from triptych import aam

LEVELS = [{"pixels": 300, "features": {"kind": "gradient", "smooth_px": 0.7}, "iterations": 3}, {"pixels": 800}]


@pytest.fixture(scope="module")
def faces():
    return [aam.render_face(aam.random_face(3, i)) for i in range(24)]


@pytest.fixture(scope="module")
def model(faces):
    images, landmarks = zip(*faces)
    return aam.train(images, landmarks, levels=LEVELS, appearance_pixels=500, name="tests")


@pytest.fixture(scope="module")
def fitter(model):
    return aam.Fitter(model, device="cpu")


def invalid(argument):
    return pytest.raises(tp.InvalidArgument, match=rf"^{argument}")


# Model


def test_model_says_what_it_is(model):
    assert (model.points, model.images, model.name, len(model.levels)) == (68, 24, "tests", 2)
    assert model.mean.shape == (68, 2) and model.mean.dtype == np.float64
    assert model.triangles.shape[1] == 3 and model.triangles.max() < 68
    np.testing.assert_allclose(model.mean.mean(axis=0), 0, atol=1e-12)
    assert aam.face_size(model.mean) == pytest.approx(1)
    np.testing.assert_array_equal(model.triangles, aam.triangulate(model.mean))
    coarse, fine = model.levels
    assert (coarse.pixels, coarse.samples, fine.pixels, fine.samples) == (300, 600, 800, 800)
    assert coarse.features.kind == "gradient" and coarse.features.channels == 2
    assert (coarse.iterations, fine.normalisation) == (3, "floored")
    assert "68 landmarks" in repr(model) and "800 pixels" in repr(model)


def test_levels_hold_the_matrices_without_a_copy(model):
    level = model.levels[1]
    assert level.s0.shape == (68, 2) and level.Qs.shape == (136, level.modes)
    assert level.Qg.shape == (level.modes, level.samples) and level.R.shape == (level.modes + 4, level.samples)
    assert level.g0.shape == (level.samples,) and level.sigma.shape == (level.modes,)
    assert level.R.dtype == np.float32 and not level.R.flags.writeable
    assert level.R.ctypes.data == model.levels[1].R.ctypes.data
    np.testing.assert_allclose(level.g0 @ level.g0, 1, rtol=1e-5)
    np.testing.assert_allclose(level.Ks @ level.Qs, np.eye(level.modes), atol=1e-4)
    assert aam.face_size(level.s0) == pytest.approx(level.face_size_px, rel=1e-6)


def test_model_survives_files_and_pickle_bit_for_bit(model, tmp_path):
    for path in (tmp_path / "a.aam", str(tmp_path / "b.aam")):
        model.save(path)
        assert aam.Model.load(path).to_bytes() == model.to_bytes()
    assert (tmp_path / "a.aam").read_bytes() == model.to_bytes()
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        copy = pickle.loads(pickle.dumps(model, protocol))
        assert copy == model and copy.to_bytes() == model.to_bytes()
    assert aam.Model.from_bytes(model.to_bytes()) == model
    assert model != "something else"
    damaged = bytearray(model.to_bytes())
    damaged[-1] ^= 1
    with pytest.raises(tp.ParseError, match="damaged"):
        aam.Model.from_bytes(bytes(damaged))
    with pytest.raises(tp.Error):
        aam.Model.load(tmp_path / "missing")


def test_appearance(model, faces, fitter):
    image, landmarks = faces[0]
    assert model.has_appearance
    c = model.appearance_of(image, landmarks)
    picture = model.appearance_picture(c)
    assert picture.dtype == np.uint8 and picture.ndim == 2 and picture.max() > 0
    mean = model.appearance_picture(np.zeros_like(c))
    assert (picture != mean).any()
    with invalid("c: "):
        model.appearance_picture([np.nan] * len(c))
    with invalid("landmarks: "):
        model.appearance_of(image, landmarks[:, :1])
    with pytest.raises(tp.InvalidArgument, match="parameters"):
        model.appearance_picture(c[1:])
    texture = fitter.texture(fitter(image, box=aam.bounds(landmarks)))
    assert texture.dtype == np.uint8 and texture.shape == model.levels[-1].size[::-1]


# Training


def test_the_same_arguments_give_the_same_bits(model, faces):
    images = np.stack([image for image, _ in faces])
    landmarks = np.stack([points for _, points in faces])
    levels = [aam.LevelOptions(300, features=aam.Features("gradient", smooth_px=0.7), iterations=3), {"pixels": 800}]
    for threads in (1, 2):
        again = aam.train(images, landmarks, levels=levels, appearance_pixels=500, name="tests", threads=threads)
        assert again == model
    strided = np.zeros((24, 256, 300), np.uint8)[:, :, 10:266]
    strided[:] = images
    assert aam.train(list(strided), list(landmarks), levels=LEVELS, appearance_pixels=500, name="tests") == model
    other = aam.train(images, landmarks, levels=LEVELS, appearance_pixels=500, name="tests", seed=2)
    assert other != model


def test_progress_reports_every_stage(faces):
    images, landmarks = zip(*faces[:4])
    calls = []
    caller = threading.get_ident()

    def progress(stage, done, total):
        assert threading.get_ident() == caller
        calls.append((stage, done, total))

    aam.train(images, landmarks, levels=[{"pixels": 100}], progress=progress)
    assert [done for _, done, _ in calls] == list(range(len(calls)))
    assert calls[0][0] == "shapes" and calls[-2][0] == "face classifier" and calls[-1] == ("done", 7, 7)

    calls.clear()
    aam.train(images, landmarks, levels=[{"pixels": 100}], face_classifier=False, progress=progress)
    assert calls[-2][0] == "calibration" and calls[-1] == ("done", 6, 6)


def test_an_exception_of_progress_ends_the_training(faces):
    images, landmarks = zip(*faces)

    def progress(stage, done, total):
        if "update" in stage:
            raise KeyError(stage)

    before = threading.active_count()
    with pytest.raises(KeyError, match="update 1"):
        aam.train(images, landmarks, progress=progress)
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("keywords", "sentence"),
    [
        ({"levels": [{"pixel": 3}]}, r"levels\[0\]: "),
        ({"levels": []}, "levels: "),
        ({"levels": 3}, "levels: "),
        ({"levels": ["x"]}, r"levels\[0\]: expected a LevelOptions"),
        ({"levels": [{"pixels": 3}]}, "pixels of a level"),
        ({"parameters": "no such"}, "parameters: 'no such' is none of combined, independent and shape"),
        ({"update": "no such"}, "update: "),
        ({"triangles": [[0, 1]]}, "triangles: "),
        ({"triangles": [[0, 1, 2.5]]}, "triangles: "),
        ({"mirror_points": [-1]}, "mirror_points: "),
        ({"displacements": {"shift": 1, "x": 2}}, "displacements: "),
        ({"names": ["one"]}, "names: "),
        ({"names": 3}, "names: "),
        ({"progress": 3}, "progress: "),
        ({"ridge": -1.0}, "a ridge of -1"),
    ],
)
def test_options_of_training_are_checked(faces, keywords, sentence):
    images, landmarks = zip(*faces[:3])
    with invalid(sentence):
        aam.train(images, landmarks, **keywords)


def test_examples_of_training_are_checked(faces):
    images, landmarks = zip(*faces[:3])
    with invalid("landmarks: there are 2 shapes for 3 images"):
        aam.train(images, landmarks[:2])
    with invalid(r"landmarks\[1\]: .* nan, which is not finite"):
        aam.train(images, [landmarks[0], landmarks[1] * np.nan, landmarks[2]])
    with invalid(r"landmarks: .*\(k, n, 2\)"):
        aam.train(images, np.zeros((3, 68)))
    with invalid(r"images\[1\]: expected a grey image, uint8 .* convert colour to grey"):
        aam.train([images[0], np.zeros((20, 20, 3), np.uint8)], landmarks[:2])
    with invalid(r"images\[0\]: expected a grey image, .* not float32 of shape \(20, 20\)$"):
        aam.train([np.zeros((20, 20), np.float32)], landmarks[:1])
    with invalid("images: expected a grey image"):
        aam.train(np.zeros((3, 20, 3), np.uint8), landmarks)
    with invalid("images: expected images, not a int"):
        aam.train(3, landmarks)
    with invalid("training needs two examples"):
        aam.train([], [])
    with invalid(r"images\[0\]: an image of 20 x 0 pixels is empty"):
        aam.train([np.zeros((0, 20), np.uint8)] * 3, landmarks)
    with invalid(r"images\[1\]: an image of 9 x 9 pixels is too small"):
        aam.train([images[0], images[0][:9, :9]], landmarks[:2])
    with invalid(r"second: an image of 9 x 9 pixels is too small"):
        aam.train([images[0], images[0][:9, :9]], landmarks[:2], names=["first", "second"])


def test_levels_and_features():
    default = aam.default_levels()
    assert [level.pixels for level in default] == [1088, 1700]
    assert default[0].features.kind == "double_angle" and default[0].features.channels == 4
    assert aam.default_levels(800, 1, features="grey", update="displaced")[0].stages == 3
    for value in (default[0], default[0].features, aam.Displacements(per_face=3)):
        assert pickle.loads(pickle.dumps(value)) == value
        assert eval(repr(value), vars(aam)) == value
        assert value != 3
    assert aam.LevelOptions(features="gradient").features == aam.Features("gradient")
    with invalid("kind: .*grey.*gradient"):
        aam.Features("no such")
    with invalid("features: "):
        aam.LevelOptions(features="no such")
    with pytest.raises(tp.InvalidArgument):
        aam.Features("orientation", bins=1)


# Fitting


def test_fits_find_the_landmarks(faces, fitter):
    for image, truth in faces:
        fit = fitter(image, box=aam.bounds(truth))
        assert fit.found and fit.landmarks.shape == (68, 2) and fit.landmarks.dtype == np.float64
        assert aam.shape_error(fit.landmarks, truth) < 0.02
        assert 0 < fit.score <= 1 and fit.error > 0 and fit.iterations > 0 and fit.latency_us > 0
        assert fit.status in ("converged", "no_improvement", "out_of_iterations", "completed")
        np.testing.assert_array_equal(np.asarray(fit), fit.landmarks)
        assert fit.parameters.dtype == np.float32
    assert np.asarray(fit, np.float32).dtype == np.float32
    with invalid("copy: "):
        fit.__array__(copy=False)


def test_all_ways_of_a_fit_agree(model, faces, fitter):
    images, landmarks = zip(*faces[:6])
    boxes = [aam.bounds(points) for points in landmarks]
    expected = [fitter(image, box) for image, box in zip(images, boxes)]
    assert [fitter(image, box=np.array(box)) for image, box in zip(images, boxes)] == expected
    starts = [aam.start_in_box(model, box, 256, 256) for box in boxes]
    np.testing.assert_array_equal(starts[0], aam.place_in_box(model.mean, boxes[0]))
    assert [fitter(image, start=start) for image, start in zip(images, starts)] == expected
    assert fitter.fit_many(images, boxes) == expected
    assert fitter.fit_many(np.stack(images), np.array(boxes)) == expected
    assert fitter.fit_many(images, starts=np.stack(starts)) == expected
    assert fitter.fit_many(images[0], boxes[:1] * 3) == expected[:1] * 3
    assert fitter.fit_many(images, starts=starts, boxes=None) == expected
    assert fitter.fit_many(images[0], []) == []
    for image, box in zip(images[:3], boxes[:3]):
        fitter.submit(image, box)
    assert fitter.in_flight == 3
    with pytest.raises(tp.InvalidArgument, match="next"):
        fitter.submit(images[3], boxes[3])
    assert [fitter.next() for _ in range(3)] == expected[:3]
    assert fitter.latency.frames > 6
    with aam.Fitter(model, device="cpu", form="paper", max_iterations=5) as paper, aam.Fitter(model, device="cpu", max_iterations=5) as one_pass:
        np.testing.assert_allclose(paper(images[0], boxes[0]).landmarks, one_pass(images[0], boxes[0]).landmarks, atol=0.1)


def test_regions_and_read_only_images(faces, fitter):
    image, truth = faces[0]
    box = aam.bounds(truth)
    expected = fitter(image, box)
    wide = np.full((300, 400), 77, np.uint8)
    wide[20:276, 30:286] = image
    region = wide[20:276, 30:286]
    assert fitter(region, box) == expected
    region.flags.writeable = False
    assert fitter(region, box) == expected
    for bad in (region[:, ::2], region[::-1], region.T):
        with invalid("image: .*ascontiguousarray"):
            fitter(bad, box)


def test_other_libraries_on_the_host(faces, fitter):
    image, truth = faces[0]
    expected = fitter(image, aam.bounds(truth))
    assert fitter(memoryview(image), aam.bounds(truth)) == expected
    torch = pytest.importorskip("torch")
    assert fitter(torch.from_numpy(image), aam.bounds(truth)) == expected


def test_results_survive_pickle(faces, fitter):
    image, truth = faces[0]
    fit = fitter(image, aam.bounds(truth))
    copy = pickle.loads(pickle.dumps(fit))
    assert copy == fit and copy.latency_us == fit.latency_us and repr(copy) == repr(fit)
    assert "68 landmarks" in repr(fit)
    lost = fitter(np.zeros((256, 256), np.uint8), aam.bounds(truth))
    assert not lost.found and lost.status == "lost_contrast" and lost.error == np.inf and lost.score == 0
    assert pickle.loads(pickle.dumps(lost)) == lost
    assert fit != lost and fit != 3


def test_confidence_tells_a_face_from_no_face(model, faces, fitter):
    image, truth = faces[0]
    fit = fitter(image, aam.bounds(truth))
    assert fit.found and fit.confidence > 0.9 and fit.reason == "" and f"confidence={fit.confidence!r}" in repr(fit)
    noise = np.random.default_rng(1).integers(0, 256, (256, 256), np.uint8)
    bad = fitter(noise, aam.bounds(truth))
    assert not bad.found and bad.status == "lost_no_face" and bad.confidence < 0.1 and "does not look like a face" in bad.reason
    assert pickle.loads(pickle.dumps(bad)) == bad
    taken = aam.Fitter(model, min_confidence=0, device="cpu")(noise, aam.bounds(truth))
    assert taken.found and taken.confidence == bad.confidence and (taken.landmarks == bad.landmarks).all()
    face, background = model.calibration
    assert 0 <= background + 1 < face + 1 <= 2
    tracker = aam.FaceTracker(model, device="cpu")
    assert "find_faces" in tracker(image).reason
    tracked = tracker(image, aam.bounds(truth))
    assert tracked.found and tracked.confidence == tracked.fit.confidence and tracked.reason == ""
    assert not tracker(noise).found


def test_arguments_of_a_fit_are_checked(model, faces, fitter):
    image, truth = faces[0]
    box = aam.bounds(truth)
    with invalid("box: give either"):
        fitter(image)
    with invalid("box: give either"):
        fitter(image, box, start=truth)
    for bad in ((1, 2, 3), (1, 2, 3, 4, 5), "abcd", (1, 2, None, 4), np.zeros((2, 4)), [[1, 2, 3, 4]]):
        with invalid("box: "):
            fitter(image, bad)
    with invalid("box: every number must be finite"):
        fitter(image, (1, 2, np.nan, 4))
    with invalid("box: a box of 0 x 5 pixels .* is empty"):
        fitter(image, (1, 2, 0, 5))
    with invalid("box: .* lies outside"):
        fitter(image, (1000, 2, 10, 10))
    with invalid("start: the model has 68 landmarks, the start has 67"):
        fitter(image, start=truth[1:])
    with invalid(r"start: .*\(n, 2\)"):
        fitter(image, start=truth.T)
    with invalid("start: .*not finite"):
        fitter(image, start=truth * np.inf)
    with invalid("image: expected a grey image, .* convert colour"):
        fitter(np.zeros((5, 5, 3), np.uint8), box)
    with invalid("image: expected a grey image, .* float64"):
        fitter(image.astype(float), box)
    with invalid("image: an image of 5 x 0 pixels is empty"):
        fitter(np.zeros((0, 5), np.uint8), box)
    with invalid("image: expected an array"):
        fitter("x", box)
    with invalid("boxes: there are 2 faces for 3 images"):
        fitter.fit_many([image] * 3, [box] * 2)
    with invalid("boxes: give either"):
        fitter.fit_many(image)
    with invalid(r"boxes\[1\]: "):
        fitter.fit_many(image, [box, (1, 2, -3, 4)])
    with invalid(r"starts\[0\]: the model has 68"):
        fitter.fit_many(image, starts=np.zeros((1, 5, 2)))
    for keyword in ("algorithm", "form", "storage"):
        with invalid(f"{keyword}: 'no such' is none of "):
            aam.Fitter(model, device="cpu", **{keyword: "no such"})
    with invalid("device: "):
        aam.Fitter(model, device="no such")
    with pytest.raises(TypeError):
        aam.Fitter(3)


def test_a_closed_fitter_says_so(model, faces):
    image, truth = faces[0]
    fitter = aam.Fitter(model, device="cpu:1")
    assert fitter.device == "cpu" and fitter.model == model and repr(fitter).startswith("<Fitter: ")
    fitter.close()
    for use in (lambda: fitter(image, aam.bounds(truth)), lambda: fitter.next(), lambda: fitter.model):
        with pytest.raises(tp.InvalidArgument, match="closed"):
            use()


def test_compositional_algorithms(model, faces):
    image, truth = faces[1]
    for algorithm in ("project_out", "simultaneous"):
        fit = aam.Fitter(model, algorithm=algorithm, device="cpu")(image, aam.bounds(truth))
        assert fit.landmarks.shape == (68, 2)


def test_find_faces(faces, fitter):
    image, truth = faces[2]
    found = aam.find_faces(fitter, image, min_size=0.2, max_faces=1)
    assert len(found) == 1 and aam.shape_error(found[0].landmarks, truth) < 0.05
    assert aam.find_faces(fitter, np.zeros((64, 64), np.uint8)) == []
    checked = aam.check_face(fitter.model, image, fitter(image, start=truth))
    assert checked.found and checked.confidence == pytest.approx(found[0].confidence, abs=0.05)
    scene = aam.background_scene(5, 1, 300, 200)
    assert scene.shape == (200, 300) and scene.dtype == np.uint8 and (scene == aam.background_scene(5, 1, 300, 200)).all()
    box = aam.start_in_box(fitter.model, (100, 50, 90, 90), 300, 200)
    assert not aam.check_face(fitter.model, scene, fitter(scene, start=box)).found
    assert aam.face_score(fitter.model, image, truth) > 5 > aam.face_score(fitter.model, image, truth / 4)
    with invalid("landmarks: "):
        aam.face_score(fitter.model, image, "nose")
    with invalid("image: "):
        aam.find_faces(fitter, image.astype(np.float32))
    with pytest.raises(tp.InvalidArgument, match="max_candidates"):
        aam.find_faces(fitter, image, max_candidates=0)


# Tracking


def test_tracks_a_face_in_motion(model):
    frames = [aam.render_face(aam.face_in_motion(5, i / 25)) for i in range(12)]
    box = aam.bounds(frames[0][1])
    tracker = aam.FaceTracker(model, device="cpu")
    assert tracker(frames[0][0]).status == "no_start"
    results = [tracker(frames[0][0], box)] + [tracker(image) for image, _ in frames[1:]]
    assert results[0].status == "restarted" and results[0].found
    assert {r.status for r in results[1:]} == {"tracked"}
    assert all(aam.shape_error(r.landmarks, truth) < 0.1 for r, (_, truth) in zip(results, frames))
    assert results[0].fit.landmarks.shape == (68, 2) and results[0].score == results[0].fit.score
    copy = pickle.loads(pickle.dumps(results[3]))
    assert copy == results[3] and repr(copy) == repr(results[3]) and copy.latency_us == results[3].latency_us
    again = aam.FaceTracker(model, box=box, device="cpu")
    for i in range(0, 12, 3):
        for image, _ in frames[i : i + 3]:
            again.submit(image)
        assert [again.next() for _ in range(3)] == results[i : i + 3]
    again.reset()
    assert again(frames[0][0]) == results[0]
    assert again(np.zeros((256, 256), np.uint8)).status == "lost"


def test_arguments_of_a_tracker_are_checked(model, faces):
    tracker = aam.FaceTracker(model, device="cpu")
    with invalid("box: .* lies outside the frame"):
        tracker(faces[0][0], box=(300, 300, 10, 10))
    with invalid("frame: expected a grey image"):
        tracker(np.zeros((4, 4, 3), np.uint8))
    with invalid("box: "):
        aam.FaceTracker(model, box=(1, 2), device="cpu")
    with invalid("algorithm: "):
        aam.FaceTracker(model, algorithm="no such", device="cpu")


# The interpreter


def test_one_fitter_serves_several_threads(faces, fitter):
    image, truth = faces[0]
    box = aam.bounds(truth)
    expected = fitter(image, box)
    results = []
    threads = [threading.Thread(target=lambda: results.extend(fitter(image, box) for _ in range(20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 80


def test_the_example_of_the_module_runs():
    result = doctest.testmod(aam)
    assert result.attempted >= 5 and result.failed == 0
