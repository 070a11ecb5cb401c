"""Structured arrays and records."""

import numpy as np
import pytest
from array_checks import agree

RECORDS = [
    "a['x']",
    "a['x'].sum()",
    "a[1]['x']",
    "a[i]['n']",
    "a['x'][2]",
    "a['x']=3\nreturn a",
    "a[1]['x']=7\nreturn a",
    "a[1].x",
    "a.x",
    "a[2].n=5\nreturn a",
    "a['n'][1:3]=9\nreturn a",
    "a['v'][2]",
    "a['v']",
    "a[1]['v']",
    "a[1]['v'][2]=4\nreturn a",
    "a['v'][:,1]=2\nreturn a",
    "s=0.0\nfor r in a:\n    s+=r['x']*2+r.n\nreturn s",
    "r=a[i]\nr['x']=99\nreturn a",
    "a[0]=a[3]\nreturn a",
    "a[::-1]['x']",
    "a.copy()",
    "a[1:3]",
    "b=np.zeros(3,a.dtype)\nb['x']=1\nreturn b",
    "len(a)",
    "a[a['x']>2]['x']",
    "a['x']+a['n']",
    "b=np.empty_like(a)\nb[:]=a\nreturn b",
    "np.zeros(2,a.dtype)",
    "a[i]",
]
UNALIGNED = [
    "a['y']=a['x']*2.5\nreturn a",
    "a['y'].sum()",
    "a[1]['y']=3\nreturn a",
    "a['y'][::-1]",
    "s=0.0\nfor i in range(len(a)):\n    s+=a[i]['y']+a[i]['x']\nreturn s",
]

DTYPE = np.dtype([("x", np.float64), ("n", np.int32), ("v", np.float32, (3,))])


def records(dtype, n=5):
    a = np.zeros(n, dtype)
    a["x"] = np.arange(n)
    return a


@pytest.mark.parametrize("source", RECORDS)
def test_records(source):
    a = records(DTYPE)
    attributes = ".x" in source or ".n" in source
    agree(source, a=a.view(np.recarray) if attributes else a, i=2)


@pytest.mark.parametrize("source", UNALIGNED)
@pytest.mark.parametrize("align", [False, True])
def test_alignment(source, align):
    agree(source, a=records(np.dtype([("x", np.int8), ("y", np.float64)], align=align)))
