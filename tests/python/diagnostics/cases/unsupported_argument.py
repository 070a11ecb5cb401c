from naja import njit


@njit
def f(x, y):
    return x


class Thing:
    pass


f(1, Thing())
