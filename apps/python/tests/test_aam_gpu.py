"""triptych.aam on a GPU: images that lie there, also while they are being written."""

import numpy as np
import pytest

import triptych as tp
from triptych import aam


@pytest.fixture(scope="module")
def faces():
    return [aam.render_face(aam.random_face(3, i)) for i in range(8)]


@pytest.fixture(scope="module")
def model(faces):
    images, landmarks = zip(*faces)
    return aam.train(images, landmarks, levels=[{"pixels": 200}, {"pixels": 500, "stages": 2}], appearance_pixels=0)


@pytest.fixture(scope="module")
def boxes(faces):
    return [aam.bounds(landmarks) for _, landmarks in faces]


@pytest.fixture(scope="module")
def fitter(cuda, model):
    return aam.Fitter(model, device="cuda:0", max_faces=8, max_width=640, max_height=480)


def test_tensors_give_the_bits_of_arrays(cuda, faces, boxes, fitter):
    for (image, truth), box in zip(faces, boxes):
        expected = fitter(image, box)
        tensor = cuda.from_numpy(image).cuda()
        assert fitter(tensor, box) == expected
        assert fitter(tensor, start=aam.start_in_box(fitter.model, box, 256, 256)) == expected
        assert aam.shape_error(expected.landmarks, truth) < 0.1
        wide = cuda.zeros((300, 400), dtype=cuda.uint8, device="cuda")
        wide[20:276, 30:286] = tensor
        assert fitter(wide[20:276, 30:286], box) == expected


def test_many_faces_on_the_gpu(cuda, faces, boxes, fitter):
    images = [image for image, _ in faces]
    expected = fitter.fit_many(images, boxes)
    tensors = [cuda.from_numpy(image).cuda() for image in images]
    assert fitter.fit_many(tensors, boxes) == expected
    assert fitter.fit_many(cuda.stack(tensors), boxes) == expected
    assert fitter.fit_many(tensors[0], boxes[:1] * 4) == fitter.fit_many(images[0], boxes[:1] * 4)
    with pytest.raises(tp.InvalidArgument, match=r"^images\[1\]: all images must be in the same memory"):
        fitter.fit_many([tensors[0], images[1]], boxes[:2])


def test_submitted_tensors_live_until_their_fit(cuda, faces, boxes, fitter):
    expected = [fitter(image, box) for (image, _), box in zip(faces, boxes)]
    for _ in range(20):
        for i in (0, 1, 2):
            fitter.submit(cuda.from_numpy(faces[i][0]).cuda(), boxes[i])
            cuda.full((256, 256), 255, dtype=cuda.uint8, device="cuda")  # takes memory that was freed too early
        assert [fitter.next() for _ in range(3)] == expected[:3]


def test_a_tensor_that_is_still_being_written(cuda, faces, boxes, fitter):
    expected = [fitter(image, box) for (image, _), box in zip(faces, boxes)]
    sources = [cuda.from_numpy(image).cuda() for image, _ in faces]
    target = cuda.zeros((256, 256), dtype=cuda.uint8, device="cuda")
    side = cuda.cuda.Stream()
    cuda.cuda.synchronize()
    for round in range(1000):
        i = round % len(faces)
        with cuda.cuda.stream(side):
            target.zero_()
            cuda.cuda._sleep(200_000)
            target.copy_(sources[i])
            if round % 3 == 0:
                fit = fitter(target, boxes[i])
            elif round % 3 == 1:
                fit = fitter.fit_many([target], boxes[i : i + 1])[0]
            else:
                fitter.submit(target, boxes[i])
                fit = fitter.next()
        assert fit == expected[i], round
    with cuda.cuda.stream(side):
        target.zero_()
        cuda.cuda._sleep(2_000_000)
        target.copy_(sources[1])
    assert fitter(target, boxes[1], stream=side) == expected[1]


def test_a_tracker_on_the_gpu(cuda, model):
    frames = [aam.render_face(aam.face_in_motion(5, i / 25)) for i in range(9)]
    box = aam.bounds(frames[0][1])
    on_host = aam.FaceTracker(model, box=box, device="cuda:0")
    in_memory = aam.FaceTracker(model, box=box, device="cuda:0")
    side = cuda.cuda.Stream()
    for image, _ in frames:
        expected = on_host(image)
        with cuda.cuda.stream(side):
            cuda.cuda._sleep(1_000_000)
            tensor = cuda.from_numpy(image).to("cuda", non_blocking=True)
            assert in_memory(tensor) == expected
    in_memory.reset()
    on_host.reset()
    for image, _ in frames[:3]:
        in_memory.submit(cuda.from_numpy(image).cuda())
    assert [in_memory.next() for _ in range(3)] == [on_host(image) for image, _ in frames[:3]]


def test_the_wrong_device_is_named(cuda, model, faces, boxes):
    tensor = cuda.from_numpy(faces[0][0]).cuda()
    on_cpu = aam.Fitter(model, device="cpu")
    with pytest.raises(tp.InvalidArgument, match="^image: .*cuda:0.*device="):
        on_cpu(tensor, boxes[0])
    with pytest.raises(tp.InvalidArgument, match="^frame: .*cuda:0"):
        aam.FaceTracker(model, device="cpu")(tensor)
    with pytest.raises(tp.InvalidArgument, match="^image: .*host"):
        aam.find_faces(on_cpu, tensor)
    with pytest.raises(tp.InvalidArgument, match=r"^images\[0\]: .*host"):
        aam.train([tensor, tensor], [faces[0][1]] * 2)
    with pytest.raises(tp.InvalidArgument, match="^start: .*host"):
        aam.Fitter(model, device="cuda:0")(tensor, start=cuda.zeros((68, 2), device="cuda"))


def test_cupy(cupy, faces, boxes, fitter):
    image, _ = faces[0]
    assert fitter(cupy.asarray(image), boxes[0]) == fitter(image, boxes[0])


def rounding_px(level, face_size_px):
    """What rounding moves a landmark by, in pixels of the image: the bound of tests/aam_fit/fit/double_fit.hpp.

    A sum adds a number up to 64 times in a row, so that a parameter is off by 6 * 64 eps of the length of its list of terms
    in each step; a term is an element of R times up to four numbers of the size of g0. A sampled place is off by 8 eps of a
    coordinate up to 256.
    """
    eps, m = 2.0**-24, level.modes
    terms = np.linalg.norm(level.R.astype(float), axis=1) * 4 * np.abs(level.g0).max()
    off = level.iterations * 6 * 64 * eps * terms
    turned = np.square(level.s0.astype(float).ravel()) * (off[m] ** 2 + off[m + 1] ** 2)
    bent = np.square(level.Qs.astype(float)) @ np.square(off[:m])
    moved = max(off[m + 2], off[m + 3]) ** 2
    in_level = np.sqrt((turned + bent + moved).max()) + level.iterations * 8 * eps * 256
    return in_level * face_size_px / level.face_size_px


def test_cpu_and_gpu_agree(cuda, model, faces, boxes):
    """Whole steps: no decision that rounding could turn, so that the twins are apart by their rounding alone."""
    on_cpu = aam.Fitter(model, device="cpu", always_step=True)
    on_gpu = aam.Fitter(model, device="cuda:0", always_step=True)
    for (image, truth), box in zip(faces, boxes):
        expected, fit = on_cpu(image, box), on_gpu(image, box)
        bound = 2 * sum(rounding_px(level, aam.face_size(truth)) for level in model.levels)
        assert bound < 0.1
        np.testing.assert_allclose(fit.landmarks, expected.landmarks, rtol=0, atol=bound)
        assert (fit.iterations, fit.status) == (expected.iterations, expected.status)
