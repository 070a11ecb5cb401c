from naja import njit


@njit
def inner(a, i):
    return a.shape[i].what


@njit
def middle(a):
    return inner(a, 0) + 1


@njit
def outer(a):
    return middle(a)


import numpy as np  # noqa: E402

outer(np.zeros(3))
