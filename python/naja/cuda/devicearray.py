"""Arrays on the device. The CPU device has the host's memory: an array there is a NumPy array of its own behind an object
that allows what a device array allows, so that code which would fail on a GPU fails here."""

from __future__ import annotations

import numpy as np


class DeviceNDArray:
    """An array in the memory of the device."""

    __cuda_memory__ = True
    __cuda_ndarray__ = True

    def __init__(self, array, stream=0):
        self._array, self.stream = array, stream

    shape = property(lambda self: self._array.shape)
    strides = property(lambda self: self._array.strides)
    dtype = property(lambda self: self._array.dtype)
    ndim = property(lambda self: self._array.ndim)
    size = property(lambda self: self._array.size)
    nbytes = property(lambda self: self._array.nbytes)
    alloc_size = nbytes
    flags = property(lambda self: {"C_CONTIGUOUS": self.is_c_contiguous(), "F_CONTIGUOUS": self.is_f_contiguous()})
    T = property(lambda self: self.transpose())

    @property
    def __cuda_array_interface__(self):
        address = self._array.__array_interface__["data"][0] if self.size else 0
        contiguous = self.is_c_contiguous()
        return {"shape": self.shape, "strides": None if contiguous else self.strides, "data": (address, False),
                "typestr": self.dtype.str, "stream": None, "version": 3}

    def is_c_contiguous(self):
        return bool(self._array.flags.c_contiguous)

    def is_f_contiguous(self):
        return bool(self._array.flags.f_contiguous)

    def copy_to_host(self, ary=None, stream=0):
        """The elements in a new host array, or in `ary`."""
        if ary is None:
            return self._array.copy(order="F" if self.is_f_contiguous() and not self.is_c_contiguous() else "C")
        if ary.dtype != self.dtype:
            raise TypeError(f"incompatible dtype: {self.dtype} on the device, {ary.dtype} on the host")
        if ary.size != self.size:
            raise ValueError(f"array sizes differ: {self.size} elements on the device, {ary.size} on the host")
        ary[...] = self._array.reshape(ary.shape)
        return ary

    def copy_to_device(self, ary, stream=0):
        """Overwrites the elements with those of a host or device array."""
        source = ary._array if isinstance(ary, DeviceNDArray) else np.asarray(ary)
        if source.dtype != self.dtype:
            raise TypeError(f"incompatible dtype: {source.dtype} against {self.dtype}")
        if source.shape != self.shape:
            raise ValueError(f"incompatible shape: {source.shape} against {self.shape}")
        self._array[...] = source

    def _view(self, array):
        return DeviceNDArray(array, self.stream)

    def _without_copy(self, changed):
        if self.size and not np.shares_memory(changed, self._array):
            raise NotImplementedError("this array cannot be reshaped without a copy")
        return self._view(changed)

    def reshape(self, *shape, order="C"):
        """The same memory with another shape."""
        return self._without_copy(self._array.reshape(*shape, order=order))

    def ravel(self, order="C", stream=0):
        """The same memory with one axis."""
        return self._without_copy(self._array.ravel(order=order))

    def transpose(self, axes=None):
        """The same memory with the axes in another order."""
        return self._view(self._array.transpose(axes))

    def squeeze(self, axis=None, stream=0):
        """The same memory without axes of one element."""
        return self._view(self._array.squeeze(axis))

    def view(self, dtype):
        """The same memory as elements of another type."""
        return self._view(self._array.view(dtype))

    def split(self, section, stream=0):
        """Views of `section` elements each."""
        for begin in range(0, self.size, section):
            yield self._view(self._array[begin:begin + section])

    def bind(self, stream=0):
        """The same array bound to a stream."""
        return DeviceNDArray(self._array, stream)

    def __len__(self):
        return len(self._array)

    def __getitem__(self, item):
        found = self._array[item]
        return self._view(found) if isinstance(found, np.ndarray) else found

    def getitem(self, item, stream=0):
        return self[item]

    def __setitem__(self, item, value):
        self._array[item] = value._array if isinstance(value, DeviceNDArray) else value

    def setitem(self, item, value, stream=0):
        self[item] = value

    def __array__(self, dtype=None, copy=None):
        return np.array(self._array, dtype=dtype)

    def __repr__(self):
        return f"<DeviceNDArray shape={self.shape} dtype={self.dtype}>"



class MappedNDArray(DeviceNDArray):
    """Memory that host and device share."""


class ManagedNDArray(DeviceNDArray):
    """Memory that moves between host and device by itself."""


def is_cuda_ndarray(obj):
    """Whether an object is an array on the device."""
    return bool(getattr(obj, "__cuda_ndarray__", False))
