"""Confidence: a logistic function of few features, fitted to right and wrong results, and how far it can be trusted."""

from __future__ import annotations

import numpy as np

from common import Unusable, column

RELIABILITY_COLUMNS = [column("data", "results"), column("bin", "confidence"), column("count", "results in the bin"), column("predicted", "mean confidence"),
                       column("observed", "share that is right")]
ALARM_COLUMNS = [column("data", "data"), column("count", "cases"), column("found", "found", "%"), column("right", "found and right", "%"),
                 column("confidence", "confidence, median")]


def probability(coefficients: np.ndarray, features: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-(c0 + c1 f1 + ...))) of each row of features."""
    return 1 / (1 + np.exp(-np.clip(coefficients[0] + np.asarray(features, float) @ coefficients[1:], -700, 700)))


def fit(features, right, weights=None, ridge: float = 1e-3) -> np.ndarray:
    """The coefficients [constant, one per feature] of the largest likelihood, by Newton's method. ridge penalises the squares of the coefficients of
    standardised features, per case, so that data which can be separated give finite ones. weights: of the cases, for kinds that are too few or too many."""
    features, right = np.asarray(features, float), np.asarray(right, float)
    if features.ndim != 2 or len(features) != len(right) or not np.isfinite(features).all():
        raise Unusable("a calibration needs a finite row of features for each case")
    if not 0 < right.sum() < len(right):
        raise Unusable("a calibration needs right and wrong cases")
    weights = np.ones(len(right)) if weights is None else np.asarray(weights, float)
    centre, scale = features.mean(0), features.std(0) + 1e-12
    x = np.column_stack([np.ones(len(right)), (features - centre) / scale])
    penalty = ridge * weights.sum() * np.diag([0.0] + [1.0] * features.shape[1])
    c = np.zeros(x.shape[1])

    def loss(c):
        z = x @ c
        return weights @ (np.logaddexp(0, z) - right * z) + 0.5 * c @ penalty @ c

    for _ in range(100):
        p = probability(c, x[:, 1:])
        step = np.linalg.solve((x * (weights * p * (1 - p))[:, None]).T @ x + penalty + 1e-12 * np.eye(len(c)), x.T @ (weights * (p - right)) + penalty @ c)
        size = 1.0
        while size > 1e-6 and loss(c - size * step) > loss(c):
            size /= 2
        c = c - size * step
        if np.abs(size * step).max() < 1e-9:
            break
    slopes = c[1:] / scale
    return np.concatenate([[c[0] - centre @ slopes], slopes])


def held_out(features, right, groups, folds: int = 5, weights=None, **options) -> np.ndarray:
    """The probability of each case, by coefficients fitted without its group (a person, a video): what a calibration gives on data it has not met."""
    features, groups = np.asarray(features, float), np.asarray(groups)
    weights = np.ones(len(features)) if weights is None else np.asarray(weights, float)
    names = sorted(set(groups.tolist()))
    result = np.empty(len(features))
    for fold in range(min(folds, len(names))):
        test = np.isin(groups, names[fold::folds])
        result[test] = probability(fit(features[~test], np.asarray(right)[~test], weights[~test], **options), features[test])
    return result


def reliability(data: str, confidence, right, bins: int = 10) -> list[dict]:
    """Rows of a reliability table: in each bin of the confidence, the mean confidence and the share that is right."""
    confidence, right = np.asarray(confidence, float), np.asarray(right, bool)
    index = np.minimum((confidence * bins).astype(int), bins - 1)
    return [{"data": data, "bin": f"{i / bins:.1f} to {(i + 1) / bins:.1f}", "count": int(inside.sum()), "predicted": round(float(confidence[inside].mean()), 3),
             "observed": round(float(right[inside].mean()), 3)} for i in range(bins) if (inside := index == i).any()]


def alarms(data: str, confidence, found, right=None) -> dict:
    """A row that says how many cases were found; right None: negatives, where every find is a false alarm."""
    found = np.asarray(found, bool)
    correct = None if right is None else round(100 * float((found & np.asarray(right, bool)).mean()), 2)
    return {"data": data, "count": len(found), "found": round(100 * float(found.mean()), 2), "right": correct, "confidence": round(float(np.median(confidence)), 4)}
