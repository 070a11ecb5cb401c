import numpy as np

from naja import njit


@njit
def f(n, table):
    return table[n]


f(1, np.zeros(3, dtype=">f8"))
