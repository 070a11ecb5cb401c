"""Rearranging, repeating and combining the items of arrays."""

import numpy as np


def _difference(x):
    """x[..., 1:] - x[..., :-1]; of bools: where they differ."""
    if x.dtype == np.bool_:
        return x[..., 1:] != x[..., :-1]
    return x[..., 1:] - x[..., :-1]


def diff(a, n):
    times = 1 if n is None else n
    if times < 0:
        raise ValueError("order must be non-negative")
    if times == 0:
        return a.copy()
    out = _difference(a)
    for _ in range(1, times):
        out = _difference(out)
    return out


def ediff1d(ary):
    x = ary.ravel()
    return x[1:] - x[:-1]


def outer(a, b):
    x, y = np.atleast_1d(a).ravel(), np.atleast_1d(b).ravel()
    return x.reshape(x.size, 1) * y.reshape(1, y.size)


def repeat(a, repeats):
    x = np.atleast_1d(a).ravel()
    if isinstance(repeats, np.ndarray):
        if repeats.size != x.size:
            raise ValueError("operands could not be broadcast together")
        out = np.empty(np.sum(repeats), x.dtype)
        k = 0
        for i in range(x.size):
            for _ in range(repeats[i]):
                out[k] = x[i]
                k += 1
        return out
    if repeats < 0:
        raise ValueError("repeats may not contain negative values.")
    out = np.empty(x.size * repeats, x.dtype)
    for i in range(x.size):
        out[i * repeats : (i + 1) * repeats] = x[i]
    return out


def roll(a, shift):
    x = a.ravel()
    out = np.empty(x.size, x.dtype)
    n = x.size
    if n > 0:
        k = shift % n
        out[k:] = x[: n - k]
        out[:k] = x[n - k :]
    return out.reshape(a.shape)


def take(a, indices, axis):
    if axis is None:
        x = a.ravel()
        return x[_checked(indices, x.size)]
    k = axis + a.ndim if axis < 0 else axis
    if k < 0 or k >= a.ndim:
        raise ValueError("axis is out of bounds for the array")
    if a.ndim == 1:
        return a[_checked(indices, a.size)]
    if k == 0:
        return a[_checked(indices, a.shape[0])]
    raise ValueError("take: only axis 0 can be given")


def _checked(indices, n):
    """The indices, after NumPy's check of their range."""
    if isinstance(indices, np.ndarray):
        for i in indices.flat:
            if i < -n or i >= n:
                raise IndexError("index is out of bounds for axis with size")
    elif indices < -n or indices >= n:
        raise IndexError("index is out of bounds for axis with size")
    return indices


def diag(v, k):
    offset = 0 if k is None else k
    if v.ndim == 1:
        n = v.size + abs(offset)
        out = np.zeros((n, n), v.dtype)
        for i in range(v.size):
            out[i + max(-offset, 0), i + max(offset, 0)] = v[i]
        return out
    return diagonal(v, k).copy()


def diagonal(a, offset):
    """A view of the diagonal of a matrix."""
    k = 0 if offset is None else offset
    row, column = max(-k, 0), max(k, 0)
    n = max(min(a.shape[0] - row, a.shape[1] - column), 0)
    if n == 0:
        row, column = 0, 0
    return np.lib.stride_tricks.as_strided(a[row:, column:], (n,), (a.strides[0] + a.strides[1],))


def trace(a, offset):
    return np.sum(diagonal(a, offset))


def tril(m, k):
    offset = 0 if k is None else k
    out = np.zeros(m.shape, m.dtype)
    for i in range(m.shape[0]):
        end = min(max(i + offset + 1, 0), m.shape[1])
        out[i, :end] = m[i, :end]
    return out


def triu(m, k):
    offset = 0 if k is None else k
    out = np.zeros(m.shape, m.dtype)
    for i in range(m.shape[0]):
        start = min(max(i + offset, 0), m.shape[1])
        out[i, start:] = m[i, start:]
    return out


def tri(N, M, k):
    columns = N if M is None else M
    offset = 0 if k is None else k
    out = np.zeros((N, columns))
    for i in range(N):
        out[i, : min(max(i + offset + 1, 0), columns)] = 1
    return out


def fill_diagonal(a, val):
    n = min(a.shape[0], a.shape[1])
    for i in range(n):
        a[i, i] = val


def rot90(m, k):
    turns = (1 if k is None else k) % 4
    if turns == 0:
        return m.copy()
    if turns == 2:
        return m[::-1, ::-1].copy()
    if turns == 1:
        return m.T[::-1].copy()
    return m.T[:, ::-1].copy()


def delete(arr, obj):
    x = arr.ravel()
    keep = np.ones(x.size, np.bool_)
    if isinstance(obj, np.ndarray):
        for i in obj.flat:
            keep[_position(i, x.size)] = False
    else:
        keep[_position(obj, x.size)] = False
    return x[keep]


def _position(i, n):
    if i < -n or i >= n:
        raise IndexError("index is out of bounds for axis 0")
    return i + n if i < 0 else i


def _interpolate(v, xp, fp):
    if v != v:
        return v
    j = np.searchsorted(xp, v, "right")
    if j == 0:
        return np.float64(fp[0])
    if j == xp.size:
        return np.float64(fp[-1])
    x, y = np.float64(xp[j - 1]), np.float64(fp[j - 1])
    slope = np.divide(np.float64(fp[j]) - y, np.float64(xp[j]) - x)
    return slope * (v - x) + y


def interp(x, xp, fp):
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length.")
    if isinstance(x, np.ndarray):
        out = np.empty(x.shape, np.float64)
        for index, v in np.ndenumerate(x):
            out[index] = _interpolate(np.float64(v), xp, fp)
        return out
    return _interpolate(np.float64(x), xp, fp)


def trapezoid(y, x, dx):
    if x is None:
        step = 1.0 if dx is None else dx
        return np.sum(step * (y[1:] + y[:-1]) / 2.0)
    return np.sum((x[1:] - x[:-1]) * (y[1:] + y[:-1]) / 2.0)


def cross(a, b):
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    out = a * b
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def kron(a, b):
    if a.ndim == 1:
        return outer(a, b).ravel()
    blocks = a.reshape(a.shape[0], 1, a.shape[1], 1) * b.reshape(1, b.shape[0], 1, b.shape[1])
    return blocks.reshape(a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])


def convolve_full(a, v):
    if a.size == 0 or v.size == 0:
        raise ValueError("'a' cannot be empty")
    out = np.zeros(a.size + v.size - 1, (a[:1] * v[:1]).dtype)
    if a.size >= v.size:
        for j in range(v.size):
            out[j : j + a.size] += a * v[j]
    else:
        for i in range(a.size):
            out[i : i + v.size] += v * a[i]
    return out


def convolve_valid(a, v):
    full = convolve_full(a, v)
    short, long = min(a.size, v.size), max(a.size, v.size)
    return full[short - 1 : long].copy()


def convolve_same(a, v):
    full = convolve_full(a, v)
    short, long = min(a.size, v.size), max(a.size, v.size)
    start = (short - 1) // 2
    return full[start : start + long].copy()


def conjugated(x):
    """np.conj, which makes int8 of bool; here everything but complex numbers stays as it is."""
    if isinstance(x.dtype.type(0), (complex, np.complex64)):
        return np.conj(x)
    return x


def correlate_full(a, v):
    return convolve_full(a, conjugated(v[::-1].copy()))


def correlate_valid(a, v):
    if v.size > a.size:
        return conjugated(convolve_valid(v, conjugated(a[::-1].copy())))[::-1].copy()
    return convolve_valid(a, conjugated(v[::-1].copy()))


def correlate_same(a, v):
    if v.size > a.size:
        return conjugated(convolve_same(v, conjugated(a[::-1].copy())))[::-1].copy()
    return convolve_same(a, conjugated(v[::-1].copy()))


def vander(x, N):
    columns = x.size if N is None else N
    out = np.empty((x.size, columns), np.result_type(x, np.int64))
    for i in range(x.size):
        power = out.dtype.type(1)
        for j in range(columns - 1, -1, -1):
            out[i, j] = power
            power *= x[i]
    return out
