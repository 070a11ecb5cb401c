"""The Mandelbrot set with smooth escape times."""

import math

import numpy as np
from naja import njit

TITLE = "Mandelbrot set"


@njit
def escape_time(c, limit):
    z = 0j
    for n in range(limit):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag > 256.0:
            return n + 1 - math.log2(0.5 * math.log(z.real * z.real + z.imag * z.imag))
    return 0.0


@njit
def mandelbrot(width, height, centre, span, limit):
    out = np.empty((height, width))
    for i in range(height):
        for j in range(width):
            c = centre + complex((j / width - 0.5) * span, (i / height - 0.5) * span * height / width)
            out[i, j] = escape_time(c, limit)
    return out


def load():
    return 480, 360, -0.7436 + 0.1318j, 0.02, 200


def run(inputs):
    return mandelbrot(*inputs)


def picture(inputs, result):
    return np.sqrt(result / max(result.max(), 1.0))


if __name__ == "__main__":
    print(run(load()).mean())
