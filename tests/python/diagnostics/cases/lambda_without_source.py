from naja import njit

f = njit(eval("lambda x: x.missing + 1"))

f(1)
