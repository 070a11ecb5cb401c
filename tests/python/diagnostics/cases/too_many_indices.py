import numpy as np

from naja import njit


@njit
def f(a):
    return a[0, 1]


f(np.zeros(3))
