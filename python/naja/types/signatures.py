"""Signatures: `int32(int32, float64)`, and the evaluation of string signatures."""

from __future__ import annotations

import ast
from enum import IntEnum

from .abstract import Type, type_object


class Conversion(IntEnum):
    """How well a type converts to another, best first."""

    exact = 0
    promote = 1
    safe = 2
    unsafe = 3
    none = 4
    nil = 5


class Signature:
    """Argument types and return type of a function. Immutable; `return_type` None: to be inferred."""

    __slots__ = ("_return_type", "_args", "_recvr", "_pysig")

    def __init__(self, return_type, args, recvr, pysig=None):
        self._return_type = return_type
        self._args = tuple(args)
        self._recvr = recvr
        self._pysig = pysig

    return_type = property(lambda self: self._return_type)
    args = property(lambda self: self._args)
    recvr = property(lambda self: self._recvr)
    pysig = property(lambda self: self._pysig)

    def replace(self, **changes):
        known = {"return_type": self._return_type, "args": self._args, "recvr": self._recvr, "pysig": self._pysig}
        known.update(changes)
        return Signature(**known)

    def __hash__(self):
        return hash((self._args, self._return_type))

    def __eq__(self, other):
        if not isinstance(other, Signature):
            return NotImplemented
        return (self._args == other._args and self._return_type == other._return_type
                and self._recvr == other._recvr and self._pysig == other._pysig)

    def __repr__(self):
        return f"{self._args} -> {self._return_type}"

    def __reduce__(self):
        return Signature, (self._return_type, self._args, self._recvr, self._pysig)

    @property
    def is_method(self):
        return self._recvr is not None

    def as_method(self):
        if self._recvr is not None:
            return self
        return Signature(self._return_type, self._args[1:], self._args[0])

    def as_function(self):
        return self if self._recvr is None else Signature(self._return_type, (self._recvr, *self._args), None)

    def as_type(self):
        from .functions import FunctionType

        return FunctionType(self)

    def is_precise(self):
        return all(t.is_precise() for t in (*self._args, self._return_type))

    def dump(self, tab=""):
        print(f"{tab}DUMP {self!r}")


def signature(return_type, *args, **kws):
    """A signature from types."""
    recvr = kws.pop("recvr", None)
    if kws:
        raise AssertionError(f"unexpected keywords {sorted(kws)}")
    for arg in args:
        if not isinstance(arg, Type):
            raise TypeError(f"invalid type in signature: expected a type instance, got {arg!r}")
    return Signature(return_type, args, recvr)


class _Evaluator:
    """Evaluates the expressions that signatures are written in: names of the types namespace, calls, tuples, lists,
    slices, attributes, constants. Nothing else, so that text from anywhere is safe to evaluate."""

    def __init__(self, text):
        self.text = text

    def run(self):
        if not self.text.strip():
            raise SyntaxError("invalid syntax: an empty signature")
        return self.visit(ast.parse(self.text.strip(), "<signature>", "eval").body)

    def visit(self, node):
        method = getattr(self, type(node).__name__, None)
        if method is None:
            raise TypeError(f"invalid signature: {self.text!r} contains an unexpected {type(node).__name__}")
        return method(node)

    def Name(self, node):
        from .. import types

        try:
            return getattr(types, node.id)
        except AttributeError:
            raise NameError(f"name {node.id!r} is not defined (in the signature {self.text!r})") from None

    def Attribute(self, node):
        base = node.value
        # `types.int64`, `numba.types.int64`, `nb.int64`: the namespace itself.
        if isinstance(base, (ast.Name, ast.Attribute)):
            from .. import types

            return getattr(types, node.attr)
        raise TypeError(f"invalid signature: {self.text!r}")

    def Constant(self, node):
        if node.value is None:
            return self.Name(ast.Name("none"))
        return node.value

    def Call(self, node):
        function = self.visit(node.func)
        if not (isinstance(function, Type) or (isinstance(function, type) and issubclass(function, Type))
                or getattr(function, "__module__", "").startswith("naja.types")):
            raise TypeError(f"invalid signature: {self.text!r}")
        return function(*map(self.visit, node.args), **{k.arg: self.visit(k.value) for k in node.keywords})

    def Subscript(self, node):
        return self.visit(node.value)[self.visit(node.slice)]

    def Slice(self, node):
        return slice(*(part and self.visit(part) for part in (node.lower, node.upper, node.step)))

    def Tuple(self, node):
        return tuple(map(self.visit, node.elts))

    def List(self, node):
        return list(map(self.visit, node.elts))

    def UnaryOp(self, node):
        value = self.visit(node.operand)
        if isinstance(node.op, ast.USub) and isinstance(value, (int, float)):
            return -value
        raise TypeError(f"invalid signature: {self.text!r}")



def is_signature(value):
    """True for what can be a signature: a string, a tuple of types or a Signature."""
    return isinstance(value, (str, tuple, Signature))


def parse_types(text):
    """The type or signature that a text means."""
    return _Evaluator(text).run()


def normalize_signature(sig):
    """(argument types, return type or None) of a signature in any of its forms."""
    parsed = parse_types(sig) if isinstance(sig, str) else sig
    if isinstance(parsed, Signature):
        args, return_type = parsed.args, parsed.return_type
    elif isinstance(parsed, tuple):
        args, return_type = parsed, None
    elif sig is None:
        args, return_type = (), None
    else:
        raise TypeError(f"invalid signature: {sig!r} (type: {type(sig).__name__!r}) evaluates to "
                        f"{type(parsed).__name__!r} instead of tuple or Signature")
    for t in args if return_type is None else (*args, return_type):
        if not isinstance(t, Type):
            raise TypeError(f"invalid type in signature: expected a type instance, got {t!r}")
    return tuple(args), return_type


def signature_of_ids(args, return_type):
    """A signature from ids."""
    return Signature(type_object(return_type), tuple(map(type_object, args)), None)
