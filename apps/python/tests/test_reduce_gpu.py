"""triptych.reduce with arrays in GPU memory: torch and CuPy, streams, CUDA graphs."""

import math

import numpy as np
import pytest

import triptych as tp


def test_torch_tensors(cuda):
    for dtype in (cuda.float32, cuda.float64, cuda.int32, cuda.int64):
        x = (cuda.rand(100_003, device="cuda") * 1000 - 500).to(dtype)
        host = x.cpu().numpy()
        assert tp.reduce.min(x) == host.min()
        assert tp.reduce.max(x) == host.max()
        assert tp.reduce.argmin(x) == host.argmin()
        assert tp.reduce.argmax(x) == host.argmax()
        exact = math.fsum(host.tolist())
        assert tp.reduce.sum(x) == pytest.approx(exact, abs=len(host) * 2.3e-16 * float(np.abs(host.astype(float)).sum()))


def test_cupy_arrays(cupy):
    x = cupy.arange(100_003, dtype=cupy.float32)
    assert tp.reduce.sum(x) == float(np.arange(100_003, dtype=np.float64).sum())


class OnlyCudaInterface:
    """An array of a library without DLPack, as Numba's."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.__cuda_array_interface__ = tensor.__cuda_array_interface__


def test_the_cuda_array_interface(cuda):
    x = cuda.arange(1000, dtype=cuda.float32, device="cuda")
    cuda.cuda.synchronize()
    assert tp.reduce.sum(OnlyCudaInterface(x)) == 499500.0


def test_results_in_gpu_memory(cuda):
    a = cuda.rand(60, 4096, device="cuda")
    x = cuda.rand(4096, device="cuda")
    result = tp.reduce.matvec(a, x)
    assert result.shape == (60,) and result.device == "cuda:0" and "DeviceArray" in repr(result)
    product = cuda.from_dlpack(result)
    exact = (a.double() @ x.double()).cpu().numpy()
    bound = 4096 * np.finfo(np.float32).eps * (a.double().abs() @ x.double().abs()).cpu().numpy()
    assert np.all(np.abs(product.double().cpu().numpy() - exact) <= bound)
    assert np.array_equal(result.numpy(), product.cpu().numpy())
    del result
    assert np.all(np.abs(product.double().cpu().numpy() - exact) <= bound)  # the memory is still there
    out = cuda.empty(60, device="cuda")
    assert tp.reduce.row_sums(a, out=out) is out
    assert cuda.allclose(out, a.sum(dim=1), rtol=1e-4)


def test_a_result_is_taken_by_cupy(cuda, cupy):
    a = cuda.rand(8, 64, device="cuda")
    rows = cupy.from_dlpack(tp.reduce.row_sums(a))
    assert np.allclose(cupy.asnumpy(rows), a.sum(dim=1).cpu().numpy(), rtol=1e-5)


def test_a_tensor_that_is_still_being_written(cuda):
    """1000 times: a slow kernel, then the values, on a stream of their own; the sum is that of the values."""
    x = cuda.zeros(1 << 16, device="cuda")
    values = [cuda.full((1 << 16,), float(i), device="cuda") for i in range(8)]
    side = cuda.cuda.Stream()
    cuda.cuda.synchronize()
    for i in range(1000):
        value = values[i % 8]
        with cuda.cuda.stream(side):
            cuda.cuda._sleep(20_000)
            x.copy_(value)
            assert tp.reduce.sum(x) == float(i % 8) * (1 << 16), i  # torch's current stream is asked
        if i % 4 == 0:
            with cuda.cuda.stream(side):
                cuda.cuda._sleep(20_000)
                x.copy_(values[(i + 1) % 8])
            assert tp.reduce.sum(x, stream=side) == float((i + 1) % 8) * (1 << 16), i  # named by the caller


def test_out_is_enqueued_on_the_current_stream(cuda):
    reducer = tp.reduce.Reducer("cuda:0")
    x = cuda.zeros(1 << 20, device="cuda")
    out = cuda.zeros((), dtype=cuda.float64, device="cuda")
    side = cuda.cuda.Stream()
    cuda.cuda.synchronize()
    for i in range(200):
        stream = side if i % 2 else cuda.cuda.current_stream()  # one workspace, two streams
        with cuda.cuda.stream(stream):
            cuda.cuda._sleep(20_000)
            x.fill_(i)
            assert reducer.sum(x, out=out) is out
            twice = out * 2  # on the same stream, without waiting on the host
        stream.synchronize()
        assert twice.item() == 2.0 * i * (1 << 20)
        cuda.cuda.current_stream().wait_stream(side)
        side.wait_stream(cuda.cuda.current_stream())


def test_a_cuda_graph_of_torch(cuda):
    reducer = tp.reduce.Reducer("cuda:0")
    x = cuda.zeros(1 << 20, device="cuda")
    out = cuda.zeros((), dtype=cuda.float64, device="cuda")
    reducer.reserve(x.numel())
    graph = cuda.cuda.CUDAGraph()
    with cuda.cuda.graph(graph):
        y = x * 2
        reducer.sum(y, out=out)
        z = out + 1
    for i in range(100):
        x.fill_(i)
        graph.replay()
        assert z.item() == 2.0 * i * (1 << 20) + 1


def test_the_wrong_device(cuda):
    x = cuda.ones(10, device="cuda")
    with pytest.raises(tp.InvalidArgument, match="x: the array is on cuda:0, but this object runs on the CPU"):
        tp.reduce.Reducer("cpu").sum(x)
    with pytest.raises(tp.InvalidArgument, match="y: both arrays must be in the same memory"):
        tp.reduce.dot(x, np.ones(10, np.float32))
    with pytest.raises(tp.InvalidArgument, match="contiguous"):
        tp.reduce.sum(cuda.ones(4, 4, device="cuda")[:, ::2])
    with pytest.raises(tp.InvalidArgument, match="out: expected an array of one element"):
        tp.reduce.Reducer("cuda:0").sum(x, out=cuda.ones(2, dtype=cuda.float64, device="cuda"))
    with pytest.raises(tp.InvalidArgument, match="out: expected float64, not float16"):
        tp.reduce.Reducer("cuda:0").sum(x, out=cuda.ones(1, dtype=cuda.float16, device="cuda"))


def test_host_arrays_go_to_the_gpu(cuda):
    x = np.arange(100_003, dtype=np.float32)
    assert tp.reduce.Reducer("cuda:0").sum(x) == float(x.astype(np.float64).sum())


def test_the_same_bits_on_cpu_and_gpu(cuda):
    x = cuda.rand(1_000_003, device="cuda")
    values = {tp.reduce.sum(x, determinism="gpu_to_gpu") for _ in range(10)}
    assert len(values) == 1


def test_the_exact_sum_on_cpu_and_gpu(cuda):
    for dtype in (cuda.float32, cuda.float64):
        scale = 10.0 ** cuda.randint(-8, 8, (1_000_003,), device="cuda")
        x = (cuda.randn(1_000_003, device="cuda") * scale).to(dtype)
        host = x.cpu().numpy()
        exact = math.fsum(host.tolist())
        assert tp.reduce.sum(x, determinism="exact") == exact
        assert tp.reduce.sum(x.flip(0).contiguous(), determinism="exact") == exact
        assert tp.reduce.sum(host, determinism="exact") == exact
        assert tp.reduce.Reducer("cuda:0", determinism="exact").sum(host) == exact


def test_the_exact_sum_in_a_cuda_graph(cuda):
    reducer = tp.reduce.Reducer("cuda:0", determinism="exact")
    x = cuda.zeros(1 << 20, device="cuda")
    out = cuda.zeros((), dtype=cuda.float64, device="cuda")
    reducer.reserve(x.numel())
    graph = cuda.cuda.CUDAGraph()
    with cuda.cuda.graph(graph):
        reducer.sum(x, out=out)
    for i in range(20):
        x.fill_(0.1 * i)
        graph.replay()
        assert out.item() == math.fsum([float(np.float32(0.1 * i))] * (1 << 20))
