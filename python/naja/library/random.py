"""numpy.random's functions, with the streams of RandomState for a seed.

``_X(...)`` draws one number; ``X(..., size)`` is the public form: one number, or an array of `size` drawn in C order.
"""

import math

import numpy as np

from naja.library import intrinsics

NUMPY = 0


def _uniform01():
    return intrinsics.random_double(NUMPY)


def _gauss():
    return intrinsics.random_gauss(NUMPY)


def seed(seed):
    if seed is None:
        return
    if seed < 0 or seed > 0xFFFFFFFF:
        raise ValueError("Seed must be between 0 and 2**32 - 1")
    intrinsics.random_seed(NUMPY, seed)


# ---- one number


def _standard_exponential():
    return -np.log(1.0 - _uniform01())


def _standard_gamma(shape):
    if shape == 1.0:
        return _standard_exponential()
    if shape == 0.0:
        return 0.0
    if shape < 1.0:
        while True:
            u = _uniform01()
            v = _standard_exponential()
            if u <= 1.0 - shape:
                x = u ** (1.0 / shape)
                if x <= v:
                    return x
            else:
                y = -np.log((1.0 - u) / shape)
                x = (1.0 - shape + shape * y) ** (1.0 / shape)
                if x <= v + y:
                    return x
    b = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * b)
    while True:
        x = _gauss()
        v = 1.0 + c * x
        while v <= 0.0:
            x = _gauss()
            v = 1.0 + c * x
        v = v * v * v
        u = _uniform01()
        if u < 1.0 - 0.0331 * (x * x) * (x * x):
            return b * v
        if np.log(u) < 0.5 * x * x + b * (1.0 - v + np.log(v)):
            return b * v


def _beta(a, b):
    if a <= 1.0 and b <= 1.0:
        while True:
            u = _uniform01()
            v = _uniform01()
            x = u ** (1.0 / a)
            y = v ** (1.0 / b)
            total = x + y
            if total <= 1.0 and u + v > 0.0:
                if total > 0.0:
                    return x / total
                log_x = np.log(u) / a
                log_y = np.log(v) / b
                log_m = max(log_x, log_y)
                log_x -= log_m
                log_y -= log_m
                return np.exp(log_x - np.log(np.exp(log_x) + np.exp(log_y)))
    x = _standard_gamma(a)
    y = _standard_gamma(b)
    return np.divide(x, x + y)


def _poisson_large(lam):
    slam = math.sqrt(lam)
    loglam = np.log(lam)
    b = 0.931 + 2.53 * slam
    a = -0.059 + 0.02483 * b
    invalpha = 1.1239 + 1.1328 / (b - 3.4)
    vr = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = _uniform01() - 0.5
        v = _uniform01()
        us = 0.5 - abs(u)
        k = int(np.floor((np.divide(2 * a, us) + b) * u + lam + 0.43))
        if us >= 0.07 and v <= vr:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        if np.log(v) + np.log(invalpha) - np.log(np.divide(a, us * us) + b) <= -lam + k * loglam - math.lgamma(k + 1):
            return k


def _poisson(lam):
    if lam >= 10:
        return _poisson_large(lam)
    if lam == 0:
        return 0
    limit = np.exp(-lam)
    k = 0
    product = 1.0
    while True:
        product *= _uniform01()
        if product <= limit:
            return k
        k += 1


def _binomial_inversion(n, p):
    q = 1.0 - p
    qn = np.exp(n * np.log(q))
    np_ = n * p
    bound = int(min(float(n), np_ + 10.0 * math.sqrt(np_ * q + 1)))
    x = 0
    px = qn
    u = _uniform01()
    while u > px:
        x += 1
        if x > bound:
            x = 0
            px = qn
            u = _uniform01()
        else:
            u -= px
            px = np.divide((n - x + 1) * p * px, x * q)
    return x


def _stirling(x):
    """The correction of Stirling's formula for log(x!) in the acceptance test below."""
    x2 = x * x
    return (13680.0 - (462.0 - (132.0 - (99.0 - 140.0 / x2) / x2) / x2) / x2) / x / 166320.0


def _binomial_rejection(n, p):
    """BTPE (Kachitvichyanukul and Schmeiser)."""
    r = min(p, 1.0 - p)
    q = 1.0 - r
    fm = n * r + r
    m = int(np.floor(fm))
    p1 = np.floor(2.195 * math.sqrt(n * r * q) - 4.6 * q) + 0.5
    xm = m + 0.5
    xl = xm - p1
    xr = xm + p1
    c = 0.134 + 20.5 / (15.3 + m)
    a = (fm - xl) / (fm - xl * r)
    laml = a * (1.0 + a / 2.0)
    a = (xr - fm) / (xr * q)
    lamr = a * (1.0 + a / 2.0)
    p2 = p1 * (1.0 + 2.0 * c)
    p3 = p2 + c / laml
    p4 = p3 + c / lamr
    nrq = n * r * q
    y = 0
    while True:
        u = _uniform01() * p4
        v = _uniform01()
        if u <= p1:
            y = int(np.floor(xm - p1 * v + u))
            break
        if u <= p2:
            x = xl + (u - p1) / c
            v = v * c + 1.0 - abs(m - x + 0.5) / p1
            if v > 1.0:
                continue
            y = int(np.floor(x))
        elif u <= p3:
            y = int(np.floor(xl + np.log(v) / laml))
            if y < 0 or v == 0.0:
                continue
            v = v * (u - p2) * laml
        else:
            y = int(np.floor(xr - np.log(v) / lamr))
            if y > n or v == 0.0:
                continue
            v = v * (u - p3) * lamr
        k = abs(y - m)
        if k <= 20 or k >= nrq / 2.0 - 1:
            s = r / q
            a = s * (n + 1)
            f = 1.0
            if m < y:
                for i in range(m + 1, y + 1):
                    f *= a / i - s
            elif m > y:
                for i in range(y + 1, m + 1):
                    f = np.divide(f, a / i - s)
            if v > f:
                continue
            break
        rho = (k / nrq) * ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / nrq + 0.5)
        t = -k * k / (2 * nrq)
        log_v = np.log(v)
        if log_v < t - rho:
            break
        if log_v > t + rho:
            continue
        x1 = y + 1.0
        f1 = m + 1.0
        z = n + 1.0 - m
        w = n - y + 1.0
        accepted = (
            xm * np.log(f1 / x1)
            + (n - m + 0.5) * np.log(z / w)
            + (y - m) * np.log(w * r / (x1 * q))
            + _stirling(f1)
            + _stirling(z)
            + _stirling(x1)
            + _stirling(w)
        )
        if log_v <= accepted:
            break
    return n - y if p > 0.5 else y


def _binomial(n, p):
    if n < 0:
        raise ValueError("n < 0")
    if not (p >= 0.0 and p <= 1.0):
        raise ValueError("p < 0, p > 1 or p is NaN")
    if n == 0 or p == 0.0:
        return 0
    if p <= 0.5:
        if p * n <= 30.0:
            return _binomial_inversion(n, p)
        return _binomial_rejection(n, p)
    q = 1.0 - p
    if q * n <= 30.0:
        return n - _binomial_inversion(n, q)
    return _binomial_rejection(n, p)


def _geometric(p):
    if not (p > 0.0 and p <= 1.0):
        raise ValueError("p <= 0, p > 1 or p contains NaNs")
    if p >= 0.333333333333333333333333:
        x = 1
        total = product = p
        q = 1.0 - p
        u = _uniform01()
        while u > total:
            product *= q
            total += product
            x += 1
        return x
    return int(np.ceil(np.log1p(-_uniform01()) / np.log(1.0 - p)))


def _mask(most):
    """The least 2**k - 1 that is not below `most`."""
    mask = most
    mask |= mask >> np.uint64(1)
    mask |= mask >> np.uint64(2)
    mask |= mask >> np.uint64(4)
    mask |= mask >> np.uint64(8)
    mask |= mask >> np.uint64(16)
    mask |= mask >> np.uint64(32)
    return mask


def _below(most):
    """A number from 0 to `most`, both included."""
    if most == 0:
        return np.uint64(0)
    mask = _mask(most)
    value = np.uint64(0)
    if most <= np.uint64(0xFFFFFFFF):
        value = np.uint64(intrinsics.random_uint32(NUMPY)) & mask
        while value > most:
            value = np.uint64(intrinsics.random_uint32(NUMPY)) & mask
        return value
    value = _uint64() & mask
    while value > most:
        value = _uint64() & mask
    return value


def _uint64():
    high = np.uint64(intrinsics.random_uint32(NUMPY))
    return (high << np.uint64(32)) | np.uint64(intrinsics.random_uint32(NUMPY))


def _integer(low, high):
    if high <= low:
        raise ValueError("low >= high")
    return np.int64(np.uint64(low) + _below(np.uint64(high) - np.uint64(low) - np.uint64(1)))


def _uniform(low, high):
    return low + (high - low) * _uniform01()


def _normal(loc, scale):
    if scale < 0:
        raise ValueError("scale < 0")
    return loc + scale * _gauss()


def _exponential(scale):
    return scale * _standard_exponential()


def _gamma(shape, scale):
    return scale * _standard_gamma(shape)


def _chisquare(df):
    return 2.0 * _standard_gamma(df / 2.0)


def _f(dfnum, dfden):
    top = _chisquare(dfnum) * dfden
    return np.divide(top, _chisquare(dfden) * dfnum)


def _standard_t(df):
    top = _gauss()
    return np.divide(math.sqrt(df / 2) * top, np.sqrt(_standard_gamma(df / 2)))


def _pareto(a):
    return np.expm1(_standard_exponential() / a)


def _weibull(a):
    if a == 0.0:
        return 0.0
    return _standard_exponential() ** (1.0 / a)


def _power(a):
    return (-np.expm1(-_standard_exponential())) ** (1.0 / a)


def _laplace(loc, scale):
    while True:
        u = _uniform01()
        if u >= 0.5:
            return loc - scale * np.log(2.0 - u - u)
        if u > 0.0:
            return loc + scale * np.log(u + u)


def _gumbel(loc, scale):
    while True:
        u = 1.0 - _uniform01()
        if u < 1.0:
            return loc - scale * np.log(-np.log(u))


def _logistic(loc, scale):
    while True:
        u = _uniform01()
        if u > 0.0:
            return loc + scale * np.log(u / (1.0 - u))


def _lognormal(mean, sigma):
    return np.exp(_normal(mean, sigma))


def _rayleigh(mode):
    return mode * np.sqrt(-2.0 * np.log1p(-_uniform01()))


def _standard_cauchy():
    top = _gauss()
    return np.divide(top, _gauss())


def _wald(mean, scale):
    mu_2l = mean / (2 * scale)
    y = _gauss()
    y = mean * y * y
    x = mean + mu_2l * (y - np.sqrt(4 * scale * y + y * y))
    if _uniform01() <= mean / (mean + x):
        return x
    return mean * mean / x


def _triangular(left, mode, right):
    base = right - left
    left_base = mode - left
    u = _uniform01()
    if u <= left_base / base:
        return left + np.sqrt(u * left_base * base)
    return right - np.sqrt((1.0 - u) * (right - mode) * base)


def _negative_binomial(n, p):
    return _poisson(_gamma(n, np.divide(1 - p, p)))


# ---- the public forms


def _make(draw, dtype):
    """(params..., size) of a function of one to three parameters."""

    def one(a, size):
        if size is None:
            return draw(a)
        out = np.empty(size, dtype)
        flat = out.ravel()
        for i in range(flat.size):
            flat[i] = draw(a)
        return out

    def two(a, b, size):
        if size is None:
            return draw(a, b)
        out = np.empty(size, dtype)
        flat = out.ravel()
        for i in range(flat.size):
            flat[i] = draw(a, b)
        return out

    def three(a, b, c, size):
        if size is None:
            return draw(a, b, c)
        out = np.empty(size, dtype)
        flat = out.ravel()
        for i in range(flat.size):
            flat[i] = draw(a, b, c)
        return out

    return (one, two, three)[draw.__code__.co_argcount - 1]


_uniform_n = _make(_uniform, np.float64)
_normal_n = _make(_normal, np.float64)
_exponential_n = _make(_exponential, np.float64)
_gamma_n = _make(_gamma, np.float64)
_laplace_n = _make(_laplace, np.float64)
_gumbel_n = _make(_gumbel, np.float64)
_logistic_n = _make(_logistic, np.float64)
_lognormal_n = _make(_lognormal, np.float64)
_rayleigh_n = _make(_rayleigh, np.float64)
_poisson_n = _make(_poisson, np.int64)
beta = _make(_beta, np.float64)
binomial = _make(_binomial, np.int64)
chisquare = _make(_chisquare, np.float64)
f = _make(_f, np.float64)
geometric = _make(_geometric, np.int64)
negative_binomial = _make(_negative_binomial, np.int64)
pareto = _make(_pareto, np.float64)
power = _make(_power, np.float64)
standard_gamma = _make(_standard_gamma, np.float64)
standard_t = _make(_standard_t, np.float64)
triangular = _make(_triangular, np.float64)
wald = _make(_wald, np.float64)
weibull = _make(_weibull, np.float64)


def random(size):
    if size is None:
        return _uniform01()
    out = np.empty(size)
    intrinsics.random_fill(NUMPY, out)
    return out


def standard_normal(size):
    if size is None:
        return _gauss()
    out = np.empty(size)
    flat = out.ravel()
    for i in range(flat.size):
        flat[i] = _gauss()
    return out


def random_of(*dims):
    return random(dims)


def standard_normal_of(*dims):
    return standard_normal(dims)


def standard_exponential(size):
    return _exponential_n(1.0, size)


def standard_cauchy(size):
    if size is None:
        return _standard_cauchy()
    out = np.empty(size)
    flat = out.ravel()
    for i in range(flat.size):
        flat[i] = _standard_cauchy()
    return out


def uniform(low, high, size):
    return _uniform_n(0.0 if low is None else low, 1.0 if high is None else high, size)


def normal(loc, scale, size):
    return _normal_n(0.0 if loc is None else loc, 1.0 if scale is None else scale, size)


def exponential(scale, size):
    return _exponential_n(1.0 if scale is None else scale, size)


def gamma(shape, scale, size):
    return _gamma_n(shape, 1.0 if scale is None else scale, size)


def laplace(loc, scale, size):
    return _laplace_n(0.0 if loc is None else loc, 1.0 if scale is None else scale, size)


def gumbel(loc, scale, size):
    return _gumbel_n(0.0 if loc is None else loc, 1.0 if scale is None else scale, size)


def logistic(loc, scale, size):
    return _logistic_n(0.0 if loc is None else loc, 1.0 if scale is None else scale, size)


def lognormal(mean, sigma, size):
    return _lognormal_n(0.0 if mean is None else mean, 1.0 if sigma is None else sigma, size)


def rayleigh(scale, size):
    return _rayleigh_n(1.0 if scale is None else scale, size)


def poisson(lam, size):
    return _poisson_n(1.0 if lam is None else lam, size)


def randint(low, high, size):
    if high is None:
        return _randint_n(0, low, size)
    return _randint_n(low, high, size)


_randint_n = _make(_integer, np.int64)


def shuffle(x):
    for i in range(x.shape[0] - 1, 0, -1):
        j = np.int64(_below(np.uint64(i)))
        if x.ndim == 1:
            x[i], x[j] = x[j], x[i]
        elif i != j:
            row = x[i].copy()
            x[i] = x[j]
            x[j] = row


def permutation(x):
    if isinstance(x, np.ndarray):
        if x.ndim == 1:
            out = x.copy()
            shuffle(out)
            return out
        order = np.arange(x.shape[0])
        shuffle(order)
        return x[order]
    out = np.arange(x)
    shuffle(out)
    return out


def _chosen(n, size, replace):
    if replace:
        return _randint_n(0, n, size)
    order = permutation(n)
    out = np.empty(size, np.int64)
    flat = out.ravel()
    if flat.size > n:
        raise ValueError("Cannot take a larger sample than population when 'replace=False'")
    flat[:] = order[: flat.size]
    return out


def choice(a, size, replace):
    again = True if replace is None else replace
    if isinstance(a, np.ndarray):
        if size is None:
            return a[_integer(0, a.size)]
        return a[_chosen(a.size, size, again)]
    if size is None:
        return _integer(0, a)
    return _chosen(a, size, again)
