"""Content-aware narrowing of a photograph: removes the vertical seams of least energy (Avidan and Shamir, 2007)."""

import numpy as np
from naja import njit
from skimage import data

TITLE = "Seam carving"


@njit(cache=True)
def energy_of(image):
    h, w, _ = image.shape
    energy = np.empty((h, w))
    for i in range(h):
        up, down = max(i - 1, 0), min(i + 1, h - 1)
        for j in range(w):
            left, right = max(j - 1, 0), min(j + 1, w - 1)
            total = 0.0
            for c in range(3):
                dx = image[i, right, c] - image[i, left, c]
                dy = image[down, j, c] - image[up, j, c]
                total += dx * dx + dy * dy
            energy[i, j] = np.sqrt(total)
    return energy


@njit(cache=True)
def best_seam(energy):
    h, w = energy.shape
    total = energy.copy()
    for i in range(1, h):
        for j in range(w):
            best = total[i - 1, j]
            if j > 0:
                best = min(best, total[i - 1, j - 1])
            if j < w - 1:
                best = min(best, total[i - 1, j + 1])
            total[i, j] += best
    seam = np.empty(h, np.int64)
    seam[-1] = np.argmin(total[-1])
    for i in range(h - 2, -1, -1):
        j = seam[i + 1]
        best = j
        if j > 0 and total[i, j - 1] < total[i, best]:
            best = j - 1
        if j < w - 1 and total[i, j + 1] < total[i, best]:
            best = j + 1
        seam[i] = best
    return seam


@njit(cache=True)
def remove_seam(image, seam):
    h, w, _ = image.shape
    out = np.empty((h, w - 1, 3))
    for i in range(h):
        out[i, : seam[i]] = image[i, : seam[i]]
        out[i, seam[i] :] = image[i, seam[i] + 1 :]
    return out


@njit(cache=True)
def carve(image, columns):
    for _ in range(columns):
        image = remove_seam(image, best_seam(energy_of(image)))
    return image


def load():
    return data.astronaut()[::2, ::2].astype(np.float64) / 255.0, 16


def run(inputs):
    return carve(*inputs)


def picture(inputs, result):
    return result


if __name__ == "__main__":
    print(run(load()).shape)
