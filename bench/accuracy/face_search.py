"""find_faces(): which faces it finds in whole images, and what else; and the coefficients of its confidence."""

from __future__ import annotations

import time

import numpy as np

import calibration
import face_confidence
import negatives
from common import Job, column, pillow, rounded

COLUMNS = [column("data", "model and images"), column("images", "images"), column("faces", "faces"), column("found", "found", "%"), column("false", "false finds per image"),
           column("left_out_found", "found, coefficients of the other folds", "%"), column("left_out_false", "false finds per image, the same"), column("ms", "search, median", "ms")]
SIZES = {"4 %": [0.04] * 3, "8 %": [0.08] * 3, "20 %": [0.2] * 2, "60 %": [0.6]}  # of pasted faces, in heights of the image
MIN_CONFIDENCE = 0.5  # the library's
NEGLIGIBLE = 0.001  # finds of less confidence are not kept: they are very many


def evaluate(job: Job):
    finds, images = [], []
    for fold, (name, model, unseen, landmarks, seed) in enumerate(face_confidence.models(job, to_search=True)):
        add_searches(job, name, fold, model, scenes(job, name, unseen, landmarks, seed), finds, images)
    if not images:
        return [], [], {}
    coefficients = coefficients_of(finds)
    if coefficients is not None:
        job.say("face_search: coefficients of all finds: constant {:.1f}, log odds of the fit {:.2f}, score {:.2f}".format(*coefficients))
    for fold in {find["fold"] for find in finds}:
        coefficients = coefficients_of([find for find in finds if find["fold"] != fold])
        for find in finds:
            if find["fold"] == fold:
                known = coefficients is not None
                find["left_out"] = round(float(calibration.probability(coefficients, np.array([find["features"]]))[0]), 4) if known else find["confidence"]
    return rows_of(finds, images), finds, {"min_confidence": MIN_CONFIDENCE, "right": f"mean error below {face_confidence.RIGHT} of the face size"}


def coefficients_of(finds):
    """Those that tell right finds from wrong ones; none where all are right, or all wrong."""
    features, right = table_of(finds)
    return calibration.fit(features, right, ridge=1e-4) if 0 < right.sum() < len(right) else None


def table_of(finds):
    return np.array([find["features"] for find in finds]), np.array([find["face"] is not None for find in finds])


def scenes(job: Job, name, images, landmarks, seed):
    """(kind, grey image, landmarks of its faces): unseen photographs, or unseen procedural faces pasted into images without faces; and images without."""
    random = np.random.default_rng([seed, 9])
    count = 2 if job.quick else 24
    if name == "synthetic":
        for kind, sizes in SIZES.items():
            for _ in range(max(1, count // 4)):
                yield f"pasted, {kind} of the height", *pasted(job, random, sizes, 480, 640)
    else:
        for i in range(0, len(images), max(1, len(images) // (count // 2))):
            yield "photographs", images[i], [landmarks[i]]
    for _, image in negatives.procedural(100 + seed, count // 2, 480, 640):
        yield "no face", face_confidence.grey(image), []
    for i in range(2 * count):
        yield "no face, textures", job.tp.aam.background_scene(1000 + seed, i, 640, 480), []
    for _, image in negatives.photographs(job):
        yield "no face", face_confidence.grey(image), []


def pasted(job: Job, random, sizes, height, width):
    """An image without faces into which faces of some sizes were put, side by side."""
    aam, make = job.tp.aam, list(negatives.KINDS.values())[random.integers(3)]
    image, truth = face_confidence.grey(make(random, height, width)), []
    for k, share in enumerate(sizes):
        face, landmarks = aam.render_face(aam.random_face(3, int(random.integers(10**6))), 256, 256)
        x, y, w, h = aam.bounds(landmarks)
        side = round(256 * share * height / np.sqrt(w * h))
        scale = side / 256
        small = np.asarray(pillow().Image.fromarray(face).resize((side, side), pillow().Image.LANCZOS))
        reach = 0.75 * share * height
        column_width = width / len(sizes)
        centre_x = column_width * (k + 0.5) + random.uniform(-1, 1) * max(0, column_width / 2 - reach)
        centre_y = random.uniform(min(reach, height / 2), max(height - reach, height / 2))
        left, top = int(centre_x - (x + w / 2) * scale), int(centre_y - (y + h / 2) * scale)
        x0, x1 = int(max(0, left, centre_x - reach)), int(min(width, left + side, centre_x + reach))
        y0, y1 = int(max(0, top, centre_y - reach)), int(min(height, top + side, centre_y + reach))
        image[y0:y1, x0:x1] = small[y0 - top : y1 - top, x0 - left : x1 - left]
        truth.append((landmarks + 0.5) * scale - 0.5 + (left, top))
    return image, truth


def add_searches(job: Job, name, fold, model, scenes_of_model, finds, images):
    aam, features = job.tp.aam, face_confidence.Features(model)
    for kind, image, truth in scenes_of_model:
        fitter = aam.Fitter(model, max_width=image.shape[1], max_height=image.shape[0], max_faces=64, device=job.device)
        began = time.perf_counter()
        found = aam.find_faces(fitter, image, min_confidence=NEGLIGIBLE)
        images.append({"model": name, "kind": kind, "number": len(images), "faces": len(truth), "ms": 1000 * (time.perf_counter() - began)})
        for fit in found:
            faces = [i for i, face in enumerate(truth) if aam.shape_error(fit.landmarks, face) < face_confidence.RIGHT]
            finds.append({"model": name, "fold": fold, "kind": kind, "image": len(images) - 1, "features": features_of(aam, model, features, image, fit), "confidence": round(fit.confidence, 4),
                          "face": faces[0] if faces else None})


def features_of(aam, model, features, image, find):
    """The log odds of the fit's own confidence, and the score of the classifier (src/fitter/find_faces.cpp)."""
    odds = face_confidence.log_odds(features.of(find))
    return [round(float(np.clip(odds, -6, 9)), 4), round(aam.face_score(model, image, find.landmarks), 4)]


def rows_of(finds, images) -> list[dict]:
    rows = []
    for model, kind in dict.fromkeys((image["model"], image["kind"]) for image in images):
        group = [image for image in images if (image["model"], image["kind"]) == (model, kind)]
        faces, row = sum(image["faces"] for image in group), {"data": f"{model}: {kind}", "images": len(group)}
        row["faces"], row["ms"] = faces, rounded(float(np.median([image["ms"] for image in group])), 0)
        for prefix, key in (("", "confidence"), ("left_out_", "left_out")):
            kept = [find for find in finds if (find["model"], find["kind"]) == (model, kind) and find[key] >= MIN_CONFIDENCE]
            right = {(find["image"], find["face"]) for find in kept if find["face"] is not None}
            row[prefix + "found"] = round(100 * len(right) / faces, 1) if faces else None
            row[prefix + "false"] = round(sum(find["face"] is None for find in kept) / len(group), 3)
        rows.append(row)
    return rows
