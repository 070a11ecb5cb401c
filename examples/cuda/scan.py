"""Running sums within blocks (Hillis and Steele), then the blocks' offsets on the host."""

import numpy as np
from naja import cuda, int64

THREADS = 256


@cuda.jit
def scan(x, out, totals):
    buffer = cuda.shared.array((2, THREADS), int64)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    buffer[0, t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    source, step = 0, 1
    while step < THREADS:
        value = buffer[source, t]
        if t >= step:
            value += buffer[source, t - step]
        buffer[1 - source, t] = value
        cuda.syncthreads()
        source = 1 - source
        step *= 2
    if i < x.size:
        out[i] = buffer[source, t]
    if t == THREADS - 1:
        totals[cuda.blockIdx.x] = buffer[source, t]


@cuda.jit
def add_offsets(out, offsets):
    i = cuda.grid(1)
    if i < out.size:
        out[i] += offsets[cuda.blockIdx.x]


def main(n=5_000):
    x = np.random.default_rng(1).integers(0, 100, n)
    blocks = -(-n // THREADS)
    out, totals = np.zeros(n, np.int64), np.zeros(blocks, np.int64)
    scan[blocks, THREADS](x, out, totals)
    offsets = np.cumsum(totals) - totals
    add_offsets[blocks, THREADS](out, offsets)
    np.testing.assert_array_equal(out, np.cumsum(x))
    print(f"running sums of {n} numbers: the last is {out[-1]}")


if __name__ == "__main__":
    main()
