from naja import njit


@njit
def f(n):
    for i in range(n):
        yield i


f(3)
