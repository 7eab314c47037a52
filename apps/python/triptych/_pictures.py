"""Small pictures without another library: drawing into arrays, and PNG files."""

from __future__ import annotations

import os
import struct
import zlib

import numpy as np


def colour_of(image: np.ndarray) -> np.ndarray:
    """A copy of an image as (height, width, 3) uint8; grey becomes colour, a fourth channel is dropped."""
    if image.ndim == 2:
        return np.repeat(image[:, :, None], 3, axis=2)
    return np.ascontiguousarray(image[:, :, :3]).copy()


def draw_points(image: np.ndarray, points: np.ndarray, colour=(64, 255, 64), radius: int = 1) -> None:
    """Squares of 2 radius + 1 pixels around points (n, 2), x and y."""
    height, width = image.shape[:2]
    finite = points[np.isfinite(points).all(axis=1)]
    for x, y in np.rint(finite).astype(int):
        image[max(y - radius, 0) : max(min(y + radius + 1, height), 0), max(x - radius, 0) : max(min(x + radius + 1, width), 0)] = colour


def draw_line(image: np.ndarray, begin, end, colour=(64, 255, 64), radius: int = 0) -> None:
    """A line from begin to end, each (x, y)."""
    begin, end = np.asarray(begin, float), np.asarray(end, float)
    if not (np.isfinite(begin).all() and np.isfinite(end).all()):
        return
    steps = int(np.clip(np.abs(end - begin).max(), 1, 10_000)) + 1
    draw_points(image, begin + np.linspace(0, 1, steps)[:, None] * (end - begin), colour, radius)


def draw_ellipse(image: np.ndarray, x, y, semi_major, semi_minor, angle_rad, colour=(64, 255, 64), radius: int = 1) -> None:
    """The outline of an ellipse; the angle is that of its major axis, from x towards y."""
    turns = np.linspace(0, 2 * np.pi, 720)
    along, across = semi_major * np.cos(turns), semi_minor * np.sin(turns)
    cos, sin = np.cos(angle_rad), np.sin(angle_rad)
    draw_points(image, np.stack([x + cos * along - sin * across, y + sin * along + cos * across], axis=1), colour, radius)


def write_png(path: str | os.PathLike, image: np.ndarray) -> None:
    """Writes (height, width) or (height, width, 3) uint8 as a PNG file."""
    if image.dtype != np.uint8 or image.ndim not in (2, 3) or (image.ndim == 3 and image.shape[2] != 3):
        raise ValueError(f"image: expected uint8 of shape (height, width) or (height, width, 3), not {image.dtype} of shape {image.shape}")
    height, width = image.shape[:2]
    rows = np.zeros((height, 1 + image[0].size if height else 1), np.uint8)  # the first byte of a row: no filter
    rows[:, 1:] = image.reshape(height, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2 if image.ndim == 3 else 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b""))
