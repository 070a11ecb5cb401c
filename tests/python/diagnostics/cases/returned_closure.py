import naja


@naja.njit
def returned_closure(x):
    def add(y):
        return x + y

    return 1, add


returned_closure(1)
