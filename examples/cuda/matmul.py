"""Matrix product by tiles: each block of threads brings tiles of both factors into shared memory."""

import numpy as np
from naja import cuda, float32

TILE = 16


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


def main(n=128):
    rng = np.random.default_rng(1)
    a, b = rng.random((n, n), dtype=np.float32), rng.random((n, n), dtype=np.float32)
    out = np.zeros((n, n), np.float32)
    blocks = (n // TILE, n // TILE)
    matmul[blocks, (TILE, TILE)](a, b, out)
    np.testing.assert_allclose(out, a @ b, rtol=1e-4)
    print(f"product of {n}x{n} matrices: trace {np.trace(out):.1f}")


if __name__ == "__main__":
    main()
