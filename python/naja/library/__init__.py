"""Library functions written in Python and compiled by naja itself; imported only when compiled code calls one.

Plain functions: which NumPy function each of them is, and how arguments are bound, is said by the builtin table
(cpp/naja/library/array_library.cpp). An argument that was not given is None.
"""
