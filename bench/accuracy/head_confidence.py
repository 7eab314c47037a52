"""How far the confidence of a head can be trusted: trackers with and without a gate and a start box, on videos of heads and on images without one."""

from __future__ import annotations

import numpy as np

import calibration
import head_scenes
import heads
import negatives
from common import Job, column, pillow, read_image

COLUMNS = [column("source", "head from"), column("data", "data"), column("bin", "confidence"), column("count", "cases"), column("predicted", "mean confidence"),
           column("observed", "share right"), column("found_before", "found at 0", "%"), column("found", "found", "%"), column("right_before", "right at 0", "%"),
           column("right", "found and right", "%"), column("found_strict", "found at 0.8", "%"), column("right_strict", "found and right at 0.8", "%")]
FEATURES = {"whole frame": ("face",), "search": ("oval", "own_colours", "face"),
            "start": ("likeness", "log_sharpness")}
MOMENTS = ("compactness", "extent", "roundness")  # of a whole frame, where there is no frame to look at
TRACKERS = ("start colours", "start weights", "start generic", "search colours", "search generic", "whole calibrated", "whole generic")
MIN_CONFIDENCE = 0.5  # the default of trackers
ANY_CONFIDENCE = 1e-12  # above 0, so that faces are looked at
# The weight in the fit of all frames without a head, over that of all with one. Without a start box it keeps false finds at 0.5 below 1 %.
ABSENT_WEIGHT = {"whole frame": 4, "search": 5, "start": 2}
MIN_FACE, WITHOUT_FACE = 1.75, 0.49  # as face_classifier.hpp and confidence.cpp have them: the confidence of what shows no face is at most that
STRICT = 0.8  # for those to whom a false find costs more than a miss
NOWHERE = head_scenes.ABSENT


def feature(evidence, name: str) -> float:
    """As confidence.cpp takes it; log_ names the logarithm of what is at least 1."""
    return float(np.log(max(getattr(evidence, name[4:]), 1))) if name.startswith("log_") else float(getattr(evidence, name))


def start_box(box, shape):
    """In whole pixels inside of the frame; None when nothing of it is there."""
    x0, y0 = max(0, int(box[0])), max(0, int(box[1]))
    x1, y1 = min(shape[1], int(np.ceil(box[0] + box[2]))), min(shape[0], int(np.ceil(box[1] + box[3])))
    return (x0, y0, x1 - x0, y1 - y0) if x0 < x1 and y0 < y1 else None


def trackers(job: Job, frame, box, names):
    """(name, tracker) of each name; those that need a calibration only where it is possible. They find whatever has the colour of skin."""
    skin, generic = job.tp.skin, job.tp.skin.generic_skin_filter
    known = None
    if box is not None and heads.is_box(box):
        box = tuple(float(v) for v in box)
        try:
            known = skin.calibrate(frame, face=box)
        except job.tp.CalibrationError:
            pass
    else:
        box = None
    common = {"like": frame, "device": job.device, "min_confidence": ANY_CONFIDENCE}
    for name in names:
        if name.endswith("generic"):
            start = start_box(box, frame.shape) if box is not None else None
            if name.startswith("start") and start is None:
                continue
            options = {"start": {"gate": True, "start": start}, "search": {"gate": True}, "whole": {}}[name.split()[0]]
            yield name, skin.Tracker(generic, **options, **common)
        elif known is not None:
            if name == "search colours":
                yield name, skin.Tracker(known.filter, gate=True, gate_by=known.colours, **common)
            else:
                options = {"start colours": {"face": box}, "start weights": {"face": box, "gate_by": known.filter}, "whole calibrated": {"gate": False}}[name]
                yield name, skin.Tracker(known, **options, **common)


class Collection:
    """Heads that were found by trackers without a threshold, with the truth about them."""

    def __init__(self, job: Job):
        self.job, self.cases = job, []

    def follow(self, data: str, group: str, frames, boxes, people=None, names=TRACKERS, every: int = 1, skip: int = 0, first=None) -> None:
        """people: boxes of other heads, which are right for a tracker that was not told which one to follow. first: (frame, box) that comes before."""
        for name, tracker in trackers(self.job, *(first or (frames[0], boxes[0])), names):
            if first and name.startswith("start"):
                tracker(first[0])
            for i, frame in enumerate(frames):
                head = tracker(frame)
                if i < skip or i % every:
                    continue
                true = [boxes[i], *(people[i] if people and not name.startswith("start") else [])]
                right = head.found and any(heads.is_box(np.asarray(box)) and heads.within_half_a_box(head.x_px, head.y_px, box) for box in true)
                source = {"start": "start", "search": "search", "whole": "whole frame"}[name.split()[0]]
                features = [feature(head.evidence, f) for f in FEATURES[source]] if head.found and head.evidence.source == source else None
                moments = [feature(head.evidence, f) for f in MOMENTS]
                gone = not any(heads.is_box(np.asarray(box)) for box in true)
                kind = data if not gone or data.startswith("no head") else "no head: another one in view" if people and people[i] else "no head: the same room"
                self.cases.append({"data": kind, "group": group, "source": source, "tracker": name, "negative": gone,
                                   "found": features is not None, "right": bool(right), "features": features, "moments": moments, "confidence": head.confidence})


def parts(job: Job, random: np.random.Generator):
    """Heads to paste, photographs for backgrounds, and the annotated photographs themselves."""
    faces = [face for folder in ("faces_imm", "faces_wild") for face in head_scenes.photo_faces(job, folder, 8 if job.quick else 2)]
    patches = [patch for face in faces if (patch := head_scenes.cut_out(*face))]
    patches += [head_scenes.drawn_head(random, f"drawn {i}") for i in range(10 if job.quick else 100)]
    photos = [image for _, image in negatives.photographs(job)]
    for _, image, box in faces[::3]:
        photos += negatives.crops(random, image, 1, avoid=box, smallest=0.25)
    return patches, photos, faces


def still_negatives(job: Job, seed: int, random: np.random.Generator, faces) -> list[tuple[str, np.ndarray]]:
    images = list(negatives.procedural(seed, 4 if job.quick else 80))
    for name, image in negatives.photographs(job):
        images += [("photograph", image)] + [("photograph, part", crop) for crop in negatives.crops(random, image, 3 if job.quick else 30)]
    for _, image, box in faces[::2]:
        images += [("beside a face", crop) for crop in negatives.crops(random, image, 1, avoid=box) if min(crop.shape[:2]) >= 24]
    return images


def collect(job: Job, seeds: list[int]) -> list[dict]:
    found = Collection(job)
    for seed in seeds:
        follow_made(job, found, seed)
    for i in range(2 if job.quick else 6):
        scene = job.tp.skin.SyntheticScene(width=320, height=240, frames=10 if job.quick else 40, seed=i + 1, distractor=bool(i % 2))
        found.follow("synthetic scene", f"scene {i}", list(scene), np.array([scene.truth(k).box for k in range(len(scene))]), every=4)
    for truth in job.found("head_*/groundtruth_rect.txt", "videos of heads are"):
        follow_video(job, found, truth)
    return found.cases


def follow_made(job: Job, found: Collection, seed: int) -> None:
    """Videos made of parts, photographs of faces, and images without a head."""
    random = np.random.default_rng([seed, 5])
    patches, photos, faces = parts(job, random)
    job.say(f"head_confidence: videos made of {len(patches)} heads, seed {seed}")
    for i in range(8 if job.quick else 240):
        person, frames, boxes, people = head_scenes.video(np.random.default_rng([seed, 7, i]), patches, photos, 12 if job.quick else 30)
        found.follow("made of parts", person, frames, boxes, people, every=3)
    for person, image, box in faces[::2]:
        found.follow("photograph of a face", person, [image] * 3, [box] * 3, names=("search generic", "whole generic"), skip=2)
    still = still_negatives(job, seed, random, faces)
    job.say(f"head_confidence: {len(still)} images without a head")
    for i, (kind, image) in enumerate(still):
        found.follow(f"no head: {kind}", f"still {seed} {i}", [image] * 2, [NOWHERE] * 2, names=("search generic", "whole generic"), skip=1)
    for i in range(4 if job.quick else 150):  # a head is calibrated on, and then it is gone
        random = np.random.default_rng([seed, 8, i])
        person, frames, boxes, _ = head_scenes.video(random, patches, photos, 12)
        for _ in range(3):
            kind, image = still[random.integers(len(still))]
            image = np.asarray(pillow().Image.fromarray(image).resize((frames[0].shape[1], frames[0].shape[0])))
            found.follow(f"no head: {kind}", person, [image] * 3, [NOWHERE] * 3, names=[name for name in TRACKERS if not name.startswith(("search g", "whole g"))],
                         skip=2, first=(frames[0], boxes[0]))


def follow_video(job: Job, found: Collection, truth) -> None:
    video, boxes = truth.parent.name, heads.read_truth(truth)
    files = sorted(path for path in (truth.parent / "img").glob("*") if path.suffix.lower() in (".jpg", ".jpeg", ".png", ".bmp"))[: len(boxes)]
    frames, boxes = [read_image(path, "RGB") for path in files], boxes[: len(files)]
    starts = heads.start_frames(len(frames), 200 if job.quick else 50, heads.SHORTEST)
    job.say(f"head_confidence: {video}, {len(starts)} starts")
    for start in starts:
        if heads.is_box(boxes[start]):
            found.follow(video, video, frames[start:], boxes[start:], every=7)
    for name, change in ({} if job.quick else heads.CONDITIONS).items():
        changed, moved = change(frames, boxes)
        found.follow(f"{video}, {name}", video, changed, moved, names=("start colours", "start weights"), every=5)


def evaluate(job: Job):
    seeds = job.seeds_or([1, 2, 3])
    cases = collect(job, seeds)
    rows = []
    for source, names in FEATURES.items():
        known = [case for case in cases if case["source"] == source and case["found"] and not larger_than_the_frame(case)]
        features, right = np.array([case["features"] for case in known]), np.array([case["right"] for case in known])
        if not 0 < right.sum() < len(right):
            job.say(f"head_confidence: {source}: right and wrong heads are needed; left out")
            continue
        weights = weights_of(cases, source, known)
        confidence = calibration.held_out(features, right, np.array([case["group"] for case in known]), weights=weights)
        if "face" in names:
            confidence = np.where(features[:, names.index("face")] < MIN_FACE, np.minimum(confidence, WITHOUT_FACE), confidence)
        for case, value in zip(known, confidence):
            case["held_out"] = value
        empty = dict.fromkeys(("found_before", "found", "right_before", "right", "found_strict", "right_strict"))
        rows += [{"source": source, **row, **empty} for row in calibration.reliability("persons and videos left out", confidence, right)]
        if job.calibrate:
            fitted = calibration.fit(features, right, weights)
            print(f"{source}: constant {fitted[0]:.3f}, " + ", ".join(f"{name} {value:.3f}" for name, value in zip(names, fitted[1:])))
            if source == "whole frame":
                fitted = calibration.fit(np.array([case["moments"] for case in known]), right)
                print(f"moments alone: constant {fitted[0]:.3f}, " + ", ".join(f"{name} {value:.3f}" for name, value in zip(MOMENTS, fitted[1:])))
    rows += [found_row(source, kind, chosen) for source in FEATURES for kind, chosen in kinds([case for case in cases if case["source"] == source])]
    summary = [{key: row[key] for key in ("source", "data", "count", "found_before", "found", "right_before", "right", "found_strict", "right_strict")} for row in rows if row["bin"] is None]
    return rows, summary, {"seeds of videos and negatives": seeds, "min_confidence": MIN_CONFIDENCE}


def weights_of(cases, source: str, known) -> np.ndarray:
    """All frames without a head weigh ABSENT_WEIGHT times as much as all with one."""
    of_source = [case["negative"] for case in cases if case["source"] == source]
    weight = ABSENT_WEIGHT[source] * of_source.count(False) / max(1, of_source.count(True))
    return np.array([weight if case["negative"] else 1.0 for case in known])


def larger_than_the_frame(case) -> bool:
    """Such skin has the confidence 0 without any coefficients."""
    return case["source"] == "whole frame" and case["moments"][1] > 1


def kinds(cases):
    """(name, cases) of each kind of data, then of all with the head, and of all without any."""
    for kind in dict.fromkeys(case["data"].split(",")[0] if "no head" not in case["data"] else case["data"] for case in cases):
        yield kind, [case for case in cases if case["data"] == kind or case["data"].startswith(f"{kind}, ") and "no head" not in kind]
    yield "all with a head", [case for case in cases if not case["negative"]]
    yield "all without a head", [case for case in cases if case["negative"] and "another" not in case["data"]]


def found_row(source: str, kind: str, cases) -> dict:
    """Found and right without a threshold, and with it, by a confidence that was fitted to others."""
    share = lambda which: round(100 * float(np.mean([which(case) for case in cases])), 1) if cases else None
    sure = lambda case, threshold=MIN_CONFIDENCE: case["found"] and case.get("held_out", 0) >= threshold
    return {"source": source, "data": kind, "bin": None, "count": len(cases), "predicted": None, "observed": None, "found_before": share(lambda case: case["found"]),
            "found": share(sure), "right_before": share(lambda case: case["right"]), "right": share(lambda case: sure(case) and case["right"]),
            "found_strict": share(lambda case: sure(case, STRICT)), "right_strict": share(lambda case: sure(case, STRICT) and case["right"])}
