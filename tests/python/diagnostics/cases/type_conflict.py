import numpy as np

from naja import njit


@njit
def f(n):
    if n > 3:
        value = 1.5
    else:
        value = np.zeros(3)
    n = n * 2 + n
    return value


f(1)
