"""100,000 calls of each kind leave the memory as it was."""

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


def bad_call(x):
    try:
        tp.reduce.sum(x, strategy="no such")
    except tp.InvalidArgument:
        pass


X = np.ones(64, np.float32)
A = np.ones((4, 16), np.float32)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tp.reduce.sum(X),
        lambda: tp.reduce.moments(X).std,
        lambda: tp.reduce.row_sums(A),
        lambda: bad_call(X),
    ],
    ids=["sum", "moments", "row_sums", "an error"],
)
def test_reduce(call):
    assert grown(call, 100_000) < 1 << 20


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
