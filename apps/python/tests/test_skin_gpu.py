"""triptych.skin with frames in GPU memory: torch and CuPy, streams, the same bits as on the CPU."""

import numpy as np
import pytest

import triptych as tp

FILTER = tp.skin.generic_skin_filter


@pytest.fixture(scope="module")
def scene():
    return tp.skin.SyntheticScene(width=320, height=180, frames=12, distractor=True)


@pytest.fixture(scope="module")
def skin(scene):
    return tp.skin.calibrate(scene[0], face=scene.truth(0).box)


def without_time(head):
    return head.raw, head.window, head.status, head.x_px, head.y_px, head.distance_m, head.score, head.frame, head.confidence, head.evidence


def test_moments(cuda, rng, skin):
    frame = rng.integers(0, 256, (241, 322, 4), dtype=np.uint8)
    tensor = cuda.from_numpy(frame).cuda()
    table = tp.skin.WeightTable(skin.colours)
    for by in (FILTER, skin, table, skin.colours):
        for format in ("rgba", "bgra"):
            assert tp.skin.moments(tensor, by, format=format) == tp.skin.moments(frame, by, format=format)
            region = (30, 20, 101, 77)
            expected = tp.skin.moments(frame, by, format=format, region=region)
            assert tp.skin.moments(tensor, by, format=format, region=region) == expected
        assert tp.skin.locate(tensor, by) == tp.skin.locate(frame, by)
    for shape, format in (((120, 80), "nv12"), ((60, 80, 2), "yuyv"), ((60, 81, 3), "bgr")):
        frame = rng.integers(0, 256, shape, dtype=np.uint8)
        tensor = cuda.from_numpy(frame).cuda()
        for by in (FILTER, table):
            assert tp.skin.moments(tensor, by, format=format) == tp.skin.moments(frame, by, format=format)


def test_a_region_of_a_tensor(cuda, rng):
    frame = rng.integers(0, 256, (60, 80, 3), dtype=np.uint8)
    tensor = cuda.from_numpy(frame).cuda()
    assert tp.skin.moments(tensor[7:50, 11:60], FILTER) == tp.skin.moments(frame[7:50, 11:60], FILTER)
    assert tp.skin.moments(tensor[::2], FILTER) == tp.skin.moments(frame[::2], FILTER)


def test_batches(cuda, rng):
    frames = rng.integers(0, 256, (200, 30, 40, 3), dtype=np.uint8)  # more than one launch takes
    tensor = cuda.from_numpy(frames).cuda()
    expected = tp.skin.moments_batch(frames, FILTER)
    assert tp.skin.moments_batch(tensor, FILTER) == expected
    assert tp.skin.moments_batch(list(tensor), FILTER) == expected
    assert tp.skin.moments_batch(tensor[:5], FILTER) == expected[:5]
    table = tp.skin.WeightTable(FILTER)
    assert tp.skin.moments_batch(tensor, table) == tp.skin.moments_batch(frames, table)
    with pytest.raises(tp.InvalidArgument, match="frames: all must be in the same memory"):
        tp.skin.moments_batch([tensor[0], frames[0]], FILTER)


def test_cupy(cupy, rng):
    frame = rng.integers(0, 256, (60, 80, 3), dtype=np.uint8)
    array = cupy.asarray(frame)
    assert tp.skin.moments(array, FILTER) == tp.skin.moments(frame, FILTER)
    assert without_time(tp.skin.Tracker(FILTER, like=array)(array)) == without_time(
        tp.skin.Tracker(FILTER, like=frame, device="cpu")(frame)
    )


def test_the_snippet(cuda, scene):
    """A calibration and a tracker on the GPU, from tensors there, have the bits of those on the CPU."""
    video = [cuda.from_numpy(frame).cuda() for frame in scene]
    frame, (x, y, w, h) = video[0], scene.truth(0).box
    skin = tp.skin.calibrate(frame, face=(x, y, w, h))
    assert skin == tp.skin.calibrate(scene[0], face=(x, y, w, h))
    tracker = tp.skin.Tracker(skin, like=frame, gate=True)
    assert tracker.device == "cuda:0"
    host = tp.skin.Tracker(skin, like=scene[0], gate=True, device="cpu")
    copied = tp.skin.Tracker(skin, like=scene[0], gate=True, device="cuda:0")
    joint = tp.skin.Tracker(skin, like=scene[0], gate=True, device="joint")
    boxed = tp.skin.Tracker.from_box(frame, (x, y, w, h))
    for f, g in zip(video, scene):
        expected = without_time(host(g))
        assert expected[2] == "found"
        for head in (tracker(f), copied(g), joint(g), boxed(f)):
            assert without_time(head) == expected
    assert tracker.gpu_rows > 0 and host.gpu_rows == 0


@pytest.mark.parametrize("device", ["cuda:0", "joint"])
def test_submit_and_next(cuda, scene, skin, device):
    video = [cuda.from_numpy(frame).cuda() for frame in scene]
    one = tp.skin.Tracker(skin, like=scene[0], gate=True, device="cpu")
    expected = [without_time(one(frame)) for frame in scene]
    for frames in (video, list(scene)):
        two = tp.skin.Tracker(skin, like=scene[0], gate=True, device=device)
        heads = []
        for frame in frames:
            two.submit(frame.clone() if frames is video else frame.copy())  # nobody else keeps the copy
            if two.in_flight == 3:
                heads.append(two.next())
        while two.in_flight:
            heads.append(two.next())
        assert [without_time(head) for head in heads] == expected


def test_a_tensor_that_is_still_being_written(cuda):
    """1000 times: a slow kernel, then the pixels, on a stream of their own; the head is that of the pixels."""
    boxes = [(10 * i, 5 * i, 20, 30) for i in range(8)]
    values, expected = [], []
    by = tp.skin.LinearFilter(0.03, 0, -0.03, -0.7)
    for x, y, w, h in boxes:
        frame = np.empty((100, 200, 3), np.uint8)
        frame[:] = (90, 95, 100)
        frame[y : y + h, x : x + w] = (220, 170, 140)
        values.append(cuda.from_numpy(frame).cuda())
        expected.append(tp.skin.locate(frame, by))
    x = values[0].clone()
    tracker = tp.skin.Tracker(by, like=x)
    side = cuda.cuda.Stream()
    cuda.cuda.synchronize()
    for i in range(1000):
        with cuda.cuda.stream(side):
            cuda.cuda._sleep(20_000)
            x.copy_(values[i % 8])
            if i % 3 == 0:
                assert tp.skin.locate(x, by) == expected[i % 8], i
            elif i % 3 == 1:
                assert tracker(x).raw == expected[i % 8], i
            else:
                tracker.submit(x)
                assert tracker.next().raw == expected[i % 8], i
        if i % 4 == 0:
            with cuda.cuda.stream(side):
                cuda.cuda._sleep(20_000)
                x.copy_(values[(i + 1) % 8])
            assert tracker(x, stream=side).raw == expected[(i + 1) % 8], i  # named by the caller


def test_a_frame_for_calibration_that_is_still_being_written(cuda, scene, skin):
    frame = cuda.from_numpy(scene[0]).cuda()
    x = cuda.zeros_like(frame)
    side = cuda.cuda.Stream()
    cuda.cuda.synchronize()
    for _ in range(20):
        with cuda.cuda.stream(side):
            x.zero_()
            cuda.cuda._sleep(1_000_000)
            x.copy_(frame)
            assert tp.skin.calibrate(x, face=scene.truth(0).box) == skin


def test_the_wrong_device(cuda, scene, skin):
    frame = cuda.from_numpy(scene[0]).cuda()
    tracker = tp.skin.Tracker(skin, like=scene[0], device="cpu")
    for call in (tracker, tracker.submit):
        with pytest.raises(tp.InvalidArgument, match="^frame: the array is on cuda:0, but this object runs on the CPU"):
            call(frame)
    assert tracker(scene[0]).found
    with pytest.raises(tp.InvalidArgument, match="^colours: the array is on cuda:0"):
        tp.skin.weight(FILTER, frame.reshape(-1, 3))
    with pytest.raises(tp.InvalidArgument, match="^frame: the pixels of a row must be contiguous"):
        tp.skin.moments(frame.permute(1, 0, 2), FILTER)
    with pytest.raises(tp.InvalidArgument, match="^frame: expected uint8"):
        tp.skin.moments(frame.float(), FILTER)
