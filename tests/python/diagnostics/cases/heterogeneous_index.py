from naja import njit


@njit
def f(t, i):
    return t[i]


f((1, "a"), 0)
