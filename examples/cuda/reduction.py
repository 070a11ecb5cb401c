"""Sums of blocks by a tree in shared memory, added up atomically."""

import numpy as np
from naja import cuda, float64

THREADS = 128


@cuda.jit
def block_sum(x, total):
    shared = cuda.shared.array(THREADS, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            shared[t] += shared[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(total, 0, shared[0])


def main(n=10_000):
    x = np.random.default_rng(1).random(n)
    total = np.zeros(1)
    block_sum[-(-n // THREADS), THREADS](x, total)
    np.testing.assert_allclose(total[0], x.sum())
    print(f"sum of {n} numbers: {total[0]:.3f}")


if __name__ == "__main__":
    main()
