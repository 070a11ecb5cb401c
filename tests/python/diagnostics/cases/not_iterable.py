from naja import njit


@njit
def f(x):
    s = 0
    for i in x:
        s += i
    return s


f(3)
