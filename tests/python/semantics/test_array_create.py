"""np.empty, zeros, ones, full, arange, linspace, eye, array and their kin."""

import numpy as np
import pytest
from array_checks import agree

CREATE = [
    "np.zeros(3)",
    "np.zeros((2,3))",
    "np.zeros((2,3), np.int32)",
    "np.zeros((2,3), dtype='f4')",
    "np.zeros(shape=(n,2), dtype=np.complex64)",
    "np.ones(n)",
    "np.ones((n,n), np.bool_)",
    "np.ones(n, dtype=np.int8)",
    "np.full(n, 3)",
    "np.full((n,2), 2.5)",
    "np.full(n, 2.5, np.float32)",
    "np.full(n, fill_value=True)",
    "np.full(n, 1, dtype=float)",
    "np.full(n,1j)",
    "np.zeros(())",
    "np.zeros(0)",
    "np.zeros((0,3))",
    "np.zeros(-n)",
    "np.zeros((n,-1))",
    "np.ones((2,)*3)",
    "np.empty((n,0)).shape",
    "np.zeros(n, dtype=int)",
    "np.zeros(n, dtype=bool)",
    "np.zeros((n, n), order='F')",
    "np.zeros(n, 'int16')",
    "np.arange(n)",
    "np.arange(2,n)",
    "np.arange(2,n,2)",
    "np.arange(n,2,-1)",
    "np.arange(0.5,n)",
    "np.arange(0,1,0.1)",
    "np.arange(n, dtype=np.float32)",
    "np.arange(1,n,dtype=np.int8)",
    "np.arange(n,0)",
    "np.arange(0.0)",
    "np.arange(3,dtype=np.complex128)",
    "np.arange(0,n,0)",
    "np.arange(0,1.0,0.0)",
    "np.arange(5.5)",
    "np.arange(0, 5, 2.5)",
    "np.arange(n, 0.5, -1.5)",
    "np.linspace(0,1)",
    "np.linspace(0,1,n)",
    "np.linspace(0,1,1)",
    "np.linspace(0,1,0)",
    "np.linspace(1,-3,7,endpoint=False)",
    "np.linspace(0,1,n,dtype=np.float32)",
    "np.linspace(0,10,n,dtype=np.int64)",
    "np.linspace(1j,2,4)",
    "np.linspace(0,1,-n)",
    "np.eye(n)",
    "np.eye(n,3)",
    "np.eye(n,3,1)",
    "np.eye(n,k=-2)",
    "np.eye(n,dtype=np.int32)",
    "np.identity(n)",
    "np.identity(n,np.float32)",
    "np.eye(3,k=10)",
    "np.array((1,2,3))",
    "np.array((1,2.5,n))",
    "np.array(((1,2),(3,4)))",
    "np.array(((1,2),(3,n)),dtype=np.float32)",
    "np.array(n)",
    "np.array(2.5)",
    "np.array((1,True,1j))",
    "np.asarray((1,2))",
    "np.array((np.zeros(n),np.ones(n)))",
    "np.array(((np.zeros(2),),))",
    "np.array((np.float32(1),2))",
    "np.array((True,False))",
    "np.array((np.int8(1),np.int16(2)))",
]
OF_ARRAY = [
    "np.zeros_like(a)",
    "np.ones_like(a)",
    "np.empty_like(a).shape",
    "np.full_like(a,1)",
    "a.copy()",
    "np.copy(a)",
    "a.astype(np.float64)",
    "a.astype(np.complex64)",
    "np.asarray(a)",
    "np.ascontiguousarray(a)",
    "np.asfortranarray(a)",
    "np.array(a)",
    "a.itemsize",
    "a.nbytes",
    "a.size",
    "a.ndim",
    "a.shape",
    "a.strides",
    "np.zeros(2,a.dtype)",
    "a.T",
    "len(a)",
]
LIKE = [
    "np.zeros_like(a, np.int8)",
    "np.zeros_like(a,dtype=np.float32)",
    "np.full_like(a,2.5,dtype=np.float64)",
    "np.zeros_like(a,shape=(2,))",
    "np.zeros_like(a, order='F')",
    "np.zeros_like(3)",
    "np.ones_like(2.5)",
    "np.asarray(a, np.float32)",
    "np.asarray(3)",
    "np.ascontiguousarray(a,dtype=np.int32)",
    "a.copy().T",
    "np.asarray(a,dtype=a.dtype)",
    "a.flags.c_contiguous",
    "a.flags.f_contiguous",
    "a.flags.contiguous",
    "a.flags.writeable",
    "a.real",
    "a.imag",
]

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"]


@pytest.mark.parametrize("source", CREATE)
def test_create(source):
    agree(source, n=5)


@pytest.mark.parametrize("source", OF_ARRAY)
def test_of_array(source):
    for dtype in DTYPES:
        a = np.ones((2, 3), dtype)
        if a.dtype.kind == "c" and "float64" in source:
            continue
        for variant in (a, np.asfortranarray(a), a[:, ::2], a[::-1]):
            agree(source, a=variant)


@pytest.mark.parametrize("source", LIKE)
def test_like(source):
    agree(source, a=np.arange(6).reshape(2, 3))


@pytest.mark.parametrize("source", ["a.real", "a.imag[1]", "a.real[...] = 7\nreturn a", "a.imag"])
def test_parts_of_complex(source):
    agree(source, a=(np.ones((2, 3)) + 2j).T)
