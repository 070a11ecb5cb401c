from naja import njit


@njit
def f(n):
    count = 0

    def step():
        nonlocal count
        count += 1

    step()
    return count


f(3)
