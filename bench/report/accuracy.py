"""The tables of bench/accuracy: {"task", "context", "columns": [{"key", "title", "unit"}], "rows": [...], "pictures": [{"file", "caption", "kind"}]}."""

import base64
import fnmatch
import json
import os

from document import DASH, Answer, Picture, Section, Table

TITLES = {"faces": "Landmarks of faces", "heads": "Heads in videos", "bodies": "Bodies in point clouds", "body_search": "Bodies that are searched for", "skin": "Skin pixels",
          "face_confidence": "Confidence of faces", "face_search": "Faces in whole images", "head_confidence": "Confidence of heads",
          "body_confidence": "Confidence of bodies", "shipped_model": "The face model that ships"}
LARGEST_PICTURE = 60_000  # bytes: the page stays small


def read(path):
    """The result of one task, or None when the file is none."""
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except (OSError, ValueError):
        return None
    if not isinstance(data, dict) or not all(isinstance(data.get(key), kind) for key, kind in (("task", str), ("columns", list), ("rows", list))):
        return None
    data["folder"] = os.path.dirname(path)
    return data


def cell(value):
    if value is None:
        return DASH
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def pictures(data):
    for picture in data.get("pictures", []):
        path = os.path.join(data["folder"], picture["file"])
        kind = {".jpg": "jpeg", ".jpeg": "jpeg", ".png": "png"}.get(os.path.splitext(path)[1].lower())
        if kind and os.path.exists(path) and os.path.getsize(path) <= LARGEST_PICTURE:
            with open(path, "rb") as file:
                yield Picture(f"data:image/{kind};base64," + base64.b64encode(file.read()).decode(), picture.get("caption", ""), picture.get("kind", ""))


def sections(accuracies):
    if not accuracies:
        return []
    made = [Section("Accuracy", 2, ["Made by `bench/accuracy/accuracy.py`; pictures of the best, the median and the worst case."])]
    for data in accuracies:
        columns = [column for column in data["columns"] if any(row.get(column["key"]) is not None for row in data["rows"])]
        head = [column["title"] + (f" ({column['unit']})" if column.get("unit") else "") for column in columns]
        rows = [[cell(row.get(column["key"])) for column in columns] for row in data["rows"]]
        context = data.get("context", {})
        known = ", ".join(f"{key} {context[key]}" for key in ("commit", "date", "device") if context.get(key))
        known += ". A quick run: few cases, no figures to quote." if context.get("quick") else ""
        made.append(Section(TITLES.get(data["task"], data["task"]), 3, ([known] if known else []) + [Table(head, rows), *pictures(data)]))
    return made


def values(accuracies, task, column, wanted):
    """The column in every row of a task in which the other columns match: {"motion": "CMU*", "rate_hz": "120"}."""
    return [row[column] for data in accuracies if data["task"] == task for row in data["rows"]
            if isinstance(row.get(column), (int, float)) and all(fnmatch.fnmatchcase(str(row.get(key)), value) for key, value in wanted.items())]


def answers(accuracies, results):
    """Cards of the summary: how well, and what OpenCV's fitter reaches on the same faces where it was measured."""
    peers = [e.counters["share_below"] for e in results.entries if e.series == "peer_opencv" and "share_below" in e.counters]
    instead = f"OpenCV's FacemarkAAM, {100 * max(peers):.0f} %" if peers else ""
    found = []
    for question, unit, words, instead, task, column, wanted in (
            ("faces of unseen people, landmarks within 5 % of the face", " %", "of fits", instead, "faces", "below_005", {"faces": "wild"}),
            ("head in a video (OTB Girl), within half a box", " %", "of frames", "", "heads", "within", {"video": "head_girl", "condition": "from the first frame", "gate": "colours"}),
            ("body in a noisy point cloud, CMU motions at 120 Hz", " mm", "per joint", "", "bodies", "mean_mm", {"motion": "[0-9]*", "rate_hz": "120", "start": "given"}),
            ("skin pixels, the best classifier", " %", "right", "", "skin", "accuracy", {"classifier": "histogram"})):
        numbers = values(accuracies, task, column, wanted)
        if numbers:
            mean = sum(numbers) / len(numbers) * (100 if column == "accuracy" else 1)
            found.append(Answer(question, words + (f", mean of {len(numbers)} rows" if len(numbers) > 1 else ""), instead, f"{mean:.3g}{unit}"))
    return found
