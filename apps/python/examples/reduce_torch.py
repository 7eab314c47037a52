"""Reductions of a PyTorch tensor where it lies, on the CPU or a GPU; on a GPU also inside a CUDA graph. Needs `pip install torch`."""

import torch

import triptych as tp


def main(device="cuda" if torch.cuda.is_available() and tp.cuda_available() else "cpu"):
    x = torch.rand(1 << 20, device=device)
    print("sum, the same bits on every GPU:", tp.reduce.sum(x, determinism="gpu_to_gpu"))
    print("mean and deviation in one pass:", tp.reduce.moments(x))
    print("largest:", tp.reduce.max(x), "at", tp.reduce.argmax(x))
    if device == "cpu":
        return
    reducer = tp.reduce.Reducer(device)
    reducer.reserve(x.numel())
    total = torch.zeros((), dtype=torch.float64, device=device)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        reducer.sum(x.mul_(0.5), out=total)
    for _ in range(3):
        graph.replay()
        print("halved:", total.item())


if __name__ == "__main__":
    main()
