"""What the tasks share: the job, files, measures, splits, pictures, and the JSON of a result."""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
import pathlib
import sys
from typing import Any

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "peers"))
from peer_results import commit_name, cpu_name  # noqa: E402, F401


class Unusable(Exception):
    """Data that cannot be evaluated: one sentence that says why."""


@dataclasses.dataclass
class Job:
    """What to evaluate, and where the results go."""

    tp: Any  # the module triptych
    data: pathlib.Path | None
    out: pathlib.Path
    device: str
    seeds: list[int] | None = None  # None: those of the task
    quick: bool = False
    folds: int | None = None
    samples: int | None = None
    points: int | None = None
    filter_options: dict = dataclasses.field(default_factory=dict)  # of the particle filter, beside these
    train_options: dict = dataclasses.field(default_factory=dict)  # of face models, beside the default ones
    jobs: int = 1  # motions that are followed at once, each on one core
    commit: str = ""
    photos: bool = True  # pictures show the data beneath the results
    calibrate: bool = False  # confidences: fit the coefficients, too
    stopped: bool = False
    pictures: list[dict] = dataclasses.field(default_factory=list)
    folders: list[str] = dataclasses.field(default_factory=list)  # of data, as far as they were used

    def say(self, words: str) -> None:
        print(words, file=sys.stderr, flush=True)

    def train(self, images, landmarks, **options):
        """A face model of default options and those of the command line; a quick one of fewer deformed faces, and without what a search needs."""
        quick = {"deformations": 1, "face_classifier": False} if self.quick else {}
        return self.tp.aam.train(images, landmarks, **(quick | options | self.train_options))

    def on_gpu(self) -> bool:
        return self.device.startswith("cuda")

    def seeds_or(self, seeds: list[int]) -> list[int]:
        return self.seeds or (seeds[:1] if self.quick else seeds)

    def found(self, pattern: str, what: str) -> list[pathlib.Path]:
        """The files or folders of a pattern in the data folder, in order; says in one line when there are none."""
        paths = sorted(self.data.glob(pattern)) if self.data else []
        if paths:
            self.folders += sorted({path.relative_to(self.data).parts[0] for path in paths} - set(self.folders))
        else:
            self.say(f"no {pattern} in {self.data if self.data else 'a data folder (set TRIPTYCH_DATA_DIR or --data)'}: {what} left out")
        return paths


def pillow():
    try:
        import PIL.Image
        import PIL.ImageDraw
        import PIL.ImageFilter
    except ImportError as problem:
        raise Unusable("images need Pillow: pip install pillow") from problem
    return PIL


def read_image(path: pathlib.Path, mode: str | None = None) -> np.ndarray:
    """An image as an array: mode "L" is grey, "RGB" colour, None as it is in the file."""
    try:
        with pillow().Image.open(path) as image:
            return np.array(image.convert(mode) if mode else image)
    except (OSError, SyntaxError, ValueError) as problem:
        raise Unusable(f"{path} cannot be read as an image: {problem}") from problem


def have_pictures(job: Job) -> bool:
    try:
        pillow()
        return True
    except Unusable:
        job.say("no pictures: they need Pillow (pip install pillow)")
        return False


def ground(job: Job, image: np.ndarray):
    """A picture to draw on: the photo, or plain grey of its size."""
    return pillow().Image.fromarray(image if job.photos else np.full_like(image, 96)).convert("RGB")


def add_picture(job: Job, task: str, kind: str, image, caption: str) -> None:
    """Saves a picture beside the result, as JPEG, with a side of at most 480 pixels."""
    image = image.convert("RGB")
    image.thumbnail((480, 480))
    file = f"{task}_{kind}.jpg"
    image.save(job.out / file, quality=70, optimize=True)
    job.pictures.append({"file": file, "caption": caption, "kind": kind})


def extremes(cases: list, error) -> list[tuple[str, Any]]:
    """The best, the median and the worst case by error(case)."""
    ordered = sorted(cases, key=error)
    return [("best", ordered[0]), ("median", ordered[(len(ordered) - 1) // 2]), ("worst", ordered[-1])] if ordered else []


def mean(values) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def fold_tests(groups: list, folds: int) -> list[list[int]]:
    """The indices of the test items of each fold. Items of one group (a person) are always in the same fold; folds are runs of groups in
    the order of their first items."""
    names = list(dict.fromkeys(groups))
    if not 2 <= folds <= len(names):
        raise Unusable(f"{folds} folds of {len(names)} people: there must be at least 2 folds, and no more folds than people")
    fold_of = {name: i * folds // len(names) for i, name in enumerate(names)}
    return [[i for i, group in enumerate(groups) if fold_of[group] == fold] for fold in range(folds)]


def longest_run(mask: np.ndarray) -> int:
    """The most true values on end."""
    longest = run = 0
    for value in mask:
        run = run + 1 if value else 0
        longest = max(longest, run)
    return longest


def context(job: Job, options: dict, rows: list[dict]) -> dict:
    """Where, when and from what a result was made."""
    counts = {folder: sum(1 for path in (job.data / folder).rglob("*") if path.is_file()) for folder in job.folders}
    return {
        "commit": job.commit or "unknown",
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "triptych": job.tp.__version__,
        "device": job.tp.describe_device(job.device),
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "data": {"folder": job.data.name if counts else "", "files": counts},
        "seeds": sorted({row["seed"] for row in rows if row.get("seed")}),
        "quick": job.quick,
        "options": options | job.train_options,
    }


def write_json(path: pathlib.Path, result: dict) -> None:
    """As JSON with a line for each row and case, so that a diff shows what has changed; replaced as a whole."""
    parts = []
    for key, value in result.items():
        if isinstance(value, list):
            lines = ",\n  ".join(json.dumps(item, allow_nan=False) for item in value)
            parts.append(f" {json.dumps(key)}: [\n  {lines}\n ]" if value else f" {json.dumps(key)}: []")
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value, allow_nan=False)}")
    beside = path.with_suffix(".part")
    beside.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    os.replace(beside, path)


def table(columns: list[dict], rows: list[dict]) -> str:
    """A Markdown table whose source is aligned, too."""
    heads = [f"{column['title']}, {column['unit']}" if column["unit"] else column["title"] for column in columns]
    cells = [["-" if row[column["key"]] is None else str(row[column["key"]]) for column in columns] for row in rows]
    widths = [max(len(line[i]) for line in [heads, *cells]) for i in range(len(columns))]
    right = [all(isinstance(row[column["key"]], (int, float, type(None))) for row in rows) for column in columns]

    def line(words):
        return "| " + " | ".join(word.rjust(w) if r else word.ljust(w) for word, w, r in zip(words, widths, right)) + " |"

    rule = "| " + " | ".join("-" * (w - 1) + (":" if r else "-") for w, r in zip(widths, right)) + " |"
    return "\n".join([line(heads), rule, *map(line, cells)])


def column(key: str, title: str, unit: str = "") -> dict:
    return {"key": key, "title": title, "unit": unit}


def rounded(value: float | None, digits: int) -> float | None:
    """None for what is not a number, which JSON cannot hold."""
    if value is None or not np.isfinite(value):
        return None
    return round(float(value), digits) if digits else round(float(value))
