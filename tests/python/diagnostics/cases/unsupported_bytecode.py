from naja import njit


@njit
def f(n):
    import math
    return math.sqrt(n)


f(1.0)
