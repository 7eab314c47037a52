"""Videos of heads with known boxes, made from parts: a background, a head that was cut out or drawn, other things of skin's colour, light that changes."""

from __future__ import annotations

import dataclasses

import numpy as np

import negatives
from common import Job, Unusable, pillow, read_image

ABSENT = (np.nan,) * 4


@dataclasses.dataclass
class Patch:
    """A head to paste: colours, and how much of each pixel is the head."""

    name: str  # of the person
    rgb: np.ndarray
    alpha: np.ndarray

    def scaled(self, height: float, mirrored: bool = False) -> tuple[np.ndarray, np.ndarray]:
        height = max(4, round(height))
        size = (max(3, round(height * self.rgb.shape[1] / self.rgb.shape[0])), height)
        image = pillow().Image
        rgb, alpha = (np.asarray(image.fromarray(a).resize(size, image.BILINEAR)) for a in (self.rgb, (255 * self.alpha).astype(np.uint8)))
        return (rgb[:, ::-1], alpha[:, ::-1] / 255) if mirrored else (rgb, alpha / 255)


def oval(height: int, width: int, soft: float = 0.08) -> np.ndarray:
    """The ellipse that fills a box, with a soft edge."""
    y, x = np.mgrid[0:height, 0:width]
    radius = np.hypot((x + 0.5) / width * 2 - 1, (y + 0.5) / height * 2 - 1)
    return np.clip((1 - radius) / soft, 0, 1)


def box_of_landmarks(landmarks: np.ndarray) -> tuple[float, float, float, float]:
    """The head around landmarks that go from the brows to the chin: with the forehead and some hair."""
    (x0, y0), (x1, y1) = landmarks.min(0), landmarks.max(0)
    w, h = x1 - x0, y1 - y0
    return x0 - 0.05 * w, y0 - 0.4 * h, 1.1 * w, 1.45 * h


def photo_faces(job: Job, folder: str, stride: int = 1):
    """(person, RGB, head box) of each annotated photograph."""
    if not job.found(f"{folder}/*.[jp][pn]g", "faces are"):
        return []
    pairs = job.tp.aam.find_pairs(job.data / folder, extensions=[".jpg", ".jpeg", ".png"])[::stride]
    images = {}

    def read(path):
        images[str(path)] = read_image(path, "RGB")
        return np.ascontiguousarray(images[str(path)][:, :, 1])

    examples = job.tp.aam.load_examples(pairs, reader=read)
    stems = [name.rsplit("/", 1)[-1].rsplit(".", 1)[0] for name in examples.names]
    people = [stem.split("_")[0] if "imm" in folder else stem for stem in stems]
    return [(f"{folder} {person}", image, box_of_landmarks(np.asarray(points)))
            for person, image, points in zip(people, images.values(), examples.landmarks)]


def cut_out(name: str, image: np.ndarray, box) -> Patch | None:
    """The oval of a box, or None when too much of it is outside of the image."""
    x, y, w, h = (round(v) for v in box)
    x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + w, image.shape[1]), min(y + h, image.shape[0])
    if w < 8 or h < 8 or (x1 - x0) * (y1 - y0) < 0.85 * w * h:
        return None
    rgb = np.pad(image[y0:y1, x0:x1], ((y0 - y, y + h - y1), (x0 - x, x + w - x1), (0, 0)), mode="edge")
    return Patch(name, rgb, oval(h, w))


def drawn_head(random: np.random.Generator, name: str) -> Patch:
    """Skin, hair, eyes, brows, a mouth and perhaps a beard, lit from one side; seen from the front or from a side."""
    draw_module, image_module = pillow().ImageDraw, pillow().Image
    width, height = 96, round(96 * random.uniform(1.15, 1.5))
    skin = negatives.skin_colour(random)
    hair = np.clip(random.choice([[25, 20, 18], [70, 45, 25], [150, 110, 60], [130, 130, 130]]) + random.normal(0, 10, 3), 0, 255)
    tone = lambda colour, factor=1.0: tuple(int(v) for v in np.clip(colour * factor, 0, 255))
    picture = image_module.new("RGB", (width, height), tone(hair))
    pen = draw_module.Draw(picture)
    turn, top = random.uniform(-0.25, 0.25) * width, random.uniform(0.02, 0.3) * height
    pen.ellipse((0.06 * width + turn, top, 0.94 * width + turn, 1.02 * height), fill=tone(skin))
    if random.random() < 0.25:
        pen.ellipse((0.15 * width + turn, 0.62 * height, 0.85 * width + turn, 1.05 * height), fill=tone(hair, 1.2))
    for side in (-0.2, 0.2):
        x, y = width * (0.5 + side) + turn, 0.48 * height
        pen.ellipse((x - 7, y - 3, x + 7, y + 4), fill=tone(skin, random.uniform(0.3, 0.7)))
        pen.line((x - 9, y - 10, x + 9, y - 10), fill=tone(hair), width=3)
    pen.line((0.5 * width + turn, 0.5 * height, 0.5 * width + turn, 0.64 * height), fill=tone(skin, 0.85), width=4)
    pen.ellipse((0.36 * width + turn, 0.74 * height, 0.64 * width + turn, 0.8 * height), fill=tone(skin * [1, 0.65, 0.65], 0.85))
    y, x = np.mgrid[0:height, 0:width]
    light = 1 + random.uniform(-0.35, 0.35) * (x / width - 0.5) + random.uniform(-0.3, 0.1) * (y / height - 0.5)
    rgb = np.asarray(picture.filter(pillow().ImageFilter.GaussianBlur(random.uniform(0.5, 2)))) * light[:, :, None]
    return Patch(name, np.clip(rgb + random.normal(0, 3, rgb.shape), 0, 255).astype(np.uint8), oval(height, width))


def thing(random: np.random.Generator, colour: np.ndarray) -> Patch:
    """Something that is no head in a colour like skin's: an arm, a ball, a vase, a patterned cloth."""
    width, height = 60, int(random.choice([40, 60, 90, 180]))
    y, x = np.mgrid[0:height, 0:width] / np.array([height, width]).reshape(2, 1, 1)
    shade = 1 + random.uniform(-0.5, 0.5) * (x - 0.5) + random.uniform(-0.4, 0.4) * (y - 0.5)
    if random.random() < 0.5:
        shade = shade + random.uniform(0.1, 0.5) * np.sin(random.uniform(5, 40) * x + random.uniform(0, 6)) * np.cos(random.uniform(5, 40) * y)
    rgb = np.clip(colour * shade[:, :, None] + random.normal(0, 4, (height, width, 3)), 0, 255).astype(np.uint8)
    alpha = oval(height, width) if random.random() < 0.6 else np.ones((height, width))
    return Patch("", rgb, alpha)


def paste(frame: np.ndarray, patch: Patch, x: float, y: float, height: float, mirrored: bool = False) -> tuple[float, float, float, float]:
    """Pastes with the middle at (x, y); the box it covers, also outside of the frame."""
    rgb, alpha = patch.scaled(height, mirrored)
    h, w = alpha.shape
    left, top = round(x - w / 2), round(y - h / 2)
    x0, y0, x1, y1 = max(left, 0), max(top, 0), min(left + w, frame.shape[1]), min(top + h, frame.shape[0])
    if x0 < x1 and y0 < y1:
        part = alpha[y0 - top : y1 - top, x0 - left : x1 - left, None]
        frame[y0:y1, x0:x1] += part * (rgb[y0 - top : y1 - top, x0 - left : x1 - left] - frame[y0:y1, x0:x1])
    return left, top, w, h


def path(random: np.random.Generator, frames: int, low: float, high: float, period: float) -> np.ndarray:
    """A smooth way between low and high."""
    t = np.arange(frames)
    wave = sum(np.sin(2 * np.pi * t / (period * random.uniform(0.5, 2)) + random.uniform(0, 2 * np.pi)) for _ in range(2)) / 2
    return low + (high - low) * (0.5 + 0.5 * wave)


def background(random: np.random.Generator, height: int, width: int, photos: list[np.ndarray]) -> np.ndarray:
    if photos and random.random() < 0.5:
        photo = photos[random.integers(len(photos))]
        crop = next(negatives.crops(random, photo, 1, smallest=0.4))
        return np.asarray(pillow().Image.fromarray(crop).resize((width, height), pillow().Image.BILINEAR)).astype(float)
    kind = random.choice(list(negatives.KINDS), p=[0.35, 0.4, 0.25])
    return negatives.KINDS[kind](random, height, width).astype(float)


def video(random: np.random.Generator, heads: list[Patch], photos: list[np.ndarray], frames: int = 30):
    """(person, frames, boxes, boxes of other heads in each frame): a head that moves, most often beside other things or people, in light that may change; in
    a third of the videos it is gone for some time."""
    height = int(random.choice([96, 120, 180, 240]))
    width = round(height * 4 / 3)
    wall = background(random, height, width, photos)
    head = heads[random.integers(len(heads))]
    colour = head.rgb[head.alpha > 0.9].mean(0) * random.uniform(0.85, 1.15, 3) if random.random() < 0.6 else negatives.skin_colour(random)
    size = random.uniform(0.18, 0.5) * height
    sizes = size * np.exp(path(random, frames, -0.2, 0.2, 60))
    speed = random.uniform(25, 90)
    xs, ys = path(random, frames, 0.15 * width, 0.85 * width, speed), path(random, frames, 0.25 * height, 0.7 * height, speed)
    gone = np.zeros(frames, bool)
    if random.random() < 0.33:
        begin = int(random.integers(frames // 5, frames - frames // 5))
        gone[begin : begin + int(random.integers(5, frames))] = True
    others = []
    for _ in range(random.integers(0, 4)):
        other = heads[random.integers(len(heads))] if random.random() < 0.35 else thing(random, np.clip(colour + random.normal(0, 12, 3), 5, 250))
        others.append((other, path(random, frames, -0.1 * width, 1.1 * width, speed), path(random, frames, 0, height, speed), size * random.uniform(0.5, 1.6), random.random() < 0.4))
    tint = np.ones((frames, 3))
    if random.random() < 0.4:
        tint = 1 + np.linspace(0, 1, frames)[:, None] * random.uniform(-0.3, 0.3, 3)
    grain = random.uniform(0, 8)
    images, boxes, people = [], [], []
    for i in range(frames):
        frame, seen = wall.copy(), []
        for other, x, y, tall, front in others:
            if not front:
                seen.append((other, paste(frame, other, x[i], y[i], tall)))
        box = ABSENT if gone[i] else paste(frame, head, xs[i], ys[i], sizes[i])
        for other, x, y, tall, front in others:
            if front and (i > 0 or np.hypot(x[i] - xs[i], y[i] - ys[i]) > tall / 2 + sizes[i] / 2):  # the head is marked where it is seen
                seen.append((other, paste(frame, other, x[i], y[i], tall)))
        images.append(np.clip(frame * tint[i] + random.normal(0, grain, frame.shape) + 0.5, 0, 255).astype(np.uint8))
        boxes.append(box)
        people.append([around for other, around in seen if other.name])
    return head.name, images, np.array(boxes, float), people
