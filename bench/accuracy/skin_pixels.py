"""Skin pixels: every classifier, trained on a random half and tested on the other."""

from __future__ import annotations

import time

import numpy as np

from common import Job, add_picture, column, extremes, have_pictures, pillow

COLUMNS = [
    column("data", "data"), column("classifier", "classifier"), column("seed", "seed"), column("pixels", "test pixels"),
    column("accuracy", "accuracy"), column("precision", "precision"), column("recall", "recall"), column("f1", "F1"), column("train_s", "training", "s"),
]


def evaluate(job: Job):
    skin, rows, cases, kept = job.tp.skin, [], [], []
    for path in job.found("skin_uci/*.csv", "skin pixels are"):
        colours, labels = skin.read_labelled_pixels(path)
        if job.quick:
            colours, labels = np.ascontiguousarray(colours[::20]), np.ascontiguousarray(labels[::20])
        for seed in job.seeds_or([1, 2, 3]):
            train, test = skin.split_in_halves(colours, labels, seed)
            for name in skin.classifier_names():
                began = time.perf_counter()
                classifier = skin.train_classifier(name, *train)
                seconds = time.perf_counter() - began
                result = skin.evaluate(classifier, *test)
                job.say(f"skin: {name}, seed {seed}: accuracy {result.accuracy:.4f}")
                scores = {key: round(getattr(result, key), 6) for key in ("accuracy", "precision", "recall", "f1")}
                rows.append({"data": path.stem, "classifier": name, "seed": seed, "pixels": len(test[1]), **scores, "train_s": round(seconds, 3)})
                counts = {key: getattr(result, key) for key in ("true_skin", "false_skin", "true_other", "false_other")}
                cases.append({"data": path.stem, "classifier": name, "seed": seed, "error": round(1 - result.accuracy, 6), **counts})
                kept.append((cases[-1], classifier, test))
    if kept and have_pictures(job):
        for kind, (case, classifier, test) in extremes(kept, lambda item: item[0]["error"]):
            add_picture(job, "skin", kind, mosaic(skin, classifier, *test), f"{case['classifier']}, seed {case['seed']}: "
                        f"{100 * case['error']:.2f} % wrong. Colours of test pixels: skin found, skin missed, other called skin, other")
    return sorted(rows, key=lambda row: (row["data"], skin.classifier_names().index(row["classifier"]), row["seed"])), cases, {"half held out": "at random"}


def mosaic(skin, classifier, colours, labels):
    """Up to 24 x 24 colours of each of the four outcomes, side by side."""
    called = skin.weight(classifier, colours) >= 0.5
    side, random = 24, np.random.default_rng(1)
    picture = np.full((side, 4 * side + 3, 3), 255, np.uint8)
    for i, group in enumerate((labels & called, labels & ~called, ~labels & called, ~labels & ~called)):
        some = random.permutation(colours[group])[: side * side]
        patch = np.full((side * side, 3), 255, np.uint8)
        patch[: len(some)] = some
        picture[:, i * (side + 1) : i * (side + 1) + side] = patch.reshape(side, side, 3)
    image = pillow().Image.fromarray(picture)
    return image.resize((4 * image.width, 4 * image.height), pillow().Image.NEAREST)
