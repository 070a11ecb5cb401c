"""Functions, classes, modules and pointers as values."""

from __future__ import annotations

from .. import _core
from .abstract import (
    ARGS,
    CONSTANT,
    Callable,
    DTypeSpec,
    Dummy,
    Opaque,
    Phantom,
    Type,
    WeakType,
    args_of,
    type_data,
)

_intern = _core.intern_type


class Dispatcher(WeakType, Callable, Dummy):
    """A function that can be compiled."""

    __slots__ = ()

    @staticmethod
    def _intern(dispatcher):
        return _core.typeof(dispatcher)

    @property
    def dispatcher(self):
        return type_data(self.id)[CONSTANT]

    @property
    def name(self):
        return f"type({self.dispatcher!r})"


class BaseFunction(Callable):
    __slots__ = ()


class Function(BaseFunction, Opaque):
    """A function of the builtin table."""

    __slots__ = ()

    @property
    def typing_key(self):
        return type_data(self.id)[CONSTANT]

    @property
    def name(self):
        return f"Function({self.typing_key!r})"


class Closure(Callable, Opaque):
    """An inner function with what it captures."""

    __slots__ = ()


class BoundFunction(Callable, Opaque):
    """A method of a value."""

    __slots__ = ()

    this = property(lambda self: args_of(self.id)[0])


class NamedTupleClass(Callable, Opaque):
    """A namedtuple class."""

    __slots__ = ()

    instance_class = property(lambda self: type_data(self.id)[CONSTANT])

    @property
    def name(self):
        return f"class({self.instance_class})"


class NumberClass(Callable, DTypeSpec, Opaque):
    """A scalar class used as a value: `np.float64`, `naja.int32`."""

    __slots__ = ()

    @staticmethod
    def _intern(instance_type):
        return _intern("NumberClass", args=(instance_type.id,))

    instance_type = property(lambda self: args_of(self.id)[0])
    dtype = property(lambda self: args_of(self.id)[0])

    @property
    def key(self):
        return self.instance_type

    def __reduce__(self):
        return NumberClass, (self.instance_type,)


class TypeRef(Dummy):
    """Any other type used as a value."""

    __slots__ = ()

    @staticmethod
    def _intern(instance_type):
        return _intern("TypeRef", args=(instance_type.id,))

    instance_type = property(lambda self: args_of(self.id)[0])

    @property
    def key(self):
        return self.instance_type

    def __reduce__(self):
        return TypeRef, (self.instance_type,)


class Module(Dummy):
    """A module."""

    __slots__ = ()

    pymod = property(lambda self: type_data(self.id)[CONSTANT])

    @property
    def name(self):
        return f"Module({self.pymod!r})"


class ExceptionClass(Callable, Phantom):
    """An exception class."""

    __slots__ = ()

    exc_class = property(lambda self: type_data(self.id)[CONSTANT])

    @property
    def name(self):
        return f"{self.exc_class.__name__}"


class ExceptionInstance(Phantom):
    """An exception."""

    __slots__ = ()

    exc_class = property(lambda self: type_data(self.id)[CONSTANT])


class CPointer(Type):
    """T*"""

    __slots__ = ()
    mutable = True

    @staticmethod
    def _intern(dtype, addrspace=None):
        return _intern("Pointer", args=(dtype.id,))

    dtype = property(lambda self: args_of(self.id)[0])
    addrspace = None

    @property
    def key(self):
        return self.dtype, self.addrspace

    def __reduce__(self):
        return CPointer, (self.dtype,)


class FunctionType(Type):
    """A first-class function of a signature."""

    __slots__ = ()

    @staticmethod
    def _intern(signature):
        from .signatures import normalize_signature

        args, return_type = normalize_signature(signature)
        return _intern("Opaque", name=f"FunctionType[{return_type}({', '.join(map(str, args))})]",
                       args=tuple(t.id for t in (return_type, *args)))

    @property
    def signature(self):
        from .signatures import Signature

        return_type, *args = args_of(self.id)
        return Signature(return_type, args, None)

    @property
    def nargs(self):
        return len(type_data(self.id)[ARGS]) - 1

    @property
    def key(self):
        return self.name[len("FunctionType["):-1]

    def __reduce__(self):
        return FunctionType, (self.signature,)


class NamedOpaque(Opaque):
    """A type that is no more than its name."""

    __slots__ = ()

    @staticmethod
    def _intern(name):
        return _intern("Opaque", name=name)


class NamedPhantom(Phantom):
    """A type without values that is no more than its name."""

    __slots__ = ()

    @staticmethod
    def _intern(name):
        return _intern("Opaque", name=name)

    def is_precise(self):
        return False
