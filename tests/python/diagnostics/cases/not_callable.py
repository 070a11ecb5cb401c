from naja import njit


@njit
def f(x):
    return x(3)


f(1.5)
