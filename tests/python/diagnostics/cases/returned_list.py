import naja


@naja.njit
def returned_list(x):
    y = x + 1
    return [x, y]


returned_list(1)
