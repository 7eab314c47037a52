"""The head's position and distance from the fuzzy skin colour of every pixel.

>>> import triptych as tp
>>> scene = tp.skin.SyntheticScene(width=320, height=240, frames=5)
>>> frame = scene.render(0)
>>> skin = tp.skin.calibrate(frame, face=scene.truth(0).box)
>>> tracker = tp.skin.Tracker(skin, like=frame, gate=True)
>>> all(tracker(f).found for f in scene)
True

Frames are arrays of uint8, in host or GPU memory, read without a copy. Boxes are (x, y, width, height) in pixels;
pixel centres lie at integers and y goes down.
"""

from ._triptych.skin import (
    Calibration,
    ChrominanceEllipse,
    Classifier,
    Evaluation,
    Eye,
    Frustum,
    GaussianPair,
    Head,
    HeadEllipse,
    HeadEvidence,
    HistogramRatio,
    LinearFilter,
    Moments,
    OneEuro,
    SyntheticScene,
    SyntheticTruth,
    TrackedHead,
    Tracker,
    WeightTable,
    calibrate,
    classifier_names,
    evaluate,
    eye_of,
    generic_skin_filter,
    load_classifier,
    locate,
    moments,
    moments_batch,
    name_of,
    off_axis_frustum,
    parse_filter,
    projection_matrix,
    read_labelled_pixels,
    save_classifier,
    split_in_halves,
    train_classifier,
    weight,
)

__all__ = [
    "Calibration",
    "ChrominanceEllipse",
    "Classifier",
    "Evaluation",
    "Eye",
    "Frustum",
    "GaussianPair",
    "Head",
    "HeadEllipse",
    "HeadEvidence",
    "HistogramRatio",
    "LinearFilter",
    "Moments",
    "OneEuro",
    "SyntheticScene",
    "SyntheticTruth",
    "TrackedHead",
    "Tracker",
    "WeightTable",
    "calibrate",
    "classifier_names",
    "evaluate",
    "eye_of",
    "generic_skin_filter",
    "load_classifier",
    "locate",
    "moments",
    "moments_batch",
    "name_of",
    "off_axis_frustum",
    "parse_filter",
    "projection_matrix",
    "read_labelled_pixels",
    "save_classifier",
    "split_in_halves",
    "train_classifier",
    "weight",
]
