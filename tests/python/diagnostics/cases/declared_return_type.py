from naja import njit


@njit("int64(float64[:])")
def f(a):
    return a
