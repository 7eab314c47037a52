"""Calls release the GIL: other threads run in the middle of them, and two threads with two objects use two cores."""

import os
import sys
import sysconfig
import threading
import time

import numpy as np
import pytest

import triptych as tp


def runs_beside(call):
    """Whether another thread runs in the middle of a call. The interpreter does not switch threads by itself."""
    span, seen = [], []

    def work():
        span.append(time.perf_counter())
        call()
        span.append(time.perf_counter())

    thread = threading.Thread(target=work)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(100)
    try:
        thread.start()
        while thread.is_alive():
            seen.append(time.perf_counter())
            time.sleep(1e-4)
    finally:
        sys.setswitchinterval(interval)
    margin = 0.1 * (span[1] - span[0])
    return any(span[0] + margin < now < span[1] - margin for now in seen)


@pytest.fixture(scope="module")
def calls():
    """Calls of some milliseconds each, on one thread."""
    frame = np.zeros((4352, 8192, 3), np.uint8)
    skin = tp.skin.LinearFilter(0.01, 0, 0, 0)
    tracker = tp.skin.Tracker(skin, like=frame, device="cpu:1")
    human = tp.capsule.human()
    walk = tp.capsule.place_in_view(human, tp.capsule.make_walk(human, frames=1))
    cloud = tp.capsule.render_points(human.capsules(walk[0]), points=2000)
    body = tp.capsule.ParticleFilter(human, samples=200, device="cpu:1")
    body.start(walk[0])
    faces = [tp.aam.render_face(tp.aam.random_face(1, i), 256, 256) for i in range(8)]
    model = tp.aam.train(*zip(*faces))
    fitter = tp.aam.Fitter(model, device="cpu:1", always_step=True, max_iterations=300)
    numbers = np.ones(1 << 25, np.float32)
    reducer = tp.reduce.Reducer("cpu", threads=1, strategy="sequential")
    image, truth = faces[0]
    return {
        "tracker": lambda: tracker(frame),
        "moments": lambda: tp.skin.moments(frame, skin, threads=1),
        "filter": lambda: body(cloud),
        "render_points": lambda: tp.capsule.render_points(human.capsules(walk[0]), points=100_000),
        "fitter": lambda: fitter(image, start=truth),
        "train": lambda: tp.aam.train(*zip(*faces)),
        "sum": lambda: reducer.sum(numbers),
    }


@pytest.mark.parametrize("name", ["tracker", "moments", "filter", "render_points", "fitter", "train", "sum"])
def test_the_gil_is_released(calls, name):
    assert any(runs_beside(calls[name]) for _ in range(10))


FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


@pytest.mark.skipif(not FREE_THREADED, reason="this Python has the GIL")
def test_the_import_leaves_the_gil_off():
    assert not sys._is_gil_enabled()


def test_threads_share_an_object():
    """Calls of one object take turns: every result is that of one frame or the other, and none is lost."""
    scene = tp.skin.SyntheticScene(width=64, height=64, frames=2)
    frames = list(scene)
    tracker = tp.skin.Tracker(tp.skin.generic_skin_filter, device="cpu:1")
    expected = {tracker(frame).x_px for frame in frames}
    seen, reducer = [], tp.reduce.Reducer("cpu", threads=1)

    def work(frame):
        for _ in range(200):
            seen.append((tracker(frame).x_px, reducer.sum(np.ones(100, np.float32))))

    threads = [threading.Thread(target=work, args=(frames[i % 2],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 800 and {x for x, _ in seen} <= expected and {total for _, total in seen} == {100}


@pytest.mark.skipif(FREE_THREADED, reason="this Python has no GIL")
def test_a_call_that_keeps_the_gil_is_noticed():
    numbers = np.random.default_rng(1).random(200_000).tolist()
    assert not any(runs_beside(lambda: sorted(numbers)) for _ in range(3))


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="needs two cores")
def test_two_threads_use_two_cores():
    """Their processor time is more than the time that passes."""
    frames = np.zeros((1080, 1920, 3), np.uint8)
    trackers = [tp.skin.Tracker(tp.skin.generic_skin_filter, like=frames, device="cpu:1") for _ in range(2)]

    def cores_used():
        threads = [threading.Thread(target=lambda t=t: [t(frames) for _ in range(100)]) for t in trackers]
        wall, processor = time.perf_counter(), time.process_time()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return (time.process_time() - processor) / (time.perf_counter() - wall)

    if max(cores_used() for _ in range(5)) < 1.2:
        if os.getloadavg()[0] > 0.75 * (os.cpu_count() or 1):
            pytest.skip("other programs use the cores")
        pytest.fail("two threads did not use more than one core")
