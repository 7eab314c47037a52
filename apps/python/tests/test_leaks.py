"""100,000 calls of each kind leave the memory as it was; of those that take long, fewer calls leave as much less behind."""

import functools
import gc
import os

import numpy as np
import pytest

import triptych as tp


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grown(call, calls):
    """Bytes by which the process has grown in the second half of the calls; the first half fills caches."""
    for _ in range(calls // 2):
        call()
    gc.collect()
    before = resident_bytes()
    for _ in range(calls // 2):
        call()
    gc.collect()
    return resident_bytes() - before


def largest_growth(calls):
    """21 bytes a call: the least that malloc() gives is more."""
    return (1 << 20) * calls // 100_000


def bad_call(x):
    try:
        tp.reduce.sum(x, strategy="no such")
    except tp.InvalidArgument:
        pass


X = np.ones(64, np.float32)
A = np.ones((4, 16), np.float32)


@pytest.mark.parametrize(
    "call, calls",
    [
        (lambda: tp.reduce.sum(X), 100_000),
        (lambda: tp.reduce.moments(X).std, 100_000),
        (lambda: tp.reduce.row_sums(A), 100_000),
        (lambda: bad_call(X), 40_000),
    ],
    ids=["sum", "moments", "row_sums", "an error"],
)
def test_reduce(call, calls):
    assert grown(call, calls) < largest_growth(calls)


@functools.cache
def tiny_objects(device):
    """A call of each object, with inputs so small that 100,000 calls take seconds."""
    frame = np.zeros((16, 16, 3), np.uint8)
    tracker = tp.skin.Tracker(tp.skin.generic_skin_filter, like=frame, device=device)
    human = tp.capsule.human()
    walk = tp.capsule.place_in_view(human, tp.capsule.make_walk(human, frames=1))
    cloud = tp.capsule.render_points(human.capsules(walk[0]), points=4)
    body = tp.capsule.ParticleFilter(human, samples=2, layers=1, max_points=4, device=device)
    body.start(walk[0])
    faces = [tp.aam.render_face(tp.aam.random_face(1, i), 256, 256) for i in range(4)]
    model = tp.aam.train(*zip(*faces), levels=[{"pixels": 16, "iterations": 1}], appearance_pixels=0)
    fitter = tp.aam.Fitter(model, refinement_steps=0, device=device)
    refining = tp.aam.Fitter(model, device=device)
    image, truth = faces[0]
    return {
        "Tracker": lambda: tracker(frame).ellipse,
        "locate": lambda: tp.skin.locate(frame, tp.skin.generic_skin_filter),
        "joints": lambda: human.joints(walk[0]),
        "ParticleFilter": lambda: body(cloud).joints,
        "Fitter": lambda: fitter(image, start=truth).landmarks,
        "refining Fitter": lambda: refining(image, start=truth).landmarks,
    }


@pytest.mark.parametrize("name", ["Tracker", "locate", "joints", "ParticleFilter", "Fitter", "refining Fitter"])
def test_objects(name):
    if name == "refining Fitter":  # 1.5 ms each; what a call takes has kilobytes
        assert grown(tiny_objects("cpu:1")[name], 4_000) < 1 << 20
    else:
        calls = 30_000 if name == "ParticleFilter" else 100_000
        assert grown(tiny_objects("cpu:1")[name], calls) < largest_growth(calls)


def test_on_a_gpu(cuda):
    x = cuda.ones(1000, device="cuda")
    a = cuda.ones(4, 16, device="cuda")
    for call in (lambda: tp.reduce.sum(x), lambda: cuda.from_dlpack(tp.reduce.row_sums(a))):
        call()
        cuda.cuda.synchronize()
        free = cuda.cuda.mem_get_info()[0]
        assert grown(call, 100_000 if call.__code__.co_names[0] == "tp" else 10_000) < 4 << 20
        cuda.cuda.synchronize()
        assert cuda.cuda.mem_get_info()[0] == free
