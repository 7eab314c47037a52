"""Heads in videos: calibrated on the true box of one frame, followed to the end; and synthetic videos with exact truth."""

from __future__ import annotations

import re

import numpy as np

from common import Job, Unusable, add_picture, column, extremes, ground, have_pictures, mean, pillow, read_image, rounded

COLUMNS = [
    column("video", "video"), column("condition", "condition"), column("gate", "gate"), column("starts", "starts"), column("frames", "frames"),
    column("within", "within half a box", "%"), column("overlap", "overlap, mean"), column("centre_px", "centre, mean", "px"),
    column("worst_px", "centre, worst", "px"), column("missing", "not found", "%"),
]
STRIDE, SHORTEST = 25, 75  # a start every so many frames; frames that must follow the last one


def within_half_a_box(x: float, y: float, box) -> bool:
    return abs(x - box[0] - box[2] / 2) <= box[2] / 2 and abs(y - box[1] - box[3] / 2) <= box[3] / 2


def overlap(a, b) -> float:
    """Intersection over union of two boxes x, y, w, h."""
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    both = max(w, 0) * max(h, 0)
    return both / (a[2] * a[3] + b[2] * b[3] - both)


def box_of_ellipse(x: float, y: float, major: float, minor: float, angle: float):
    half_w, half_h = np.hypot(major * np.cos(angle), minor * np.sin(angle)), np.hypot(major * np.sin(angle), minor * np.cos(angle))
    return x - half_w, y - half_h, 2 * half_w, 2 * half_h


def read_truth(path) -> np.ndarray:
    """Boxes (n, 4) of lines of four numbers, separated by white space or commas."""
    try:
        boxes = np.array([[float(word) for word in re.split(r"[,\s]+", line.strip())] for line in path.read_text().splitlines() if line.strip()])
    except ValueError as problem:
        raise Unusable(f"{path}: {problem}") from problem
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise Unusable(f"{path} has not four numbers x y w h in each line")
    return boxes


def is_box(box) -> bool:
    """Data sets mark a head that is out of sight by a box of no size, or by NaN."""
    return bool(np.isfinite(box).all() and box[2] > 0 and box[3] > 0)


def start_frames(frames: int, stride: int, shortest: int) -> list[int]:
    """Every stride-th frame, as long as enough frames follow; the first one always."""
    return [0, *range(stride, max(frames - shortest + 1, 0), stride)]


def light(red: float, green: float, blue: float):
    """The colours change little by little, to these factors in the last frame."""
    def change(frames, boxes):
        shares = np.linspace(0, 1, len(frames))
        factors = [1 + share * (np.array((red, green, blue)) - 1) for share in shares]
        return [np.clip(frame * f + 0.5, 0, 255).astype(np.uint8) for frame, f in zip(frames, factors)], boxes
    return change


def blurred(frames, boxes):
    radius = frames[0].shape[1] / 64
    image = pillow().Image
    return [np.array(image.fromarray(f).filter(pillow().ImageFilter.GaussianBlur(radius))) for f in frames], boxes


def noisy(frames, boxes):
    random = np.random.default_rng(1)
    return [np.clip(f + random.normal(0, 12, f.shape) + 0.5, 0, 255).astype(np.uint8) for f in frames], boxes


def shaken(frames, boxes):
    """Every frame but the first is shifted at random, by up to 12 pixels each way."""
    shifts = np.random.default_rng(1).integers(-12, 13, (len(frames), 2))
    shifts[0] = 0
    padded = [np.pad(f, ((12, 12), (12, 12), (0, 0)), mode="edge") for f in frames]
    moved = [p[12 - dy : p.shape[0] - 12 - dy, 12 - dx : p.shape[1] - 12 - dx] for p, (dx, dy) in zip(padded, shifts)]
    return [np.ascontiguousarray(m) for m in moved], boxes + np.pad(shifts, ((0, 0), (0, 2)))


CONDITIONS = {
    "every fifth frame": lambda frames, boxes: (frames[::5], boxes[::5]),
    "in reverse": lambda frames, boxes: (frames[::-1], boxes[::-1]),
    "light falls to half": light(0.5, 0.5, 0.5), "light rises by half": light(1.5, 1.5, 1.5),
    "light 30 % warmer": light(1.3, 1, 0.7), "light 30 % colder": light(0.7, 1, 1.3),
    "blurred": blurred, "noise of 12 grey levels": noisy, "shaken by 12 pixels": shaken,
}


def follow(job: Job, frames, boxes, gate: str):
    """Calibrates on the first frame's box and follows: the heads, or the reason why it cannot be calibrated."""
    skin = job.tp.skin
    try:
        calibration = skin.calibrate(frames[0], face=boxes[0])
    except job.tp.CalibrationError as problem:
        return None, str(problem)
    options = {"none": {"gate": False}, "colours": {"face": boxes[0]}, "weights": {"face": boxes[0], "gate_by": calibration.filter}}[gate]
    tracker = skin.Tracker(calibration, like=frames[0], device=job.device, min_confidence=0, **options)  # head_confidence shows what a threshold does
    return [tracker(frame) for frame in frames], ""


def measure(heads, boxes) -> dict:
    """Of one run; heads None: not one frame was followed. Frames without a true box do not count."""
    found = [(head, box) for head, box in zip(heads or [], boxes) if head.found and is_box(box)]
    boxes = [box for box in boxes if is_box(box)]
    centres = [np.hypot(h.x_px - b[0] - b[2] / 2, h.y_px - b[1] - b[3] / 2) for h, b in found]
    near = sum(within_half_a_box(h.x_px, h.y_px, b) for h, b in found)
    shared = [overlap(box_of_ellipse(h.x_px, h.y_px, h.ellipse.semi_major_px, h.ellipse.semi_minor_px, h.ellipse.angle_rad), b) for h, b in found]
    return {
        "frames": len(boxes), "within": rounded(100 * near / len(boxes), 1), "overlap": rounded(sum(shared) / len(boxes), 3),
        "centre_px": rounded(mean(centres), 2), "worst_px": rounded(max(centres, default=np.nan), 2), "missing": rounded(100 - 100 * len(found) / len(boxes), 1),
    }


def average(video: str, condition: str, gate: str, cases: list[dict]) -> dict:
    """The mean over the starts, whatever their number of frames."""
    row = {"video": video, "condition": condition, "gate": gate, "starts": len(cases), "frames": sum(case["frames"] for case in cases)}
    for key, digits in (("within", 1), ("overlap", 3), ("centre_px", 2), ("missing", 1)):
        row[key] = rounded(mean([case[key] for case in cases if case[key] is not None]), digits)
    row["worst_px"] = max((case["worst_px"] for case in cases if case["worst_px"] is not None), default=None)
    return row


def evaluate(job: Job):
    rows, cases, kept = [], [], []
    for truth in job.found("head_*/groundtruth_rect.txt", "videos of heads are"):
        video, boxes = truth.parent.name, read_truth(truth)
        files = sorted(path for path in (truth.parent / "img").glob("*") if path.suffix.lower() in (".jpg", ".jpeg", ".png", ".bmp"))
        count = min(len(files), len(boxes))
        if count == 0 or not is_box(boxes[0]):
            job.say(f"heads: {video} has no images in img, or no box in the first frame: left out")
            continue
        frames, boxes = [read_image(path, "RGB") for path in files[:count]], boxes[:count]
        starts = [start for start in start_frames(count, 4 * STRIDE if job.quick else STRIDE, SHORTEST) if is_box(boxes[start])]
        job.say(f"heads: {video}, {count} frames, {len(starts)} starts")
        for gate in ("colours", "weights"):
            runs = []
            for start in starts:
                heads, why = follow(job, frames[start:], boxes[start:], gate)
                runs.append({"video": video, "condition": "", "gate": gate, "first_frame": start + 1, **measure(heads, boxes[start:]), **({"reason": why} if why else {})})
                if gate == "colours":
                    kept.append((runs[-1], frames[start:], boxes[start:], heads))
            rows += [average(video, "from the first frame", gate, runs[:1]), average(video, f"{len(starts)} starts", gate, runs)]
            cases += runs
        for name, change in ({} if job.quick else CONDITIONS).items():
            for gate in ("colours", "weights"):
                changed, moved = change(frames, boxes)
                heads, _ = follow(job, changed, moved, gate)
                cases.append({"video": video, "condition": name, "gate": gate, "first_frame": 1, **measure(heads, moved)})
                rows.append(average(video, name, gate, cases[-1:]))
    for distractor in (False, True):
        cases.append(synthetic(job, distractor))
        rows.append(average("synthetic", cases[-1]["condition"], cases[-1]["gate"], cases[-1:]))
    if kept and have_pictures(job):
        for kind, (case, frames, boxes, heads) in extremes(kept, lambda item: -item[0]["within"]):
            add_picture(job, "heads", kind, strip(job, frames, boxes, heads), f"{case['video']} from frame {case['first_frame']} on, gated by colours: "
                        f"within half a box in {case['within']} % of {case['frames']} frames. Six frames of it; true box white, found ellipse green")
    return rows, cases, {"start every": STRIDE, "frames after the last start": SHORTEST, "seed of noise and shifts": 1}


def synthetic(job: Job, distractor: bool) -> dict:
    """As skin_demo: 1280 x 720, whole frames without a hand, gated with one."""
    job.say(f"heads: synthetic video{' with a hand' * distractor}")
    size = {"width": 320, "height": 240, "frames": 20} if job.quick else {}
    scene = job.tp.skin.SyntheticScene(**{"width": 1280, "height": 720, "frames": 150, **size}, distractor=distractor)
    truths = [scene.truth(i) for i in range(len(scene))]
    gate = "colours" if distractor else "none"
    heads, _ = follow(job, scene, [truth.box for truth in truths], gate)
    boxes = [(t.x_px - t.box[2] / 2, t.y_px - t.box[3] / 2, t.box[2], t.box[3]) for t in truths]
    return {"video": "synthetic", "condition": "with a hand" if distractor else "head alone", "gate": gate, "first_frame": 1, **measure(heads, boxes)}


def strip(job: Job, frames, boxes, heads):
    """Six frames, from the first to the last."""
    height, width = frames[0].shape[:2]
    zoom = 160 / width
    sheet = pillow().Image.new("RGB", (480, 2 * round(height * zoom)))
    for i, at in enumerate(np.linspace(0, len(frames) - 1, 6).astype(int)):
        picture = ground(job, frames[at]).resize((160, round(height * zoom)))
        pen = pillow().ImageDraw.Draw(picture)
        x, y, w, h = np.nan_to_num(boxes[at]) * zoom
        pen.rectangle((x, y, x + w, y + h), outline=(255, 255, 255))
        if heads and heads[at].found:
            e, turn = heads[at].ellipse, np.linspace(0, 2 * np.pi, 40)
            along, across = e.semi_major_px * np.cos(turn), e.semi_minor_px * np.sin(turn)
            cos, sin = np.cos(e.angle_rad), np.sin(e.angle_rad)
            outline = np.stack([heads[at].x_px + cos * along - sin * across, heads[at].y_px + sin * along + cos * across], axis=1) * zoom
            pen.line([tuple(point) for point in outline], fill=(40, 255, 40), width=2)
        sheet.paste(picture, (160 * (i % 3), picture.height * (i // 3)))
    return sheet
