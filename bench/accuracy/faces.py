"""Landmarks of faces: models trained on some people, fitted to others from five displaced starts."""

from __future__ import annotations

import time

import numpy as np

from common import Job, Unusable, add_picture, column, extremes, fold_tests, ground, have_pictures, mean, pillow, read_image, rounded

COLUMNS = [
    column("faces", "faces"), column("seed", "seed"), column("folds", "folds"), column("fits", "fits"), column("start_mean", "start, mean"),
    column("mean", "end, mean"), column("median", "median"), column("worst", "worst"), column("below_005", "below 0.05", "%"),
    column("interocular", "inter-ocular, mean", "%"), column("interocular_below_8", "inter-ocular below 8 %", "%"),
    column("lost", "lost"), column("fit_ms", "fit, median", "ms"), column("train_s", "training", "s"), column("offset_px", "landmark offset", "px"),
    column("unrefined_mean", "without refinement: mean"), column("unrefined_median", "median"), column("unrefined_below_005", "below 0.05", "%"),
    column("unrefined_fit_ms", "fit, median", "ms"),
]
EYE_CORNERS = {68: (36, 45), 73: (16, 24)}  # the outer ones, by the number of landmarks: 300-W, IMM


def interocular_error(shape: np.ndarray, truth: np.ndarray) -> float | None:
    """Mean distance of the landmarks over that of the outer eye corners, the unit of 300-W; None when the corners are not known."""
    if len(truth) not in EYE_CORNERS:
        return None
    left, right = EYE_CORNERS[len(truth)]
    return float(np.linalg.norm(shape - truth, axis=1).mean() / np.linalg.norm(truth[left] - truth[right]))


def evaluate(job: Job):
    rows, cases, kept = [], [], []
    for name, read, group, folds, last in sources(job):
        images, landmarks, names = read()
        groups = [group(face) for face in names]
        for seed in job.seeds_or([1]):
            tests = list(enumerate(fold_tests(groups, job.folds or min(folds, len(set(groups))))))
            new, train_s, offsets = [], [], []
            for fold, test in tests[-1:] if last or job.quick else tests:
                new += fit_fold(job, name, images, landmarks, names, fold, test, seed, train_s, offsets)
            kept += new
            cases += [case for case, _ in new]
            rows.append(summary(name, seed, len(train_s), [case for case, _ in new], train_s, offsets))
    for seed in job.seeds_or([1]):
        new, train_s, offsets = synthetic(job, seed)
        kept += new
        cases += [case for case, _ in new]
        rows.append(summary("synthetic", seed, 1, [case for case, _ in new], train_s, offsets))
    if kept and have_pictures(job):
        draw(job, kept)
    return rows, cases, {"starts per face": 5, "largest shift": "6 %", "scales": "0.94 to 1.06", "model": "default options"}


def sources(job: Job):
    """(name, reader of images, landmarks and names, person of a name, folds, whether the last fold alone is tested) of each folder."""
    if job.found("faces_imm/*.[jp][pn]g", "faces of known people are"):
        yield "IMM", lambda: load(job, "faces_imm"), lambda face: face.split("_")[0], 6, False
    if job.found("faces_wild/*.[jp][pn]g", "faces in the wild are"):
        yield "wild", lambda: load(job, "faces_wild"), lambda face: face, 4, job.folds is None


def load(job: Job, folder: str):
    pairs = job.tp.aam.find_pairs(job.data / folder, extensions=[".jpg", ".jpeg", ".png"])
    if job.quick:
        pairs = pairs[:: max(1, len(pairs) // 40)]
    job.say(f"faces: reading {folder}")
    examples = job.tp.aam.load_examples(pairs, reader=lambda path: read_image(path, "L"))
    return examples.images, examples.landmarks, [name.rsplit("/", 1)[-1].rsplit(".", 1)[0] for name in examples.names]


def fit_fold(job: Job, name, images, landmarks, names, fold, test, seed, train_s, offsets):
    chosen = set(test)
    training = [i for i in range(len(images)) if i not in chosen]
    if len(training) < 2 or not test:
        raise Unusable(f"{name}: {len(images)} faces are too few to train and to test")
    job.say(f"faces: {name}, fold {fold + 1}: training on {len(training)} faces, testing {len(test)}")
    began = time.perf_counter()
    model = job.train([images[i] for i in training], landmarks[training], seed=seed)
    train_s.append(time.perf_counter() - began)
    offsets.append(job.tp.aam.estimate_landmark_offset_px([images[i] for i in training], landmarks[training]))
    return fit_faces(job, model, [(name, names[i], images[i], landmarks[i], fold, seed) for i in test])


def fit_faces(job: Job, model, faces):
    """A case, and what a picture of it needs, for each face."""
    width, height = max(face[2].shape[1] for face in faces), max(face[2].shape[0] for face in faces)
    fitter = job.tp.aam.Fitter(model, max_width=width, max_height=height, device=job.device)
    unrefined = job.tp.aam.Fitter(model, max_width=width, max_height=height, refinement_steps=0, device=job.device)
    kept = []
    for name, face, image, truth, fold, seed in faces:
        starts = job.tp.aam.evaluation_starts(model.mean, truth)
        fits, without = ([each(image, start=start) for start in starts] for each in (fitter, unrefined))
        eyes = [interocular_error(fit.landmarks, truth) for fit in fits]
        case = {
            "faces": name, "face": face, "fold": fold + 1, "seed": seed,
            "start_errors": [round(job.tp.aam.shape_error(start, truth), 4) for start in starts],
            "errors": [round(job.tp.aam.shape_error(fit.landmarks, truth), 5) for fit in fits],
            "interocular": None if None in eyes else [round(100 * eye, 3) for eye in eyes],
            "found": sum(fit.found for fit in fits), "ms": [round(fit.latency_us / 1000, 3) for fit in fits],
            "unrefined_errors": [round(job.tp.aam.shape_error(fit.landmarks, truth), 5) for fit in without], "unrefined_ms": [round(fit.latency_us / 1000, 3) for fit in without],
        }
        kept.append((case, (image, truth, [fit.landmarks for fit in fits])))
    return kept


def synthetic(job: Job, seed: int):
    """Trained on the faces of a seed, tested on those of the next one."""
    train, test = (20, 5) if job.quick else (120, 20)
    render = lambda of, i: job.tp.aam.render_face(job.tp.aam.random_face(of, i), 256, 256)
    job.say(f"faces: training on {train} synthetic faces, testing {test}")
    images, landmarks = zip(*[render(seed, i) for i in range(train)])
    began = time.perf_counter()
    model = job.train(images, landmarks, seed=seed, mirror_points=job.tp.aam.mirror_of_68())
    train_s = time.perf_counter() - began
    offset = job.tp.aam.estimate_landmark_offset_px(images, landmarks, mirror_points=job.tp.aam.mirror_of_68())
    faces = [("synthetic", f"{seed + 1}_{i}", *render(seed + 1, i), 0, seed) for i in range(test)]
    return fit_faces(job, model, faces), [train_s], [offset]


def summary(name, seed, folds, cases, train_s, offsets):
    def gather(key):
        return np.array([value for case in cases for value in case[key] or []])

    errors, eyes, unrefined = gather("errors"), gather("interocular"), gather("unrefined_errors")
    return {
        "faces": name, "seed": seed, "folds": folds, "fits": len(errors), "start_mean": rounded(mean(gather("start_errors")), 4),
        "mean": rounded(errors.mean(), 4), "median": rounded(np.median(errors), 4), "worst": rounded(errors.max(), 4),
        "below_005": rounded(100 * np.mean(errors < 0.05), 1), "interocular": rounded(mean(eyes), 2),
        "interocular_below_8": rounded(100 * np.mean(eyes < 8), 1) if len(eyes) else None,
        "lost": len(errors) - sum(case["found"] for case in cases), "fit_ms": rounded(np.median(gather("ms")), 3), "train_s": rounded(mean(train_s), 1),
        "offset_px": rounded(mean(offsets), 2),
        "unrefined_mean": rounded(unrefined.mean(), 4), "unrefined_median": rounded(np.median(unrefined), 4),
        "unrefined_below_005": rounded(100 * np.mean(unrefined < 0.05), 1), "unrefined_fit_ms": rounded(np.median(gather("unrefined_ms")), 3),
    }


def draw(job: Job, kept, task: str = "faces"):
    """Faces of photos when there are any; true landmarks white, found ones green."""
    photos = [item for item in kept if item[0]["faces"] != "synthetic"] or kept
    fits = [(case, i, scene) for case, scene in photos for i in range(len(case["errors"]))]
    for kind, (case, i, (image, truth, shapes)) in extremes(fits, lambda fit: fit[0]["errors"][fit[1]]):
        x, y, w, h = job.tp.aam.bounds(truth)
        zoom, left, top = 320 / (1.4 * max(w, h)), x + w / 2 - 0.7 * max(w, h), y + h / 2 - 0.7 * max(w, h)
        picture = ground(job, image).transform((320, 320), pillow().Image.AFFINE, (1 / zoom, 0, left, 0, 1 / zoom, top), pillow().Image.BILINEAR)
        pen = pillow().ImageDraw.Draw(picture)
        for shape, colour in ((truth, (255, 255, 255)), (shapes[i], (40, 255, 40))):
            for px, py in (shape - (left, top)) * zoom:
                pen.ellipse((px - 2, py - 2, px + 2, py + 2), fill=colour)
        add_picture(job, task, kind, picture, f"{case['faces']} {case['face']}, start {i + 1}: error {case['errors'][i]:.4f}. True landmarks white, found ones green")
