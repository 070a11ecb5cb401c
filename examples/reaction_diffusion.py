"""Gray-Scott reaction-diffusion, seeded by a photograph (Pearson, Science 261, 1993)."""

import numpy as np
from naja import njit
from skimage import data

TITLE = "Reaction-diffusion"


@njit
def laplacian(a):
    return a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4.0 * a[1:-1, 1:-1]


@njit
def gray_scott(u, v, steps, feed, kill):
    u, v = u.copy(), v.copy()
    for _ in range(steps):
        centre_u, centre_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
        reaction = centre_u * centre_v * centre_v
        next_u = centre_u + 0.2 * laplacian(u) - reaction + feed * (1.0 - centre_u)
        next_v = centre_v + 0.1 * laplacian(v) + reaction - (feed + kill) * centre_v
        u[1:-1, 1:-1] = next_u
        v[1:-1, 1:-1] = next_v
    return u, v


def load():
    image = data.coins()[:256, :256].astype(np.float64) / 255.0
    seed = image > 0.6
    return np.where(seed, 0.5, 1.0), np.where(seed, 0.25, 0.0), 3000, 0.037, 0.06


def run(inputs):
    return gray_scott(*inputs)


def picture(inputs, result):
    v = result[1]
    return v / v.max()


if __name__ == "__main__":
    u, v = run(load())
    print(u.mean(), v.mean())
