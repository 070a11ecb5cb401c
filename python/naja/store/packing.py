"""A small encoding of nested tuples of str, bytes, int, float-free values, bool and None: reading it makes nothing else
and runs nothing, whatever the bytes are."""

from __future__ import annotations


def pack(value):
    out = []
    _pack(value, out)
    return b"".join(out)


def _pack(value, out):
    if value is None:
        out.append(b"N")
    elif value is True:
        out.append(b"T")
    elif value is False:
        out.append(b"F")
    elif type(value) is int:
        out.append(b"i")
        data = value.to_bytes((value.bit_length() + 8) // 8, "little", signed=True)
        _sized(data, out)
    elif type(value) is str:
        out.append(b"s")
        _sized(value.encode("utf-8", "surrogatepass"), out)
    elif type(value) is bytes:
        out.append(b"b")
        _sized(value, out)
    elif type(value) in (tuple, list):
        out.append(b"(")
        out.append(len(value).to_bytes(4, "little"))
        for item in value:
            _pack(item, out)
    else:
        raise TypeError(f"cannot pack {type(value)}")


def _sized(data, out):
    out.append(len(data).to_bytes(4, "little"))
    out.append(data)


def unpack(data):
    """The value; ValueError for anything that `pack` did not write."""
    value, end = _unpack(data, 0, 0)
    if end != len(data):
        raise ValueError("bytes after the end")
    return value


def _unpack(data, at, depth):
    tag = data[at:at + 1]
    at += 1
    if tag in _PLAIN:
        return _PLAIN[tag], at
    if tag not in (b"i", b"s", b"b", b"(") or depth > 60:
        raise ValueError("damaged")
    size = int.from_bytes(data[at:at + 4], "little")
    at += 4
    if size > len(data) - at:
        raise ValueError("truncated")
    if tag == b"(":
        items = []
        for _ in range(size):
            item, at = _unpack(data, at, depth + 1)
            items.append(item)
        return tuple(items), at
    part = data[at:at + size]
    at += size
    if tag == b"i":
        return int.from_bytes(part, "little", signed=True), at
    return (part.decode("utf-8", "surrogatepass") if tag == b"s" else part), at


_PLAIN = {b"N": None, b"T": True, b"F": False}
