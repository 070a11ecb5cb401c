"""Memory of the device: allocation and copies."""

from __future__ import annotations

import contextlib

import numpy as np

from .devicearray import DeviceNDArray


def _empty(shape, dtype, strides, order):
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if strides is None:
        return np.empty(shape, dtype, order)
    item = np.dtype(dtype).itemsize
    strides = (strides,) if isinstance(strides, (int, np.integer)) else tuple(strides)
    extent = item + sum((n - 1) * s for n, s in zip(shape, strides) if n > 0)
    return np.ndarray(shape, dtype, np.empty(max(extent, 0), np.uint8), strides=strides)


def to_device(obj, stream=0, copy=True, to=None):
    """A copy of a host array (or sequence, or device array) on the device; `to`: an array there that gets it."""
    if to is not None:
        to.copy_to_device(obj, stream)
        return to
    if isinstance(obj, DeviceNDArray):
        return DeviceNDArray(obj._array.copy(order="K"), stream) if copy else obj
    if not copy:
        return as_cuda_array(obj) if is_cuda_array(obj) else DeviceNDArray(np.asarray(obj), stream)
    return DeviceNDArray(np.array(obj, order="K"), stream)


def device_array(shape, dtype=np.float64, strides=None, order="C", stream=0):
    """An array on the device with undefined content."""
    return DeviceNDArray(_empty(shape, dtype, strides, order), stream)


def _like(ary):
    array = ary._array if isinstance(ary, DeviceNDArray) else np.asarray(ary)
    return np.empty_like(array, subok=False)


def device_array_like(ary, stream=0):
    """An array on the device with the shape, type and order of another."""
    return DeviceNDArray(_like(ary), stream)


def pinned_array(shape, dtype=np.float64, strides=None, order="C"):
    """A host array that does not move."""
    return _empty(shape, dtype, strides, order)


def pinned_array_like(ary):
    return _like(ary)


def mapped_array(shape, dtype=np.float64, strides=None, order="C", stream=0, portable=False, wc=False):
    """A host array that the device reaches."""
    return _empty(shape, dtype, strides, order)


def mapped_array_like(ary, stream=0, portable=False, wc=False):
    return _like(ary)


def managed_array(shape, dtype=np.float64, strides=None, order="C", stream=0, attach_global=True):
    """An array that moves between host and device by itself."""
    return _empty(shape, dtype, strides, order)


@contextlib.contextmanager
def pinned(*arylist):
    """Host arrays do not move while the block runs."""
    yield


@contextlib.contextmanager
def mapped(*arylist, stream=0):
    """The arrays as the device reaches them, while the block runs."""
    views = [DeviceNDArray(np.asarray(a), stream) for a in arylist]
    yield views[0] if len(views) == 1 else views


@contextlib.contextmanager
def defer_cleanup():
    """Memory is not freed while the block runs."""
    yield


def is_cuda_array(obj):
    """Whether an object has the CUDA array interface."""
    return hasattr(obj, "__cuda_array_interface__")


def as_cuda_array(obj, sync=True):
    """The array behind an object with the CUDA array interface, without a copy."""
    if isinstance(obj, DeviceNDArray):
        return obj
    if not is_cuda_array(obj):
        raise TypeError("*obj* doesn't implement the cuda array interface.")
    return from_cuda_array_interface(obj.__cuda_array_interface__, obj, sync)


def from_cuda_array_interface(desc, owner=None, sync=True):
    """The array that an interface describes; it keeps `owner` alive."""
    if desc.get("mask") is not None:
        raise NotImplementedError("Masked arrays are not supported")

    class Interface:
        __array_interface__ = {"shape": desc["shape"], "typestr": desc["typestr"], "data": desc["data"],
                               "strides": desc.get("strides"), "version": 3}
        keeps = owner

    return DeviceNDArray(np.asarray(Interface()))


class InOut:
    """A host array that a kernel reads and writes."""

    def __init__(self, value):
        self.value = value

    def before(self):
        return self.value

    def after(self, used):
        """What the kernel used came back."""


class In(InOut):
    """A host array that a kernel reads: what it writes is lost."""

    def before(self):
        return np.array(self.value, order="K")


class Out(InOut):
    """A host array that a kernel fills."""
