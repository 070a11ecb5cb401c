"""Order statistics, histograms, covariance."""

import numpy as np

from naja.library import intrinsics
from naja.library.sorting import select, sort_row


def _as_float(x):
    """A contiguous copy of one axis in a float dtype."""
    return x.ravel().astype(intrinsics.mean_dtype(x))


def _middle(x):
    """Median of an array that may be reordered and holds no NaN."""
    n = x.size
    if n == 0:
        return x.dtype.type(np.nan)
    half = n // 2
    select(x, half)
    if n % 2 == 1:
        return x[half]
    return np.mean(np.array((np.max(x[:half]), x[half])))


def median(a):
    x = _as_float(a)
    if np.any(np.isnan(x)):
        return x.dtype.type(np.nan)
    return _middle(x)


def _numbers(a):
    x = _as_float(a)
    return x[~np.isnan(x)]


def nanmedian(a):
    return _middle(_numbers(a))


def _interpolated(x, q):
    """Linear interpolation between closest ranks; x is sorted, 0 <= q <= 1."""
    position = q * (x.size - 1)
    low = int(np.floor(position))
    high = min(low + 1, x.size - 1)
    weight = position - low
    difference = x[high] - x[low]
    if weight >= 0.5:
        return x[high] - difference * (1 - weight)
    return x[low] + difference * weight


def _check(q, most):
    if not (q >= 0 and q <= most):
        if most == 1:
            raise ValueError("Quantiles must be in the range [0, 1]")
        raise ValueError("Percentiles must be in the range [0, 100]")


def _quantiles(x, q, most, has_nan):
    """x: floats, sorted here."""
    if isinstance(q, np.ndarray):
        out = np.empty(q.shape, np.result_type(x, q))
        sort_row(x)
        for index, value in np.ndenumerate(q):
            _check(value, most)
            out[index] = np.nan if has_nan or x.size == 0 else _interpolated(x, value / most)
        return out
    _check(q, most)
    if has_nan or x.size == 0:
        return x.dtype.type(np.nan)
    sort_row(x)
    return _interpolated(x, q / most)


def percentile(a, q):
    x = _as_float(a)
    return _quantiles(x, q, 100, np.any(np.isnan(x)))


def nanpercentile(a, q):
    return _quantiles(_numbers(a), q, 100, False)


def quantile(a, q):
    x = _as_float(a)
    return _quantiles(x, q, 1, np.any(np.isnan(x)))


def nanquantile(a, q):
    return _quantiles(_numbers(a), q, 1, False)


def average(a, weights):
    if weights is None:
        return np.mean(a)
    if a.shape != weights.shape:
        raise TypeError("Numba does not support average when shapes of a and weights differ.")
    w = _as_float(weights)
    total = np.sum(w)
    if total == 0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized.")
    return np.sum(_as_float(a) * w) / total


def bincount(x, weights, minlength):
    most = -1
    for v in x:
        if v < 0:
            raise ValueError("'list' argument must have no negative elements")
        most = max(most, np.int64(v))
    size = most + 1
    if minlength is not None:
        size = max(size, minlength)
    if weights is None:
        counts = np.zeros(size, np.int64)
        for v in x:
            counts[np.int64(v)] += 1
        return counts
    if weights.shape != x.shape:
        raise ValueError("The weights and list don't have the same length.")
    sums = np.zeros(size, np.float64)
    for i in range(x.size):
        sums[np.int64(x[i])] += weights[i]
    return sums


def _linear_bins(low, high, count, dtype):
    if high == low:
        return np.linspace(low - 0.5, high + 0.5, count + 1, dtype=dtype)
    return np.linspace(low, high, count + 1, dtype=dtype)


def _count_uniform(x, low, high, count):
    counts = np.zeros(count, np.int64)
    edges = _linear_bins(low, high, count, intrinsics.mean_dtype(x))
    first, last = edges[0], edges[-1]
    scale = count / (last - first)
    for v in x.flat:
        if v < first or v > last or v != v:
            continue
        bin = min(int((v - first) * scale), count - 1)
        # The division is inexact: the edges decide.
        if v < edges[bin]:
            bin -= 1
        elif bin < count - 1 and v >= edges[bin + 1]:
            bin += 1
        counts[bin] += 1
    return counts, edges


def _count_edges(x, edges):
    count = edges.size - 1
    counts = np.zeros(count, np.int64)
    for v in x.flat:
        if v < edges[0] or v > edges[count] or v != v:
            continue
        bin = np.searchsorted(edges, v, "right") - 1
        counts[min(bin, count - 1)] += 1
    return counts


def histogram(a, bins, range):
    if isinstance(bins, np.ndarray):
        return _count_edges(a, bins), bins
    count = 10 if bins is None else bins
    if count <= 0:
        raise ValueError("`bins` must be positive, when an integer")
    if range is None:
        if a.size == 0:
            return _count_uniform(a, 0.0, 1.0, count)
        return _count_uniform(a, np.float64(a.min()), np.float64(a.max()), count)
    return _count_uniform(a, np.float64(range[0]), np.float64(range[1]), count)


def _digit(v, bins, right, ascending):
    if ascending:
        return np.searchsorted(bins, v, "left") if right else np.searchsorted(bins, v, "right")
    low = 0
    high = bins.size
    while low < high:
        middle = (low + high) >> 1
        if bins[middle] >= v if right else bins[middle] > v:
            low = middle + 1
        else:
            high = middle
    return low


def digitize(x, bins, right):
    ascending = bins.size < 2 or bins[0] <= bins[-1]
    for i in range(1, bins.size):
        if bins[i] < bins[i - 1] if ascending else bins[i] > bins[i - 1]:
            raise ValueError("bins must be monotonically increasing or decreasing")
    at_right = False if right is None else right
    if isinstance(x, np.ndarray):
        out = np.empty(x.shape, np.int64)
        for index, v in np.ndenumerate(x):
            out[index] = _digit(v, bins, at_right, ascending)
        return out
    return _digit(x, bins, at_right, ascending)


def cov(m):
    """Rows are variables."""
    x = np.atleast_2d(m).astype(np.result_type(m, np.float64))
    n = x.shape[1]
    for i in range(x.shape[0]):
        x[i] -= np.mean(x[i])
    out = np.empty((x.shape[0], x.shape[0]), x.dtype)
    for i in range(x.shape[0]):
        for j in range(i, x.shape[0]):
            out[i, j] = np.divide(np.sum(x[i] * np.conj(x[j])), max(n - 1, 0))
            out[j, i] = np.conj(out[i, j])
    if m.ndim == 1:
        return out.reshape(())
    return out


def corrcoef(x):
    c = np.atleast_2d(cov(x))
    d = np.sqrt(np.real(np.diag(c)))
    for i in range(c.shape[0]):
        for j in range(c.shape[0]):
            c[i, j] = np.divide(np.divide(c[i, j], d[i]), d[j])
    np.clip(c.real, -1, 1, out=c.real)
    if isinstance(c.dtype.type(0), complex):
        np.clip(c.imag, -1, 1, out=c.imag)
    if x.ndim == 1:
        return c.reshape(())
    return c
