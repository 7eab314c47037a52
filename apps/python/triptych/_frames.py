"""Frames and clouds from files: .npy by NumPy, PGM, PPM and PLY by Triptych, everything else by imageio when it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from . import aam, capsule
from ._triptych import Error, InvalidArgument, Unavailable


def _imageio():
    try:
        import imageio.v3 as imageio
    except ImportError as problem:
        raise Unavailable("this file needs imageio: pip install 'triptych[images]'; .npy files need nothing") from problem
    return imageio


def _files(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    if not files:
        raise InvalidArgument(f"input: the folder {folder} is empty")
    return files


def _colour(image: np.ndarray, path: Path) -> np.ndarray:
    if image.dtype != np.uint8 or image.ndim not in (2, 3):
        raise InvalidArgument(f"input: {path} holds {image.dtype} of shape {image.shape}, not 8-bit images")
    return np.ascontiguousarray(np.repeat(image[:, :, None], 3, axis=2) if image.ndim == 2 else image[:, :, :3])


def _read(path: Path, read: Callable[[Path], Any]) -> Any:
    """What read(path) gives; an Error in one sentence when that fails, whatever the library raises."""
    try:
        return read(path)
    except (Error, MemoryError):
        raise
    except Exception as problem:
        raise Error(f"input: {path} cannot be read as {'a NumPy array' if path.suffix == '.npy' else 'an image or video'}") from problem


def _frames_of(path: Path) -> Iterator[np.ndarray]:
    """The frames of a file that imageio reads."""
    frames = _read(path, lambda file: iter(_imageio().imiter(file)))
    while (frame := _read(path, lambda _: next(frames, None))) is not None:
        yield np.asarray(frame)


def _existing(source: str | Path) -> Path:
    path = Path(source)
    if not path.exists():
        raise Error(f"input: there is no {path}")
    return path


def colour_frames(source: str | Path) -> Iterator[np.ndarray]:
    """The frames of a video, an image, a folder of images or an .npy file of (n, height, width, 3), as (height, width, 3) uint8."""
    path = _existing(source)
    for file in _files(path) if path.is_dir() else [path]:
        if file.suffix == ".npy":
            frames = _read(file, lambda npy: np.load(npy, mmap_mode="r"))
            yield from (_colour(frame, file) for frame in (frames if frames.ndim == 4 else frames[None]))
        else:
            yield from (_colour(frame, file) for frame in _frames_of(file))


def grey_image(source: str | Path) -> np.ndarray:
    """An image as (height, width) uint8; colours by the weights of BT.601."""
    path = _existing(source)
    if path.suffix.lower() in (".pgm", ".ppm"):
        return aam.read_pnm(path)
    image = np.asarray(_read(path, np.load if path.suffix == ".npy" else lambda file: _imageio().imread(file)))
    if image.dtype != np.uint8 or image.ndim not in (2, 3):
        raise InvalidArgument(f"input: {path} holds {image.dtype} of shape {image.shape}, not an 8-bit image")
    if image.ndim == 3:
        image = np.rint(image[:, :, :3] @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)
    return np.ascontiguousarray(image)


def clouds(sources: list[str]) -> Iterator[np.ndarray]:
    """Clouds (n, 3) float32 from .npy, .ply and text files, or folders of them."""
    for source in sources:
        path = _existing(source)
        for file in _files(path) if path.is_dir() else [path]:
            if file.suffix == ".npy":
                yield _read(file, lambda npy: np.ascontiguousarray(np.load(npy), np.float32))
            else:
                yield np.asarray(capsule.read_cloud(file))
