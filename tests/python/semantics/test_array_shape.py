"""Geometry of arrays, and loops over them."""

import naja
import numpy as np
import pytest
from array_checks import agree

SHAPE_2D = [
    "a.reshape(24)",
    "a.reshape((6,4))",
    "a.reshape(-1)",
    "a.reshape(2,-1,3)",
    "np.reshape(a,(3,8))",
    "a.reshape(n,6)",
    "a.reshape((n,-1))",
    "a.reshape(5,5)",
    "a.reshape(-1,-1)",
    "a.reshape((-1,5))",
    "a.ravel()",
    "np.ravel(a)",
    "a.flatten()",
    "a.transpose()",
    "a.transpose(1,0)",
    "np.transpose(a)",
    "a.transpose((0,1))",
    "np.swapaxes(a,0,1)",
    "np.expand_dims(a,0)",
    "np.expand_dims(a,-1)",
    "np.expand_dims(a,1)",
    "np.atleast_1d(a)",
    "np.atleast_2d(a)",
    "np.atleast_3d(a)",
    "np.broadcast_to(a,(2,4,6))",
    "np.flip(a)",
    "np.flip(a,0)",
    "np.flipud(a)",
    "np.fliplr(a)",
    "np.shape(a)",
    "np.ndim(a)",
    "np.size(a)",
    "np.size(a,0)",
    "a.view(np.uint64)",
    "a.view(np.int32)",
    "a.view(np.float64)",
    "a.fill(3)\nreturn a",
    "np.squeeze(a[None],0)",
    "np.squeeze(a[None],axis=0)",
    "np.squeeze(a,axis=0)",
    "np.moveaxis(a,0,1)",
    "a.ravel()[3]",
    "a.T.ravel()",
    "a.T.reshape(3,8)",
    "a.reshape(24)[2:5]",
    "a[1:3].reshape(12)",
    "a[:,1:3].reshape(8)",
    "a[:,::2].ravel()",
    "a.size",
    "a.reshape(4,6,1)",
    "a.reshape(0)",
    "a.flat[3]",
    "a.flat[-1]",
    "list_ = 0\nfor x in a.flat:\n    list_ += x\nreturn list_",
    "a.flat[2]=100\nreturn a",
    "len(a.flat)",
]
SHAPE_3D = [
    "a.transpose(2,0,1)",
    "a.transpose(0,2,1)",
    "a.transpose()",
    "np.moveaxis(a,2,0)",
    "np.swapaxes(a,0,2)",
    "a.swapaxes(1,2)",
    "a.reshape(12,5)",
    "a.T",
    "a.T.T",
    "np.expand_dims(a,(0,2))",
]
SHAPE_1D = [
    "np.atleast_2d(a)",
    "np.atleast_3d(a)",
    "a.reshape(3,4).T.ravel()",
    "a.item()",
    "a[:1].item()",
    "np.expand_dims(a,0)[0]",
    "np.lib.stride_tricks.as_strided(a,(3,4),(8,8))",
    "a.view(np.int64)",
    "a.view(np.int32)[::2]",
    "a.view(np.complex128)",
    "a[:5].view(np.complex128)",
    "np.flip(a)",
    "np.broadcast_to(a,(3,12)).sum()",
    "np.broadcast_to(a,(3,11))",
    "np.broadcast_to(a[:1],3)",
    "a.reshape(3,4)[1]",
]
SHAPE_0D = [
    "a.reshape(1)",
    "a.ravel()",
    "a.flatten()",
    "np.atleast_1d(a)",
    "np.atleast_3d(a)",
    "a.item()",
    "a.T",
    "a.reshape(())",
]
LOOP_1D = [
    "s=0.0\nfor x in a:\n    s+=x\nreturn s",
    "s=0\nfor i in np.ndindex(()):\n    s+=1\nreturn s",
    "s=0.0\nfor i,x in np.ndenumerate(a):\n    s+=x*i[0]\nreturn s",
    "3 in a",
    "30.5 in a",
]
LOOP_2D = [
    "s=0\nfor r in a:\n    s+=r[1]\nreturn s",
    "s=0\nfor r in a:\n    for x in r:\n        s=s*3+x\nreturn s",
    "s=0\nfor i,x in np.ndenumerate(a):\n    s+=x*i[0]+i[1]\nreturn s",
    "s=0\nfor i in np.ndindex(a.shape):\n    s=s*2+a[i]\nreturn s",
    "s=0\nfor i,j in np.ndindex(3,4):\n    s+=i*j\nreturn s",
    "s=0\nfor x in np.nditer(a):\n    s=s*3+x.item()\nreturn s",
    "s=0\nfor i,r in enumerate(a):\n    s+=i*r.sum()\nreturn s",
    "s=0\nfor r,q in zip(a,a[::-1]):\n    s+=r[0]*q[1]\nreturn s",
    "s=0\nfor i,j in np.ndindex((3,0)):\n    s+=1\nreturn s",
    "for r in a:\n    r[0]=7\nreturn a",
    "for r in a:\n    r+=1\nreturn a",
    "x=0\nfor r in a[:0]:\n    x+=1\nreturn x",
    "s=0\nfor v in a.T:\n    s+=v[0]\nreturn s",
]

A1 = np.arange(12.0)
A2 = np.arange(24).reshape(4, 6)
A3 = np.arange(60, dtype=np.float32).reshape(3, 4, 5)


@pytest.mark.parametrize("source", SHAPE_2D)
def test_shape_2d(source):
    for a in (A2, np.asfortranarray(A2), np.arange(48).reshape(4, 12)[:, ::2]):
        if source != "a.view(np.int32)" or a.flags.c_contiguous:
            agree(source, a=a, n=4)


@pytest.mark.parametrize("source", SHAPE_3D)
def test_shape_3d(source):
    agree(source, a=A3)


@pytest.mark.parametrize("source", SHAPE_1D)
def test_shape_1d(source):
    agree(source, a=A1)


@pytest.mark.parametrize("source", SHAPE_0D)
def test_shape_0d(source):
    agree(source, a=np.array(3.5))


@pytest.mark.parametrize("source", LOOP_1D)
def test_loop_1d(source):
    agree(source, a=A1)
    agree(source, a=A1[::-2])


@pytest.mark.parametrize("source", LOOP_2D)
def test_loop_2d(source):
    for a in (A2, np.asfortranarray(A2), A2[:, ::-1]):
        if "nditer" not in source or a.flags.forc:
            agree(source, a=a)


def test_truth_of_0d():
    agree("bool(a)", a=np.array(2.0))
    agree("1 if a else 2", a=np.array(0))


def test_contiguity_is_numpys():
    """Also of arrays that are contiguous in both orders, and of views inside of compiled code."""

    @naja.njit
    def flags(a):
        return a.flags.c_contiguous, a.flags.f_contiguous, a.flags.contiguous

    @naja.njit
    def of_views(a):
        return flags(a[::2]), flags(a[:1]), flags(a[:, :1]), flags(a.T), flags(a[:0])

    for shape in [(1, 5), (5, 1), (1, 1), (3, 2), (5,), (0, 3), (1, 0), (2, 1, 3), (1, 3, 1), ()]:
        for order in "CF":
            a = np.zeros(shape, order=order)
            assert flags(a) == flags.py_func(a), (shape, order)
    for a in (np.zeros((2, 3)), np.zeros((1, 3)), np.zeros((4, 1), order="F"), np.zeros((4, 6))[::2, ::3]):
        assert flags(a) == flags.py_func(a)
        assert of_views(a) == tuple(flags.py_func(v) for v in (a[::2], a[:1], a[:, :1], a.T, a[:0]))
