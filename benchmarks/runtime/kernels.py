"""Single-threaded kernels; runtime/kernels.c has each again in C. `KERNELS` maps a name to (function, arguments)."""

import math

import numpy as np


def saxpy(alpha, x, y):
    for i in range(x.shape[0]):
        y[i] = alpha * x[i] + y[i]


def euclidean(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        t = a[i] - b[i]
        total += t * t
    return math.sqrt(total)


def horner(x, out):
    for i in range(x.shape[0]):
        t = x[i]
        out[i] = (((t * 0.25 - 0.5) * t + 0.75) * t - 1.0) * t + 2.0


def softplus(x, out):
    for i in range(x.shape[0]):
        out[i] = math.log1p(math.exp(x[i]))


def rotate(x, y, angle):
    for i in range(x.shape[0]):
        c, s = math.cos(angle[i]), math.sin(angle[i])
        x[i], y[i] = c * x[i] - s * y[i], s * x[i] + c * y[i]


def digit_sum(a):
    total = 0
    for i in range(a.shape[0]):
        v = a[i]
        while v > 0:
            total += v % 10
            v //= 10
    return total


def blur(image, out):
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            total = 0.0
            for y in range(-1, 2):
                for x in range(-1, 2):
                    total += image[i + y, j + x]
            out[i, j] = total / 9.0


def matmul(a, b, out):
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            v = a[i, k]
            for j in range(b.shape[1]):
                out[i, j] += v * b[k, j]


def julia(out, limit):
    n = out.shape[0]
    for i in range(n):
        for j in range(n):
            z = complex(3.0 * j / n - 1.5, 3.0 * i / n - 1.5)
            count = 0
            while count < limit and z.real * z.real + z.imag * z.imag < 4.0:
                z = z * z + (-0.8 + 0.156j)
                count += 1
            out[i, j] = count


def longest_common_subsequence(a, b, row):
    row[:] = 0
    for i in range(a.shape[0]):
        diagonal = 0
        for j in range(b.shape[0]):
            above = row[j + 1]
            row[j + 1] = diagonal + 1 if a[i] == b[j] else max(above, row[j])
            diagonal = above
    return row[b.shape[0]]


def counting_sort(a, counts, out):
    counts[:] = 0
    for i in range(a.shape[0]):
        counts[a[i]] += 1
    position = 0
    for value in range(counts.shape[0]):
        for _ in range(counts[value]):
            out[position] = value
            position += 1


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def _random(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.1, 1.0, shape)


def _integers(high, n, seed=0, dtype=np.int64):
    return np.random.default_rng(seed).integers(0, high, n, dtype=dtype)


# name: (function, makes the arguments, result in C: d double, q int64, v none, math functions)
KERNELS = {
    "saxpy": (saxpy, lambda: (np.float32(1.5), _random(10**6).astype("f4"), _random(10**6).astype("f4")), "v", False),
    "euclidean": (euclidean, lambda: (_random(10**6), _random(10**6, seed=1)), "d", False),
    "horner": (horner, lambda: (_random(10**5), np.empty(10**5)), "v", False),
    "softplus": (softplus, lambda: (_random(10**5), np.empty(10**5)), "v", True),
    "rotate": (rotate, lambda: (_random(10**5), _random(10**5), _random(10**5)), "v", True),
    "digit_sum": (digit_sum, lambda: (_integers(10**9, 10**5),), "q", False),
    "blur": (blur, lambda: (_random(500, 500), np.zeros((500, 500))), "v", False),
    "matmul": (matmul, lambda: (_random(200, 200), _random(200, 200), np.zeros((200, 200))), "v", False),
    "julia": (julia, lambda: (np.empty((150, 150), np.int32), 100), "v", False),
    "longest_common_subsequence": (
        longest_common_subsequence,
        lambda: (_integers(4, 1500, dtype=np.uint8), _integers(4, 1500, 1, np.uint8), np.empty(1501, np.int64)),
        "q", False),
    "counting_sort": (
        counting_sort, lambda: (_integers(1000, 10**6), np.empty(1000, np.int64), np.empty(10**6, np.int64)), "v", False),
    "fib": (fib, lambda: (27,), "q", False),
}  # fmt: skip
