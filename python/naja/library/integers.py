"""Functions of integers: math.factorial, math.comb, math.perm, round(i, n), pow(a, b, m)."""


def factorial(n):
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    if n > 20:
        raise OverflowError("factorial() result does not fit into 64 bits")
    result = 1
    for i in range(2, n + 1):
        result *= i
    return result


def perm(n, k):
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")
    if k > n:
        return 0
    result = 1
    for i in range(n - k + 1, n + 1):
        if result > 9223372036854775807 // i:
            raise OverflowError("perm() result does not fit into 64 bits")
        result *= i
    return result


def _gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def comb(n, k):
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")
    if k > n:
        return 0
    if k > n - k:
        k = n - k
    result = 1
    for i in range(1, k + 1):
        # result * (n - k + i) is a multiple of i; divided first, so that only a too large result overflows.
        factor = n - k + i
        common = _gcd(result, i)
        factor //= i // common
        result //= common
        if result > 9223372036854775807 // factor:
            raise OverflowError("comb() result does not fit into 64 bits")
        result *= factor
    return result


def round_int(number, ndigits):
    if ndigits >= 0:
        return number * 1
    if ndigits < -18:
        return number * 0
    power = 10**-ndigits
    quotient = number // power
    rest = number - quotient * power
    if rest > power - rest or (rest == power - rest and quotient % 2 != 0):
        quotient += 1
    return quotient * power


def _mul_mod(a, b, m):
    """a * b % m for 0 <= a, b < m without overflow."""
    if m <= 3037000499:
        return a * b % m
    result = 0
    while b > 0:
        if b & 1:
            result = result - (m - a) if result >= m - a else result + a
        a = a - (m - a) if a >= m - a else a + a
        b >>= 1
    return result


def _inverse(a, m):
    old_r, r = a % m, m
    old_s, s = 1, 0
    while r != 0:
        q = old_r // r
        old_r, r = r, old_r - q * r
        old_s, s = s, old_s - q * s
    if old_r != 1:
        raise ValueError("base is not invertible for the given modulus")
    return old_s % m


def pow_mod(base, exponent, modulus):
    if modulus == 0:
        raise ValueError("pow() 3rd argument cannot be 0")
    m = abs(modulus * 1)
    b = base % m
    e = exponent * 1
    if e < 0:
        b = _inverse(b, m)
        e = -e
    result = 1 % m
    while e > 0:
        if e & 1:
            result = _mul_mod(result, b, m)
        b = _mul_mod(b, b, m)
        e >>= 1
    if modulus < 0 and result != 0:
        result -= m
    return result
