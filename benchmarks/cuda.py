"""Kernels on the CPU device against the same algorithm with prange and with C and OpenMP.

    python benchmarks/cuda.py

Prints, per kernel, milliseconds and the ratios CPU device : prange and CPU device : C.
"""

from __future__ import annotations

import ctypes
import pathlib
import shutil
import subprocess
import tempfile
import time

import numpy as np
from naja import cuda, float32, njit, prange

TILE, THREADS = 16, 128

C_SOURCE = r"""
void saxpy(long n, float a, const float *x, float *y) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) y[i] += a * x[i];
}
void matmul(long n, const float *a, const float *b, float *out) {
#pragma omp parallel for collapse(2)
  for (long i = 0; i < n; i += 16)
    for (long j = 0; j < n; j += 16) {
      float sum[16][16] = {{0}};
      for (long k = 0; k < n; k += 16)
        for (int ty = 0; ty < 16; ++ty)
          for (int kk = 0; kk < 16; ++kk)
            for (int tx = 0; tx < 16; ++tx) sum[ty][tx] += a[(i + ty) * n + k + kk] * b[(k + kk) * n + j + tx];
      for (int ty = 0; ty < 16; ++ty)
        for (int tx = 0; tx < 16; ++tx) out[(i + ty) * n + j + tx] = sum[ty][tx];
    }
}
void block_sums(long n, const double *x, double *out) {
#pragma omp parallel for
  for (long block = 0; block < n; ++block) {
    double s[128];
    for (int t = 0; t < 128; ++t) s[t] = x[block * 128 + t];
    for (int step = 64; step > 0; step /= 2)
      for (int t = 0; t < step; ++t) s[t] += s[t + step];
    out[block] = s[0];
  }
}
"""


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@cuda.jit
def saxpy_strided(a, x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[i] += a * x[i]


@njit(parallel=True)
def saxpy_prange(a, x, y):
    for i in prange(x.size):
        y[i] += a * x[i]


@cuda.jit
def matmul(a, b, out):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    column, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0.0)
    for tile in range(a.shape[1] // TILE):
        left[ty, tx] = a[row, tile * TILE + tx]
        right[ty, tx] = b[tile * TILE + ty, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    out[row, column] = total


@njit(parallel=True)
def matmul_prange(a, b, out):
    blocks = a.shape[0] // TILE
    for block in prange(blocks * blocks):
        i, j = block // blocks * TILE, block % blocks * TILE
        total = np.zeros((TILE, TILE), np.float32)
        for k in range(a.shape[1]):
            for ty in range(TILE):
                for tx in range(TILE):
                    total[ty, tx] += a[i + ty, k] * b[k, j + tx]
        for ty in range(TILE):
            for tx in range(TILE):
                out[i + ty, j + tx] = total[ty, tx]


@cuda.jit
def block_sums(x, out):
    shared = cuda.shared.array(THREADS, np.float64)
    t = cuda.threadIdx.x
    shared[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            shared[t] += shared[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = shared[0]


@njit(parallel=True)
def block_sums_prange(x, out):
    for block in prange(out.size):
        shared = x[block * THREADS:(block + 1) * THREADS].copy()
        step = THREADS // 2
        while step > 0:
            for t in range(step):
                shared[t] += shared[t + step]
            step //= 2
        out[block] = shared[0]


def c_library():
    compiler = shutil.which("gcc")
    if not compiler:
        return None
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "kernels.c").write_text(C_SOURCE)
    subprocess.run([compiler, "-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC", "-o",
                    str(folder / "kernels.so"), str(folder / "kernels.c")], check=True)
    return ctypes.CDLL(str(folder / "kernels.so"))


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def best_of_interleaved(functions, seconds=2.0):
    """Fastest run of each; one after the other, so that all meet the same machine."""
    best = [float("inf")] * len(functions)
    for function in functions:
        function()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for k, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[k] = min(best[k], time.perf_counter() - start)
    return best


def report(name, device, prange_form, c_form):
    times = best_of_interleaved([device, prange_form, *([c_form] if c_form else [])])
    ratios = [f"{times[0] / t:5.2f}" for t in times[1:]]
    print(f"{name:<20}" + "".join(f"{t * 1e3:10.3f}" for t in times) + "   " + "  ".join(ratios), flush=True)


def main():
    rng = np.random.default_rng(1)
    library = c_library()
    print(f"{'milliseconds':<20}{'device':>10}{'prange':>10}{'C':>10}   ratios")
    for n in (100_000, 4_000_000):
        x, y, a = rng.random(n, np.float32), np.zeros(n, np.float32), np.float32(1e-6)
        c_form = library and (lambda: library.saxpy(ctypes.c_long(n), ctypes.c_float(a), pointer(x), pointer(y)))
        report(f"saxpy {n}", lambda: saxpy[-(-n // 256), 256](a, x, y), lambda: saxpy_prange(a, x, y), c_form)
        report(f"grid-stride {n}", lambda: saxpy_strided[64, 256](a, x, y), lambda: saxpy_prange(a, x, y), c_form)
    n = 512
    a, b, out = rng.random((n, n), np.float32), rng.random((n, n), np.float32), np.zeros((n, n), np.float32)
    report(f"matmul {n}", lambda: matmul[(n // TILE, n // TILE), (TILE, TILE)](a, b, out), lambda: matmul_prange(a, b, out),
           library and (lambda: library.matmul(ctypes.c_long(n), pointer(a), pointer(b), pointer(out))))
    n = 10_000
    x, out = rng.random(n * THREADS), np.zeros(n)
    report(f"block sums {n}", lambda: block_sums[n, THREADS](x, out), lambda: block_sums_prange(x, out),
           library and (lambda: library.block_sums(ctypes.c_long(n), pointer(x), pointer(out))))


if __name__ == "__main__":
    main()
