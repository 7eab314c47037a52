"""triptych.reduce against NumPy."""

import math
import pickle

import numpy as np
import pytest

import triptych as tp

TYPES = [np.float32, np.float64, np.int32, np.uint32, np.int64, np.uint64]
SIZES = [1, 2, 31, 1000, 4099, 300_001]


def numbers(rng, size, dtype):
    if np.issubdtype(dtype, np.floating):
        return rng.standard_normal(size).astype(dtype)
    return rng.integers(0 if np.issubdtype(dtype, np.unsignedinteger) else -1000, 1000, size).astype(dtype)


def bound(values):
    """The rounding error of a sum in double precision, in any order: (n - 1) eps sum |x|."""
    return len(values) * np.finfo(np.float64).eps * float(np.abs(values.astype(np.float64)).sum())


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", SIZES)
def test_of_one_array(rng, dtype, size):
    x = numbers(rng, size, dtype)
    assert tp.reduce.min(x) == x.min()
    assert tp.reduce.max(x) == x.max()
    assert tp.reduce.argmin(x) == x.argmin()
    assert tp.reduce.argmax(x) == x.argmax()
    if np.issubdtype(dtype, np.floating):
        exact = math.fsum(x.tolist())
        assert abs(tp.reduce.sum(x) - exact) <= bound(x)
        assert abs(tp.reduce.Reducer("cpu", threads=1).sum(x) - exact) <= bound(x)
    else:
        assert tp.reduce.sum(x) == int(x.astype(object).sum())
        assert isinstance(tp.reduce.sum(x), int)


def test_the_strategies_agree(rng):
    x = rng.integers(-1000, 1000, 100_003)
    # sum(dtype=...) of each strategy is exact for integers
    for strategy in tp.reduce.cpu_strategies():
        if strategy == "thrust_omp" and not tp.built_with_cuda():
            continue
        assert tp.reduce.sum(x, strategy=strategy) == x.sum(), strategy


def test_the_same_bits_for_every_number_of_threads(rng):
    x = rng.standard_normal(1_000_003).astype(np.float32)
    values = {tp.reduce.Reducer("cpu", threads=n, strategy="threads").sum(x, dtype=np.float32) for n in (1, 2, 3, 7)}
    assert len(values) == 1
    assert tp.reduce.sum(x, determinism="gpu_to_gpu") == tp.reduce.sum(x, determinism="gpu_to_gpu")


HOSTILE = {
    "decades": lambda rng, n: rng.standard_normal(n) * 10.0 ** rng.integers(-5, 5, n),
    "cancelling": lambda rng, n: np.repeat(rng.standard_normal(n // 2) * 2.0 ** rng.integers(-100, 100, n // 2), 2)
    * np.tile([1.0, -1.0], n // 2)
    + rng.standard_normal(n) * 2.0**-90,
    "subnormal": lambda rng, n: rng.standard_normal(n) * 2.0**-140,
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_exact_sum(rng, dtype, kind):
    for size in (2, 600, 100_000):
        x = HOSTILE[kind](rng, size).astype(dtype)
        exact = math.fsum(x.tolist())  # correctly rounded to float64
        assert tp.reduce.sum(x, determinism="exact") == exact
        assert tp.reduce.sum(rng.permutation(x), determinism="exact") == exact
        assert {tp.reduce.Reducer("cpu", threads=n, determinism="exact").sum(x) for n in (1, 2, 7)} == {exact}
        assert tp.reduce.sum(np.append(x, x[0]), determinism="exact") == math.fsum([*x.tolist(), float(x[0])])


def test_the_exact_sum_is_rounded_once():
    x = np.array([1.0, 2.0**-24, 2.0**-80], np.float32)
    assert tp.reduce.sum(x, dtype=np.float32, determinism="exact") == 1 + 2.0**-23  # a tie without the last
    assert tp.reduce.sum(x, determinism="exact") == 1 + 2.0**-24
    assert tp.reduce.sum(np.array([3e38, 3e38, -3e38], np.float32), determinism="exact") == float(np.float32(3e38))


def test_special_numbers_of_the_exact_sum():
    exact = lambda *x: tp.reduce.sum(np.array(x, np.float32), determinism="exact")
    assert exact(1, math.inf, math.inf) == math.inf
    assert exact(-math.inf, 1) == -math.inf
    assert math.isnan(exact(math.inf, 1, -math.inf))
    assert math.isnan(exact(math.nan, math.inf))
    assert math.copysign(1, exact(-0.0, -0.0)) == 1
    assert exact() == 0


def test_the_accumulator(rng):
    x = np.full(1 << 20, 1.0 + 2**-12, np.float32)
    assert tp.reduce.sum(x) == float(x[0]) * len(x)  # exact in double precision
    assert isinstance(tp.reduce.sum(x, dtype="float32"), float)
    big = np.full(3, 2**31 - 1, np.int32)
    assert tp.reduce.sum(big) == 3 * (2**31 - 1)
    with pytest.raises(tp.InvalidArgument, match="dtype: .*float64 or float32, not in int64"):
        tp.reduce.sum(x, dtype=np.int64)
    with pytest.raises(tp.InvalidArgument, match="dtype: .*accumulated in float64, not in float32"):
        tp.reduce.sum(x.astype(np.float64), dtype=np.float32)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_dot_and_moments(rng, dtype):
    x, y = numbers(rng, 5001, dtype), numbers(rng, 5001, dtype)
    exact = math.fsum((x.astype(np.float64) * y.astype(np.float64)).tolist())
    assert tp.reduce.dot(x, y) == pytest.approx(exact, abs=1e-9)
    m = tp.reduce.moments(x)
    assert m.count == 5001
    assert m.mean == pytest.approx(x.mean(dtype=np.float64), abs=1e-12)
    assert m.variance == pytest.approx(x.var(dtype=np.float64), rel=1e-12)
    assert m.sample_variance == pytest.approx(x.var(ddof=1, dtype=np.float64), rel=1e-12)
    assert m.std == pytest.approx(x.std(dtype=np.float64), rel=1e-12)
    again = pickle.loads(pickle.dumps(m))
    assert (again.count, again.mean, again.variance) == (m.count, m.mean, m.variance)
    assert repr(m).startswith("Moments(count=5001, mean=")


def test_rows(rng):
    a = rng.standard_normal((60, 4097)).astype(np.float32)
    x = rng.standard_normal(4097).astype(np.float32)
    error = 4097 * np.finfo(np.float32).eps
    exact = a.astype(np.float64).sum(axis=1)
    assert np.all(np.abs(tp.reduce.row_sums(a) - exact) <= error * np.abs(a).sum(axis=1))
    exact = a.astype(np.float64) @ x.astype(np.float64)
    assert np.all(np.abs(tp.reduce.matvec(a, x) - exact) <= error * (np.abs(a) @ np.abs(x)))
    # a region of a larger matrix, read where it lies
    part = a[10:20, 5:105]
    assert np.array_equal(tp.reduce.row_sums(part), tp.reduce.row_sums(part.copy()))
    assert tp.reduce.row_sums(a[:0]).shape == (0,)


def test_empty_arrays():
    empty = np.zeros(0, np.float32)
    assert tp.reduce.sum(empty) == 0
    assert tp.reduce.dot(empty, empty) == 0
    assert tp.reduce.moments(empty).count == 0
    for function in (tp.reduce.min, tp.reduce.max, tp.reduce.argmin, tp.reduce.argmax):
        with pytest.raises(tp.InvalidArgument, match="x: an empty array"):
            function(empty)


def test_nan():
    x = np.array([1.0, np.nan, -3.0, 5.0])
    assert math.isnan(tp.reduce.sum(x))
    assert tp.reduce.argmin(x) == 2
    assert tp.reduce.argmax(x) == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tp.reduce.sum(np.ones((4, 4), np.float32)[:, ::2]), "x: the array must be contiguous"),
        (lambda: tp.reduce.sum(np.ones(3, np.float16)), r"x: expected float32, .*, not float16 of shape \(3,\)"),
        (lambda: tp.reduce.sum(np.ones(3, bool)), "x: expected float32, .*, not bool"),
        (lambda: tp.reduce.sum("text"), "x: expected an array .*, not a str"),
        (lambda: tp.reduce.sum(None), "x: expected an array .*, not a NoneType"),
        (lambda: tp.reduce.sum(np.ones(3), strategy="fast"), "there is no CPU strategy called 'fast'"),
        (lambda: tp.reduce.sum(np.ones(3), determinism="always"), "always"),
        (lambda: tp.reduce.sum(np.ones(3), strategy="simd", determinism="exact"), "exact .*automatic, not simd"),
        (lambda: tp.reduce.dot(np.ones(3), np.ones(3), determinism="exact"), "determinism exact is available for sums"),
        (lambda: tp.reduce.moments(np.ones(3), determinism="exact"), "determinism exact is available for sums"),
        (lambda: tp.reduce.sum(np.ones(3), stream="a"), "stream: a str is not a CUDA stream"),
        (lambda: tp.reduce.dot(np.ones(3), np.ones(4)), "y: expected as many elements of the same type"),
        (lambda: tp.reduce.dot(np.ones(3), np.ones(3, np.float32)), "y: expected as many elements of the same type"),
        (lambda: tp.reduce.dot(np.ones(3, np.uint32), np.ones(3, np.uint32)), "x: dot takes float32, float64 or int32"),
        (lambda: tp.reduce.moments(np.ones(3, np.uint64)), "x: moments takes float32, float64 or int32"),
        (lambda: tp.reduce.row_sums(np.ones(3, np.float32)), "a: expected a matrix"),
        (lambda: tp.reduce.row_sums(np.ones((3, 3))), "a: expected float32, not float64"),
        (lambda: tp.reduce.row_sums(np.ones((3, 3), np.float32).T), "a: the elements of a row must be contiguous"),
        (lambda: tp.reduce.matvec(np.ones((3, 4), np.float32), np.ones(3, np.float32)), "x: expected as many elements"),
        (lambda: tp.reduce.Reducer("gpu"), "device: 'gpu' is none of auto, cpu"),
        (lambda: tp.reduce.Reducer("cpu:no"), "device: 'cpu:no' does not end with a number of threads"),
        (lambda: tp.reduce.Reducer("cpu").sum(np.ones(3), out=np.ones(1)), "stream="),
        (lambda: tp.reduce.Reducer("cpu").reserve(-1), "count"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(tp.InvalidArgument, match=message):
        call()
