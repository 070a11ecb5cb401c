"""Reductions along an axis, running sums and products, argmin and argmax.

A reduction of axis 0 adds whole rows into the result; one of the last axis reduces row by row; one in between is the
former for every leading index. The functions for a constant axis are made when first asked for: ``sum_axis0``,
``mean_axis2`` ...; those for a variable axis (``sum_axis``) choose among them at run time.
"""

import re

import numpy as np

from naja.library import intrinsics

MAX_NDIM = 8


# ---- the parts that differ: `start` begins the result of axis 0, `step` adds a row, `whole` reduces one axis alone


def _zero(out, a):
    out[...] = 0


def _one(out, a):
    out[...] = 1


def _false(out, a):
    out[...] = False


def _true(out, a):
    out[...] = True


def _first_min(out, a):
    if a.shape[0] == 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    out[...] = a[0]


def _first_max(out, a):
    if a.shape[0] == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    out[...] = a[0]


def _add(out, row):
    out += row


def _multiply(out, row):
    out *= row


def _minimum(out, row):
    np.minimum(out, row, out)


def _maximum(out, row):
    np.maximum(out, row, out)


def _fmin(out, row):
    np.fmin(out, row, out)


def _fmax(out, row):
    np.fmax(out, row, out)


def _or(out, row):
    np.logical_or(out, row, out)


def _and(out, row):
    np.logical_and(out, row, out)


def _count(out, row):
    out += row != 0


def _nan_add(out, row):
    out += np.where(np.isnan(row), 0, row)


def _nan_multiply(out, row):
    out *= np.where(np.isnan(row), 1, row)


def _count_numbers(out, row):
    out += ~np.isnan(row)


def _whole_sum(a, out):
    return np.sum(a, dtype=out.dtype)


def _whole_prod(a, out):
    return np.prod(a, dtype=out.dtype)


def _whole_min(a, out):
    return np.min(a)


def _whole_max(a, out):
    return np.max(a)


def _whole_nanmin(a, out):
    return np.nanmin(a)


def _whole_nanmax(a, out):
    return np.nanmax(a)


def _whole_any(a, out):
    return np.any(a)


def _whole_all(a, out):
    return np.all(a)


def _whole_count(a, out):
    return np.count_nonzero(a)


def _whole_nansum(a, out):
    return np.nansum(a)


def _whole_nansum_wide(a, out):
    return np.sum(np.where(np.isnan(a), 0, a), dtype=out.dtype)


def _whole_nanprod(a, out):
    return np.nanprod(a)


def _whole_count_numbers(a, out):
    return np.count_nonzero(~np.isnan(a))


# ---- reducing one axis into an array


def _make_into(axis, start, step, whole):
    """A function (a, out) that reduces `axis` of an array of at least two axes."""
    if axis == 0:

        def into(a, out):
            start(out, a)
            for i in range(a.shape[0]):
                step(out, a[i])

        return into
    inner = _make_into(axis - 1, start, step, whole)
    if axis == 1:

        def into(a, out):
            for i in range(a.shape[0]):
                if a.ndim == 2:
                    out[i] = whole(a[i], out)
                else:
                    inner(a[i], out[i])

        return into

    def into(a, out):
        for i in range(a.shape[0]):
            inner(a[i], out[i])

    return into


def _make_plain(axis, start, step, whole, dtype_of):
    """A function (a) -> array of a reduction whose result has the dtype of `dtype_of(a)`."""
    into = _make_into(axis, start, step, whole)
    following = axis + 1

    def reduce(a):
        out = np.empty(a.shape[:axis] + a.shape[following:], dtype_of(a))
        into(a, out)
        return out

    return reduce


def _make_typed(axis, start, step, whole):
    """A function (a, dtype) -> array."""
    into = _make_into(axis, start, step, whole)
    following = axis + 1

    def reduce(a, dtype):
        out = np.empty(a.shape[:axis] + a.shape[following:], dtype)
        into(a, out)
        return out

    return reduce


def _own_dtype(a):
    return a.dtype


def _bool_dtype(a):
    return np.bool_


def _count_dtype(a):
    return np.int64


def _nansum_dtype(a):
    return intrinsics.sum_dtype(a)


# ---- mean, var, std


def _make_mean(axis):
    sums = _make_typed(axis, _zero, _add, _whole_sum)

    def mean(a, dtype):
        out = sums(a, dtype)
        out /= a.shape[axis]
        return out

    return mean


def _make_variance_into(axis):
    """A function (a, mean, out) that adds up |a - mean|**2 along the axis."""
    if axis == 0:

        def into(a, mean, out):
            out[...] = 0
            for i in range(a.shape[0]):
                out += np.square(np.abs(a[i] - mean))

        return into
    inner = _make_variance_into(axis - 1)
    if axis == 1:

        def into(a, mean, out):
            for i in range(a.shape[0]):
                if a.ndim == 2:
                    out[i] = np.sum(np.square(np.abs(a[i] - mean[i])))
                else:
                    inner(a[i], mean[i], out[i])

        return into

    def into(a, mean, out):
        for i in range(a.shape[0]):
            inner(a[i], mean[i], out[i])

    return into


def _make_var(axis):
    mean_of = _make_mean(axis)
    into = _make_variance_into(axis)

    def var(a, ddof):
        mean = mean_of(a, intrinsics.mean_dtype(a))
        out = np.empty(mean.shape, intrinsics.real_dtype(mean))
        into(a, mean, out)
        out /= max(a.shape[axis] - ddof, 0)
        return out

    return var


def _make_std(axis):
    var = _make_var(axis)

    def std(a, ddof):
        out = var(a, ddof)
        np.sqrt(out, out)
        return out

    return std


def _make_nanmean(axis):
    sums = _make_plain(axis, _zero, _nan_add, _whole_nansum_wide, _nanmean_dtype)
    counts = _make_plain(axis, _zero, _count_numbers, _whole_count_numbers, _count_dtype)

    def nanmean(a):
        out = sums(a)
        out /= counts(a)
        return out

    return nanmean


def _nanmean_dtype(a):
    return intrinsics.mean_dtype(a)


def _make_nanvar(axis):
    mean_of = _make_nanmean(axis)
    counts = _make_plain(axis, _zero, _count_numbers, _whole_count_numbers, _count_dtype)
    into = _make_plain(axis, _zero, _nan_add, _whole_nansum, _own_dtype)

    def nanvar(a, ddof):
        mean = np.expand_dims(mean_of(a), axis)
        out = into(np.square(np.abs(a - mean)))
        out /= np.maximum(counts(a) - ddof, 0)
        return out

    return nanvar


def _make_nanstd(axis):
    var = _make_nanvar(axis)

    def nanstd(a, ddof):
        return np.sqrt(var(a, ddof))

    return nanstd


def _make_ptp(axis):
    most = _make_plain(axis, _first_max, _maximum, _whole_max, _own_dtype)
    least = _make_plain(axis, _first_min, _minimum, _whole_min, _own_dtype)

    def ptp(a):
        out = most(a)
        out -= least(a)
        return out

    return ptp


# ---- argmin, argmax


def _make_arg(name, beats):
    def whole(x):
        if x.size == 0:
            raise ValueError("attempt to get " + name + " of an empty sequence")
        best = x[0]
        at = 0
        if best != best:
            return 0
        for i in range(1, x.size):
            v = x[i]
            if beats(v, best):
                best = v
                at = i
                if v != v:
                    break
        return at

    return whole


def _less(v, best):
    return np.less(v, best) or v != v


def _greater(v, best):
    return np.greater(v, best) or v != v


_argmin_row = _make_arg("argmin", _less)
_argmax_row = _make_arg("argmax", _greater)


def _make_arg_all(row, into0):
    def all_axes(a, axis):
        if axis is None:
            if a.ndim == 1:
                return row(a)
            return row(a.ravel())
        k = axis + a.ndim if axis < 0 else axis
        if k < 0 or k >= a.ndim:
            raise ValueError("axis is out of bounds for the array")
        if a.ndim == 1:
            return row(a)
        return into0(a, k)

    return all_axes


def _make_arg_axis(row):
    """Along an axis of an array of two axes or more: a row for every index of the others."""

    def along(a, axis):
        moved = _axis_last(a, axis)
        out = np.empty(moved.shape[:-1], np.int64)
        for index in np.ndindex(out.shape):
            out[index] = row(moved[index])
        return out

    return along


def _axis_last(a, axis):
    """A view with this axis moved to the end; the axis is not constant, so the layout is never known to be C."""
    shape = a.shape
    strides = a.strides
    for i in range(axis, a.ndim - 1):
        shape = _swapped(shape, i)
        strides = _swapped(strides, i)
    return np.lib.stride_tricks.as_strided(a, shape, strides)


def _swapped(t, i):
    """The tuple with items i and i + 1 exchanged."""
    first, second = t[i], t[i + 1]
    return _with(_with(t, i, second), i + 1, first)


def _with(t, i, value):
    """The tuple with item i replaced."""
    if len(t) == 1:
        return (value if i == 0 else t[0],)
    return (value if i == 0 else t[0], *_with(t[1:], i - 1, value))


argmin = _make_arg_all(_argmin_row, _make_arg_axis(_argmin_row))
argmax = _make_arg_all(_argmax_row, _make_arg_axis(_argmax_row))


def complex_min(a):
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    x = a.ravel()
    return x[_argmin_row(x)]


def complex_max(a):
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    x = a.ravel()
    return x[_argmax_row(x)]


# ---- running sums and products


def _make_running(combine, element):
    def row(x, out):
        if x.size > 0:
            total = out[0]
            total = element(x[0], total)
            out[0] = total
            for i in range(1, x.size):
                total = combine(total, element(x[i], total))
                out[i] = total

    def running(a, axis, dtype):
        if axis is None:
            x = a.ravel()
            flat = np.empty(x.size, _running_dtype(a, dtype))
            row(x, flat)
            return flat
        k = axis + a.ndim if axis < 0 else axis
        if k < 0 or k >= a.ndim:
            raise ValueError("axis is out of bounds for the array")
        out = np.empty(a.shape, _running_dtype(a, dtype))
        if a.ndim == 1:
            row(a, out)
        else:
            moved, moved_out = _axis_last(a, k), _axis_last(out, k)
            for index in np.ndindex(moved.shape[:-1]):
                row(moved[index], moved_out[index])
        return out

    return running


def _running_dtype(a, dtype):
    if dtype is None:
        return intrinsics.sum_dtype(a)
    return dtype


def _plus(total, v):
    return total + v


def _times(total, v):
    return total * v


def _as_total(v, total):
    """The element in the type of the running total."""
    return total.dtype.type(v)


def _nan_as_zero(v, total):
    if v != v:
        return total.dtype.type(0)
    return total.dtype.type(v)


cumsum = _make_running(_plus, _as_total)
cumprod = _make_running(_times, _as_total)
nancumsum = _make_running(_plus, _nan_as_zero)


# ---- by name

_TYPED = {"sum": (_zero, _add, _whole_sum), "prod": (_one, _multiply, _whole_prod)}
_PLAIN = {
    "min": (_first_min, _minimum, _whole_min, _own_dtype),
    "max": (_first_max, _maximum, _whole_max, _own_dtype),
    "nanmin": (_first_min, _fmin, _whole_nanmin, _own_dtype),
    "nanmax": (_first_max, _fmax, _whole_nanmax, _own_dtype),
    "any": (_false, _or, _whole_any, _bool_dtype),
    "all": (_true, _and, _whole_all, _bool_dtype),
    "count_nonzero": (_zero, _count, _whole_count, _count_dtype),
    "nansum": (_zero, _nan_add, _whole_nansum, _nansum_dtype),
    "nanprod": (_one, _nan_multiply, _whole_nanprod, _nansum_dtype),
}
_OTHER = {
    "mean": _make_mean,
    "var": _make_var,
    "std": _make_std,
    "ptp": _make_ptp,
    "nanmean": _make_nanmean,
    "nanvar": _make_nanvar,
    "nanstd": _make_nanstd,
}
_EXTRA = {"sum": 1, "prod": 1, "mean": 1, "var": 1, "std": 1, "nanvar": 1, "nanstd": 1}


def _make(name, axis):
    if name in _TYPED:
        return _make_typed(axis, *_TYPED[name])
    if name in _PLAIN:
        return _make_plain(axis, *_PLAIN[name])
    return _OTHER[name](axis)


def _make_variable(name):
    """Chooses by the axis at run time: (a, axis) or (a, axis, dtype or ddof)."""
    by_axis = [_make(name, axis) for axis in range(MAX_NDIM)]
    if name in _EXTRA:
        return _choose_extra(0, *by_axis)
    return _choose(0, *by_axis)


def _choose(number, first, *others):
    if not others:

        def last(a, axis):
            return first(a)

        return last
    following = _choose(number + 1, *others)

    def choose(a, axis):
        if axis == number or axis + a.ndim == number:
            return first(a)
        if a.ndim > number + 1:
            return following(a, axis)
        raise ValueError("axis is out of bounds for the array")

    return choose


def _choose_extra(number, first, *others):
    if not others:

        def last(a, axis, extra):
            return first(a, extra)

        return last
    following = _choose_extra(number + 1, *others)

    def choose(a, axis, extra):
        if axis == number or axis + a.ndim == number:
            return first(a, extra)
        if a.ndim > number + 1:
            return following(a, axis, extra)
        raise ValueError("axis is out of bounds for the array")

    return choose


def __getattr__(name):
    match = re.fullmatch(r"(\w+)_axis(\d*)", name)
    if match is None or match[1] not in {**_TYPED, **_PLAIN, **_OTHER}:
        raise AttributeError(name)
    made = _make(match[1], int(match[2])) if match[2] else _make_variable(match[1])
    globals()[name] = made
    return made
