import numpy as np

from naja import njit


@njit
def f(n):
    return np.zeros(n, dtpe=np.float32)


f(3)
