#!/usr/bin/env python3
"""Makes skin_tracker/src/gate/face_weights.hpp: the weights by which a tracker without a start box tells a face from other things.

  train_face_classifier.py                    trains and prints the table, and how often held-out faces and scenes are taken for what they are
  train_face_classifier.py --write            writes the table, too
  train_face_classifier.py --faces 300 --scenes 300 --rounds 1    in half a minute, to try it

It is a logistic regression over gradient_cells.hpp, from procedural faces (triptych.aam.varied_face) and procedural scenes alone: no photograph is used. After each
round the windows of new scenes that look most like a face are added. The ridge is chosen by cross-validation over the faces and scenes.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

import numpy as np

import head_scenes
import negatives
from common import pillow

CELLS, CELL_PIXELS, FACE_CELLS, DIRECTIONS = 16, 4, 10, 8  # as gradient_cells.hpp and face_weights.hpp have them
SIDE = CELLS * CELL_PIXELS
MIRRORED = [4, 3, 2, 1, 0, 7, 6, 5]  # the direction that each becomes in a mirror
RIDGES = (3e-4, 1e-3, 3e-3, 1e-2)
TABLE = pathlib.Path(__file__).resolve().parents[2] / "skin_tracker/src/gate/face_weights.hpp"


def leaves(random: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Ovals and boxes of all sizes and colours that cover one another, as things in photographs do."""
    picture = pillow().Image.new("RGB", (width, height))
    pen = pillow().ImageDraw.Draw(picture)
    base = random.uniform(30, 220, 3)
    for size in np.sort((random.pareto(1.2, int(random.choice([60, 200, 500]))) + 1) * random.uniform(2, 6))[::-1].clip(2, height):
        middle, flat = random.uniform(0, (width, height)), random.uniform(0.3, 1)
        colour = tuple(int(v) for v in np.clip(base * random.uniform(0.2, 1.6) + random.normal(0, 25, 3), 0, 255))
        if random.random() < 1 / 3:
            pen.ellipse((*(middle - (size, flat * size)), *(middle + (size, flat * size))), fill=colour)
        else:
            turn = random.uniform(0, np.pi) if random.random() < 0.5 else 0
            corners = np.array([[-1, -flat], [1, -flat], [1, flat], [-1, flat]]) * size
            rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
            pen.polygon([tuple(corner) for corner in corners @ rotation + middle], fill=colour)
    image = np.asarray(picture.filter(pillow().ImageFilter.GaussianBlur(random.uniform(0, 2.5)))).astype(float)
    return np.clip(image + random.normal(0, random.uniform(0, 6), image.shape), 0, 255).astype(np.uint8)


def things(random: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Arms, balls, vases and cloths of skin's colour."""
    wall = head_scenes.background(random, height, width, [])
    for _ in range(random.integers(1, 6)):
        thing = head_scenes.thing(random, negatives.skin_colour(random))
        head_scenes.paste(wall, thing, random.uniform(0, width), random.uniform(0, height), random.uniform(0.15, 0.8) * height)
    return np.clip(wall + random.normal(0, random.uniform(0, 8), wall.shape), 0, 255).astype(np.uint8)


def ovals(random: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Balls, eggs and bottles in front of a plain wall: outlines, some with bars, and no texture."""
    y, x = np.mgrid[0:height, 0:width]
    image = np.ones((height, width, 3)) * random.uniform(20, 230, 3)
    for left in range(random.integers(0, 12), -1, -1):  # the last one is in the middle
        u, v = (random.uniform(0, width), random.uniform(0, height)) if left else (width / 2, height / 2)
        tall, flat = random.uniform(0.06, 0.4) * height, random.uniform(0.5, 1)
        radius = (np.abs((x - u) / (flat * tall)) ** (power := random.choice([2, 2, 3, 8])) + np.abs((y - v) / tall) ** power) ** (1 / power)
        light = 1 + random.choice([0, random.uniform(0, 0.5)]) * ((x - u) * random.uniform(-1, 1) + (y - v) * random.uniform(-1, 1)) / tall
        alpha = np.clip((1 - radius) * tall / random.choice([0.01, 1, 2, 4]), 0, 1)
        if random.random() < 0.25:  # blinds, grilles, shelves
            turn, count = random.choice([0, np.pi / 2, random.uniform(0, np.pi)]), random.uniform(2, 9)
            alpha = alpha * (np.sin(count * np.pi / tall * ((x - u) * np.cos(turn) + (y - v) * np.sin(turn)) + random.uniform(0, 6)) > 0)
        image += (alpha * np.clip(light, 0.2, 1.8))[:, :, None] * (negatives.skin_colour(random) if random.random() < 0.6 else random.uniform(0, 255, 3)) - alpha[:, :, None] * image
    return np.clip(image + random.normal(0, random.choice([0, 1, 4, 6]), image.shape), 0, 255).astype(np.uint8)


SCENES = [*negatives.KINDS.values(), leaves, things, ovals, ovals, ovals, ovals]


def summed(grey: np.ndarray) -> np.ndarray:
    """The sums of a grey image, 0 .. 1, above and to the left of each corner of a pixel."""
    return np.pad(grey.astype(float).cumsum(0).cumsum(1), ((1, 0), (1, 0)))


def raster(sums: np.ndarray, x: float, y: float, side: float) -> np.ndarray:
    """The cells' pixels around a face of that side with its middle at (x, y), and a border of one pixel; as WeightMap::resample()."""
    pixel = side * CELLS / FACE_CELLS / SIDE

    def ends(middle, count):
        length = min(pixel, count)
        begin = np.clip(middle + pixel * (np.arange(SIDE + 2) - (SIDE + 2) / 2), 0, count - length)
        return begin, begin + length, length

    def at(values, where):  # interpolated along the first axis
        whole = np.minimum(where.astype(int), len(values) - 2)
        part = (where - whole)[:, None]
        return values[whole] * (1 - part) + values[whole + 1] * part

    top, bottom, tall = ends(y, sums.shape[0] - 1)
    left, right, wide = ends(x, sums.shape[1] - 1)
    rows = (at(sums, bottom) - at(sums, top)).T
    return ((at(rows, right) - at(rows, left)).T / (tall * wide)).astype(np.float32)


def features(rasters) -> np.ndarray:
    """The values of GradientCells::rise: (count, row, column, direction)."""
    r = np.stack(rasters)
    across, down = r[:, 1:-1, 2:] - r[:, 1:-1, :-2], r[:, 2:, 1:-1] - r[:, :-2, 1:-1]
    root = np.float32(np.sqrt(0.5))
    axes = [across, root * (across + down), down, root * (down - across)]
    sums = lambda a: a.reshape(-1, CELLS, CELL_PIXELS, CELLS, CELL_PIXELS).sum((2, 4))
    rise = np.stack([sums(np.maximum(0, sign * axis)) for sign in (1, -1) for axis in axes], -1)
    around = lambda a: sum(a[..., 1 + i : CELLS + 1 + i, 1 + j : CELLS + 1 + j] for i in (-1, 0, 1) for j in (-1, 0, 1))
    pad = ((0, 0), (1, 1), (1, 1))
    energy = (rise**2).sum(-1)
    length = np.sqrt(around(np.pad(energy, pad)) / around(np.pad(np.ones_like(energy[:1]), pad)))
    return np.minimum(rise / (length + 0.002 * CELL_PIXELS**2)[..., None], 0.8)


def folded(cells: np.ndarray) -> np.ndarray:
    """Of FACE_CELLS x FACE_CELLS cells: the sums of each value and the one that its mirror image would have there."""
    return (cells + cells[:, :, ::-1][..., MIRRORED])[:, :, : FACE_CELLS // 2].reshape(len(cells), -1)


def places(cells: np.ndarray) -> np.ndarray:
    """(count, place, value) of all places of a face in the cells."""
    shifts = range(CELLS - FACE_CELLS + 1)
    return np.stack([folded(cells[:, i : i + FACE_CELLS, j : j + FACE_CELLS]) for i in shifts for j in shifts], 1)


def middle_place(cells: np.ndarray) -> np.ndarray:
    first = (CELLS - FACE_CELLS) // 2
    return folded(cells[:, first : first + FACE_CELLS, first : first + FACE_CELLS])


def face_window(landmarks: np.ndarray) -> tuple[float, float, float]:
    """The middle and the side of the cells of a face."""
    (x0, y0), (x1, y1) = landmarks.min(0), landmarks.max(0)
    return (x0 + x1) / 2, (y0 + y1) / 2 - 0.08 * (y1 - y0), 1.25 * max(x1 - x0, y1 - y0)


def face_rasters(tp, random: np.random.Generator, number: int):
    """A face as it is, and as a camera sees it from farther away; the place and size differ a little. Then windows of the same image that show no face or a small
    part of one."""
    image, landmarks = tp.aam.render_face(tp.aam.varied_face(1000, number))
    x, y, side = face_window(landmarks)
    small = pillow().Image.fromarray(image).resize((max(8, round(len(image) * random.uniform(16, 70) / side)),) * 2,
                                                   pillow().Image.BILINEAR if random.random() < 0.5 else pillow().Image.BOX)
    noisy = np.clip(np.asarray(small) + random.normal(0, random.uniform(0, 8), small.size), 0, 255)
    faces = []
    for pixels in (image, noisy):
        scale = len(pixels) / len(image)
        shift = random.uniform(-0.05, 0.05, 2) * side
        faces.append(raster(summed(pixels / 255), (x + shift[0]) * scale, (y + shift[1]) * scale, side * scale * np.exp(random.uniform(-0.1, 0.1))))
    others, sums = [], summed(image / 255)
    for _ in range(2):
        size, (u, v) = side * np.exp(random.uniform(-1, 0.5)), random.uniform(0, len(image), 2)
        if np.hypot(u - x, v - y) > 0.75 * side or size < 0.45 * side:
            others.append(raster(sums, u, v, size))
    return faces, others


def scene_rasters(random: np.random.Generator) -> list[np.ndarray]:
    height = int(random.choice([96, 180, 240]))
    width = height * 4 // 3
    sums = summed(SCENES[random.integers(len(SCENES))](random, height, width) @ np.array([0.299, 0.587, 0.114]) / 255)
    anywhere = [(random.uniform(0, width), random.uniform(0, height)) for _ in range(3)]
    return [raster(sums, x, y, height * np.exp(random.uniform(np.log(0.12), np.log(0.9)))) for x, y in [*anywhere, *[(width / 2, height / 2)] * 3]]


def fit(x: np.ndarray, face: np.ndarray, ridge: float, steps: int = 8) -> np.ndarray:
    """The weights and the constant of a logistic regression in which faces and others weigh alike, by Newton's method."""
    x = np.column_stack([x, np.ones(len(x), np.float32)])
    weights = np.where(face, 0.5 / face.sum(), 0.5 / (~face).sum())
    penalty = np.append(np.full(x.shape[1] - 1, ridge), 0)
    c = np.zeros(x.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-(x @ c)))
        half = x * np.sqrt(np.maximum(weights * p * (1 - p), 1e-12)).astype(np.float32)[:, None]
        step = np.linalg.solve((half.T @ half).astype(float) + np.diag(penalty + 1e-12), x.T @ (weights * (p - face)) + penalty * c)
        c -= step * min(1, 8 / np.abs(x @ step).max())
    return c


def hard_places(random: np.random.Generator, count: int, weights) -> np.ndarray:
    """The places of new scenes that look most like a face; without weights any of them."""
    found = []
    for _ in range(count):
        values = places(features(scene_rasters(random))).astype(np.float32)
        score = random.normal(size=values.shape[:2]) if weights is None else values @ weights[:-1].astype(np.float32) + weights[-1]
        for scores, each in zip(score, values):
            best = np.argsort(-scores)[: 4 if weights is None else 6]
            found += [each[i] for i in best if weights is None or scores[i] > -2]
    return np.array(found, np.float32).reshape(-1, values.shape[2])


def share_found(faces, others, ridge: float, folds: int = 4) -> float:
    """Of faces that were left out, the share above all but a hundredth of the others that were left out."""
    shares = []
    for fold in range(folds):
        test = [np.arange(len(each)) * folds // len(each) == fold for each in (faces, others)]
        x = np.concatenate([faces[~test[0]], others[~test[1]]])
        c = fit(x, np.arange(len(x)) < (~test[0]).sum(), ridge)
        score = lambda each: each @ c[:-1] + c[-1]
        shares.append(float((score(faces[test[0]]) > np.quantile(score(others[test[1]]), 0.99)).mean()))
    return float(np.mean(shares))


def table(weights: np.ndarray) -> str:
    step = np.abs(weights[:-1]).max() / 127
    values = np.round(weights[:-1] / step).astype(int).reshape(FACE_CELLS, -1)
    lines = [", ".join(str(v) for v in part) + "," for row in values for part in (row[:24], row[24:])]
    return f"""// The weights of face_classifier.hpp: of the 10 x 5 cells of the left half of a face, row by row, in eight
// directions each. Made by bench/accuracy/train_face_classifier.py from procedural faces and scenes alone.
#pragma once

#include <array>
#include <cstdint>

namespace triptych::skin_tracker::face_weights {{

constexpr int cells = {FACE_CELLS};  // per side
constexpr float step = {step:.6g}f;
constexpr double constant = {weights[-1]:.6g};
// clang-format off
constexpr std::array<std::int8_t, {values.size}> table{{
    {'''
    '''.join(lines)}
}};
// clang-format on

}}  // namespace triptych::skin_tracker::face_weights
"""


def main(words=None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faces", type=int, default=2400, help="procedural faces (default: 2400)")
    parser.add_argument("--scenes", type=int, default=600, help="scenes of each round (default: 600)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds in which the hardest windows of new scenes are added (default: 3)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"write {TABLE.name}")
    options = parser.parse_args(words)
    import triptych as tp

    random = np.random.default_rng([options.seed, 40])
    faces, others = [], []
    for number in range(options.faces):
        shown, beside = face_rasters(tp, random, number)
        faces += shown
        others += beside
    faces = np.concatenate([middle_place(features(faces[i : i + 200])) for i in range(0, len(faces), 200)])
    others = np.concatenate([middle_place(features(others[i : i + 200])) for i in range(0, len(others), 200)] + [hard_places(random, options.scenes, None)])
    print(f"{len(faces)} windows of faces, {len(others)} others", file=sys.stderr)
    for round in range(options.rounds + 1):
        others = others[random.permutation(len(others))] if round else others
        x = np.concatenate([faces, others])
        shares = {ridge: share_found(faces, others, ridge) for ridge in RIDGES} if round == options.rounds else {1e-3: None}
        ridge = max(shares, key=lambda r: shares[r] or 0)
        weights = fit(x, np.arange(len(x)) < len(faces), ridge)
        if round < options.rounds:
            hard = hard_places(random, options.scenes, weights)
            print(f"round {round + 1}: {len(hard)} hard windows", file=sys.stderr)
            others = np.concatenate([others, hard])
    for each, share in shares.items():
        print(f"ridge {each:g}: {100 * share:.1f} % of faces that were left out score above 99 % of the other windows that were left out", file=sys.stderr)
    print(table(weights))
    if options.write:
        TABLE.write_text(table(weights), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
