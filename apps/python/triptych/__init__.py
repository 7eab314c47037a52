"""Triptych: track heads, bodies and faces on CPUs and NVIDIA GPUs.

triptych.reduce   sums, minima, maxima, dot products and moments of arrays
triptych.skin     the head's position and distance from skin colour
triptych.capsule  a person's pose from a cloud of points
triptych.aam      facial landmarks from an active appearance model
triptych.exchange ranks that share one filter: threads, or processes by MPI

Arrays go in without a copy: NumPy, torch, CuPy, and anything else with __dlpack__, the buffer protocol or
__cuda_array_interface__, in host or GPU memory. `device` is "auto" (a GPU when there is one), "cpu", "cpu:4" (threads), "cuda:0"
or "joint".
"""

from . import aam, capsule, exchange, reduce, skin
from ._triptych import (
    CalibrationError,
    CudaError,
    DeviceArray,
    Error,
    InvalidArgument,
    Latency,
    ParseError,
    Unavailable,
    __version__,
    built_with_cuda,
    cuda_available,
    cuda_unavailable_reason,
    describe_device,
    devices,
)
from ._view import view

__all__ = [
    "CalibrationError",
    "CudaError",
    "DeviceArray",
    "Error",
    "InvalidArgument",
    "Latency",
    "ParseError",
    "Unavailable",
    "__version__",
    "aam",
    "built_with_cuda",
    "capsule",
    "cuda_available",
    "cuda_unavailable_reason",
    "describe_device",
    "devices",
    "exchange",
    "reduce",
    "skin",
    "view",
]
