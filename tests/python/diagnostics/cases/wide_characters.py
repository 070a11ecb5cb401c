from naja import njit


@njit
def f(größe):
    return (größe, "äöü")[0] + größe.länge


f(1)
