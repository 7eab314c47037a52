"""Facial landmarks by active appearance models: training, fitting, tracking.

>>> import triptych as tp
>>> faces = [tp.aam.render_face(tp.aam.random_face(1, i)) for i in range(12)]
>>> images, landmarks = zip(*faces)
>>> model = tp.aam.train(images, landmarks, levels=[{"pixels": 400}], appearance_pixels=0)
>>> fit = tp.aam.Fitter(model, device="cpu")(images[0], box=tp.aam.bounds(landmarks[0]))
>>> fit.found, fit.landmarks.shape
(True, (68, 2))

Images are grey: uint8 arrays of shape (height, width). Landmarks are (n, 2): x and y in pixels; pixel centres lie at
integers, y goes down. A box is (x, y, width, height).
"""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ._triptych.aam import (
    AsfFile,
    Displacements,
    FaceParameters,
    FaceTracker,
    Features,
    Fit,
    Fitter,
    HeadPose,
    Level,
    LevelOptions,
    Model,
    PoseSmoother,
    Similarity,
    TrackedFace,
    _calibrate_box_offset,
    _default_model_path,
    _load_examples,
    _render_face,
    _train_default_model,
    align,
    background_scene,
    bounds,
    check_face,
    default_levels,
    estimate_landmark_offset_px,
    evaluation_starts,
    face_in_motion,
    face_score,
    face_size,
    find_faces,
    find_pairs,
    head_pose,
    mean_face_68,
    mirror_of_68,
    patch_level,
    place_in_box,
    random_face,
    read_asf,
    read_pnm,
    read_pts,
    shape_error,
    start_in_box,
    train,
    triangulate,
    varied_face,
    write_pgm,
    write_pts,
)

if TYPE_CHECKING:
    import numpy
    import numpy.typing

__all__ = [
    "AsfFile",
    "BoxOffset",
    "Displacements",
    "Examples",
    "Face",
    "FaceParameters",
    "FaceTracker",
    "Features",
    "Fit",
    "Fitter",
    "HeadPose",
    "Level",
    "LevelOptions",
    "Model",
    "PoseSmoother",
    "Similarity",
    "TrackedFace",
    "align",
    "background_scene",
    "bounds",
    "calibrate_box_offset",
    "check_face",
    "default_levels",
    "default_model",
    "estimate_landmark_offset_px",
    "evaluation_starts",
    "face_in_motion",
    "face_score",
    "face_size",
    "find_faces",
    "find_pairs",
    "head_pose",
    "load_examples",
    "mean_face_68",
    "mirror_of_68",
    "patch_level",
    "place_in_box",
    "random_face",
    "read_asf",
    "read_pnm",
    "read_pts",
    "render_face",
    "shape_error",
    "start_in_box",
    "train",
    "triangulate",
    "varied_face",
    "write_pgm",
    "write_pts",
]


class Face(NamedTuple):
    """A rendered face, as render_face() returns it: image, landmarks = render_face(face)."""

    image: numpy.typing.NDArray[numpy.uint8]
    """uint8 of shape (height, width)."""
    landmarks: numpy.typing.NDArray[numpy.float64]
    """(68, 2), in the order of 300-W."""


def render_face(face: FaceParameters, width: int = 256, height: int = 256) -> Face:
    """Renders a face with smooth edges; the landmarks lie where it was drawn, exactly.

    InvalidArgument, naming the parameter, when the image is not 16 x 16 to 8192 x 8192 pixels, or a parameter is not
    finite or far outside its usual range.
    """
    return Face(*_render_face(face, width, height))


class Examples(NamedTuple):
    """Faces with landmarks, as load_examples() returns them; train(**examples._asdict()) takes them."""

    images: list[numpy.typing.NDArray[numpy.uint8]]
    landmarks: numpy.typing.NDArray[numpy.float64]
    names: list[str]


def load_examples(
    pairs: str | os.PathLike[str] | Sequence[tuple[str | os.PathLike[str], str | os.PathLike[str]]],
    *,
    reader: Callable[[pathlib.Path], numpy.typing.ArrayLike] | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> Examples:
    """Reads images and their landmarks.

    pairs: (image, landmark file) each, as find_pairs() returns them, or a folder, whose pairs are then found.
    reader: returns the image of a path as a grey uint8 array (height, width); None: read_pnm, for PGM and PPM files.
    progress: called as progress("reading faces", done, total) after each file.
    Error, naming the file, when a file cannot be read or the counts of points differ.
    """
    if isinstance(pairs, (str, os.PathLike)):
        pairs = find_pairs(pairs)
    return Examples(*_load_examples(pairs, reader, progress))


class BoxOffset(NamedTuple):
    """Where the landmarks lie in the boxes of a face detector, for start_in_box()."""

    shift_x: float
    """From the centre of the detector's box to that of the landmarks' box, in widths of the former."""
    shift_y: float
    """The same, in heights."""
    scale: float
    """face_size() of the landmarks over the square root of the area of the detector's box."""


def calibrate_box_offset(
    boxes: Iterable[Sequence[float]], shapes: Sequence[numpy.typing.ArrayLike] | numpy.typing.ArrayLike
) -> BoxOffset:
    """The medians over examples, so that some wrong boxes do not matter.

    boxes: (x, y, width, height) by the detector, for each of the shapes (n, 2). InvalidArgument when there are none, their
    counts differ, or one is empty.
    """
    return BoxOffset(*_calibrate_box_offset(boxes, shapes))


def default_model(*, progress: Callable[[str, int, int], object] | None = None) -> Model:
    """The model for photographs of faces that was trained on procedural faces alone; 68 landmarks in the order of 300-W.

    It is loaded from the file that TRIPTYCH_FACE_MODEL names, or from share/triptych of an installation of the programs.
    Without one, the first call trains it, which takes about half a minute on two cores and a line on stderr, and keeps it
    in the user's cache folder ($XDG_CACHE_HOME/triptych, else ~/.cache/triptych) for later calls.
    progress: called as progress(stage, done, total) while it is trained.
    """
    from . import Error, __version__

    path = _default_model_path()
    if path is not None:
        return Model.load(path)
    folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "triptych"
    path = folder / f"faces-{__version__}.aam"
    if path.is_file():
        return Model.load(path)
    print(f"triptych: training the face model once, for about half a minute; it is kept in {path}", file=sys.stderr, flush=True)
    model = _train_default_model(progress)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        model.save(path)
    except (OSError, Error) as problem:
        print(f"triptych: the face model cannot be kept: {problem}", file=sys.stderr, flush=True)
    return model
