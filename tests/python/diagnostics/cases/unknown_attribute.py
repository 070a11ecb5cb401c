from naja import njit


@njit
def f(x):
    y = x + 1
    return y.foo


f(1)
