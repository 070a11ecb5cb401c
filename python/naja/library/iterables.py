"""Builtins over anything that can be iterated: sum, min, max, any, all."""


def sum_of(values, start):
    total = start
    for value in values:
        total = total + value
    return total


def min_of(values):
    if len(values) == 0:
        raise ValueError("min() arg is an empty sequence")
    best = values[0]
    for value in values:
        if value < best:
            best = value
    return best


def max_of(values):
    if len(values) == 0:
        raise ValueError("max() arg is an empty sequence")
    best = values[0]
    for value in values:
        if value > best:
            best = value
    return best


def min_or(values, default):
    return min_of(values) if len(values) > 0 else default


def max_or(values, default):
    return max_of(values) if len(values) > 0 else default


def any_of(values):
    for value in values:
        if value:
            return True
    return False


def all_of(values):
    for value in values:
        if not value:
            return False
    return True
