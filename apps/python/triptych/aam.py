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
from collections.abc import Callable, Sequence
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
    _load_examples,
    _render_face,
    align,
    bounds,
    default_levels,
    evaluation_starts,
    face_in_motion,
    face_size,
    find_faces,
    find_pairs,
    head_pose,
    mean_face_68,
    mirror_of_68,
    place_in_box,
    random_face,
    read_asf,
    read_pnm,
    read_pts,
    shape_error,
    start_in_box,
    train,
    triangulate,
    write_pgm,
    write_pts,
)

if TYPE_CHECKING:
    import numpy
    import numpy.typing

__all__ = [
    "AsfFile",
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
    "bounds",
    "default_levels",
    "evaluation_starts",
    "face_in_motion",
    "face_size",
    "find_faces",
    "find_pairs",
    "head_pose",
    "load_examples",
    "mean_face_68",
    "mirror_of_68",
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
