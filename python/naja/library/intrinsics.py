"""What the library's code calls of the runtime. The bodies are never run: cpp/naja/library/array_intrinsics.cpp and its
kin say what a call becomes."""


def sort(x):
    """Sorts a contiguous array of one axis in place."""


def argsort(x, order, stable):
    """Writes the order of a contiguous array of one axis into one of int64. `stable` is constant."""


def gemm(a, b, out):
    """out = a @ b of contiguous matrices of one float dtype by the process's BLAS; whether that was done (False, a constant, for others)."""
