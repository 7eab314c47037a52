"""triptych.capsule: rays, likelihoods, weights and resampling."""

import math

import numpy as np
import pytest

import triptych as tp

capsule = tp.capsule


def positive_roots(capsules, camera, direction):
    """For each capsule (entry, exit) of a unit ray, in double precision; nan where it is missed."""
    result = np.full((len(capsules), 2), np.nan)
    for i, (ax, ay, az, r, bx, by, bz) in enumerate(np.asarray(capsules, np.float64)):
        a, b = np.array([ax, ay, az]) - camera, np.array([bx, by, bz]) - camera
        hits = []
        for centre in (a, b):
            half = direction @ centre
            inner = half * half - centre @ centre + r * r
            if inner >= 0:
                hits += [half - np.sqrt(inner), half + np.sqrt(inner)]
        length = np.linalg.norm(b - a)
        if length > 0:
            c = (b - a) / length
            u, v = direction - (direction @ c) * c, a - (a @ c) * c
            p, q, s = u @ u, u @ v, v @ v - r * r
            if p > 0 and q * q - p * s >= 0:
                for t in ((q - np.sqrt(q * q - p * s)) / p, (q + np.sqrt(q * q - p * s)) / p):
                    if 0 <= t * (direction @ c) - a @ c <= length:
                        hits.append(t)
        if hits:
            result[i] = min(hits), max(hits)
    return result


def oracle(points, body, sigma, loss="squared", surface="closest", inside="exit_surface", tau_m=0.1, camera=(0, 0, 0)):
    camera = np.asarray(camera, np.float32).astype(np.float64)
    tau = float(np.float32(tau_m))
    terms = []
    for point, s in zip(points.astype(np.float64), np.broadcast_to(np.asarray(sigma, np.float64), len(points))):
        offset = point - camera
        distance = np.linalg.norm(offset)
        roots = positive_roots(body, camera, offset / distance)
        hits = []
        for entry, leave in roots:
            if entry > 0:
                hits.append(entry)
            elif leave > 0 and inside == "exit_surface":
                hits.append(leave)
        if not hits:
            d = tau
        elif surface == "first":
            d = min(abs(min(hits) - distance), tau)
        else:
            d = min(min(abs(hit - distance) for hit in hits), tau)
        terms.append(-d * d / (2 * s * s) if loss == "squared" else -d / s)
    return math.fsum(terms)


@pytest.fixture(scope="module")
def scene():
    """Points on a human, and ten bodies near it."""
    rng = np.random.default_rng(3)
    human = capsule.human()
    walk = capsule.place_in_view(human, capsule.make_walk(human, frames=10))
    points = capsule.render_points(human.capsules(walk[4]), points=150, outliers=0.2, noise_m=0.02)
    poses = walk.poses + rng.normal(0, 0.01, walk.shape).astype(np.float32)
    return points, human.capsules(poses)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("surface", ["closest", "first"])
def test_against_numpy(scene, loss, surface):
    points, bodies = scene
    got = capsule.log_likelihood(points, bodies[:3], loss=loss, surface=surface, tau_m=0.2, camera=(0.02, -0.05, 0.1))
    assert got.shape == (3,) and got.dtype == np.float64
    for value, body in zip(got, bodies):
        wanted = oracle(points, body, np.float32(0.03), loss, surface, tau_m=0.2, camera=(0.02, -0.05, 0.1))
        assert value == pytest.approx(wanted, rel=1e-4)


def test_a_sigma_for_each_point(scene):
    points, bodies = scene
    sigma = np.linspace(0.02, 0.1, len(points)).astype(np.float32)
    for loss in ("squared", "absolute"):
        got = capsule.log_likelihood(points, bodies[:2], sigma, loss=loss)
        for value, body in zip(got, bodies):
            assert value == pytest.approx(oracle(points, body, sigma, loss), rel=1e-4)


def test_a_camera_inside(rng):
    ball = np.array([[[0, 0, 0, 0.5, 0, 0, 0]]], np.float32)
    points = np.array([[0, 0, 0.52], [0.1, 0, 0.45]], np.float32)
    for inside in ("exit_surface", "ignore"):
        got = capsule.log_likelihood(points, ball, inside=inside)
        assert got[0] == pytest.approx(oracle(points, ball[0], np.float32(0.03), inside=inside), rel=1e-5)


def test_all_ways_give_the_same_bits(scene, rng):
    points, bodies = scene
    wanted = capsule.log_likelihood(points, bodies)
    assert np.array_equal(wanted, capsule.log_likelihood(points, bodies, method="brute"))
    assert np.array_equal(wanted, capsule.log_likelihood(points[rng.permutation(len(points))], bodies))
    for threads in (1, 2, 3):
        assert np.array_equal(wanted, capsule.log_likelihood(points, bodies, threads=threads))
    rays = capsule.Rays(points)
    assert np.array_equal(wanted, rays.log_likelihood(bodies))
    assert np.array_equal(wanted, rays.log_likelihood(bodies, method="brute"))
    assert np.array_equal(wanted, [rays.log_likelihood(body[None])[0] for body in bodies])
    assert np.array_equal(wanted[::2], rays.log_likelihood(bodies[::2]))  # rows that lie apart, without a copy
    wide = np.zeros((10, 50, 7), np.float32)
    wide[:, :40] = bodies
    assert np.array_equal(wanted, rays.log_likelihood(wide[:, :40]))
    frozen = bodies.copy()
    frozen.flags.writeable = False
    assert np.array_equal(wanted, rays.log_likelihood(frozen))
    assert rays.log_likelihood(bodies[:0]).shape == (0,)
    rays.set(points[:50])
    assert np.array_equal(rays.log_likelihood(bodies), capsule.log_likelihood(points[:50], bodies))


def test_rays(scene):
    points, _ = scene
    bad = np.vstack([points, [[np.nan, 0, 1], [0, 0, -1], [0, np.inf, 1]]]).astype(np.float32)
    rays = capsule.Rays(bad, tau_m=0.2, sigma_m=0.05)
    assert (rays.points.used, rays.points.not_finite, rays.points.not_in_front) == (150, 2, 1) and len(rays) == 150
    assert rays.max_loss == pytest.approx(150 * 0.2**2 / (2 * 0.05**2), rel=1e-5)
    assert rays.device == "cpu" and "150 points used" in repr(rays)
    nothing = np.array([[[0, 0, -5, 0.1, 0, 0, -5]]], np.float32)  # behind the camera
    assert rays.log_likelihood(nothing)[0] == pytest.approx(-rays.max_loss, rel=1e-9)
    cloud = capsule.cloud_from_depth(np.full((3, 4), 900, np.uint16), (300, 300, 2, 1))
    assert len(capsule.Rays(cloud)) == 12
    assert len(capsule.Rays(points[:0])) == 0


# ---- weights

def test_weights_without_tempering(rng):
    values = rng.normal(-100, 3, 500)
    tempering = capsule.temper(values)
    exact = np.exp(values - values.max()) * 2**24
    assert tempering.weights.dtype == np.uint32 and tempering.weights.shape == (500,) and len(tempering) == 500
    assert np.abs(tempering.weights - exact).max() <= 1
    assert tempering.beta == 1 and tempering.best == values.argmax() and tempering.highest == values.max()
    w = tempering.weights.astype(np.float64)
    assert tempering.total == int(w.sum())
    squares = ((tempering.weights >> 4).astype(np.float64) ** 2).sum() * 256  # squared without their last 4 bits
    assert tempering.effective_samples == pytest.approx(w.sum() ** 2 / squares, rel=1e-9)


def test_tempering_keeps_samples_effective(rng):
    values = rng.normal(-100, 30, 500)
    tempering = capsule.temper(values, 50)
    assert 0 < tempering.beta < 1 and tempering.effective_samples >= 50
    exact = np.exp(tempering.beta * (values - values.max())) * 2**24
    assert np.abs(tempering.weights - exact).max() <= 8
    sharper = np.exp(tempering.beta * (1 + 2**-8) * (values - values.max()))
    assert sharper.sum() ** 2 / (sharper**2).sum() < 50  # the largest beta
    assert np.array_equal(capsule.temper(values.tolist(), 50).weights, tempering.weights)
    assert capsule.temper([-np.inf, np.nan]).weights[0] == capsule.temper([-np.inf, np.nan]).weights[1]
    assert capsule.temper([0.0, -np.inf, np.nan]).weights.tolist() == [2**24, 0, 0]


def test_resampling(rng):
    weights = rng.integers(0, 2**24, 300).astype(np.uint32)
    weights[::7] = 0
    for count in (None, 1000):
        rows = 300 if count is None else count
        ancestors = capsule.resample(weights, 123456789, count)
        assert ancestors.shape == (rows,) and ancestors.dtype == np.int32
        assert np.all(np.diff(ancestors) >= 0)
        drawn = np.bincount(ancestors, minlength=300)
        exact = rows * weights.astype(np.float64) / weights.sum(dtype=np.float64)
        assert np.all(drawn >= np.floor(exact)) and np.all(drawn <= np.ceil(exact))
    assert not np.array_equal(capsule.resample(weights, 0, 1000), capsule.resample(weights, 2**31, 1000))


# ---- errors

POINTS = np.array([[0, 0, 1], [0, 0.1, 1]], np.float32)
BODIES = np.array([[[0, 0, 1, 0.1, 0, 0, 1]]], np.float32)


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda: capsule.log_likelihood(POINTS.astype(float), BODIES),
            r"^points: expected float32 of shape \(n, 3\), not float64",
        ),
        (lambda: capsule.log_likelihood(POINTS[0], BODIES), "^points: expected float32 of shape"),
        (lambda: capsule.log_likelihood(POINTS[:, ::-1], BODIES), "^points: the array must be contiguous"),
        (lambda: capsule.log_likelihood([[0, 0, 1]], BODIES), "^points: expected an array"),
        (
            lambda: capsule.log_likelihood(POINTS, BODIES[0]),
            r"^bodies: expected float32 of shape \(bodies, capsules, 7\), not",
        ),
        (lambda: capsule.log_likelihood(POINTS, BODIES.astype(float)), "^bodies: expected float32"),
        (lambda: capsule.log_likelihood(POINTS, "bodies"), "^bodies: expected an array"),
        (lambda: capsule.log_likelihood(POINTS, np.zeros((2, 3, 14), np.float32)[..., ::2]), "^bodies: .*contiguous"),
        (lambda: capsule.log_likelihood(POINTS, np.zeros((2, 6, 7), np.float32)[:, ::2]), "^bodies: .*contiguous"),
        (lambda: capsule.log_likelihood(POINTS, BODIES[::-1][[0, 0]][::-1]), "^bodies: .*contiguous"),
        (lambda: capsule.log_likelihood(POINTS, np.full((1, 1, 7), np.nan, np.float32)), "capsule"),
        (lambda: capsule.log_likelihood(POINTS, -BODIES), "capsule"),
        (
            lambda: capsule.log_likelihood(POINTS, BODIES, np.ones(3, np.float32)),
            r"^sigma: expected float32 of shape \(2,\)",
        ),
        (lambda: capsule.log_likelihood(POINTS, BODIES, np.zeros(2, np.float32)), "sigma"),
        (lambda: capsule.log_likelihood(POINTS, BODIES, np.full(2, np.nan, np.float32)), "sigma"),
        (
            lambda: capsule.log_likelihood(POINTS, BODIES, method="magic"),
            "^method: 'magic' is none of 'culled', 'brute', 'tiled'",
        ),
        (lambda: capsule.log_likelihood(POINTS, BODIES, method="tiled"), "tiled"),
        (lambda: capsule.log_likelihood(POINTS, BODIES, loss="no"), "^loss: "),
        (lambda: capsule.log_likelihood(POINTS, BODIES, tau_m=0), "tau"),
        (lambda: capsule.log_likelihood(POINTS, BODIES, out=np.zeros(1)), "^out: it is for arrays on a GPU"),
        (lambda: capsule.Rays(POINTS, camera=(0, 0)), "^camera: expected three numbers"),
        (lambda: capsule.Rays(POINTS, sigma_m=-1), "sigma"),
        (lambda: capsule.Rays(POINTS).set(POINTS[:, :2]), "^points: "),
        (lambda: capsule.Rays(POINTS).log_likelihood(POINTS), "^bodies: "),
        (lambda: capsule.temper(np.zeros((2, 2))), "^log_likelihoods: expected numbers of shape"),
        (lambda: capsule.temper("no"), "^log_likelihoods: "),
        (lambda: capsule.temper([0.0], -1), "^target_effective_samples: "),
        (lambda: capsule.temper([0.0], float("nan")), "^target_effective_samples: "),
        (lambda: capsule.resample(np.zeros(3, np.uint32), 1), "^weights: "),
        (lambda: capsule.resample(np.full(3, 2**25, np.uint32), 1), "^weights: "),
        (lambda: capsule.resample(np.ones(3), 1), "^weights: expected uint32, not float64"),
        (lambda: capsule.resample(np.ones((3, 1), np.uint32), 1), "^weights: "),
        (lambda: capsule.resample(np.ones(6, np.uint32)[::2], 1), "^weights: the array must be contiguous"),
        (lambda: capsule.resample(np.ones(3, np.uint32), 1, -1), "^count: "),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(tp.InvalidArgument, match=message):
        call()


def test_a_failed_set_leaves_the_rays(scene):
    points, bodies = scene
    rays = capsule.Rays(points)
    wanted = rays.log_likelihood(bodies)
    with pytest.raises(tp.InvalidArgument):
        rays.set(points, np.zeros(len(points), np.float32))
    assert np.array_equal(rays.log_likelihood(bodies), wanted)
