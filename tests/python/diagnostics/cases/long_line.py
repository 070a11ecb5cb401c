import naja


@naja.njit
def long_line(x):
    return (x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8, x + 9, x + 10, x + 11, x + 12, x + 13, x.missing, x + 14, x + 15, x + 16)  # noqa: E501


long_line(1)
