from naja import njit


@njit
def f(t):
    return t[3]


f((1, 2.5))
