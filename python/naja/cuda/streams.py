"""Streams and events. On the CPU device work is done when the call that asks for it returns: streams have nothing to wait
for, events are times."""

from __future__ import annotations

import contextlib
import time

from .errors import CudaDriverError


class Stream:
    """An order of work on the device."""

    def __init__(self, kind="stream"):
        self._kind = kind

    def synchronize(self):
        """Waits for the work of the stream."""

    @contextlib.contextmanager
    def auto_synchronize(self):
        """Synchronizes when the block ends."""
        yield self
        self.synchronize()

    def add_callback(self, callback, arg=None):
        """Calls `callback(stream, 0, arg)` when the work so far is done."""
        callback(self, 0, arg)

    def async_done(self):
        """A future that is done when the work so far is."""
        import asyncio

        future = asyncio.get_running_loop().create_future()
        future.set_result(self)
        return future

    def __bool__(self):
        return self._kind == "stream"

    def __repr__(self):
        return f"<CUDA {self._kind} of the CPU device>"


_default, _legacy, _per_thread = Stream("default stream"), Stream("legacy default stream"), Stream("per-thread default stream")


def stream():
    """A new stream."""
    return Stream()


def default_stream():
    """The stream that is used where none is named."""
    return _default


def legacy_default_stream():
    return _legacy


def per_thread_default_stream():
    return _per_thread


def external_stream(ptr):
    """A stream made by other code, by its address."""
    if not ptr:
        raise ValueError("the address of a stream is not 0")
    return Stream("external stream")


class Event:
    """A point in a stream."""

    def __init__(self, timing=True):
        self._timing, self._time = timing, None

    def record(self, stream=0):
        """Marks this point."""
        self._time = time.perf_counter()

    def synchronize(self):
        """Waits until the point is reached."""

    def wait(self, stream=0):
        """Lets the stream wait for the point."""

    def query(self):
        """Whether the point is reached."""
        return True

    def elapsed_time(self, evtend):
        """Milliseconds from this event to another."""
        if not (self._timing and evtend._timing):
            raise CudaDriverError("an event made with timing=False has no time")
        if self._time is None or evtend._time is None:
            raise CudaDriverError("elapsed_time of an event that was not recorded")
        return (evtend._time - self._time) * 1e3


def event(timing=True):
    """A new event."""
    return Event(timing)


def event_elapsed_time(evtstart, evtend):
    """Milliseconds between two events."""
    return evtstart.elapsed_time(evtend)
