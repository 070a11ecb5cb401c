"""Sorting, order statistics and binary search. NaNs sort last, as NumPy has it; argsort is stable for every `kind`."""

import numpy as np

SMALL = 16  # below this many items, insertion sort


def before(a, b):
    """a sorts before b."""
    return a < b or (b != b and a == a)


def _before_complex(a, b):
    """Lexicographic; parts that are NaN sort last."""
    if a.real != b.real and (a.real == a.real or b.real == b.real):
        return before(a.real, b.real)
    return before(a.imag, b.imag)


def _less(a, b):
    if isinstance(a, (complex, np.complex64, np.complex128)):
        return _before_complex(a, b)
    return before(a, b)


def _insertion(x, low, high):
    """Sorts x[low:high + 1]."""
    for i in range(low + 1, high + 1):
        v = x[i]
        j = i
        while j > low and _less(v, x[j - 1]):
            x[j] = x[j - 1]
            j -= 1
        x[j] = v


def _partition_step(x, low, high):
    """Hoare's partition around a median of three; the halves are [low, result] and [result + 1, high]."""
    middle = (low + high) >> 1
    if _less(x[middle], x[low]):
        x[low], x[middle] = x[middle], x[low]
    if _less(x[high], x[middle]):
        x[high], x[middle] = x[middle], x[high]
        if _less(x[middle], x[low]):
            x[low], x[middle] = x[middle], x[low]
    pivot = x[middle]
    i = low
    j = high
    while True:
        while _less(x[i], pivot):
            i += 1
        while _less(pivot, x[j]):
            j -= 1
        if i >= j:
            return j
        x[i], x[j] = x[j], x[i]
        i += 1
        j -= 1


def _sift_down(x, low, root, count):
    v = x[low + root]
    while True:
        child = 2 * root + 1
        if child >= count:
            break
        if child + 1 < count and _less(x[low + child], x[low + child + 1]):
            child += 1
        if not _less(v, x[low + child]):
            break
        x[low + root] = x[low + child]
        root = child
    x[low + root] = v


def _heap_sort(x, low, high):
    count = high - low + 1
    for root in range(count // 2 - 1, -1, -1):
        _sift_down(x, low, root, count)
    for end in range(count - 1, 0, -1):
        x[low], x[low + end] = x[low + end], x[low]
        _sift_down(x, low, 0, end)


def sort_row(x):
    """Introsort of one axis, in place."""
    stack = np.empty((128, 3), np.int64)  # low, high, splits that are left before heap sort takes over
    depth = 0
    size = x.size
    while size > 0:
        depth += 2
        size >>= 1
    stack[0] = (0, x.size - 1, depth)
    top = 1
    while top > 0:
        top -= 1
        low, high, left = stack[top, 0], stack[top, 1], stack[top, 2]
        while high - low >= SMALL:
            if left == 0:
                _heap_sort(x, low, high)
                low = high
                break
            left -= 1
            split = _partition_step(x, low, high)
            if split - low > high - split:
                stack[top] = (low, split, left)
                low = split + 1
            else:
                stack[top] = (split + 1, high, left)
                high = split
            top += 1
        _insertion(x, low, high)


def sort_inplace(a):
    if a.ndim == 1:
        sort_row(a)
    else:
        for i in range(a.shape[0]):
            sort_inplace(a[i])


def sort(a):
    out = a.copy()
    sort_inplace(out)
    return out


# ---- argsort: merge sort of keys and indices together


def _merge(keys, order, keys_to, order_to, low, middle, high):
    i = low
    j = middle
    for k in range(low, high):
        if i < middle and (j >= high or not _less(keys[j], keys[i])):
            keys_to[k] = keys[i]
            order_to[k] = order[i]
            i += 1
        else:
            keys_to[k] = keys[j]
            order_to[k] = order[j]
            j += 1


def _insertion_pairs(keys, order, low, high):
    for i in range(low + 1, high):
        key = keys[i]
        at = order[i]
        j = i
        while j > low and _less(key, keys[j - 1]):
            keys[j] = keys[j - 1]
            order[j] = order[j - 1]
            j -= 1
        keys[j] = key
        order[j] = at


def argsort_row(x):
    n = x.size
    keys = x.copy()
    order = np.arange(n)
    for low in range(0, n, SMALL):
        _insertion_pairs(keys, order, low, min(low + SMALL, n))
    if n <= SMALL:
        return order
    keys_to = np.empty_like(keys)
    order_to = np.empty_like(order)
    width = SMALL
    while width < n:
        for low in range(0, n, 2 * width):
            middle = min(low + width, n)
            _merge(keys, order, keys_to, order_to, low, middle, min(low + 2 * width, n))
        keys, keys_to = keys_to, keys
        order, order_to = order_to, order
        width *= 2
    return order


def argsort(a, axis, kind):
    if a.ndim == 1:
        return argsort_row(a)
    if axis is not None and axis != -1 and axis != a.ndim - 1:
        raise ValueError("argsort: only the last axis can be sorted")
    out = np.empty(a.shape, np.int64)
    for index in np.ndindex(a.shape[:-1]):
        out[index] = argsort_row(a[index])
    return out


# ---- binary search


def _lower(a, v):
    low = 0
    high = a.size
    while low < high:
        middle = (low + high) >> 1
        if _less(a[middle], v):
            low = middle + 1
        else:
            high = middle
    return low


def _upper(a, v):
    low = 0
    high = a.size
    while low < high:
        middle = (low + high) >> 1
        if _less(v, a[middle]):
            high = middle
        else:
            low = middle + 1
    return low


def searchsorted_left(a, v):
    if isinstance(v, np.ndarray):
        out = np.empty(v.shape, np.int64)
        for index, value in np.ndenumerate(v):
            out[index] = _lower(a, value)
        return out
    return _lower(a, v)


def searchsorted_right(a, v):
    if isinstance(v, np.ndarray):
        out = np.empty(v.shape, np.int64)
        for index, value in np.ndenumerate(v):
            out[index] = _upper(a, value)
        return out
    return _upper(a, v)


# ---- unique, partition


def unique(ar):
    x = ar.flatten()
    sort_row(x)
    count = 0
    for i in range(x.size):
        if i == 0 or (x[i] != x[i - 1] and not (x[i] != x[i] and x[i - 1] != x[i - 1])):
            x[count] = x[i]
            count += 1
    return x[:count].copy()


def select(x, k):
    """Moves the item of rank k to x[k], smaller ones before it."""
    low = 0
    high = x.size - 1
    while high - low >= SMALL:
        split = _partition_step(x, low, high)
        if k <= split:
            high = split
        else:
            low = split + 1
    _insertion(x, low, high)


def _rank(kth, n):
    k = kth + n if kth < 0 else kth
    if k < 0 or k >= n:
        raise ValueError("kth out of bounds")
    return k


def _partition_inplace(a, kth):
    if a.ndim == 1:
        select(a, _rank(kth, a.size))
    else:
        for i in range(a.shape[0]):
            _partition_inplace(a[i], kth)


def partition(a, kth):
    out = a.copy()
    _partition_inplace(out, kth)
    return out


def argpartition(a, kth):
    _rank(kth, a.shape[-1])
    return argsort(a, None, None)
