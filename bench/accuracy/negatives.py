"""Images without a face or a head: noise, clutter, skin-coloured walls, and the parts of real images around a face."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from common import Job, pillow, read_image


def noise(random: np.random.Generator, height: int, width: int) -> np.ndarray:
    """RGB noise, white or smooth, of any contrast and mean colour."""
    image = random.normal(0, 1, (height, width, 3))
    if random.random() < 0.5:
        image[:] = image[:, :, :1]
    for _ in range(random.integers(0, 9)):  # each pass makes it smoother
        step = int(random.integers(1, 9))
        image = (image + np.roll(image, step, 0) + np.roll(image, -step, 0) + np.roll(image, step, 1) + np.roll(image, -step, 1)) / 5
    image = image / (image.std() + 1e-9) * random.uniform(5, 70) + random.uniform(40, 215, 3)
    return np.clip(image, 0, 255).astype(np.uint8)


def clutter(random: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Ellipses, boxes and stripes of random colours, some of skin's, over a shaded wall; blurred a little."""
    picture = pillow().Image.fromarray(noise(random, height, width) // 4 + 96)
    draw = pillow().ImageDraw.Draw(picture)
    for _ in range(random.integers(5, 60)):
        x, y = random.uniform(0, width), random.uniform(0, height)
        w, h = random.uniform(0.02, 0.5, 2) * min(width, height)
        colour = tuple(int(v) for v in (skin_colour(random) if random.random() < 0.3 else random.integers(0, 256, 3)))
        kind = random.integers(3)
        box = (x - w / 2, y - h / 2, x + w / 2, y + h / 2)
        if kind == 0:
            draw.ellipse(box, fill=colour)
        elif kind == 1:
            draw.rectangle(box, fill=colour)
        else:
            draw.line((x, y, x + 3 * w, y + 3 * h * random.uniform(-1, 1)), fill=colour, width=int(random.integers(1, 12)))
    return np.asarray(picture.filter(pillow().ImageFilter.GaussianBlur(random.uniform(0, 2))))


def skin_colour(random: np.random.Generator) -> np.ndarray:
    """A colour between dark and light skin."""
    dark, light, share = np.array([70, 45, 35.0]), np.array([245, 205, 180.0]), random.random()
    return np.clip(dark + share * (light - dark) + random.normal(0, 8, 3), 0, 255)


def skin_wall(random: np.random.Generator, height: int, width: int) -> np.ndarray:
    """A wall, a table or a door of skin's colour that fills part of the frame, lit from one side."""
    image = noise(random, height, width) // 3 + random.integers(0, 170)
    x0, y0 = random.uniform(-0.2, 0.6) * width, random.uniform(-0.2, 0.6) * height
    x1, y1 = x0 + random.uniform(0.3, 1.2) * width, y0 + random.uniform(0.3, 1.2) * height
    columns, rows = np.meshgrid(np.arange(width), np.arange(height))
    light = 1 + random.uniform(-0.4, 0.4) * (columns / width - 0.5) + random.uniform(-0.4, 0.4) * (rows / height - 0.5)
    wall = skin_colour(random) * light[:, :, None] + random.normal(0, random.uniform(0.5, 6), (height, width, 3))
    inside = (columns >= x0) & (columns < x1) & (rows >= y0) & (rows < y1)
    return np.where(inside[:, :, None], np.clip(wall, 0, 255), image).astype(np.uint8)


KINDS = {"noise": noise, "clutter": clutter, "skin-coloured wall": skin_wall}


def procedural(seed: int, count: int, height: int = 240, width: int = 320) -> Iterator[tuple[str, np.ndarray]]:
    """count images of each kind: (kind, RGB)."""
    for kind, make in KINDS.items():
        random = np.random.default_rng([seed, len(kind)])
        for _ in range(count):
            yield kind, make(random, height, width)


def photographs(job: Job) -> Iterator[tuple[str, np.ndarray]]:
    """The whole photographs without people that are there: (name, RGB)."""
    for path in job.found("stereo_middlebury/im?.png", "photographs without people are"):
        yield f"{path.parent.name}/{path.stem}", read_image(path, "RGB")


def crops(random: np.random.Generator, image: np.ndarray, count: int, avoid=None, smallest: float = 0.1) -> Iterator[np.ndarray]:
    """Random parts of an image with sides from smallest to all of the shorter side. avoid: a box (x, y, w, h) that they hardly touch: by a tenth of the smaller one at most."""
    height, width = image.shape[:2]
    for _ in range(50 * count):
        if count == 0:
            return
        side = int(random.uniform(smallest, 1) * min(width, height))
        x, y = int(random.integers(0, width - side + 1)), int(random.integers(0, height - side + 1))
        if avoid is not None:
            ax, ay, aw, ah = avoid
            overlap = max(0, min(x + side, ax + aw) - max(x, ax)) * max(0, min(y + side, ay + ah) - max(y, ay))
            if overlap > 0.1 * min(aw * ah, side * side):
                continue
        count -= 1
        yield np.ascontiguousarray(image[y : y + side, x : x + side])
