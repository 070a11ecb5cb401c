from naja import njit


@njit
def area(r):
    return r * r * pie


area(2.0)
