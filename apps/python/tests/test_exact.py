"""triptych.reduce.ExactSum against math.fsum, which is correctly rounded too."""

import math
import pickle

import numpy as np
import pytest

import triptych as tp

ExactSum = tp.reduce.ExactSum


def hostile(rng, count, dtype=np.float64):
    """Any sign, exponent and fraction, with much cancellation."""
    limit = 300 if dtype == np.float64 else 37
    values = (rng.standard_normal(count) * 10.0 ** rng.integers(-limit, limit, count)).astype(dtype)
    return np.concatenate([values, -values[: count - 3][::-1]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [4, 1000, 30001])
def test_parts_in_any_order_give_the_rounded_sum(rng, dtype, count):
    values = hostile(rng, count, dtype)
    expected = dtype(math.fsum(values.tolist()))
    whole = ExactSum(dtype)
    whole.add(values)
    assert whole.value == expected == float(whole) and whole.dtype == np.dtype(dtype).name
    for parts in (np.array_split(values, 7), np.array_split(rng.permutation(values), 3)):
        sums = [ExactSum(dtype) for _ in parts]
        for one, part in zip(sums, parts):
            one.add(np.ascontiguousarray(part))
        total = sum(sums[::-1], ExactSum(dtype))
        assert total == whole and total.value == expected
    assert tp.reduce.sum(values, determinism="exact", dtype=dtype) == expected


def test_merging_pickling_and_printing(rng):
    a, b = ExactSum(), ExactSum()
    a.add(np.array([1e300, 1.0]))
    b.add(np.array([-1e300]))
    copy = pickle.loads(pickle.dumps(a))
    assert copy == a and (a + b).value == 1.0 and a == copy
    a += b
    assert a.value == 1.0 and a != copy and repr(a) == "ExactSum(dtype='float64', value=1.0)"
    copy.merge(b)
    assert copy == a
    assert ExactSum().value == 0.0 and not math.copysign(1, ExactSum().value) < 0
    for special, expected in [([np.inf, 1], np.inf), ([np.inf, -np.inf], np.nan), ([np.nan], np.nan), ([-np.inf], -np.inf)]:
        total = ExactSum(np.float32)
        total.add(np.array(special, np.float32))
        assert np.array_equal(total.value, expected, equal_nan=True)


def test_bad_arguments():
    total = ExactSum()
    for call, sentence in [
        (lambda: ExactSum("int32"), "^dtype: expected float32 or float64, not int32"),
        (lambda: total.add(np.ones(3, np.float32)), "^x: expected float64, not float32"),
        (lambda: total.add(np.ones((4, 4))[:, 1]), "^x: .*contiguous"),
        (lambda: total.add(None), "^x: "),
        (lambda: total.merge(ExactSum("float32")), "^other: expected a sum of float64, not of float32"),
        (lambda: ExactSum.__new__(ExactSum).__setstate__(("float64", b"12")), "^state: has 2 bytes"),
    ]:
        with pytest.raises(tp.InvalidArgument, match=sentence):
            call()
    assert total == ExactSum()
    with pytest.raises(TypeError):
        hash(total)


def test_on_a_gpu(cuda, rng):
    values = hostile(rng, 100001)
    total = ExactSum()
    total.add(cuda.from_numpy(values[:70000]).cuda())
    total.add(values[70000:])
    assert total.value == math.fsum(values.tolist())
