"""Reductions of arrays: sum, min, max, argmin, argmax, dot, moments, row sums and matrix-vector products.

>>> import numpy, triptych
>>> triptych.reduce.sum(numpy.arange(10.0))
45.0

The functions run where the array lies: on the CPU, or on the GPU of a torch or CuPy tensor. A Reducer keeps one device. An ExactSum adds up
arrays that come in parts, without any rounding.
"""

from ._triptych.reduce import (
    ExactSum,
    Moments,
    Reducer,
    argmax,
    argmin,
    cpu_strategies,
    dot,
    matvec,
    max,
    min,
    moments,
    row_sums,
    strategies,
    sum,
)

__all__ = [
    "ExactSum",
    "Moments",
    "Reducer",
    "argmax",
    "argmin",
    "cpu_strategies",
    "dot",
    "matvec",
    "max",
    "min",
    "moments",
    "row_sums",
    "strategies",
    "sum",
]
