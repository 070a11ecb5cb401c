import numpy as np

from naja import njit


@njit
def f(x):
    return np.sqqrt(x)


f(1.0)
