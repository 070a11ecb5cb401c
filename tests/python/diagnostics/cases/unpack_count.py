from naja import njit


@njit
def f(t):
    a, b = t
    return a


f((1, 2, 3))
