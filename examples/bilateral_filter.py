"""Edge-preserving smoothing of a photograph (Tomasi and Manduchi, 1998)."""

import math

import numpy as np
from naja import njit
from skimage import data

TITLE = "Bilateral filter"


@njit
def bilateral(image, radius, sigma_space, sigma_value):
    h, w = image.shape
    out = np.empty_like(image)
    scale_space = -0.5 / (sigma_space * sigma_space)
    scale_value = -0.5 / (sigma_value * sigma_value)
    for i in range(h):
        for j in range(w):
            total = weights = 0.0
            centre = image[i, j]
            for y in range(max(0, i - radius), min(h, i + radius + 1)):
                for x in range(max(0, j - radius), min(w, j + radius + 1)):
                    difference = image[y, x] - centre
                    weight = math.exp(((y - i) ** 2 + (x - j) ** 2) * scale_space + difference**2 * scale_value)
                    total += weight * image[y, x]
                    weights += weight
            out[i, j] = total / weights
    return out


def load():
    return data.camera()[::2, ::2].astype(np.float64) / 255.0, 4, 2.0, 0.1


def run(inputs):
    return bilateral(*inputs)


def picture(inputs, result):
    return np.hstack([inputs[0], result])


if __name__ == "__main__":
    print(run(load()).mean())
