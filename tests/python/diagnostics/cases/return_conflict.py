from naja import njit


@njit
def f(n):
    if n > 3:
        return "big"
    return 1, 2


f(1)
