"""y += a * x with a grid-stride loop: any number of threads does any number of elements."""

import numpy as np
from naja import cuda


@cuda.jit
def saxpy(a, x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[i] += a * x[i]


def main(n=100_000):
    rng = np.random.default_rng(1)
    x, y = rng.random(n, dtype=np.float32), rng.random(n, dtype=np.float32)
    expected = y + np.float32(2.5) * x
    saxpy[32, 256](np.float32(2.5), x, y)
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    print(f"saxpy of {n} elements: sum {y.sum():.1f}")


if __name__ == "__main__":
    main()
