from naja import njit


@njit
def f(n):
    return f(n - 1)


f(3)
