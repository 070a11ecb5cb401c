"""k-means with k-means++ seeding on scikit-learn's handwritten digits (1,797 images of 8 x 8 pixels)."""

import numpy as np
from naja import njit
from sklearn.datasets import load_digits

TITLE = "k-means on handwritten digits"


@njit
def squared_distance(a, b):
    total = 0.0
    for k in range(a.shape[0]):
        t = a[k] - b[k]
        total += t * t
    return total


@njit
def seeds(points, count):
    """The farthest-first variant of k-means++: deterministic."""
    centres = np.empty((count, points.shape[1]))
    centres[0] = points[0]
    nearest = np.full(points.shape[0], np.inf)
    for c in range(1, count):
        for i in range(points.shape[0]):
            nearest[i] = min(nearest[i], squared_distance(points[i], centres[c - 1]))
        centres[c] = points[np.argmax(nearest)]
    return centres


@njit
def kmeans(points, count, iterations):
    centres = seeds(points, count)
    labels = np.zeros(points.shape[0], np.int64)
    inertia = 0.0
    for _ in range(iterations):
        sums = np.zeros(centres.shape)
        counts = np.zeros(count)
        inertia = 0.0
        for i in range(points.shape[0]):
            best, at = np.inf, 0
            for c in range(count):
                d = squared_distance(points[i], centres[c])
                if d < best:
                    best, at = d, c
            labels[i] = at
            inertia += best
            counts[at] += 1.0
            sums[at] += points[i]
        for c in range(count):
            if counts[c] > 0:
                centres[c] = sums[c] / counts[c]
    return labels, centres, inertia


def load():
    return load_digits().data, 10, 12


def run(inputs):
    return kmeans(*inputs)


def picture(inputs, result):
    return np.hstack([centre.reshape(8, 8).repeat(16, 0).repeat(16, 1) for centre in result[1]]) / 16.0


if __name__ == "__main__":
    labels, centres, inertia = run(load())
    print(np.bincount(labels), inertia)
