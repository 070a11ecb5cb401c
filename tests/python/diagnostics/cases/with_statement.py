from naja import njit


@njit
def f(x):
    with open(x) as file:
        return file


f("a")
