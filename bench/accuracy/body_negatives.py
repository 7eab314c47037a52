"""Clouds of points without a person: furniture, rooms, noise, a motorcycle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from common import Job

KINDS = ("furniture", "room", "noise")


def visible(points: np.ndarray, step: float = 0.004) -> np.ndarray:
    """The points that a camera at the origin sees: the nearest in each cell of the image plane."""
    points = points[points[:, 2] > 0.2]
    cell = np.floor(points[:, :2] / points[:, 2:] / step).astype(np.int64)
    order = np.lexsort((points[:, 2], cell[:, 1], cell[:, 0]))
    cell = cell[order]
    first = np.ones(len(order), bool)
    first[1:] = (cell[1:] != cell[:-1]).any(axis=1)
    return points[order[first]]


def turned(random: np.random.Generator, points: np.ndarray, upright: bool = True) -> np.ndarray:
    """Rotated about y by any angle; or any way."""
    a = random.uniform(0, 2 * np.pi)
    c, s = np.cos(a), np.sin(a)
    rotation = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    if not upright:
        rotation = np.linalg.qr(random.normal(0, 1, (3, 3)))[0]
    return points @ rotation.T


def box(random: np.random.Generator, sides: np.ndarray, count: int) -> np.ndarray:
    points = random.uniform(-0.5, 0.5, (count, 3))
    axis = random.integers(0, 3, count)
    points[np.arange(count), axis] = random.integers(0, 2, count) - 0.5
    return points * sides


def cylinder(random: np.random.Generator, radius: float, height: float, count: int) -> np.ndarray:
    a = random.uniform(0, 2 * np.pi, count)
    return np.column_stack([radius * np.cos(a), random.uniform(-0.5, 0.5, count) * height, radius * np.sin(a)])


def furniture(random: np.random.Generator) -> np.ndarray:
    """Boxes, boards, poles and barrels beside and on each other, 0.3 to 2.5 m in all."""
    parts, size = [], random.uniform(0.3, 2.2)
    for _ in range(random.integers(1, 8)):
        if random.random() < 0.6:
            part = box(random, size * random.uniform(0.05, 1.0, 3) ** random.uniform(0.5, 2), 6000)
        else:
            part = cylinder(random, size * random.uniform(0.02, 0.3), size * random.uniform(0.1, 1), 6000)
        parts.append(turned(random, part, random.random() < 0.7) + random.normal(0, 0.25 * size, 3) * (1, 0.8, 1))
    return np.concatenate(parts) + (0, 0, random.uniform(1.5, 4.5))


def room(random: np.random.Generator) -> np.ndarray:
    """A floor and one or two walls, and sometimes furniture on it."""
    floor_y, wall_z = random.uniform(-1.6, -0.6), random.uniform(2.5, 5)
    plane = random.uniform(-2.5, 2.5, (20000, 2))
    parts = [np.column_stack([plane[:, 0], np.full(len(plane), floor_y), 2.5 + plane[:, 1]]),
             np.column_stack([plane[:, 0], plane[:, 1], np.full(len(plane), wall_z)])]
    if random.random() < 0.5:
        parts.append(np.column_stack([np.full(len(plane), random.choice([-1.5, 1.5])), plane[:, 0], 2.5 + plane[:, 1]]))
    if random.random() < 0.6:
        parts.append(furniture(random))
    points = np.concatenate(parts)
    a = random.normal(0, 0.15)
    c, s = np.cos(a), np.sin(a)
    return points @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]])


def noise(random: np.random.Generator) -> np.ndarray:
    """Points in a box, in a ball, or in several."""
    centre, size = np.array([0, 0, random.uniform(2, 4)]), random.uniform(0.2, 1.2, 3) * (1, random.uniform(1, 2), 1)
    if random.random() < 0.5:
        return centre + random.uniform(-0.5, 0.5, (20000, 3)) * size
    balls = random.normal(0, 0.4, (random.integers(1, 6), 3)) * size
    return centre + balls[random.integers(0, len(balls), 20000)] + random.normal(0, 0.3, (20000, 3)) * size


def clouds(seed: int, count: int, points: int) -> Iterator[tuple[str, np.ndarray]]:
    """count clouds of each kind, by name, of at most so many points with 0 to 2 cm of noise."""
    for number, (kind, make) in enumerate(zip(KINDS, (furniture, room, noise))):
        for i in range(count):
            random = np.random.default_rng([seed, number, i])
            cloud = make(random) if make is noise else visible(make(random))
            while len(cloud) < 500:  # out of view
                cloud = visible(make(random))
            cloud = cloud[random.permutation(len(cloud))[:points]]
            cloud = cloud * (1 + random.normal(0, random.uniform(0, 0.02), len(cloud)) / np.linalg.norm(cloud, axis=1))[:, None]
            yield kind, np.ascontiguousarray(cloud, np.float32)


def read_pfm(path) -> np.ndarray:
    """A grey PFM image, the first row on top."""
    with open(path, "rb") as file:
        assert file.readline().strip() == b"Pf", path
        width, height = map(int, file.readline().split())
        order = "<f4" if float(file.readline()) < 0 else ">f4"
        return np.flipud(np.frombuffer(file.read(4 * width * height), order).reshape(height, width)).astype(np.float32)


def motorcycle(job: Job, seed: int, count: int, points: int) -> Iterator[np.ndarray]:
    """Parts of the Middlebury stereo pair, by its true disparities: whole, nearer than some distance, and windows of it."""
    for path in job.found("stereo_middlebury/disp0GT.pfm", "the motorcycle is")[:1]:
        disparity = np.where(np.isfinite(image := read_pfm(path)), image, 0)
        words = dict(line.split("=", 1) for line in (path.parent / "calib.txt").read_text().splitlines() if "=" in line)
        words = {key.strip(): value for key, value in words.items()}
        fx, _, cx, _, fy, cy = [float(v) for v in words["cam0"].strip(" []").replace(";", " ").split()][:6]
        row, column = np.nonzero(disparity)
        z = float(words["baseline"]) / 1000 * fx / (disparity[row, column] + float(words["doffs"]))
        whole = np.column_stack([(column - cx) * z / fx, (cy - row) * z / fy, z])
        for i in range(count):
            random = np.random.default_rng([seed, i])
            cloud = whole
            if i > 0:
                cloud = cloud[cloud[:, 2] < random.uniform(2.2, 5)]
                middle = cloud[random.integers(len(cloud))]
                near = (np.abs(cloud - middle) < random.uniform(0.4, 1.5, 3)).all(axis=1)
                cloud = cloud[near] if near.sum() >= 500 else cloud
            yield np.ascontiguousarray(cloud[random.permutation(len(cloud))[:points]], np.float32)
