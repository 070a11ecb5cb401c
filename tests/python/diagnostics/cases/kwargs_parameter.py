from naja import njit


@njit
def f(x, **options):
    return x


f(1)
