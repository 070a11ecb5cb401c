from naja import njit


@njit
def f(n):
    return total + n
    total = 0


f(3)
