"""Types of machine scalars, by NumPy's names: promotion of operands, weak literals, unification at joins."""

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTS = SIGNED + UNSIGNED
FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
REAL = ("bool", *INTS, *FLOATS)
ALL = REAL + COMPLEX


def bits(name):
    return 8 if name == "bool" else int("".join(c for c in name if c.isdigit()))


def component_bits(name):
    """Bits of the float that an operand becomes next to a float."""
    if name in FLOATS:
        return bits(name)
    if name in COMPLEX:
        return bits(name) // 2
    return 32 if name == "bool" or bits(name) <= 8 or (name in SIGNED and bits(name) <= 16) else 64


def inexact(width, names):
    return f"complex{2 * width}" if any(n in COMPLEX for n in names) else f"float{width}"


def promote(a, b):
    """Result type of + - * on two strong scalars."""
    if not (a in INTS or a == "bool") or not (b in INTS or b == "bool"):
        return inexact(max(component_bits(a), component_bits(b)), (a, b))
    if (a in UNSIGNED and b in UNSIGNED) or {a, b} == {"bool", "uint64"}:
        return "uint64"
    return "float64" if {a, b} == {"int64", "uint64"} else "int64"


def adapt(literal, strong):
    """The type that a literal (its type, not negative) takes next to a strong scalar."""
    if strong in ("float32", "complex64"):
        return "complex64" if literal in COMPLEX else "float32"
    return "uint64" if strong == "uint64" and literal == "int64" else literal


def operand_types(a, b):
    """Types of two expressions as operands of each other."""
    ta = adapt(a.type, b.type) if a.weak and not b.weak else a.type
    tb = adapt(b.type, a.type) if b.weak and not a.weak else b.type
    return ta, tb


def arithmetic(a, b):
    ta, tb = operand_types(a, b)
    return promote(ta, tb)


def fits(a, b):
    if (a in SIGNED) == (b in SIGNED):
        return bits(a) <= bits(b)
    return b in SIGNED and bits(a) < bits(b)


def unify(a, b):
    """Type of a variable with definitions of both types."""
    if a == b or b == "bool" and a in INTS:
        return a
    if a == "bool" and b in INTS:
        return b
    if a in INTS and b in INTS:
        if fits(a, b) or fits(b, a):
            return b if fits(a, b) else a
        width = bits(a) if a in UNSIGNED else bits(b)
        return "float64" if width == 64 else f"int{2 * width}"

    def width(name):
        if name in INTS:
            return 32 if bits(name) <= 16 else 64
        return 32 if name == "bool" else component_bits(name)

    return inexact(max(width(a), width(b)), (a, b))


def widened(name):
    """Type of -x, ~x, abs(x)."""
    return "int64" if name == "bool" or name in SIGNED else "uint64" if name in UNSIGNED else name
