"""Functions that mean something to the compiler and have a plain meaning in Python."""

from __future__ import annotations


class prange:
    """`range` whose iterations may run in parallel under `parallel=True`."""

    def __new__(cls, *args):
        return range(*args)


def pndindex(*args):
    """`numpy.ndindex` whose iterations may run in parallel under `parallel=True`."""
    import numpy

    return numpy.ndindex(*args)


def literally(obj):
    """The argument itself; in compiled code its type becomes a literal."""
    return obj


def literal_unroll(container):
    """The argument itself; in compiled code a loop over it is unrolled, one body for each item."""
    return container
