import numpy as np

from naja import njit


@njit
def f(a):
    a[0] = 1.0


a = np.zeros(3)
a.flags.writeable = False
f(a)
