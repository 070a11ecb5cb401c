"""What is refused, and how it is said."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from naja import cuda, float64
from naja.errors import TypingError


@cuda.jit
def fill(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = i


def test_divergent_barrier():
    @cuda.jit
    def kernel(out):
        if cuda.threadIdx.x < 3:
            cuda.syncthreads()
            out[0] = 1
        else:
            out[1] = 2
            cuda.syncthreads()

    with pytest.raises(RuntimeError, match=r"syncthreads\(\) in divergent code.*line \d+ and line \d+"):
        kernel[1, 8](np.zeros(2))
    kernel[1, 3](np.zeros(2))  # all go the same way


@pytest.mark.parametrize("grid, block, sharedmem, message", [
    (0, 1, 0, "at least 1"), (1, 0, 0, "at least 1"), (1, 1025, 0, "1025 threads"), (1, (32, 32, 2), 0, "2048 threads"),
    ((1, 70000), 1, 0, "exceeds"), (1, 1, 300_000, "shared memory")])
def test_configuration(grid, block, sharedmem, message):
    with pytest.raises(cuda.CudaAPIError, match=message) as caught:
        fill[grid, block, 0, sharedmem](np.zeros(3))
    assert caught.value.code == 1 and "CUDA_ERROR_INVALID_VALUE" in caught.value.msg


def test_too_much_static_shared_memory():
    @cuda.jit
    def kernel(out):
        s = cuda.shared.array(40_000, float64)
        s[cuda.threadIdx.x] = 1.0
        cuda.syncthreads()
        out[0] = s[0]

    with pytest.raises(RuntimeError, match="320000.*shared memory"):
        kernel[1, 1](np.zeros(1))


def test_calls_without_configuration():
    with pytest.raises(ValueError, match="without a launch configuration"):
        fill(np.zeros(3))
    with pytest.raises(ValueError, match="griddim and blockdim"):
        fill[1]

    @cuda.jit(device=True)
    def device(x):
        return x

    with pytest.raises(TypeError, match="only kernels call it"):
        device(1)


def test_kernels_return_nothing():
    @cuda.jit
    def kernel(a):
        return a.size

    with pytest.raises(TypeError, match="must have void return type"):
        kernel[1, 1](np.zeros(1))
    with pytest.raises(TypeError, match="must have void return type"):
        cuda.jit("int32(int32)")(lambda x: x)


@pytest.mark.parametrize("body, message", [
    ("cuda.shared.array(a.size, float64)", "the shape must be constant"),
    ("cuda.grid(4)", "one constant: 1, 2 or 3"),
    ("cuda.atomic.add(a, 0)", "takes an array, an index and a value"),
    ("cuda.atomic.and_(a, 0, 1)", "no form for elements of type float64"),
    ("cuda.threadIdx()", "is not a function"),
])
def test_typing_errors(body, message):
    scope = {"cuda": cuda, "float64": float64}
    exec(f"def kernel(a):\n    x = {body}\n", scope)
    with pytest.raises(TypingError, match=message):
        cuda.jit(scope["kernel"])[1, 1](np.zeros(3))


def test_arguments_of_unknown_type():
    with pytest.raises((TypeError, TypingError)):
        fill[1, 1](object())
    with pytest.raises(TypingError):
        fill[1, 1](np.array(["a"], dtype=object))


def test_intrinsics_outside_of_kernels():
    for function in (cuda.grid, cuda.syncthreads, cuda.shared.array, cuda.atomic.add):
        with pytest.raises(RuntimeError, match="in kernels only"):
            function(1)
    with pytest.raises(RuntimeError, match="in kernels only"):
        cuda.threadIdx.x


def test_options_that_do_not_exist():
    with pytest.raises(NotImplementedError, match="NAJA_CUDA_CHECK|bounds checking"):
        cuda.jit(boundscheck=True)(lambda a: None)
    with pytest.raises(ValueError, match="link keyword invalid"):
        cuda.jit(device=True, link=("x.o",))


CHECKED = """
import numpy as np
from naja import cuda

@cuda.jit
def kernel(a):
    i = cuda.grid(1)
    a[i, 0] = 1

kernel[(3, 1), (4, 2)](np.zeros((9, 2)))
"""


def test_memory_check_names_the_thread(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(CHECKED)
    run = subprocess.run([sys.executable, str(program)], env=os.environ | {"NAJA_CUDA_CHECK": "memory"}, capture_output=True,
                         text=True)
    last = run.stderr.strip().splitlines()[-1]
    assert re.search(r"IndexError: index \d+ is out of bounds.*size 9.*kernel kernel.*block \(2, 0, 0\), thread \(3, [01], 0\)", last), last
    assert "line 8, in kernel" in run.stderr
    run = subprocess.run([sys.executable, str(program)], env=os.environ | {"NAJA_CUDA_CHECK": "nonsense"}, capture_output=True,
                         text=True)
    assert "only 'memory' is known" in run.stderr


def test_exceptions_of_kernels():
    @cuda.jit
    def kernel(a):
        if a[cuda.grid(1)] < 0:
            raise ValueError("negative")

    kernel[2, 4](np.zeros(8))
    a = np.zeros(8)
    a[5] = -1
    with pytest.raises(ValueError, match="negative"):
        kernel[2, 4](a)


def test_waiting_without_progress_is_reported():
    @cuda.jit
    def kernel(flag):
        if cuda.threadIdx.x == 0:
            while flag[0] == 0:
                pass
        else:
            flag[0] = 1

    with pytest.raises(RuntimeError, match="waits in a loop for memory"):
        kernel[1, 2](np.zeros(1, np.int32))
