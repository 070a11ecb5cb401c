"""Memory, streams, events and devices."""

import os
import subprocess
import sys

import numpy as np
import pytest
from naja import cuda


@cuda.jit
def increment(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += 1


def test_device_arrays():
    host = np.arange(10.0)
    device = cuda.to_device(host)
    increment[1, 32](device)
    np.testing.assert_array_equal(host, np.arange(10.0))
    np.testing.assert_array_equal(device.copy_to_host(), host + 1)
    out = np.zeros(10)
    assert device.copy_to_host(out) is out and out[9] == 10
    device.copy_to_device(host)
    assert device[3] == 3.0 and device[2:5].copy_to_host().tolist() == [2, 3, 4]
    assert device.shape == (10,) and device.dtype == np.float64 and device.nbytes == 80 and len(device) == 10
    assert device.reshape(2, 5).T.shape == (5, 2) and device.view("i8").dtype == np.int64
    with pytest.raises(TypeError):
        device.copy_to_device(np.zeros(10, np.float32))
    with pytest.raises(ValueError):
        device.copy_to_host(np.zeros(3))


def test_allocation():
    assert cuda.device_array((3, 4), np.int32).shape == (3, 4)
    like = cuda.device_array_like(np.zeros((2, 3), np.float32, order="F"))
    assert like.is_f_contiguous() and like.dtype == np.float32
    for make in (cuda.pinned_array, cuda.mapped_array, cuda.managed_array):
        array = make(5, np.int64)
        array[:] = 1
        increment[1, 8](array)
        assert array.tolist() == [2] * 5
    with cuda.pinned(np.zeros(3)), cuda.defer_cleanup():
        pass
    with cuda.mapped(np.zeros(3)) as mapped:
        increment[1, 8](mapped)
        assert mapped.copy_to_host().tolist() == [1, 1, 1]


def test_lists_streams_and_events():
    stream = cuda.stream()
    device = cuda.to_device([1, 2, 3], stream=stream)
    start, end = cuda.event(), cuda.event()
    start.record(stream)
    increment[1, 4, stream](device)
    end.record(stream)
    end.synchronize()
    assert end.query() and cuda.event_elapsed_time(start, end) >= 0
    with stream.auto_synchronize():
        assert device.copy_to_host(stream=stream).tolist() == [2, 3, 4]
    with pytest.raises(cuda.CudaDriverError, match="not recorded"):
        cuda.event().elapsed_time(end)
    cuda.synchronize()


def test_array_interface():
    class Foreign:
        def __init__(self, array):
            self.array = array
            self.__cuda_array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, "version": 3,
                                             "data": (array.ctypes.data, False), "strides": None, "stream": None}

    array = np.zeros(4)
    foreign = Foreign(array)
    assert cuda.is_cuda_array(foreign) and not cuda.is_cuda_array(array)
    increment[1, 8](foreign)
    increment[1, 8](cuda.as_cuda_array(foreign))
    assert array.tolist() == [2] * 4
    again = cuda.as_cuda_array(cuda.to_device(array))
    assert again.copy_to_host().tolist() == [2] * 4
    with pytest.raises(TypeError, match="interface"):
        cuda.as_cuda_array(array)


def test_hints_of_direction():
    a, b = np.zeros(3), np.zeros(3)
    increment[1, 4](cuda.In(a))
    increment[1, 4](cuda.InOut(b))
    assert a.tolist() == [0, 0, 0] and b.tolist() == [1, 1, 1]


def test_devices():
    assert len(cuda.gpus) == 1 and cuda.get_current_device() is cuda.gpus[0]
    assert cuda.current_context().device.compute_capability == (7, 5)
    free, total = cuda.current_context().get_memory_info()
    assert 0 < free <= total
    with cuda.gpus[0]:
        cuda.select_device(0)
    with pytest.raises(cuda.CudaAPIError, match="CUDA_ERROR_INVALID_DEVICE"):
        cuda.select_device(3)
    cuda.close()


@pytest.mark.parametrize("environment, expected", [({}, "False"), ({"NAJA_CUDA_DEVICE": "cpu"}, "True"),
                                                   ({"NUMBA_ENABLE_CUDASIM": "1"}, "True")])
def test_is_available_where_asked_for(environment, expected):
    env = {k: v for k, v in os.environ.items() if k not in ("NAJA_CUDA_DEVICE", "NUMBA_ENABLE_CUDASIM")}
    run = subprocess.run([sys.executable, "-c", "from naja import cuda; print(cuda.is_available())"], env=env | environment,
                         capture_output=True, text=True, check=True)
    assert run.stdout.strip() == expected


def test_under_the_alias():
    program = """
import numpy as np
from numba import cuda, float32
from numba.cuda.cudadrv.error import CudaSupportError
from numba.cuda.cudadrv.driver import CudaAPIError
from numba.cuda.cudadrv.devicearray import DeviceNDArray

@cuda.jit
def kernel(a):
    s = cuda.shared.array(8, float32)
    t = cuda.threadIdx.x
    s[t] = cuda.laneid
    cuda.syncthreads()
    a[t] = s[7 - t]

d = cuda.to_device(np.zeros(8))
kernel[1, 8](d)
assert isinstance(d, DeviceNDArray)
print(d.copy_to_host().tolist())
"""
    run = subprocess.run([sys.executable, "-c", "from naja import compat; compat.install_as_numba()\n" + program],
                         capture_output=True, text=True)
    assert run.stdout.strip() == str([7.0 - t for t in range(8)]), run.stderr
