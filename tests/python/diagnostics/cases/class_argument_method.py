import numpy as np

from naja import njit


@njit
def f(a):
    return a.summ()


f(np.zeros(3))
