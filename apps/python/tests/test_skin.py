"""triptych.skin: frames, moments, calibration and the Tracker."""

import doctest
import math
import pickle
import threading

import numpy as np
import pytest

import triptych as tp

# The weights of this filter are exact: multiples of 65535 / 256.
EXACT = tp.skin.LinearFilter(5 / 256, -3 / 256, -1 / 256, -0.25)
SKIN = tp.skin.LinearFilter(0.03, 0, -0.03, -0.7)


def exact_weights(rgb):
    r, g, b = (rgb[..., i].astype(np.int64) for i in range(3))
    return np.clip(((5 * r - 3 * g - b - 64) * 65535 + 128) // 256, 0, 65535)


def moments_of(weights, region=None):
    """The definition, in NumPy."""
    height, width = weights.shape
    y, x = np.mgrid[:height, :width].astype(np.int64)
    x, y = x - width // 2, y - height // 2
    if region is not None:
        left, top, w, h = region
        weights, x, y = (a[top : top + h, left : left + w] for a in (weights, x, y))
    sums = (weights, weights * x, weights * y, weights * x * x, weights * x * y, weights * y * y)
    return tp.skin.Moments(*(int(s.sum()) for s in sums))


def painted(boxes, height=100, width=200):
    frame = np.empty((height, width, 3), np.uint8)
    frame[:] = (90, 95, 100)
    for x, y, w, h in boxes:
        frame[y : y + h, x : x + w] = (220, 170, 140)
    return frame


@pytest.fixture(scope="module")
def scene():
    return tp.skin.SyntheticScene(width=320, height=180, frames=12, distractor=True)


@pytest.fixture(scope="module")
def skin(scene):
    return tp.skin.calibrate(scene[0], face=scene.truth(0).box)


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (37, 53), (240, 321)])
def test_moments(rng, size):
    frame = rng.integers(0, 256, (*size, 3), dtype=np.uint8)
    expected = moments_of(exact_weights(frame))
    assert tp.skin.moments(frame, EXACT) == expected
    assert tp.skin.moments(frame, EXACT, threads=3) == expected
    region = (size[1] // 3, size[0] // 4, size[1] // 2, size[0] // 2)
    assert tp.skin.moments(frame, EXACT, region=region) == moments_of(exact_weights(frame), region)


def test_formats(rng):
    rgb = rng.integers(0, 256, (40, 60, 3), dtype=np.uint8)
    alpha = rng.integers(0, 256, (40, 60, 1), dtype=np.uint8)
    expected = tp.skin.moments(rgb, EXACT)
    assert tp.skin.moments(rgb, EXACT, format="rgb") == expected
    assert tp.skin.moments(np.ascontiguousarray(rgb[..., ::-1]), EXACT, format="bgr") == expected
    assert tp.skin.moments(np.concatenate((rgb, alpha), axis=2), EXACT) == expected
    assert tp.skin.moments(np.concatenate((rgb[..., ::-1], alpha), axis=2), EXACT, format="bgra") == expected


def test_formats_of_cameras(rng):
    """nv12 and yuyv of one colour for each 2 x 2 pixels are the same frame; the grey one is that of the definition."""
    y = rng.integers(16, 236, (20, 30), dtype=np.uint8).repeat(2, 0).repeat(2, 1)
    u, v = (rng.integers(90, 166, (20, 30), dtype=np.uint8) for _ in range(2))
    nv12 = np.concatenate((y, np.stack((u, v), axis=2).reshape(20, 60)))
    yuyv = np.stack((y, np.stack((u, v), axis=2).reshape(20, 60).repeat(2, 0)), axis=2)
    table = tp.skin.WeightTable(SKIN)
    for by in (SKIN, table):
        assert tp.skin.moments(nv12, by, format="nv12") == tp.skin.moments(yuyv, by, format="yuyv")
        assert tp.skin.moments(nv12, by, format="nv12").weight > 0
    up = lambda plane: plane.repeat(2, 0).repeat(2, 1).astype(float) - 128
    luma = 255 / 219 * (y.astype(float) - 16)
    rgb = np.stack((luma + 1.596 * up(v), luma - 0.392 * up(u) - 0.813 * up(v), luma + 2.017 * up(u)), axis=2)
    converted = np.clip(np.rint(rgb), 0, 255).astype(np.uint8)
    head, expected = tp.skin.locate(nv12, table, format="nv12"), tp.skin.locate(converted, table)
    assert head.weight_px == pytest.approx(expected.weight_px, rel=0.01)


def test_views_without_a_copy(rng, only_dlpack):
    frame = rng.integers(0, 256, (60, 80, 3), dtype=np.uint8)
    frame.flags.writeable = False
    part = frame[10:50, 20:70]
    assert tp.skin.moments(part, EXACT) == tp.skin.moments(part.copy(), EXACT)
    assert tp.skin.moments(frame[::2], EXACT) == tp.skin.moments(frame[::2].copy(), EXACT)
    assert tp.skin.moments(memoryview(frame), EXACT) == tp.skin.moments(frame, EXACT)
    assert tp.skin.moments(only_dlpack(frame.copy()[10:50, 20:70]), EXACT) == tp.skin.moments(part, EXACT)


def test_locate():
    head = tp.skin.locate(painted([(50, 20, 20, 30)]), SKIN)
    assert head.found and (head.x_px, head.y_px) == (59.5, 34.5)
    assert head.weight_px == 600 and head.area == 0.03
    assert head.xx_px2 == pytest.approx((20**2 - 1) / 12) and head.yy_px2 == pytest.approx((30**2 - 1) / 12)
    assert head.ellipse.angle_rad == pytest.approx(math.pi / 2)
    assert head.ellipse.semi_major_px == pytest.approx(2 * math.sqrt(head.yy_px2))
    assert 0.9 < head.score <= 1
    nothing = tp.skin.locate(painted([]), SKIN)
    assert not nothing.found and math.isnan(nothing.x_px) and math.isnan(nothing.ellipse.angle_rad)
    assert nothing == pickle.loads(pickle.dumps(nothing)) and hash(nothing) == hash(pickle.loads(pickle.dumps(nothing)))


def test_parts_of_a_frame_add_up(rng):
    frame = rng.integers(0, 256, (31, 47, 3), dtype=np.uint8)
    upper = tp.skin.moments(frame, EXACT, region=(0, 0, 47, 10))
    lower = tp.skin.moments(frame, EXACT, region=(0, 10, 47, 21))
    assert upper + lower == tp.skin.moments(frame, EXACT)
    assert (upper + lower).head(47, 31) == tp.skin.locate(frame, EXACT)


def test_batches(rng):
    frames = rng.integers(0, 256, (7, 30, 40, 3), dtype=np.uint8)
    expected = [tp.skin.moments(frame, EXACT) for frame in frames]
    assert tp.skin.moments_batch(frames, EXACT) == expected
    assert tp.skin.moments_batch(list(frames), EXACT) == expected
    assert tp.skin.moments_batch(frames[::2, 5:20], EXACT) == [tp.skin.moments(f, EXACT) for f in frames[::2, 5:20]]
    assert tp.skin.moments_batch([frames[0], frames[1, :10]], EXACT)[1] == tp.skin.moments(frames[1, :10], EXACT)
    assert tp.skin.moments_batch([], EXACT) == [] and tp.skin.moments_batch(frames[:0], EXACT) == []
    table = tp.skin.WeightTable(EXACT)
    assert tp.skin.moments_batch(frames, table) == [tp.skin.moments(frame, table) for frame in frames]
    nv12 = rng.integers(0, 256, (3, 30, 40), dtype=np.uint8)
    assert tp.skin.moments_batch(nv12, EXACT, format="nv12") == [tp.skin.moments(f, EXACT, format="nv12") for f in nv12]


def test_the_snippet(scene):
    frame, (x, y, w, h), video = scene[0], scene.truth(0).box, scene
    skin = tp.skin.calibrate(frame, face=(x, y, w, h))
    tracker = tp.skin.Tracker(skin, like=frame, gate=True)
    for i, f in enumerate(video):
        head = tracker(f)
        truth = scene.truth(i)
        assert head.found and head.frame == i and head.status == "found"
        assert math.dist((head.x_px, head.y_px), (truth.x_px, truth.y_px)) < 2  # the hand is not followed
    assert tracker.latency.frames == len(scene)
    assert "gated by the histogram classifier" in repr(tracker)


def test_calibration(scene, skin):
    assert skin.face == scene.truth(0).box and skin.frame_size == (320, 180) and skin.format == "rgb"
    assert skin.face_weight > 0.9 > 0.1 > skin.background_weight
    assert skin == tp.skin.calibrate([(scene[0], scene.truth(0).box)])
    assert skin == pickle.loads(pickle.dumps(skin)) and skin != tp.skin.calibrate(scene[1], scene.truth(1).box)
    bgr = tp.skin.calibrate(np.ascontiguousarray(scene[0][..., ::-1]), face=scene.truth(0).box, format="bgr")
    assert bgr.filter == skin.filter and bgr.format == "bgr"
    both = tp.skin.calibrate([(scene[i], scene.truth(i).box) for i in (0, 11)])
    assert both.face_weight > 0.9 and both.face == skin.face
    y, x = np.mgrid[:180, :320]
    truth = scene.truth(0)
    left, top, w, h = truth.box
    inside = ((x - left) / w * 2 - 1) ** 2 + ((y - top) / h * 2 - 1) ** 2 <= 1
    weights = tp.skin.weight(skin, scene[0].reshape(-1, 3)).reshape(180, 320)
    assert weights[inside].mean() == pytest.approx(skin.face_weight, abs=0.02)
    assert weights[~inside].mean() == pytest.approx(skin.background_weight, abs=0.02)


def test_the_format_of_a_calibration_is_that_of_the_tracker(scene):
    bgr = [np.ascontiguousarray(frame[..., ::-1]) for frame in scene]
    skin = tp.skin.calibrate(bgr[0], scene.truth(0).box, format="bgr")
    tracker = tp.skin.Tracker(skin, like=bgr[0], gate=True)
    same = tp.skin.Tracker.from_box(scene[0], scene.truth(0).box)
    assert tracker.format == "bgr" and same.format is None
    for a, b in zip(bgr, scene):
        first, second = tracker(a), same(b)
        assert first.raw == second.raw and first.window == second.window and first.distance_m == second.distance_m
    tracker.reset()
    assert tracker(scene[0], format="rgb").raw == same_raw(scene)


def same_raw(scene):
    return tp.skin.Tracker.from_box(scene[0], scene.truth(0).box)(scene[0]).raw


def test_options_of_the_tracker(scene, skin):
    frame = scene[0]
    head = tp.skin.Tracker(skin, like=frame)(frame)
    assert head.window == (0, 0, 320, 180) and head.raw == tp.skin.locate(frame, skin)
    assert head.distance_m == pytest.approx(0.6 * math.sqrt(skin.area / head.area))
    near = tp.skin.Tracker(skin.filter, reference_area=0.03, reference_distance_m=0.8)(frame)
    assert near.distance_m == pytest.approx(0.8 * math.sqrt(0.03 / near.area))
    gated = tp.skin.Tracker(skin, like=frame, gate=True)(frame)
    assert gated == pickle.loads(pickle.dumps(gated))
    by_face = tp.skin.Tracker(skin, like=frame, face=skin.face)(frame)
    x, y, w, h = skin.face
    start = (math.floor(x), math.floor(y), math.ceil(x + w) - math.floor(x), math.ceil(y + h) - math.floor(y))
    by_hand = tp.skin.Tracker(skin.filter, gate=True, start=start, gate_by=skin.colours, reference_area=skin.area)
    by_hand = by_hand(frame)
    for other in (by_face, by_hand):
        assert (other.raw, other.window, other.distance_m) == (gated.raw, gated.window, gated.distance_m)
    lost = tp.skin.Tracker(skin, like=frame, lost_below_area=0.9)(frame)
    assert not lost.found and lost.status.startswith("lost: too little skin") and lost.score == 0


def test_confidence(scene, skin):
    head = tp.skin.Tracker(skin, like=scene[0], gate=True)(scene[0])
    assert head.found and head.reason == "" and 0.9 < head.confidence <= 1
    assert head.evidence.source == "start" and head.evidence.own_colours
    assert head.evidence.likeness == pytest.approx(1) and head.evidence.confidence == head.confidence
    assert f"confidence={head.confidence!r}" in repr(head) and "likeness=" in repr(head.evidence)
    assert head.evidence == pickle.loads(pickle.dumps(head.evidence)) and head == pickle.loads(pickle.dumps(head))
    wall = painted([(0, 0, 200, 100)])
    lost = tp.skin.Tracker(SKIN, like=wall, device="cpu")(wall)
    assert not lost.found and lost.confidence == 0 and lost.score == 0 and lost.evidence.extent > 1
    assert lost.status.startswith("lost: the skin is larger than the frame") and "115 % of the frame" in lost.reason
    assert tp.skin.Tracker(SKIN, like=wall, min_confidence=0, device="cpu")(wall).found
    assert not tp.skin.Tracker(skin, like=scene[0], gate=True, min_confidence=1)(scene[0]).found


def test_a_calibration_on_frames_of_another_size(skin):
    big = tp.skin.SyntheticScene(width=640, height=360, frames=2)
    tracker = tp.skin.Tracker(skin, like=big[0], gate=True)  # the remembered box is of another frame: not used
    assert tracker(big[0]).found


def test_smoothing():
    def positions(**keywords):
        tracker = tp.skin.Tracker(SKIN, device="cpu", min_confidence=0, **keywords)  # a rectangle is no face
        return [tracker(painted([(50 + i % 2, 20, 20, 30)]), 1 / 60).x_px for i in range(20)]

    euro = tp.skin.OneEuro(min_cutoff_hz=0.5, beta=0.1, speed_cutoff_hz=2)
    raw = positions()
    assert raw == [59.5 + i % 2 for i in range(20)]
    assert positions(smooth=True, min_cutoff_hz=0.5, beta=0.1, speed_cutoff_hz=2) == [euro(x, 1 / 60) for x in raw]
    with pytest.raises(tp.InvalidArgument, match="seconds"):
        tp.skin.Tracker(SKIN, smooth=True, device="cpu")(painted([]), 0)


def test_submit_and_next(scene, skin):
    one, two = (tp.skin.Tracker(skin, like=scene[0], gate=True, device="cpu") for _ in range(2))
    for frame in scene:
        two.submit(frame)
        assert two.in_flight == 1
        a, b = one(frame), two.next()
        assert (a.raw, a.window, a.x_px, a.frame) == (b.raw, b.window, b.x_px, b.frame)
    for frame in (scene[0], scene[1], scene[2]):
        two.submit(frame)
    with pytest.raises(tp.InvalidArgument, match="3 frames in flight"):
        two.submit(scene[3])
    assert [two.next().frame for _ in range(3)] == [12, 13, 14]
    with pytest.raises(tp.InvalidArgument, match="submit one first"):
        two.next()
    two.reset()
    assert two(scene[0]).frame == 0 and two.latency.frames == 1


def test_close(scene, skin):
    with tp.skin.Tracker(skin, like=scene[0], device="cpu") as tracker:
        assert tracker(scene[0]).found and tracker.device == "cpu"
    with pytest.raises(tp.InvalidArgument, match="closed"):
        tracker(scene[0])


def test_scenes(scene):
    frame = scene.render(3)
    assert frame.shape == (180, 320, 3) and frame.dtype == np.uint8
    assert np.array_equal(frame, scene[3]) and np.array_equal(scene[-1], scene[11])
    assert len(scene) == 12 and sum(1 for _ in scene) == 12
    again = pickle.loads(pickle.dumps(scene))
    assert np.array_equal(again[5], scene[5]) and repr(again) == repr(scene)
    assert again.truth(5) == scene.truth(5) == pickle.loads(pickle.dumps(scene.truth(5))) != scene.truth(4)
    truth = scene.truth(5)
    x, y, w, h = truth.box
    assert (x + w / 2 - 0.5, y + h / 2 - 0.5) == pytest.approx((truth.x_px, truth.y_px))
    for wrong in (12, -13):
        with pytest.raises(IndexError, match="frame"):
            scene.render(wrong)


def test_perspective():
    eye = tp.skin.Eye(0.1, -0.05, 0.6)
    assert np.asarray(eye).tolist() == [0.1, -0.05, 0.6] and eye == pickle.loads(pickle.dumps(eye))
    frustum = tp.skin.off_axis_frustum(eye, 0.5, 0.3, 0.1, 10)
    assert frustum == tp.skin.off_axis_frustum((0.1, -0.05, 0.6), 0.5, 0.3, 0.1, 10)
    matrix = tp.skin.projection_matrix(frustum)
    for corner, clip in (((-0.25, -0.15), (-1, -1)), ((0.25, 0.15), (1, 1))):  # the screen fills the view
        point = matrix @ (corner[0] - 0.1, corner[1] + 0.05, -0.6, 1)
        assert point[:2] / point[3] == pytest.approx(clip)
    near, far = matrix @ (0, 0, -0.1, 1), matrix @ (0, 0, -10, 1)
    assert near[2] / near[3] == pytest.approx(-1) and far[2] / far[3] == pytest.approx(1)
    middle = tp.skin.eye_of(319.5, 239.5, 0.6, width_px=640, height_px=480)
    assert (middle.x_m, middle.y_m, middle.z_m) == (0, 0, 0.6)
    edge = tp.skin.eye_of(639.5, 239.5, 1.0, width_px=640, height_px=480, angle_of_view_rad=math.pi / 2, mirrored=True)
    assert edge.x_m == pytest.approx(1)
    head = tp.skin.Tracker(SKIN, device="cpu")(painted([(50, 20, 20, 30)]))
    size = {"width_px": 200, "height_px": 100}
    assert tp.skin.eye_of(head, **size) == tp.skin.eye_of(head.x_px, head.y_px, head.distance_m, **size)


def test_threads_share_a_tracker(scene, skin):
    tracker = tp.skin.Tracker(skin, like=scene[0], device="cpu")
    expected = tp.skin.locate(scene[0], skin)
    results = []
    threads = [threading.Thread(target=lambda: results.extend(tracker(scene[0]) for _ in range(50))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(r.frame for r in results) == list(range(200)) and all(r.raw == expected for r in results)


def test_the_example_of_the_module():
    assert doctest.testmod(tp.skin).attempted > 0 and doctest.testmod(tp.skin).failed == 0
