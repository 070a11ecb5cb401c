"""Indexing and assignment: integers, slices, None, Ellipsis, masks, integer arrays."""

import numpy as np
import pytest
from array_checks import agree, rejects

GET_1D = [
    "a[i]",
    "a[-1]",
    "a[j]",
    "a[i:]",
    "a[:i]",
    "a[i:j]",
    "a[::-1]",
    "a[::2]",
    "a[j::-2]",
    "a[...]",
    "a[None]",
    "a[:, None]",
    "a[..., None]",
    "a[i,]",
    "a[np.uint8(1)]",
    "a[np.int32(-2)]",
    "a[5:2]",
    "a[-100:100]",
    "a[i:i]",
    "a[::-3]",
    "a[100:]",
    "a[:-100:-1]",
    "a[()]",
    "a[1:-1].sum()",
]
GET_2D = [
    "a[i]",
    "a[i,j]",
    "a[-1]",
    "a[:,i]",
    "a[i,:]",
    "a[i:,j]",
    "a[i:3,1:]",
    "a[::2,::-1]",
    "a[...,i]",
    "a[i,...]",
    "a[...]",
    "a[None,i]",
    "a[i,None]",
    "a[:,None,:]",
    "a[1][2]",
    "a[:i]",
    "a[1:,:]",
    "a[:,:]",
    "a[(i,j)]",
    "a[-1,-1]",
    "a[i,1:4]",
    "a[:,1:3][:,i-1]",
    "a[i][j]",
    "a[::-1]",
    "a.T[i]",
    "a[1:3,2:4].T",
    "a[0:0]",
    "a[i:i,j:j]",
    "a[None,...,None]",
]
GET_3D = [
    "a[i]",
    "a[i,j]",
    "a[i,j,0]",
    "a[:,i]",
    "a[:,:,i]",
    "a[i,:,j]",
    "a[...,0]",
    "a[0,...]",
    "a[0,...,1]",
    "a[1:,::2,::-1]",
    "a[i,None,j]",
    "a[:,0][0]",
    "a[i][j][0]",
]
GET_0D = [
    "a[()]",
    "a[...]",
    "a[None]",
    "a[()]+1",
    "a.shape",
    "a.sum()",
    "a+1",
    "a.copy()",
]
SET_1D = [
    "a[i]=7",
    "a[j]=2.5",
    "a[1:4]=9",
    "a[::-1]=a",
    "a[1:]=a[:-1]",
    "a[:-1]=a[1:]",
    "a[...]=1",
    "a[::2]=np.zeros(5)",
    "a[:3]=(1,2,3)",
    "a[:]=a[0]",
    "a[2:5]=np.float32(2)",
    "a[1:3]=np.arange(2)",
    "a[:]=np.arange(3)",
    "a[i]+=1",
    "a[2:4]*=2",
    "a[-1]-=3",
    "a[:2],a[2:4]=a[2:4],a[:2]",
    "a[0],a[1]=a[1],a[0]",
    "a[i]=True",
    "a[i:j]=np.ones(1)",
    "a[None]=3",
    "a[i]=np.array(5)",
    "a[1:1]=3",
    "a[0]=np.ones(1)[0]",
]
SET_2D = [
    "a[i]=7",
    "a[:,i]=np.arange(4)",
    "a[i,j]=3",
    "a[i]=np.arange(6)",
    "a[1:3,2:4]=((1,2))",
    "a[:,:]=a[::-1]",
    "a[1:,1:]=a[:-1,:-1]",
    "a[...]=np.arange(6)",
    "a[:]=np.arange(4)[:,None]",
    "a[:]=np.ones((1,6))",
    "a[:2]=a[2:]",
    "a[0]=a[:,0]",
    "a[i:,j:]=5",
    "a[::2]+=1",
    "a[:,0]*=2",
    "a[0,...]=2",
    "a.T[0]=9",
    "a[:]=np.ones((2,6))",
    "a[:]=np.ones((1,4,6))",
    "a[0]=np.ones((1,6))",
    "a[:]=a.T",
    "a += a[::-1]",
    "a[:,1:] -= a[:,:-1]",
    "a *= 2",
    "a //= 2",
    "a **= 2",
    "a %= 5",
    "a -= np.arange(6)",
    "a <<= 1",
    "a |= 1",
    "a ^= a",
    "a += np.ones((4,1),np.int64)",
]
MISALIGNED = [
    "a[3]",
    "a[1:4]",
    "a.sum()",
    "a+a",
    "a.copy()",
    "a[2]=5\nreturn a",
    "a[:]=a[::-1]\nreturn a",
    "a.max()",
    "np.sqrt(a)",
]
GET_8D = [
    "a[1,0,1,0,1,0,1,0]",
    "a[1]",
    "a[...,1]",
    "a.sum()",
    "a+a",
    "a.T",
    "a[:,1,:,0]",
    "a[1,:,1,...]",
    "a.T+a",
    "a[::-1,...,::-1]",
]
EMPTY = [
    "a.sum()",
    "a+1",
    "a[:]",
    "a.T",
    "a.copy()",
    "a[::-1]",
    "a.shape",
    "a*a",
    "a.mean()",
    "a.prod()",
    "a.any()",
    "a.all()",
    "a.max()",
]
FANCY_1D = [
    "a[m]",
    "a[a>3]",
    "a[~m]",
    "a[m]=0\nreturn a",
    "a[a>3]=a[a>3]*2\nreturn a",
    "a[m]=np.arange(5)\nreturn a",
    "a[m]=np.arange(4)\nreturn a",
    "a[m] += 1\nreturn a",
    "a[idx]",
    "a[idx]=7\nreturn a",
    "a[idx]=np.arange(3)\nreturn a",
    "a[idx]+=1\nreturn a",
    "a[idx2]",
    "a[idx][1]",
    "np.sum(a[idx])",
    "a[idx2]=np.arange(2)\nreturn a",
    "a[m].sum()",
    "a[(m,)]",
    "a[idx32]",
    "a[idxu]",
    "a[idx]=a[::-1][idx]\nreturn a",
    "a[m]=np.ones(1)\nreturn a",
    "a[idx,None]",
    "a[None,idx]",
]
FANCY_2D = [
    "a[m]",
    "a[m]=0\nreturn a",
    "a[mr]",
    "a[mr]=5\nreturn a",
    "a[:,mc]",
    "a[mr,0]",
    "a[mr,1:3]",
    "a[i]",
    "a[i,j]",
    "a[i,0]",
    "a[0,i]",
    "a[:,i]",
    "a[i,:]",
    "a[i,1:4]",
    "a[1:3,j]",
    "a[i][:,j]",
    "a[i2,j]",
    "a[...,i]",
    "a[i,...]",
    "a[i]=1\nreturn a",
    "a[i,j]=1\nreturn a",
    "a[i,j]=np.arange(3)\nreturn a",
    "a[:,i]=np.arange(3)\nreturn a",
    "a[:,i]=np.arange(4)[:,None]\nreturn a",
    "a[i]=np.arange(6)\nreturn a",
    "a[mr]=np.arange(6)\nreturn a",
    "a[mr]=np.ones((3,6))\nreturn a",
    "a[mr,0]=np.arange(3)\nreturn a",
    "a[m]+=100\nreturn a",
    "a[i,j]+=1\nreturn a",
    "a[i2]",
    "a[i2,0]",
    "a[i2][...,0]",
    "a[None,i]",
    "a[i,None,:]",
    "a[i2,:]=7\nreturn a",
    "a[i2[0],i2]",
    "a[mr,mr]",
    "a[m2]",
]
FANCY_3D = [
    "a[i]",
    "a[:,i]",
    "a[:,:,i]",
    "a[i,j]",
    "a[i,:,j]",
    "a[:,i,j]",
    "a[i,0,:]",
    "a[i,:,0]",
    "a[0,:,i]",
    "a[0,i]",
    "a[m2]",
    "a[:,m3]",
    "a[i,0,j]",
    "a[i,1:3,j]",
    "a[None,i,:,j]",
    "a[...,i]",
    "a[i,...,j]",
    "a[i,:,j]=1\nreturn a",
    "a[:,i]=np.ones((3,3,5))\nreturn a",
    "a[m2]=3\nreturn a",
    "a[m2,0]",
]

A1 = np.arange(10.0)
A2 = np.arange(24).reshape(4, 6)
A3 = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
READ_ONLY = A1.copy()
READ_ONLY.flags.writeable = False


def variants(a):
    yield from (a, np.asfortranarray(a), a[::2], a[::-1])
    if a.ndim > 1:
        yield from (a[:, 1::2], a.T)
    readonly = a.copy()
    readonly.flags.writeable = False
    yield readonly


@pytest.mark.parametrize("source", GET_1D)
def test_get_1d(source):
    for a in variants(A1):
        agree(source, a=a, i=2, j=-3)


@pytest.mark.parametrize("source", GET_2D)
def test_get_2d(source):
    for a in variants(A2):
        agree(source, a=a, i=1, j=-2)


@pytest.mark.parametrize("source", GET_3D)
def test_get_3d(source):
    for a in (A3, np.asfortranarray(A3), A3[::-1], A3.transpose(1, 0, 2), A3[:, ::2]):
        agree(source, a=a, i=1, j=-2)


@pytest.mark.parametrize("source", GET_0D)
def test_get_0d(source):
    agree(source, a=np.array(3.5))


@pytest.mark.parametrize("source", SET_1D)
def test_set_1d(source):
    for a in (A1, A1[::-1], np.arange(10, dtype=np.int16)):
        agree(source + "\nreturn a", a=a, i=2, j=-3)


@pytest.mark.parametrize("source", SET_2D)
def test_set_2d(source):
    a = A2
    for variant in (a, np.asfortranarray(a), np.arange(48).reshape(4, 12)[:, ::2], np.arange(48).reshape(8, 6)[::-2]):
        agree(source + "\nreturn a", a=variant, i=1, j=-2)


@pytest.mark.parametrize("source", ["a[()] = 5", "a[...] = 5", "a += 5"])
def test_set_0d(source):
    agree(source + "\nreturn a", a=np.array(3.5))


@pytest.mark.parametrize("source", MISALIGNED)
def test_misaligned(source):
    a = np.zeros(100, np.uint8)[1:81].view(np.float64)
    a[:] = np.arange(10)
    agree(source, a=a)


@pytest.mark.parametrize("source", GET_8D)
def test_8d(source):
    agree(source, a=np.arange(2**8).reshape((2,) * 8))


@pytest.mark.parametrize("source", EMPTY)
@pytest.mark.filterwarnings("ignore")
def test_empty(source):
    for a in (np.zeros((0, 3)), np.zeros((3, 0)), np.zeros(0)):
        agree(source, a=a)


@pytest.mark.parametrize("source", FANCY_1D)
def test_fancy_1d(source):
    indices = {
        "m": np.array([True, False] * 5),
        "idx": np.array([1, -1, 3]),
        "idx2": np.array([[1, 2], [3, -4]]),
        "idx32": np.array([1, 2], np.int32),
        "idxu": np.array([1, 9], np.uint8),
    }
    for a in (A1, A1[::-1], np.arange(10, dtype=np.int32)):
        agree(source, a=a, **indices)


@pytest.mark.parametrize("source", FANCY_2D)
def test_fancy_2d(source):
    indices = {
        "m": A2 % 3 == 0,
        "mr": np.array([True, False, True, True]),
        "mc": np.array([True, False] * 3),
        "i": np.array([1, 0, -1]),
        "j": np.array([2, 1, -1]),
        "i2": np.array([[1], [2]]),
        "m2": np.ones((4, 5), bool),
    }
    for a in (A2, np.asfortranarray(A2), np.arange(48).reshape(4, 12)[:, ::2]):
        agree(source, a=a, **indices)


@pytest.mark.parametrize("source", FANCY_3D)
def test_fancy_3d(source):
    indices = {
        "i": np.array([1, 0, 2]),
        "j": np.array([2, 1, -1]),
        "m2": np.arange(12).reshape(3, 4) % 2 == 0,
        "m3": np.array([True, False, True, True]),
    }
    for a in (A3, np.asfortranarray(A3)):
        agree(source, a=a, **indices)


@pytest.mark.parametrize("source", ["a[0] = 1", "a[:] = 1", "a += 1", "a.fill(1)", "a[a > 1] = 0", "a[:2][0] = 3"])
def test_read_only(source):
    rejects(source + "\nreturn a", "read-only", a=READ_ONLY)


@pytest.mark.parametrize("source", ["a[1, 2]", "a[0.5]", "a[..., ...]", "a[0] = 1j", "a['x']"])
def test_wrong_index(source):
    rejects(source + ("\nreturn a" if "=" in source else ""), ".", a=A1)
