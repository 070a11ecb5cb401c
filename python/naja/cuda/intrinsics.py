"""What kernels call. Outside of a kernel these names mean nothing: the compiler knows them by identity."""

from __future__ import annotations

import types


def _only_in_kernels(name, doc):
    def function(*args, **kwargs):
        raise RuntimeError(f"cuda.{name} has a meaning in kernels only")

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__module__ = "naja.cuda"
    function.__doc__ = doc
    return function


class Dim3:
    """threadIdx, blockIdx, blockDim or gridDim: members x, y and z, int32."""

    def __init__(self, name):
        self.__name__ = self.__qualname__ = name

    def __call__(self):
        raise TypeError(f"cuda.{self.__name__} is not a function")

    def __getattr__(self, name):
        if name in ("x", "y", "z"):
            raise RuntimeError(f"cuda.{self.__name__}.{name} has a meaning in kernels only")
        raise AttributeError(name)

    def __repr__(self):
        return f"<cuda.{self.__name__}>"


def _namespace(name, functions):
    module = types.ModuleType(f"naja.cuda.{name}", f"cuda.{name}: functions of kernels.")
    for function, doc in functions.items():
        setattr(module, function, _only_in_kernels(f"{name}.{function}", doc))
    return module


threadIdx, blockIdx = Dim3("threadIdx"), Dim3("blockIdx")
blockDim, gridDim = Dim3("blockDim"), Dim3("gridDim")
#: Threads that run in lock-step.
warpsize = 32

grid = _only_in_kernels("grid", "Position of the thread in the grid: an int64, or a tuple of 2 or 3.")
gridsize = _only_in_kernels("gridsize", "Threads of the grid per axis: an int64, or a tuple of 2 or 3.")
syncthreads = _only_in_kernels("syncthreads", "Waits for all threads of the block.")
threadfence = _only_in_kernels("threadfence", "Orders the thread's accesses for the device.")
threadfence_block = _only_in_kernels("threadfence_block", "Orders the thread's accesses for its block.")
threadfence_system = _only_in_kernels("threadfence_system", "Orders the thread's accesses for the system.")

shared = _namespace("shared", {
    "array": "array(shape, dtype): memory of the block, of constant shape; shape 0 is the launch's dynamic memory."})
local = _namespace("local", {"array": "array(shape, dtype): memory of the thread, of constant shape."})
_OLD = " Returns the old value."
atomic = _namespace("atomic", {
    "add": "add(array, index, value): array[index] += value." + _OLD,
    "sub": "sub(array, index, value): array[index] -= value." + _OLD,
    "max": "max(array, index, value): the larger one stays." + _OLD,
    "min": "min(array, index, value): the smaller one stays." + _OLD,
    "nanmax": "nanmax(array, index, value): max that ignores NaN." + _OLD,
    "nanmin": "nanmin(array, index, value): min that ignores NaN." + _OLD,
    "and_": "and_(array, index, value): array[index] &= value." + _OLD,
    "or_": "or_(array, index, value): array[index] |= value." + _OLD,
    "xor": "xor(array, index, value): array[index] ^= value." + _OLD,
    "exch": "exch(array, index, value): array[index] = value." + _OLD,
    "inc": "inc(array, index, limit): 0 where array[index] >= limit, else one more." + _OLD,
    "dec": "dec(array, index, limit): limit where array[index] is 0 or above limit, else one less." + _OLD,
    "cas": "cas(array, index, old, value): array[index] = value where it is old." + _OLD,
    "compare_and_swap": "compare_and_swap(array, old, value): cas of element 0." + _OLD,
})
