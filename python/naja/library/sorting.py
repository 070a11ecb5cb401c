"""Sorting, order statistics and binary search. NaNs sort last, as NumPy has it."""

import numpy as np

from naja.library import intrinsics

SMALL = 16  # below this many items, insertion sort


def before(a, b):
    """a sorts before b."""
    return a < b or (b != b and a == a)


def _before_complex(a, b):
    """Lexicographic; parts that are NaN sort last."""
    if a.real != b.real and (a.real == a.real or b.real == b.real):
        return before(a.real, b.real)
    return before(a.imag, b.imag)


def _less(a, b):
    if isinstance(a, (complex, np.complex64, np.complex128)):
        return _before_complex(a, b)
    return before(a, b)


def sort_row(x):
    """Sorts one axis in place."""
    if x.flags.c_contiguous and x.flags.aligned:
        intrinsics.sort(x)
    else:
        copy = x.copy()
        intrinsics.sort(copy)
        x[:] = copy


def sort_inplace(a):
    if a.ndim == 1:
        sort_row(a)
    else:
        for i in range(a.shape[0]):
            sort_inplace(a[i])


def sort(a):
    out = np.ascontiguousarray(a).copy() if a.ndim > 1 else a.copy()
    sort_inplace(out)
    return out


def _make_argsort(stable):
    def row(x, order):
        if x.flags.c_contiguous and x.flags.aligned:
            intrinsics.argsort(x, order, stable)
        else:
            intrinsics.argsort(x.copy(), order, stable)

    def argsort(a, axis):
        out = np.empty(a.shape, np.int64)
        if a.ndim == 1:
            row(a, out)
        else:
            if axis is not None and axis != -1 and axis != a.ndim - 1:
                raise ValueError("argsort: only the last axis can be sorted")
            for index in np.ndindex(a.shape[:-1]):
                row(a[index], out[index])
        return out

    return argsort


argsort_quicksort = argsort_heapsort = _make_argsort(False)
argsort_mergesort = argsort_stable = _make_argsort(True)


# ---- binary search


def _lower(a, v):
    low = 0
    high = a.size
    while low < high:
        middle = (low + high) >> 1
        if _less(a[middle], v):
            low = middle + 1
        else:
            high = middle
    return low


def _upper(a, v):
    low = 0
    high = a.size
    while low < high:
        middle = (low + high) >> 1
        if _less(v, a[middle]):
            high = middle
        else:
            low = middle + 1
    return low


def searchsorted_left(a, v):
    if isinstance(v, np.ndarray):
        out = np.empty(v.shape, np.int64)
        for index, value in np.ndenumerate(v):
            out[index] = _lower(a, value)
        return out
    return _lower(a, v)


def searchsorted_right(a, v):
    if isinstance(v, np.ndarray):
        out = np.empty(v.shape, np.int64)
        for index, value in np.ndenumerate(v):
            out[index] = _upper(a, value)
        return out
    return _upper(a, v)


# ---- unique, partition


def _insertion(x, low, high):
    """Sorts x[low:high + 1]."""
    for i in range(low + 1, high + 1):
        v = x[i]
        j = i
        while j > low and _less(v, x[j - 1]):
            x[j] = x[j - 1]
            j -= 1
        x[j] = v


def _partition_step(x, low, high):
    """Hoare's partition around a median of three; the halves are [low, result] and [result + 1, high]."""
    middle = (low + high) >> 1
    if _less(x[middle], x[low]):
        x[low], x[middle] = x[middle], x[low]
    if _less(x[high], x[middle]):
        x[high], x[middle] = x[middle], x[high]
        if _less(x[middle], x[low]):
            x[low], x[middle] = x[middle], x[low]
    pivot = x[middle]
    i = low
    j = high
    while True:
        while _less(x[i], pivot):
            i += 1
        while _less(pivot, x[j]):
            j -= 1
        if i >= j:
            return j
        x[i], x[j] = x[j], x[i]
        i += 1
        j -= 1


def unique(ar):
    x = ar.flatten()
    sort_row(x)
    count = 0
    for i in range(x.size):
        if i == 0 or (x[i] != x[i - 1] and not (x[i] != x[i] and x[i - 1] != x[i - 1])):
            x[count] = x[i]
            count += 1
    return x[:count].copy()


def select(x, k):
    """Moves the item of rank k to x[k], smaller ones before it."""
    low = 0
    high = x.size - 1
    while high - low >= SMALL:
        split = _partition_step(x, low, high)
        if k <= split:
            high = split
        else:
            low = split + 1
    _insertion(x, low, high)


def _rank(kth, n):
    k = kth + n if kth < 0 else kth
    if k < 0 or k >= n:
        raise ValueError("kth out of bounds")
    return k


def _partition_inplace(a, kth):
    if a.ndim == 1:
        select(a, _rank(kth, a.size))
    else:
        for i in range(a.shape[0]):
            _partition_inplace(a[i], kth)


def partition(a, kth):
    out = a.copy()
    _partition_inplace(out, kth)
    return out


def argpartition(a, kth):
    _rank(kth, a.shape[-1])
    return argsort_quicksort(a, None)
