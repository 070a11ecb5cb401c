"""Products and small dense linear algebra in plain loops."""

import numpy as np

from naja.library import intrinsics
from naja.library.manipulation import conjugated

SMALL = 32  # shorter rows are added up one by one
LARGE = 4096  # more products than this go to BLAS


def _inner(a, b):
    if a.size != b.size:
        raise ValueError("incompatible array sizes for np.dot(a, b) (vector * vector)")
    if a.size <= SMALL:
        total = np.result_type(a, b).type(0)
        for i in range(a.size):
            total = np.add(total, np.multiply(a[i], b[i]))  # of bools: or, and
        return total
    return np.sum(a * b, dtype=np.result_type(a, b))


def _matrix_vector(a, b, out):
    if a.shape[1] > SMALL:
        for i in range(a.shape[0]):
            out[i] = np.sum(a[i] * b, dtype=out.dtype)
        return
    for i in range(a.shape[0]):
        total = out.dtype.type(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k]
        out[i] = total


def _vector_matrix(a, b, out):
    out[...] = 0
    for i in range(a.size):
        for j in range(b.shape[1]):
            out[j] += a[i] * b[i, j]


def _matrix_matrix(a, b, out):
    if a.shape[0] * a.shape[1] * b.shape[1] > LARGE and _by_blas(a, b, out):
        return
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = 0
        for k in range(a.shape[1]):
            factor = a[i, k]
            for j in range(b.shape[1]):
                out[i, j] += factor * b[k, j]


def _by_blas(a, b, out):
    if not a.flags.c_contiguous and not a.flags.f_contiguous:
        return _by_blas(np.ascontiguousarray(a), b, out)
    if not b.flags.c_contiguous and not b.flags.f_contiguous:
        return _by_blas(a, np.ascontiguousarray(b), out)
    return intrinsics.gemm(a, b, out)


def _check(a, b):
    if a.shape[-1] != b.shape[0]:
        raise ValueError("incompatible array sizes for np.dot(a, b)")


def dot(a, b, out):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    if a.ndim == 1 and b.ndim == 1:
        return _inner(a, b)
    _check(a, b)
    if a.ndim == 2 and b.ndim == 1:
        result = np.empty(a.shape[0], np.result_type(a, b)) if out is None else out
        _matrix_vector(a, b, result)
    elif a.ndim == 1:
        result = np.empty(b.shape[1], np.result_type(a, b)) if out is None else out
        _vector_matrix(a, b, result)
    else:
        result = np.empty((a.shape[0], b.shape[1]), np.result_type(a, b)) if out is None else out
        _matrix_matrix(a, b, result)
    return result


def matmul(a, b):
    return dot(a, b, None)


def vdot(a, b):
    return _inner(conjugated(a.ravel()), b.ravel())


def _norm2(x):
    return np.sqrt(np.sum(np.square(np.abs(x))))


def _floats(x):
    """Integers become float64."""
    if isinstance(x.dtype.type(0), (float, complex, np.float32, np.complex64)):
        return x
    return x.astype(np.float64)


def norm(x, ord):
    return _norm(_floats(x), ord)


def _norm(x, ord):
    if ord is None:
        return _norm2(x)
    if x.ndim == 1:
        if ord == 2:
            return _norm2(x)
        if ord == np.inf:
            return np.max(np.abs(x)) if x.size > 0 else _norm2(x)
        if ord == -np.inf:
            return np.min(np.abs(x))
        if ord == 0:
            return np.sum(np.abs(x) != 0, dtype=intrinsics.real_dtype(x))
        if ord == 1:
            return np.sum(np.abs(x))
        return np.sum(np.abs(x) ** ord) ** (1.0 / ord)
    if ord == 1:
        return np.max(np.sum(np.abs(x), axis=0))
    if ord == -1:
        return np.min(np.sum(np.abs(x), axis=0))
    if ord == np.inf:
        return np.max(np.sum(np.abs(x), axis=1))
    if ord == -np.inf:
        return np.min(np.sum(np.abs(x), axis=1))
    raise ValueError("Invalid norm order for matrices.")


def _square(a):
    if a.shape[0] != a.shape[1]:
        raise ValueError("Last 2 dimensions of the array must be square")


def _factorise(lu, order):
    """LU decomposition with partial pivoting, in place; the sign of the permutation, 0 where singular."""
    n = lu.shape[0]
    sign = 1.0
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(lu[i, k]) > abs(lu[pivot, k]):
                pivot = i
        if lu[pivot, k] == 0:
            return 0.0
        if pivot != k:
            for j in range(n):
                lu[k, j], lu[pivot, j] = lu[pivot, j], lu[k, j]
            order[k], order[pivot] = order[pivot], order[k]
            sign = -sign
        for i in range(k + 1, n):
            factor = lu[i, k] / lu[k, k]
            lu[i, k] = factor
            for j in range(k + 1, n):
                lu[i, j] -= factor * lu[k, j]
    return sign


def _inexact(a):
    return a.astype(intrinsics.mean_dtype(a))


def det(a):
    _square(a)
    lu = _inexact(a)
    result = lu.dtype.type(_factorise(lu, np.arange(a.shape[0])))
    for i in range(a.shape[0]):
        result *= lu[i, i]
    return result


def _solve_row(lu, order, b, x):
    """x = A^-1 b for one right-hand side."""
    n = lu.shape[0]
    for i in range(n):
        total = x.dtype.type(b[order[i]])
        for j in range(i):
            total -= lu[i, j] * x[j]
        x[i] = total
    for i in range(n - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, n):
            total -= lu[i, j] * x[j]
        x[i] = total / lu[i, i]


def _factors(a):
    _square(a)
    lu = _inexact(a)
    order = np.arange(a.shape[0])
    if _factorise(lu, order) == 0:
        raise np.linalg.LinAlgError("Matrix is singular to machine precision.")
    return lu, order


def solve(a, b):
    lu, order = _factors(a)
    if b.shape[0] != a.shape[0]:
        raise ValueError("Incompatible system dimensions")
    x = np.empty(b.shape, lu.dtype)
    if b.ndim == 1:
        _solve_row(lu, order, b, x)
    else:
        for j in range(b.shape[1]):
            _solve_row(lu, order, b[:, j], x[:, j])
    return x


def inv(a):
    return solve(a, np.eye(a.shape[0], dtype=a.dtype))


def cholesky(a):
    _square(a)
    n = a.shape[0]
    out = np.zeros_like(_inexact(a))
    for j in range(n):
        total = np.real(a[j, j]) - np.sum(np.square(np.abs(out[j, :j])))
        if not total > 0:
            raise np.linalg.LinAlgError("Matrix is not positive definite.")
        out[j, j] = np.sqrt(total)
        for i in range(j + 1, n):
            out[i, j] = (a[i, j] - np.sum(out[i, :j] * np.conj(out[j, :j]))) / out[j, j]
    return out


def matrix_power(a, n):
    _square(a)
    base = inv(a) if n < 0 else a.astype(_inexact(a).dtype)
    result = np.eye(a.shape[0], dtype=base.dtype)
    times = abs(n)
    while times > 0:
        if times & 1:
            result = dot(result, base, None)
        base = dot(base, base, None)
        times >>= 1
    return result
