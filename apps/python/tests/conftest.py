"""What the tests share: random numbers, and GPUs when there are any."""

import os

import numpy as np
import pytest

import triptych as tp


@pytest.fixture
def rng():
    return np.random.default_rng(1)


class OnlyDlpack:
    """An array of another library: all it has is DLPack."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **keywords):
        return self.values.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.fixture
def only_dlpack():
    return OnlyDlpack


@pytest.fixture(scope="session")
def cuda():
    """torch, on a machine where Triptych and torch both can use a GPU; skips otherwise."""
    missing = None
    if not tp.cuda_available():
        missing = tp.cuda_unavailable_reason()
    else:
        try:
            import torch
        except ImportError:
            missing = "torch is not installed"
        else:
            if not torch.cuda.is_available():
                missing = "torch sees no GPU"
    if missing is None:
        return torch
    if os.environ.get("TRIPTYCH_REQUIRE_GPU"):
        pytest.fail(f"TRIPTYCH_REQUIRE_GPU is set: {missing}")
    pytest.skip(missing)
    return None


@pytest.fixture(scope="session")
def cupy(cuda):
    """CuPy, on a machine with a GPU; skips otherwise."""
    return pytest.importorskip("cupy")
