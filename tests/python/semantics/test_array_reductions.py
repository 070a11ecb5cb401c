"""Reductions of whole arrays and along axes, running sums."""

import numpy as np
import pytest
from array_checks import agree, agree_loosely

REDUCE = [
    "a.sum()",
    "np.sum(a)",
    "a.prod()",
    "a.min()",
    "a.max()",
    "np.min(a)",
    "np.amax(a)",
    "a.mean()",
    "a.var()",
    "a.std()",
    "np.std(a)",
    "np.var(a,ddof=1)",
    "a.any()",
    "a.all()",
    "np.any(a)",
    "np.all(a)",
    "np.count_nonzero(a)",
    "np.ptp(a)",
    "np.nansum(a)",
    "np.nanprod(a)",
    "np.nanmin(a)",
    "np.nanmax(a)",
    "np.nanmean(a)",
    "np.nanvar(a)",
    "np.nanstd(a)",
    "a.sum(dtype=np.float64)",
    "a.argmin()",
    "a.argmax()",
    "np.argmin(a)",
    "np.cumsum(a)",
    "a.cumsum()",
    "np.cumprod(a)",
    "a[:,0].cumsum()",
    "a.sum(axis=0)",
    "a.sum(axis=1)",
    "np.sum(a,1)",
    "np.sum(a,axis=-1)",
    "a.sum(ax)",
    "a.max(axis=0)",
    "a.min(axis=1)",
    "a.mean(axis=0)",
    "a.mean(axis=1)",
    "a.std(axis=0)",
    "a.var(axis=1)",
    "a.any(axis=0)",
    "a.all(axis=1)",
    "a.prod(axis=0)",
    "np.argmin(a,axis=0)",
    "np.argmax(a,1)",
    "a.argmax(axis=0)",
    "np.cumsum(a,axis=0)",
    "np.cumsum(a,1)",
    "np.nansum(a,axis=0)",
    "np.nanmean(a,axis=1)",
    "np.count_nonzero(a,axis=0)",
    "np.nanmax(a,axis=0)",
    "np.ptp(a,axis=1)",
]
REDUCE_3D = [
    "a.sum(axis=0)",
    "a.sum(axis=1)",
    "a.sum(axis=2)",
    "a.max(1)",
    "a.mean(1)",
    "np.std(a,axis=2)",
    "np.argmax(a,axis=1)",
    "np.cumsum(a,axis=1)",
    "a.sum(ax)",
    "a.any(axis=1)",
]
EMPTY = [
    "a.min()",
    "a.max()",
    "a.argmin()",
    "a.mean()",
    "a.sum()",
    "a.sum(axis=0)",
    "a.max(axis=0)",
]

DTYPES = ["?", "i1", "u1", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]
#: What NumPy defines for complex numbers by their lexicographic order.
NOT_FOR_COMPLEX = ("ptp", "nanmin", "nanmax")


def defined(source, a):
    if a.dtype.kind == "c" and any(name in source for name in NOT_FOR_COMPLEX):
        return False
    try:
        eval(source, {"np": np, "a": a.copy(), "ax": 1})
    except (TypeError, ValueError):
        return False
    return True


@pytest.mark.parametrize("source", REDUCE)
@pytest.mark.filterwarnings("ignore")
def test_reduce(source):
    for dtype in DTYPES:
        a = (np.random.default_rng(1).standard_normal((5, 7)) * 5).astype(dtype)
        with_nan = a.copy()
        if a.dtype.kind == "f":
            with_nan[1, 2] = np.nan
        for variant in (a, with_nan, np.asfortranarray(a), a[::2, ::-1]):
            if defined(source, variant):
                agree(source, a=variant, ax=1)


@pytest.mark.parametrize("source", REDUCE_3D)
def test_reduce_3d(source):
    a = np.random.default_rng(2).standard_normal((3, 4, 5))
    for variant in (a, np.asfortranarray(a), a[:, ::-1]):
        agree_loosely(source, a=variant, ax=2)


@pytest.mark.parametrize("source", EMPTY)
@pytest.mark.filterwarnings("ignore")
def test_empty(source):
    for a in (np.zeros((0, 3)), np.zeros((3, 0))):
        agree(source, a=a)


def test_scalars():
    for source in ("np.sum(a)", "np.max(a)", "np.mean(a)"):
        agree(source, a=3)


@pytest.mark.parametrize("source", ["a.sum()", "a.mean()", "a.std()"])
def test_accuracy_of_float32(source):
    agree(source, a=np.random.default_rng(3).standard_normal(1_000_003).astype(np.float32))
