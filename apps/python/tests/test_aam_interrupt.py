"""Ctrl-C stops a training within about a second."""

import os
import signal
import threading
import time

import pytest

from triptych import aam


@pytest.fixture(scope="module")
def faces():
    return zip(*[aam.render_face(aam.random_face(3, i)) for i in range(120)])


def test_ctrl_c_stops_a_long_training(faces):
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals are handled by the main thread")
    images, landmarks = faces
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    small = {"levels": [{"pixels": 64}], "appearance_pixels": 0}
    before = aam.train(images[:4], landmarks[:4], **small)
    try:
        for delay in (0.2, 1.5):
            sent = []

            def send(sent=sent):
                sent.append(time.perf_counter())
                os.kill(os.getpid(), signal.SIGINT)

            timer = threading.Timer(delay, send)
            timer.start()
            with pytest.raises(KeyboardInterrupt):
                # 4800 starts: minutes, of which a factorisation takes seconds.
                aam.train(images, landmarks, displacements={"per_face": 20})
            stopped = time.perf_counter() - sent[0]
            timer.join()
            assert stopped < 2, f"{stopped} s after the signal"  # a second, and as much for a busy machine
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, handler)
    assert aam.train(images[:4], landmarks[:4], **small) == before
