"""The memory that compiled code holds: counters for tests and for programs that watch for leaks."""

from __future__ import annotations

from collections import namedtuple

from . import _core

#: Counts since the process began: of allocations, and of the reference-counted blocks that are all naja makes.
AllocationStats = namedtuple("nrt_mstats", ["alloc", "free", "mi_alloc", "mi_free"])


class _Runtime:
    """`rtsys` of Numba."""

    def get_allocation_stats(self):
        total, live = _core.total_allocations(), _core.live_allocations()
        return AllocationStats(total, total - live, total, total - live)

    def initialize(self, context=None):
        """There is nothing to do."""

    def shutdown(self):
        """There is nothing to do."""


rtsys = _Runtime()


def memsys_enable_stats():
    """Counting costs next to nothing and is always on."""


def memsys_disable_stats():
    """Counting is always on."""


def memsys_stats_enabled():
    return True


def memsys_get_stats_alloc():
    return rtsys.get_allocation_stats().alloc


def memsys_get_stats_free():
    return rtsys.get_allocation_stats().free


def memsys_get_stats_mi_alloc():
    return rtsys.get_allocation_stats().mi_alloc


def memsys_get_stats_mi_free():
    return rtsys.get_allocation_stats().mi_free
