from naja import njit


@njit
def f(x):
	if x:
		return x.nothing
	return x.nothing


f(1)
