"""What is taken as an array, errors and devices."""

import array
import resource
import subprocess
import sys

import numpy as np
import pytest

import triptych as tp


def test_buffers_of_all_kinds():
    x = np.arange(10.0)
    read_only = x.copy()
    read_only.flags.writeable = False
    for like in (x, read_only, memoryview(x), memoryview(read_only), array.array("d", x.tolist()), x.reshape(2, 5)):
        assert tp.reduce.sum(like) == 45.0


class OnlyArray:
    def __array__(self, dtype=None, copy=None):
        return np.arange(10.0)


def test_arrays_of_other_libraries(only_dlpack):
    assert tp.reduce.sum(OnlyArray()) == 45.0
    assert tp.reduce.sum(only_dlpack(np.arange(10.0))) == 45.0


def test_torch_on_the_host():
    torch = pytest.importorskip("torch")
    assert tp.reduce.sum(torch.arange(10, dtype=torch.float64)) == 45.0


def test_nothing_is_copied():
    """The largest memory of the process does not grow while 256 MB are summed."""
    x = np.ones(1 << 26, np.float32)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert tp.reduce.sum(x) == 1 << 26
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kB


def test_the_hierarchy_of_errors():
    assert issubclass(tp.InvalidArgument, ValueError) and issubclass(tp.InvalidArgument, tp.Error)
    assert issubclass(tp.Unavailable, RuntimeError) and issubclass(tp.Unavailable, tp.Error)
    assert issubclass(tp.ParseError, ValueError) and issubclass(tp.ParseError, tp.Error)
    assert issubclass(tp.CudaError, RuntimeError) and issubclass(tp.CudaError, tp.Error)
    assert issubclass(tp.CalibrationError, tp.Error)
    for kind in (tp.Error, tp.InvalidArgument, tp.Unavailable, tp.ParseError, tp.CudaError, tp.CalibrationError):
        assert kind.__module__ == "triptych" and kind.__doc__


def test_devices():
    assert tp.devices()[0] == "cpu"
    assert "cores" in tp.describe_device("cpu") or "core" in tp.describe_device("cpu")
    assert tp.cuda_available() == (len(tp.devices()) > 1)
    if tp.cuda_available():
        assert tp.cuda_unavailable_reason() == ""
    else:
        assert tp.cuda_unavailable_reason()
        with pytest.raises(tp.Unavailable):
            tp.reduce.Reducer("cuda:0")
        assert tp.reduce.Reducer("auto").device == "cpu"


def test_the_version_is_that_of_the_package():
    from importlib import metadata

    try:
        installed = metadata.version("triptych")
    except metadata.PackageNotFoundError:
        pytest.skip("the package runs from its build folder")
    assert installed == tp.__version__


def test_an_import_is_quick_and_quiet():
    code = "import triptych, sys; assert not {'torch', 'cupy', 'rerun', 'cv2', 'matplotlib'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "" and done.stderr == ""
