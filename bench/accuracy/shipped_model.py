"""The model that ships, trained on procedural faces alone, on photographs: five displaced starts for every face."""

from __future__ import annotations

import numpy as np

import faces
from common import Job, Unusable, column, have_pictures, mean, rounded

COLUMNS = [
    column("faces", "faces"), column("points", "points"), column("fits", "fits"), column("start_mean", "start, mean"), column("mean", "end, mean"),
    column("median", "median"), column("worst", "worst"), column("below_005", "below 0.05", "%"), column("interocular", "inter-ocular, mean", "%"),
    column("interocular_below_8", "inter-ocular below 8 %", "%"), column("lost", "lost"), column("fit_ms", "fit, median", "ms"),
]
# IMM has 73 other landmarks. Those that mean the same place, as (indices of 300-W, index of IMM); several indices: their mean. The rims of the jaw
# and of the brows have other divisions and are left out, but for their ends and the chin.
IMM_POINTS = [
    ((36,), 16), ((39,), 20), ((42,), 28), ((45,), 24), ((37, 38), 18), ((40, 41), 22), ((43, 44), 30), ((46, 47), 26),  # corners and lids of the eyes
    ((17,), 0), ((21,), 4), ((22,), 12), ((26,), 8),  # ends of the brows
    ((31,), 41), ((33,), 39), ((35,), 37),  # base of the nose
    ((48,), 46), ((54,), 52), ((50,), 48), ((51,), 49), ((52,), 50), ((57,), 54), ((62,), 57), ((66,), 60),  # mouth
    ((8,), 67),  # chin
]


def common_points(shape: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The landmarks of a fit and of the truth that mean the same places."""
    if len(shape) == len(truth):
        return shape, truth
    if (len(shape), len(truth)) != (68, 73):
        raise Unusable(f"faces of {len(truth)} landmarks cannot be compared with fits of {len(shape)}: 68 and 73 can")
    return np.array([shape[list(ours)].mean(axis=0) for ours, _ in IMM_POINTS]), truth[[theirs for _, theirs in IMM_POINTS]]


def errors_of(aam, shape: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """Mean distance of the common landmarks, over the size of the truth's box, and over the distance of its outer eye corners."""
    ours, theirs = common_points(shape, truth)
    distance = float(np.linalg.norm(ours - theirs, axis=1).mean())
    left, right = faces.EYE_CORNERS[len(truth)]
    return distance / aam.face_size(truth), distance / float(np.linalg.norm(truth[left] - truth[right]))


def evaluate(job: Job):
    loaded = [(name, *read()) for name, read, _, _, _ in faces.sources(job)]
    if not loaded:
        return [], [], {}
    model = job.tp.aam.default_model()
    rows, cases, kept = [], [], []
    for name, images, landmarks, names in loaded:
        new = fit_all(job, model, name, images, landmarks, names)
        kept += new
        cases += [case for case, _ in new]
        mine = [case for case, _ in new]
        rows.append(summary(name, mine))
        if name == "wild":
            rows += [summary("wild, the half that the procedural faces were chosen with", mine[::2]), summary("wild, the other half", mine[1::2])]
    if kept and have_pictures(job):
        faces.draw(job, kept, "shipped_model")
    return rows, cases, {"starts per face": 5, "largest shift": "6 %", "scales": "0.94 to 1.06", "IMM": f"{len(IMM_POINTS)} common points", "model": model.name}


def fit_all(job: Job, model, name, images, landmarks, names):
    """A case, and what a picture of it needs, for each face."""
    aam = job.tp.aam
    fitter = aam.Fitter(model, max_width=max(image.shape[1] for image in images), max_height=max(image.shape[0] for image in images), device=job.device)
    kept = []
    for image, truth, face in zip(images, landmarks, names):
        starts = aam.evaluation_starts(model.mean, truth)
        fits = [fitter(image, start=start) for start in starts]
        ends = [errors_of(aam, fit.landmarks, truth) for fit in fits]
        case = {
            "faces": name, "face": face, "points": len(common_points(model.mean, truth)[0]),
            "start_errors": [round(errors_of(aam, start, truth)[0], 4) for start in starts], "errors": [round(error, 5) for error, _ in ends],
            "interocular": [round(100 * eyes, 3) for _, eyes in ends], "found": sum(fit.found for fit in fits), "ms": [round(fit.latency_us / 1000, 3) for fit in fits],
        }
        kept.append((case, (image, truth, [fit.landmarks for fit in fits])))
    return kept


def summary(name, cases):
    def gather(key):
        return np.array([value for case in cases for value in case[key]])

    errors, eyes = gather("errors"), gather("interocular")
    return {
        "faces": name, "points": cases[0]["points"], "fits": len(errors), "start_mean": rounded(mean(gather("start_errors")), 4), "mean": rounded(errors.mean(), 4),
        "median": rounded(np.median(errors), 4), "worst": rounded(errors.max(), 4), "below_005": rounded(100 * np.mean(errors < 0.05), 1),
        "interocular": rounded(mean(eyes), 2), "interocular_below_8": rounded(100 * np.mean(eyes < 8), 1), "lost": len(errors) - sum(case["found"] for case in cases),
        "fit_ms": rounded(np.median(gather("ms")), 3),
    }
