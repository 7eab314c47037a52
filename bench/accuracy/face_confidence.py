"""The confidence of fits: models trained on some people, fitted to others and to images without faces; and the coefficients that the library has."""

from __future__ import annotations

import numpy as np

import calibration
import faces
import negatives
from common import Job, column, fold_tests, rounded

COLUMNS = [column("data", "fits"), column("bin", "confidence"), column("count", "fits"), column("predicted", "mean confidence"), column("observed", "share that is right"),
           column("before", "found without a confidence", "%"), column("found", "found", "%"), column("right", "found and right", "%")]
RIGHT = 0.1  # a fit is right below this mean error of its landmarks, in face sizes
LARGEST_DEVIATION = 3
LIBRARY = (-6.2, 17.2, -1.4)  # its coefficients (src/fitter/confidence.cpp): constant, correlation, deviation
RIDGE = 1e-5


def correlation(error: float, g0_squared: float, samples: int, normalisation: str) -> float:
    """Of a texture with the model's mean, by the error of the fit (src/fitter/confidence.cpp)."""
    relative = max(0.0, error * samples / g0_squared)
    if normalisation == "length":
        return max(-1.0, 1 - relative / 2)
    if normalisation == "floored" and relative > 3:
        return max(-1.0, (5 - relative) / 4)
    return 1 / np.sqrt(1 + relative)


class Features:
    """The features of a model's fits: where the correlation lies between background (0) and faces (1), and how far the parameters are from the training faces'."""

    def __init__(self, model):
        self.level = model.levels[-1]
        self.g0_squared = float((np.asarray(self.level.g0, float) ** 2).sum())
        self.sigma = np.asarray(self.level.sigma, float)
        self.face, self.background = model.calibration

    def of(self, fit) -> list[float]:
        place = (correlation(fit.error, self.g0_squared, self.level.samples, self.level.normalisation) - self.background) / (self.face - self.background)
        c = np.asarray(fit.parameters, float)[: self.level.modes] / self.sigma
        return [float(np.clip(place, -1, 2)), float(min(np.sqrt((c * c).mean()), LARGEST_DEVIATION))]


def log_odds(features) -> float:
    """Of the library's confidence."""
    return LIBRARY[0] + LIBRARY[1] * features[0] + LIBRARY[2] * features[1]


def evaluate(job: Job):
    cases = []
    for name, model, images, landmarks, seed in models(job):
        cases += fits_of(job, name, model, images, landmarks, seed)
    if not cases:
        return [], [], {}
    for case, confidence in zip(cases, left_out(cases)):
        case["left_out"] = round(float(confidence), 4)
    coefficients = calibration.fit(*table_of(cases), weights=weights_of(cases), ridge=RIDGE)
    job.say("face_confidence: coefficients of all fits: constant {:.1f}, correlation {:.1f}, deviation {:.1f}".format(*coefficients))
    return rows_of(cases), cases, {"right": f"mean error below {RIGHT} of the face size", "starts per face": 5, "model": "default options"}


def models(job: Job, to_search: bool = False):
    """(data, model, unseen images, their landmarks, seed) of each part that is left out. to_search: models for find_faces()."""
    seed = job.seeds_or([1])[0]
    for name, read, group, folds, _ in faces.sources(job):
        images, landmarks, names = read()
        groups = [group(face) for face in names]
        tests = fold_tests(groups, job.folds or min(4, folds, len(set(groups))))
        for fold, test in list(enumerate(tests))[-1:] if job.quick else enumerate(tests):
            training = [i for i in range(len(images)) if i not in set(test)]
            job.say(f"face_confidence: {name}, fold {fold + 1}: training on {len(training)} faces")
            yield name, job.train([images[i] for i in training], landmarks[training], seed=seed, face_classifier=to_search), [images[i] for i in test], landmarks[test], seed + fold
    train, test = (20, 5) if job.quick else (120, 60)
    render = lambda of, i: job.tp.aam.render_face(job.tp.aam.random_face(of, i), 256, 256)
    job.say(f"face_confidence: training on {train} synthetic faces")
    images, landmarks = zip(*[render(seed, i) for i in range(train)])
    model = job.train(images, landmarks, seed=seed, mirror_points=job.tp.aam.mirror_of_68(), face_classifier=to_search)
    yield "synthetic", model, *map(list, zip(*[render(seed + 1, i) for i in range(test)])), seed


def fits_of(job: Job, name, model, images, landmarks, seed) -> list[dict]:
    """A case for each fit: to the faces from displaced starts, far from them, beside them, and in images without faces."""
    aam, random = job.tp.aam, np.random.default_rng([seed, len(images)])
    largest = max(2000, *(side for image in images for side in image.shape))
    fitter, features, cases = aam.Fitter(model, max_width=largest, max_height=largest, device=job.device), Features(model), []
    without = aam.Fitter(model, max_width=largest, max_height=largest, min_confidence=0, device=job.device)
    few = 1 if job.quick else 6

    def add(kind, image, start, truth=None):
        fit = fitter(image, start=start)
        error = None if truth is None else aam.shape_error(fit.landmarks, truth)
        lost = fit.status in ("lost_outside", "lost_contrast")
        cases.append({"data": name, "kind": kind, "features": None if lost else [round(f, 4) for f in features.of(fit)], "confidence": round(fit.confidence, 5),
                      "before": bool(without(image, start=start).found), "found": fit.found, "error": rounded(error, 4), "right": error is not None and error < RIGHT})

    def add_anywhere(kind, image, count, avoid=None):
        for _ in range(50 * count):
            side = min(image.shape) * random.uniform(0.1, 0.95)
            x, y = random.uniform(0, image.shape[1] - side), random.uniform(0, image.shape[0] - side)
            if avoid is not None and shared_area((x, y, side, side), avoid) > 0.1 * min(side * side, avoid[2] * avoid[3]):
                continue
            add(kind, image, aam.start_in_box(model, (x, y, side, side), image.shape[1], image.shape[0]))
            count -= 1
            if count == 0:
                return

    for image, truth in zip(images, landmarks):
        for start in aam.evaluation_starts(model.mean, truth):
            add("faces", image, start, truth)
    for image, truth in list(zip(images, landmarks))[: 10 * few]:
        x, y, w, h = box = aam.bounds(truth)
        add_anywhere("beside faces", image, few, box)
        for _ in range(few):
            scale, dx, dy = np.exp(random.uniform(-0.8, 0.8)), *random.uniform(-0.6, 0.6, 2)
            away = (x + w / 2 + dx * w - scale * w / 2, y + h / 2 + dy * h - scale * h / 2, scale * w, scale * h)
            if shared_area(away, (0, 0, image.shape[1], image.shape[0])) > 0:
                add("far starts", image, aam.start_in_box(model, away, image.shape[1], image.shape[0]), truth)
    for kind, image in negatives.procedural(seed, 10 * few):
        add_anywhere(kind, grey(image), few)
    for _, image in negatives.photographs(job):
        add_anywhere("photographs", grey(image), 20 * few)
    return cases


def grey(image: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.rint(image @ np.array([0.299, 0.587, 0.114])).astype(np.uint8))


def shared_area(a, b) -> float:
    across = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    down = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return max(0, across) * max(0, down)


def usable(cases):
    return [case for case in cases if case["features"] is not None]


def table_of(cases):
    kept = usable(cases)
    return np.array([case["features"] for case in kept]), np.array([case["right"] for case in kept])


def weights_of(cases):
    """Each kind of data counts as much as the others, and in each the right fits as much as the wrong ones."""
    keys = [(case["data"], case["right"]) for case in usable(cases)]
    counts = {key: keys.count(key) for key in set(keys)}
    return np.array([len(keys) / len(counts) / counts[key] for key in keys])


def left_out(cases) -> np.ndarray:
    """The confidence of each fit, by coefficients that the other kinds of data give."""
    result = np.zeros(len(cases))
    for name in {case["data"] for case in cases}:
        others = [case for case in cases if case["data"] != name]
        if not others:
            continue
        coefficients = calibration.fit(*table_of(others), weights=weights_of(others), ridge=RIDGE)
        for i, case in enumerate(cases):
            if case["data"] == name and case["features"] is not None:
                result[i] = calibration.probability(coefficients, np.array([case["features"]]))[0]
    return result


def balanced(cases, seed: int = 1):
    """As many right fits as wrong ones of each kind of data, which the confidence assumes."""
    random, chosen = np.random.default_rng(seed), []
    for name in sorted({case["data"] for case in cases}):
        right, wrong = ([case for case in cases if case["data"] == name and case["right"] == value] for value in (True, False))
        count = min(len(right), len(wrong))
        for group in (right, wrong):
            chosen += [group[i] for i in random.choice(len(group), count, replace=False)]
    return chosen


def rows_of(cases) -> list[dict]:
    empty = {item["key"]: None for item in COLUMNS}
    rows, even = [], balanced(cases)
    for title, key in (("as many right as wrong fits, the library's confidence", "confidence"), ("the same, by coefficients of the other data", "left_out")):
        rows += [{**empty, **row} for row in calibration.reliability(title, [case[key] for case in even], [case["right"] for case in even])]

    def share(group, key):
        return round(100 * float(np.mean([bool(case[key]) for case in group])), 2)

    groups = [(f"{name}: {kind}", [case for case in cases if (case["data"], case["kind"]) == (name, kind)])
              for name, kind in dict.fromkeys((case["data"], case["kind"]) for case in cases)]
    names = list(dict.fromkeys(case["data"] for case in cases))
    groups += [(f"{name}: right fits", [case for case in cases if case["data"] == name and case["right"]]) for name in names]
    groups += [(f"{name}: no face", [case for case in cases if case["data"] == name and case["error"] is None]) for name in names]
    groups += [("all: right fits", [case for case in cases if case["right"]]), ("all: no face", [case for case in cases if case["error"] is None])]
    for title, group in groups:
        if group:
            rows.append({**empty, "data": title, "count": len(group), "predicted": rounded(np.mean([case["confidence"] for case in group]), 3),
                         "observed": rounded(np.mean([case["right"] for case in group]), 3), "before": share(group, "before"), "found": share(group, "found"),
                         "right": share([{"both": case["found"] and case["right"]} for case in group], "both")})
    return rows
