"""A histogram: each block counts in shared memory, then adds its counts to the result."""

import numpy as np
from naja import cuda, int32

BINS = 64


@cuda.jit
def histogram(x, counts):
    local = cuda.shared.array(BINS, int32)
    t = cuda.threadIdx.x
    if t < BINS:
        local[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(local, int(x[i] * BINS), 1)
    cuda.syncthreads()
    if t < BINS:
        cuda.atomic.add(counts, t, local[t])


def main(n=50_000):
    x = np.random.default_rng(1).random(n)
    counts = np.zeros(BINS, np.int32)
    histogram[8, 128](x, counts)
    np.testing.assert_array_equal(counts, np.histogram(x, BINS, (0, 1))[0])
    print(f"histogram of {n} numbers in {BINS} bins: {counts.min()} to {counts.max()}")


if __name__ == "__main__":
    main()
