"""Where something holds, and sets as sorted arrays."""

import numpy as np

from naja.library.sorting import sort_row, unique


def nonzero(a):
    """One index array per axis."""
    if a.ndim == 1:
        return (flatnonzero(a),)
    where = argwhere(a)
    return _columns(where, a.shape)


def _columns(where, shape):
    """The columns of an (n, k) array as a tuple as long as `shape`."""
    if len(shape) == 0:
        return ()
    return (where[:, 0].copy(), *_columns(where[:, 1:], shape[1:]))


def flatnonzero(a):
    x = a.ravel() if a.ndim != 1 else a
    out = np.empty(np.count_nonzero(x), np.int64)
    k = 0
    for i in range(x.size):
        if x[i] != 0:
            out[k] = i
            k += 1
    return out


def argwhere(a):
    out = np.empty((np.count_nonzero(a), a.ndim), np.int64)
    k = 0
    for index, value in np.ndenumerate(a):
        if value != 0:
            out[k] = index
            k += 1
    return out


def array_equal(a1, a2):
    if np.ndim(a1) != np.ndim(a2):
        return False
    if np.shape(a1) != np.shape(a2):
        return False
    return bool(np.all(a1 == a2))


def _sorted(x):
    out = x.flatten()
    sort_row(out)
    return out


def _contains(ordered, v):
    i = np.searchsorted(ordered, v)
    return i < ordered.size and ordered[i] == v


def isin(element, test_elements):
    ordered = _sorted(np.atleast_1d(test_elements))
    out = np.empty(element.shape, np.bool_)
    for index, v in np.ndenumerate(element):
        out[index] = _contains(ordered, v)
    return out


def in1d(ar1, ar2):
    return isin(ar1.ravel(), ar2)


def _kept(x, other, wanted):
    """The items of x whose membership in the sorted `other` is `wanted`."""
    out = np.empty_like(x)
    k = 0
    for v in x:
        if _contains(other, v) == wanted:
            out[k] = v
            k += 1
    return out[:k].copy()



def intersect1d(ar1, ar2):
    return _kept(unique(ar1), unique(ar2), True)


def setdiff1d(ar1, ar2):
    return _kept(unique(ar1), unique(ar2), False)


def union1d(ar1, ar2):
    return unique(np.concatenate((ar1.ravel(), ar2.ravel())))


def setxor1d(ar1, ar2):
    a, b = unique(ar1), unique(ar2)
    out = np.concatenate((_kept(a, b, False), _kept(b, a, False)))
    sort_row(out)
    return out
