from naja import njit


@njit
def g(a, b=1):
    return a + b


@njit
def f(x):
    return g(x, c=3)


f(1)
