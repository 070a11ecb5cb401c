"""Kernels on the CPU device against NumPy."""

import math

import numpy as np
import pytest
from naja import cuda, float32, int32, int64


def launch(kernel, grid, block, *args, **config):
    kernel.configure(grid, block, **config)(*args)


def test_positions_in_three_dimensions():
    @cuda.jit
    def kernel(out):
        x, y, z = cuda.grid(3)
        nx, ny, nz = cuda.gridsize(3)
        if x < out.shape[0] and y < out.shape[1] and z < out.shape[2]:
            out[x, y, z] = x + 100 * y + 10000 * z + (nx * ny * nz) * 10**6

    out = np.zeros((7, 5, 3), np.int64)
    kernel[(2, 3, 2), (4, 2, 2)](out)
    x, y, z = np.indices(out.shape)
    np.testing.assert_array_equal(out, x + 100 * y + 10000 * z + 8 * 6 * 4 * 10**6)


def test_members_of_indices():
    @cuda.jit
    def kernel(out):
        t = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)
        b = cuda.blockIdx.x + cuda.gridDim.x * (cuda.blockIdx.y + cuda.gridDim.y * cuda.blockIdx.z)
        out[b, t] = t * 1000 + cuda.laneid + cuda.warpsize * 10**6

    out = np.zeros((12, 48), np.int64)
    kernel[(2, 3, 2), (4, 6, 2)](out)
    expected = np.arange(48) * 1000 + np.arange(48) % 32 + 32 * 10**6
    np.testing.assert_array_equal(out, np.tile(expected, (12, 1)))


def test_early_return_before_a_barrier():
    @cuda.jit
    def kernel(a, out):
        s = cuda.shared.array(64, int32)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        if i >= a.size:
            return
        s[t] = a[i]
        cuda.syncthreads()
        out[i] = s[0] + s[t]

    a, out = np.arange(100, dtype=np.int32), np.zeros(100, np.int32)
    kernel[2, 64](a, out)
    np.testing.assert_array_equal(out, a + a // 64 * 64)


def test_values_live_across_barriers_in_loops():
    @cuda.jit
    def kernel(x, out, rounds):
        s = cuda.shared.array(32, int64)
        t = cuda.threadIdx.x
        mine, previous = x[cuda.grid(1)], 0
        for r in range(rounds):
            s[t] = mine
            cuda.syncthreads()
            other = s[(t + 1) % 32]
            cuda.syncthreads()
            if t % 2 == 0:
                previous = other
            mine = other + r
        out[cuda.grid(1)] = mine * 1000 + previous

    x = np.arange(64) * 3
    out = np.zeros(64, np.int64)
    kernel[2, 32](x, out, 5)
    expected = np.zeros(64, np.int64)
    for block in range(2):
        mine, previous = x[block * 32:block * 32 + 32].copy(), np.zeros(32, np.int64)
        for r in range(5):
            other = np.roll(mine, -1)
            previous[::2] = other[::2]
            mine = other + r
        expected[block * 32:block * 32 + 32] = mine * 1000 + previous
    np.testing.assert_array_equal(out, expected)


def test_barrier_behind_a_condition_of_data():
    """Whether the loop goes on is read from memory: all threads agree, which only running it shows."""
    @cuda.jit
    def kernel(out):
        left = cuda.shared.array(1, int32)
        t = cuda.threadIdx.x
        if t == 0:
            left[0] = 5
        cuda.syncthreads()
        n = 0
        while left[0] > 0:
            n += 1
            cuda.syncthreads()
            if t == 0:
                left[0] -= 1
            cuda.syncthreads()
        out[t] = n

    out = np.zeros(16, np.int64)
    kernel[1, 16](out)
    assert out.tolist() == [5] * 16


def test_barrier_in_a_device_function():
    @cuda.jit(device=True)
    def rotate(buffer, value, t, n):
        buffer[t] = value
        cuda.syncthreads()
        value = buffer[(t + 1) % n]
        cuda.syncthreads()
        return value

    @cuda.jit
    def kernel(out):
        buffer = cuda.shared.array(8, int64)
        t = cuda.threadIdx.x
        value = rotate(buffer, t * 10, t, 8)
        out[t] = rotate(buffer, value, t, 8)

    out = np.zeros(8, np.int64)
    kernel[1, 8](out)
    np.testing.assert_array_equal(out, (np.arange(8) + 2) % 8 * 10)


def test_local_arrays():
    @cuda.jit
    def kernel(out):
        values = cuda.local.array((2, 4), int32)
        i = cuda.grid(1)
        for k in range(8):
            values[k // 4, k % 4] = k * i
        cuda.syncthreads()
        out[i] = values[1, i % 4] + values[0, 3]

    out = np.zeros(40, np.int64)
    kernel[2, 20](out)
    i = np.arange(40)
    np.testing.assert_array_equal(out, (4 + i % 4) * i + 3 * i)


def test_dynamic_shared_memory_has_views():
    @cuda.jit
    def kernel(out):
        floats = cuda.shared.array(0, float32)
        ints = cuda.shared.array(0, int32)[4:]
        i = cuda.threadIdx.x
        floats[i] = 0.5 * i
        ints[i] = 100 * i
        cuda.syncthreads()
        out[i] = floats[3 - i] + ints[3 - i]

    out = np.zeros(4, np.float32)
    kernel[1, 4, 0, 32](out)
    assert out.tolist() == [301.5, 201.0, 100.5, 0.0]


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8"])
def test_atomic_arithmetic(dtype):
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.add(out, 0, x[i])
            cuda.atomic.sub(out, 1, x[i])
            cuda.atomic.max(out, (2,), x[i])
            cuda.atomic.min(out, 3, x[i])

    x = np.random.default_rng(1).integers(1, 100, 200).astype(dtype)
    out = np.array([0, 0, 0, 100], dtype)
    kernel[4, 64](x, out)
    with np.errstate(over="ignore"):
        expected = [x.sum(dtype=dtype), np.zeros(1, dtype)[0] - x.sum(dtype=dtype), x.max(), x.min()]
    np.testing.assert_array_equal(out, np.array(expected, dtype))


def test_atomic_bits_and_exchange():
    @cuda.jit
    def kernel(out, old):
        i = cuda.grid(1)
        cuda.atomic.or_(out, 0, 1 << i)
        cuda.atomic.xor(out, 1, 1 << i)
        cuda.atomic.and_(out, 2, ~(1 << i))
        cuda.atomic.inc(out, 3, 9)
        cuda.atomic.dec(out, 4, 9)
        if i == 0:
            old[0] = cuda.atomic.exch(out, 5, 77)
            old[1] = cuda.atomic.cas(out, 5, 77, 78)
            old[2] = cuda.atomic.cas(out, 5, 77, 79)

    out, old = np.array([0, 3, 255, 8, 1, 5], np.uint32), np.zeros(3, np.uint32)
    kernel[1, 4](out, old)
    assert out.tolist() == [15, 3 ^ 15, 240, 2, 7, 78] and old.tolist() == [5, 77, 78]


def test_math_functions():
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = math.sin(x[i]) * math.exp(-x[i]) + math.sqrt(x[i]) + math.pow(x[i], 1.5)

    for dtype, tolerance in (("f4", 1e-5), ("f8", 1e-13)):
        x = np.linspace(0.1, 5, 300).astype(dtype)
        out = np.zeros_like(x)
        kernel[3, 128](x, out)
        np.testing.assert_allclose(out, np.sin(x) * np.exp(-x) + np.sqrt(x) + x**1.5, rtol=tolerance)


def test_narrow_arithmetic():
    """Operands of 32 bits or less keep 32 bits."""
    @cuda.jit
    def kernel(a, b, f, out, out_f):
        out[0] = a * a + b
        out[1] = (a + 1) * 65536
        out_f[0] = f * a

    out, out_f = np.zeros(2, np.int64), np.zeros(1)
    kernel[1, 1](np.int32(100_000), np.int16(7), np.float32(0.1), out, out_f)
    wrapped = (100_000 * 100_000 + 7 + 2**31) % 2**32 - 2**31
    assert out[0] == wrapped and out[1] == ((100_001 * 65536) + 2**31) % 2**32 - 2**31
    assert out_f[0] == np.float64(np.float32(0.1) * np.float32(100_000))


def test_signatures_and_views():
    @cuda.jit("void(float64[:, :], float64)")
    def scale(a, factor):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            a[i, j] *= factor

    a = np.arange(48.0).reshape(6, 8)
    view = a[::2, 1::3]
    expected = view * 3
    scale[(1, 1), (8, 8)](view, 3)
    np.testing.assert_array_equal(view, expected)
    with pytest.raises(TypeError, match="No matching definition"):
        scale[1, 1]("x", 1.0)


def test_large_grids_use_all_blocks():
    @cuda.jit
    def kernel(out):
        cuda.atomic.add(out, cuda.blockIdx.x % 7, 1)

    out = np.zeros(7, np.int64)
    kernel[100_000, 3](out)
    assert out.sum() == 300_000


def test_forall_and_specialize():
    @cuda.jit
    def kernel(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] += i

    a = np.zeros(1000)
    kernel.forall(a.size)(a)
    np.testing.assert_array_equal(a, np.arange(1000))
    kernel.specialize(a)[8, 128](a)
    np.testing.assert_array_equal(a, 2 * np.arange(1000))


def test_vectorised():
    """The loop over a block's threads is vectorised, with a guard as well."""
    from naja.inspection import text

    @cuda.jit
    def kernel(a, x, y):
        i = cuda.grid(1)
        if i < y.size:
            y[i] += a * x[i]

    x = np.ones(10, np.float32)
    kernel[1, 32](np.float32(1), x, x.copy())
    ir = text(kernel, kernel._specialisations()[0], "opt.ll")
    assert " x float>" in ir and "fmul <" in ir


def test_grid_stride_loops_run_together():
    """Threads of a block take each turn together: the loop over the threads is vectorised, whatever is carried."""
    from naja.inspection import text

    @cuda.jit
    def saxpy(a, x, y):
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            y[i] += a * x[i]

    @cuda.jit
    def sums(x, out):
        total, last = 0.0, -1
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            if x[i] > 0.25:
                total += x[i]
                last = i
        out[0, cuda.grid(1)] = total
        out[1, cuda.grid(1)] = last

    for n in (0, 1, 77, 128, 1000, 12345):
        x = np.random.default_rng(n).random(n)
        y, expected = np.ones(n), 1 + 3 * x
        saxpy[2, 64](3.0, x, y)
        np.testing.assert_allclose(y, expected, rtol=1e-15)
        out = np.zeros((2, 128))
        sums[2, 64](x, out)
        for t in range(128):
            mine = np.arange(t, n, 128)
            mine = mine[x[mine] > 0.25]
            np.testing.assert_allclose(out[:, t], [x[mine].sum(), mine[-1] if mine.size else -1])
    ir = text(saxpy, saxpy._specialisations()[0], "opt.ll")
    assert "masked.load" in ir and "fmul <" in ir


def test_fuzz():
    import pathlib
    import sys

    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "fuzz"))
    import cuda_kernels

    for seed in range(40):
        assert cuda_kernels.check(seed) is None
