"""triptych.skin: what is refused, and that the message begins with the argument."""

import re

import numpy as np
import pytest

import triptych as tp

FILTER = tp.skin.generic_skin_filter
FRAME = np.zeros((40, 60, 3), np.uint8)
NAN = float("nan")

FRAMES = {
    "expected uint8 of shape (height, width, 3 or 4), not float32 of shape (10,)": np.zeros(10, np.float32),
    "expected uint8 of shape (height, width, 3 or 4), not uint8 of shape (40, 60)": FRAME[..., 0],
    "expected uint8 of shape (height, width, 3 or 4), not int16 of shape (40, 60, 3)": FRAME.astype(np.int16),
    "expected uint8 of shape (height, width, 3 or 4), not uint8 of shape (40, 60, 2)": FRAME[..., :2],
    "expected uint8 of shape (height, width, 3 or 4), not uint8 of shape (1, 40, 60, 3)": FRAME[None],
    "the frame is empty: uint8 of shape (0, 60, 3)": FRAME[:0],
    "the frame is empty: uint8 of shape (40, 0, 3)": FRAME[:, :0],
    "the pixels of a row must be contiguous": FRAME[:, ::2],
    "the pixels of a row must be contiguous ": FRAME[..., ::-1],
    "the pixels of a row must be contiguous and": FRAME[::-1],
    "the pixels of a row must be contiguous and the": FRAME.transpose(1, 0, 2),
    "a frame is at most 8192 x 4352 pixels": np.zeros((4353, 1, 3), np.uint8),
    "expected an array": "a text",
    "expected an array (": None,
}


def refused(argument, *parts):
    """Expects an InvalidArgument that begins with the argument and has these parts."""
    return pytest.raises(tp.InvalidArgument, match="^" + argument + ": .*" + ".*".join(map(re.escape, parts)))


@pytest.mark.parametrize("what", FRAMES)
def test_frames(what):
    frame, tracker = FRAMES[what], tp.skin.Tracker(FILTER, like=FRAME, device="cpu")
    for call in (
        lambda: tracker(frame),
        lambda: tracker.submit(frame),
        lambda: tp.skin.moments(frame, FILTER),
        lambda: tp.skin.locate(frame, FILTER),
        lambda: tp.skin.calibrate(frame, face=(1, 1, 9, 9)),
        lambda: tp.skin.Tracker.from_box(frame, (1, 1, 9, 9)),
    ):
        with refused("frame", what):
            call()
    assert tracker.in_flight == 0 and not tracker(FRAME).found  # usable as before
    with refused("frames", what):
        tp.skin.moments_batch([frame], FILTER)
    if frame is not None:
        with refused("like", what):
            tp.skin.Tracker(FILTER, like=frame)


def test_formats():
    for call in (
        lambda **k: tp.skin.moments(FRAME, FILTER, **k),
        lambda **k: tp.skin.Tracker(FILTER, **k),
        lambda **k: tp.skin.Tracker(FILTER, device="cpu")(FRAME, **k),
        lambda **k: tp.skin.calibrate(FRAME, (1, 1, 9, 9), **k),
    ):
        with refused("format", '"hsv" is no frame format; expected one of rgb, bgr, rgba, bgra, nv12, yuyv'):
            call(format="hsv")
        with refused("format", "expected a name, not a int"):
            call(format=3)
    with refused("frame", "(height, width, 4), not uint8 of shape (40, 60, 3)"):
        tp.skin.moments(FRAME, FILTER, format="bgra")
    with refused("frame", "expected uint8 of shape (height * 3 / 2, width), not uint8 of shape (40, 60, 3)"):
        tp.skin.moments(FRAME, FILTER, format="nv12")
    with refused("frame", "nv12", "(40, 60)"):
        tp.skin.moments(FRAME[..., 0].copy(), FILTER, format="nv12")
    with refused("frame", "nv12", "(60, 41)"):
        tp.skin.moments(np.zeros((60, 41), np.uint8), FILTER, format="nv12")
    with refused("frame", "yuyv is even"):
        tp.skin.moments(np.zeros((4, 5, 2), np.uint8), FILTER, format="yuyv")
    with refused("frame", "give format="):
        tp.skin.moments(np.zeros((4, 6, 2), np.uint8), FILTER)


@pytest.mark.parametrize("box", [(1, 2, 3), (1, 2, 3, NAN), "box", [[1, 2, 3, 4]], (1, 2, 3, "a"), 7, None])
def test_boxes(box):
    skin = tp.skin.calibrate(*face())
    if box is not None:
        with refused("region"):
            tp.skin.moments(FRAME, FILTER, region=box)
        with refused("start"):
            tp.skin.Tracker(FILTER, start=box)
        with refused("face"):
            tp.skin.Tracker(skin, face=box)
    with refused("face"):
        tp.skin.calibrate(FRAME, face=box)
    with refused("face"):
        tp.skin.Tracker.from_box(FRAME, box)


def face():
    scene = tp.skin.SyntheticScene(width=160, height=120, frames=1)
    return scene[0], scene.truth(0).box


def test_boxes_that_do_not_fit():
    for box in ((0, 0, 61, 1), (-1, 0, 2, 2), (0, 0, -1, 2), (59, 39, 2, 2)):
        with refused("region", "lies outside a frame of 60 x 40"):
            tp.skin.moments(FRAME, FILTER, region=box)
    with refused("region", "expected whole pixels, not 1.5"):
        tp.skin.moments(FRAME, FILTER, region=(1.5, 0, 2, 2))
    with refused("face", "empty"):
        tp.skin.calibrate(FRAME, face=(1, 2, 0, 4))
    with refused("face", "needs a Calibration"):
        tp.skin.Tracker(FILTER, face=(1, 2, 3, 4))
    skin = tp.skin.calibrate(*face())
    with refused("face", "needs gate=True"):
        tp.skin.Tracker(skin, face=(1, 2, 3, 4), gate=False)
    with pytest.raises(tp.InvalidArgument, match="face .* lies outside"):
        tp.skin.Tracker(skin, face=(1000, 2, 3, 4))
    with refused("face", "has the faces already"):
        tp.skin.calibrate([(FRAME, (1, 1, 9, 9))], face=(1, 1, 9, 9))
    with refused("frame", "no pair"):
        tp.skin.calibrate([])
    with refused("frame", "expected pairs (frame, face)"):
        tp.skin.calibrate([FRAME])


def test_a_face_that_cannot_be_separated():
    with pytest.raises(tp.CalibrationError):
        tp.skin.calibrate(FRAME, face=(10, 10, 20, 20))
    with pytest.raises(tp.CalibrationError):
        tp.skin.Tracker.from_box(FRAME, (10, 10, 20, 20), device="cpu")


def test_classifiers():
    for wrong in (None, 1, "linear", np.zeros(4)):
        for call in (
            lambda c: tp.skin.moments(FRAME, c),
            lambda c: tp.skin.locate(FRAME, c),
            lambda c: tp.skin.moments_batch([FRAME], c),
            lambda c: tp.skin.Tracker(c),
            lambda c: tp.skin.weight(c, [[1, 2, 3]]),
            lambda c: tp.skin.WeightTable(c),
            lambda c: tp.skin.save_classifier("unused.json", c),
        ):
            with refused("classifier", "expected a LinearFilter"):
                call(wrong)
    with refused("gate_by", "expected a LinearFilter"):
        tp.skin.Tracker(FILTER, gate_by=1)
    with pytest.raises(tp.InvalidArgument, match="too steep"):
        tp.skin.moments(FRAME, tp.skin.LinearFilter(1e9, 0, 0, 0))
    with pytest.raises(tp.InvalidArgument, match="finite"):
        tp.skin.LinearFilter(NAN)
    with pytest.raises(tp.InvalidArgument, match="is no filter; expected four finite numbers"):
        tp.skin.parse_filter("1,2,3")
    normal = tp.skin.GaussianPair.Normal((1, 2, 3), np.eye(3), 0)
    with refused("space", "none of rgb, crcb, rg and hsv"):
        tp.skin.GaussianPair("lab", normal, normal)
    with refused("mean", "expected 3 numbers"):
        tp.skin.GaussianPair.Normal((1, 2), np.eye(3), 0)
    with refused("precision", "finite"):
        tp.skin.GaussianPair.Normal((1, 2, 3), np.eye(3) * NAN, 0)
    with refused("edge"):
        tp.skin.ChrominanceEllipse((1, 2), (1, 0, 1), edge=NAN)
    with refused("share", "from 0 to 1"):
        tp.skin.HistogramRatio(np.full((2, 2, 2), NAN))
    for shape in ((3, 3, 3), (2, 2), (2, 2, 4), (1, 1, 1), (0, 0, 0)):
        with refused("share", "expected a grid"):
            tp.skin.HistogramRatio(np.zeros(shape))


def test_labelled_colours():
    colours, labels = np.zeros((4, 3), np.uint8), np.zeros(4, bool)
    arrays = np.zeros((4, 3)), np.zeros((4, 2), np.uint8), np.zeros(3, np.uint8)
    for wrong in (*arrays, [[1, 2, 256]], [[1.5, 0, 0]], [[NAN] * 3], [[-1, 0, 0]]):
        with refused("colours", "uint8 of shape (n, 3)"):
            tp.skin.weight(FILTER, wrong)
        with refused("colours"):
            tp.skin.train_classifier("linear", wrong, labels)
    for wrong in (np.zeros(3, bool), np.zeros(4), np.zeros((4, 1), bool), [0, 1, 0, 1], [True]):
        with refused("labels", "expected bool of shape (4,), one for each colour"):
            tp.skin.train_classifier("linear", colours, wrong)
    with pytest.raises(tp.InvalidArgument, match="histogram"):
        tp.skin.train_classifier("forest", colours, labels)
    for name in tp.skin.classifier_names():
        with pytest.raises(tp.InvalidArgument):
            tp.skin.train_classifier(name, colours, labels)  # no skin


def test_options():
    for keywords in (
        {"max_width": 0},
        {"max_height": 4353},
        {"reference_area": NAN},
        {"reference_area": 0},
        {"reference_distance_m": -1},
        {"lost_below_area": 1.0},
        {"min_confidence": NAN},
        {"min_confidence": 1.5},
        {"min_cutoff_hz": 0, "smooth": True},
        {"beta": NAN, "smooth": True},
        {"start": (1, 1, 0, 0), "gate": True},
        {"device": "gpu"},
    ):
        with pytest.raises(tp.InvalidArgument):
            tp.skin.Tracker(FILTER, **{"device": "cpu", **keywords})
    with pytest.raises(tp.InvalidArgument, match="raise max_width and max_height"):
        tp.skin.Tracker(FILTER, like=FRAME[:20], device="cpu")(FRAME)
    with pytest.raises(TypeError):
        tp.skin.Tracker(FILTER, FRAME)  # options are keywords
    for keywords in ({"width": 63}, {"height": 4353}, {"frames": 0}, {"noise": NAN}):
        with pytest.raises(tp.InvalidArgument):
            tp.skin.SyntheticScene(**keywords)
    if not tp.cuda_available():
        with pytest.raises(tp.Unavailable):
            tp.skin.Tracker(FILTER, device="cuda:0")


def test_perspective():
    with refused("eye", "an Eye, or 3 numbers"):
        tp.skin.off_axis_frustum((1, 2), 1, 1, 0.1, 1)
    with pytest.raises(tp.InvalidArgument, match="in front of the screen"):
        tp.skin.off_axis_frustum((0, 0, NAN), 1, 1, 0.1, 1)
    with pytest.raises(tp.InvalidArgument, match="left < right"):
        tp.skin.projection_matrix(tp.skin.Frustum(1, 0, 0, 1, 1, 2))
    with pytest.raises(tp.InvalidArgument, match="distance"):
        tp.skin.eye_of(1, 1, 0, width_px=640, height_px=480)
    with pytest.raises(tp.InvalidArgument, match="seconds|time since"):
        euro = tp.skin.OneEuro()
        euro(1.0)
        euro(2.0, seconds=0)
    with pytest.raises(tp.InvalidArgument, match="cannot smooth"):
        tp.skin.OneEuro()(NAN)
