from naja import njit


@njit
def f(x, name):
    total = x * 2
    return total + name


f(1, "a")
