from naja import njit


@njit
def g(a, b):
    return a + b


@njit
def f(x):
    return g(x)


f(1)
