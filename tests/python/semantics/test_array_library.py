"""Functions that the library has in Python: sorting, searching, statistics, products, joining."""

import numpy as np
import pytest
from array_checks import agree, agree_loosely

ONE_AXIS = [
    "np.sort(a)",
    "np.argsort(a,kind='stable')",
    "a.sort()\nreturn a",
    "np.unique(a)",
    "np.searchsorted(np.sort(a),a)",
    "np.searchsorted(np.sort(a),a,side='right')",
    "np.searchsorted(np.sort(a),a[0]) if a.size else 0",
    "np.partition(a,3)[3]",
    "np.nonzero(a)",
    "np.flatnonzero(a)",
    "np.argwhere(a)",
    "np.where(a)",
    "np.diff(a)",
    "np.diff(a,n=2)",
    "np.ediff1d(a)",
    "np.outer(a,a)",
    "np.repeat(a,3)",
    "np.roll(a,3)",
    "np.roll(a,-2)",
    "np.take(a,np.array((0,-1)))",
    "a.take(0)",
    "np.diag(a)",
    "np.diag(a,1)",
    "np.diag(a,-2)",
    "np.isin(a,a[:5])",
    "np.intersect1d(a,a[::-1])",
    "np.union1d(a,a[:3])",
    "np.setdiff1d(a,a[:5])",
    "np.setxor1d(a[:30],a[20:])",
    "np.array_equal(a,a)",
    "np.array_equal(a,a[::-1])",
    "np.median(a)",
    "np.nanmedian(a)",
    "np.percentile(a,30)",
    "np.percentile(a,np.array((0,10,50.5,100)))",
    "np.quantile(a,0.25)",
    "np.nanpercentile(a,75)",
    "np.average(a)",
    "np.average(a,weights=a)",
    "np.histogram(a)",
    "np.histogram(a,5)",
    "np.histogram(a,bins=7,range=(-3.0,4.0))",
    "np.digitize(a,np.array((-5.0,0,2,7)))",
    "np.digitize(a,np.array((7.0,2,0,-5)),right=True)",
    "np.dot(a,a)",
    "a.dot(a)",
    "a@a",
    "np.vdot(a,a)",
    "np.linalg.norm(a)",
    "np.linalg.norm(a,1)",
    "np.linalg.norm(a,np.inf)",
    "np.linalg.norm(a,3)",
    "np.delete(a,2)",
    "np.delete(a,np.array((1,-1)))",
    "np.interp(1.5,np.sort(a),a)",
    "np.trapezoid(a)",
    "np.trapezoid(a,dx=0.5)",
    "np.convolve(a,a[:4])",
    "np.convolve(a,a[:4],'same')",
    "np.convolve(a,a[:5],mode='valid')",
    "np.correlate(a,a[:4])",
    "np.correlate(a,a[:3],'full')",
    "np.vander(a[:4])",
    "np.vander(a[:4],3)",
    "np.kron(a[:3],a[:2])",
    "np.cumsum(a)",
    "np.cumprod(a[:5])",
    "np.nancumsum(a)",
    "np.bincount(a)",
    "np.bincount(a,minlength=60)",
    "a.repeat(2)",
    "a.nonzero()",
    "a.argsort(kind='mergesort')",
    "np.corrcoef(a)",
]
TWO_AXES = [
    "np.sort(a)",
    "a.sort()\nreturn a",
    "np.argsort(a,kind='stable')",
    "np.unique(a)",
    "np.nonzero(a)",
    "np.flatnonzero(a)",
    "np.argwhere(a)",
    "np.diff(a)",
    "np.diag(a)",
    "np.diag(a,2)",
    "np.diag(a,-1)",
    "np.diagonal(a)",
    "np.trace(a)",
    "np.tril(a)",
    "np.triu(a,1)",
    "np.tril(a,-1)",
    "np.fill_diagonal(a,3)\nreturn a",
    "np.rot90(a)",
    "np.rot90(a,2)",
    "np.rot90(a,3)",
    "np.roll(a,5)",
    "a@a.T",
    "np.dot(a,a.T)",
    "np.dot(a,a[0])",
    "np.dot(a[:,0],a)",
    "a@a[0]",
    "np.matmul(a,a.T)",
    "np.linalg.norm(a)",
    "np.linalg.norm(a,1)",
    "np.linalg.norm(a,np.inf)",
    "np.repeat(a,2)",
    "np.take(a,np.array((0,1)),axis=0)",
    "np.kron(a[:2,:2],a[:2,:3])",
    "np.median(a)",
    "np.histogram(a,4)",
    "np.partition(a,2)[:,2]",
    "np.isin(a,a[0])",
    "np.cov(a)",
    "np.corrcoef(a)",
    "np.cross(a[:,:3],a[:,1:4])",
    "np.cross(a[0,:3],a[1,:3])",
]
JOIN = [
    "np.concatenate((a,b))",
    "np.concatenate((a,b),axis=1)",
    "np.concatenate((a,b.T),axis=-1)",
    "np.stack((a,b))",
    "np.stack((a,b),axis=1)",
    "np.stack((a,b),-1)",
    "np.vstack((a,b))",
    "np.hstack((a,b))",
    "np.dstack((a,b))",
    "np.column_stack((a[0],b))",
    "np.vstack((a[0],b[1]))",
    "np.hstack((a[0],b[1]))",
    "np.append(a,b)",
    "np.append(a[0],3)",
    "np.append(a,b,axis=0)",
    "np.concatenate((a[0],b[0],a[1]))",
    "np.concatenate((a,b[:,:2]))",
    "np.concatenate((a[:0],b))",
    "np.concatenate((a,b.astype(np.float32)))",
    "np.append(a[0],b)",
    "np.concatenate((a[0],))",
]
LINALG = [
    "np.linalg.det(a)",
    "np.linalg.inv(a)",
    "np.linalg.solve(a,a[0])",
    "np.linalg.solve(a,a[:,:2])",
    "np.linalg.cholesky(a)",
    "np.linalg.matrix_power(a,3)",
    "np.linalg.matrix_power(a,-2)",
    "np.linalg.inv(a*0)",
    "np.tri(3)",
    "np.tri(3,4,1)",
    "np.interp(a[0],np.sort(a[1]),a[2])",
    "np.bincount(np.array((1,2,2)),weights=a[0,:3])",
    "np.repeat(a[0],np.array((1,0,2,1,3)))",
    "np.dot(2,a)",
    "a.dot(a)",
    "np.dot(a,a,a*1)",
]

DTYPES = ["?", "i4", "u8", "f4", "f8", "c16"]


def defined(source, a):
    if a.dtype.kind == "c" and "histogram" in source:
        return False
    namespace = {"np": np}
    lines = source.split("\n") if "\n" in source else ["return " + source]
    exec("def f(a):\n" + "\n".join("    " + line for line in lines), namespace)
    try:
        with np.errstate(all="ignore"):
            namespace["f"](a.copy())
    except Exception:
        return False
    return True


@pytest.mark.parametrize("source", ONE_AXIS)
@pytest.mark.filterwarnings("ignore")
def test_one_axis(source):
    for dtype in DTYPES:
        x = (np.random.default_rng(2).standard_normal(53) * 9).astype(dtype)
        with_nan = x.copy()
        if x.dtype.kind == "f":
            with_nan[[3, 7]] = np.nan
        for a in (x, x[::2], x[:0], x[:1], with_nan):
            if defined(source, a):
                agree_loosely(source, a=a)


@pytest.mark.parametrize("source", TWO_AXES)
@pytest.mark.filterwarnings("ignore")
def test_two_axes(source):
    for dtype in DTYPES:
        x = (np.random.default_rng(2).standard_normal(48) * 9).astype(dtype).reshape(6, 8)
        for a in (x, np.asfortranarray(x), x[::-1, ::2]):
            if defined(source, a):
                agree_loosely(source, a=a)


@pytest.mark.parametrize("source", JOIN)
def test_join(source):
    agree(source, a=np.arange(9.0).reshape(3, 3), b=np.arange(9).reshape(3, 3)[::-1])


@pytest.mark.parametrize("source", LINALG)
def test_linalg(source):
    m = np.random.default_rng(4).standard_normal((5, 5))
    agree_loosely(source, a=m @ m.T + 5 * np.eye(5))


@pytest.mark.parametrize("shape", [(100, 70, 130), (1, 5, 1), (0, 3, 2), (3, 0, 2)])
def test_matmul_shapes(shape):
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal(shape[:2]), rng.standard_normal(shape[1:])
    for left in (a, np.asfortranarray(a)):
        agree_loosely("a @ b", a=left, b=b)


@pytest.mark.parametrize("source", ["np.sort(a)", "np.argsort(a, kind='stable')"])
def test_sort_many(source):
    agree(source, a=np.random.default_rng(6).integers(0, 10, 100_000))
    agree(source, a=np.arange(10_000)[::-1].copy())
