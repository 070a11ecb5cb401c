import os

from naja import njit


@njit
def f():
    return os.getcwd()


f()
