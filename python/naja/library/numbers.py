"""Functions over sequences of numbers: math.prod, math.fsum."""

import numpy as np


def prod(values, start):
    result = start
    for value in values:
        result = result * value
    return result


def fsum(values):
    """The correctly rounded sum: Shewchuk's partials, which do not overlap and grow in magnitude."""
    partials = np.zeros(64)
    count = 0
    special = 0.0
    infinite = 0.0
    for value in values:
        x = float(value)
        if x - x != 0.0:
            if x == x:
                infinite += x
            special += x
            continue
        kept = 0
        for j in range(count):
            y = partials[j]
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                partials[kept] = low
                kept += 1
            x = high
        if x - x != 0.0:
            raise OverflowError("intermediate overflow in fsum")
        partials[kept] = x
        count = kept + 1
    if special != 0.0 or special != special:
        if infinite != infinite:
            raise ValueError("-inf + inf in fsum")
        return special
    high = 0.0
    if count > 0:
        n = count - 1
        high = partials[n]
        low = 0.0
        while n > 0:
            x = high
            n -= 1
            y = partials[n]
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                break
        # Half-way cases: the next partial decides.
        if n > 0 and ((low < 0.0 and partials[n - 1] < 0.0) or (low > 0.0 and partials[n - 1] > 0.0)):
            y = low * 2.0
            x = high + y
            if y == x - high:
                high = x
    return high
