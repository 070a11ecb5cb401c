"""Types: objects (`int64`, `float32`...), classes to build and to test for (`Array`, `Tuple`, `Integer`...), with
Numba's names. `float64[:, ::1]` is an array type, `int64(float64, int32)` a signature."""

from __future__ import annotations

from .. import _core
from .abstract import (
    ArrayCompatible,
    Callable,
    ConstSized,
    Container,
    DTypeSpec,
    Dummy,
    Hashable,
    InitialValue,
    IterableType,
    IteratorType,
    Literal,
    MutableSequence,
    Number,
    Opaque,
    Phantom,
    Sequence,
    SimpleIterableType,
    SimpleIteratorType,
    Sized,
    Type,
    WeakType,
    drafts,
)
from .arrays import Array, Buffer, Bytes, DType, NestedArray, Record, as_dtype, from_dtype
from .containers import (
    BaseAnonymousTuple,
    BaseNamedTuple,
    BaseTuple,
    IteratorOf,
    NamedTuple,
    NamedUniTuple,
    RangeIteratorType,
    RangeType,
    StarArgTuple,
    StarArgUniTuple,
    Tuple,
    UniTuple,
)
from .functions import (
    BaseFunction,
    BoundFunction,
    Closure,
    CPointer,
    Dispatcher,
    ExceptionClass,
    ExceptionInstance,
    Function,
    FunctionType,
    Module,
    NamedOpaque,
    NamedPhantom,
    NamedTupleClass,
    NumberClass,
    TypeRef,
)
from .scalars import (
    Boolean,
    BooleanLiteral,
    Complex,
    EllipsisType,
    Float,
    Integer,
    IntegerLiteral,
    NoneType,
    Omitted,
    Optional,
    PyObject,
    RawPointer,
    SliceLiteral,
    SliceType,
    StringLiteral,
    UnicodeType,
    literal,
    maybe_literal,
    optional,
    unliteral,
)
from .signatures import Conversion, Signature, signature

_CLASSES = {
    "None": NoneType, "Bool": Boolean, "Int": Integer, "Float": Float, "Complex": Complex, "Optional": Optional,
    "Array": Array, "Slice": SliceType, "Ellipsis": EllipsisType, "String": UnicodeType, "Bytes": Bytes,
    "Range": RangeType, "Iterator": IteratorOf, "Record": Record, "NestedArray": NestedArray, "Function": Dispatcher,
    "Closure": Closure, "Builtin": Function, "BoundMethod": BoundFunction, "Module": Module,
    "NumberClass": NumberClass, "DType": DType, "TypeRef": TypeRef, "NamedTupleClass": NamedTupleClass,
    "ExceptionClass": ExceptionClass, "ExceptionInstance": ExceptionInstance, "Omitted": Omitted, "Object": PyObject,
}
_LITERAL_CLASSES = {int: IntegerLiteral, bool: BooleanLiteral, str: StringLiteral, slice: SliceLiteral}


def _tuple_class(data):
    same = len(set(data[8])) == 1
    if data[12] is not None:
        return NamedUniTuple if same else NamedTuple
    return UniTuple if same else Tuple


def _class_of(data):
    kind = data[0]
    known = _CLASSES.get(kind)
    if known is not None:
        return RangeIteratorType if kind == "Iterator" and data[13] == "range" else known
    if kind == "Tuple":
        return _tuple_class(data)
    if kind == "Literal":
        return _LITERAL_CLASSES.get(type(data[11]), Literal)
    if kind == "Pointer":
        return CPointer if data[8] else RawPointer
    if kind == "Opaque":
        if data[13].startswith("FunctionType["):
            return FunctionType
        return _OPAQUE_CLASSES.get(data[13], NamedOpaque)
    return Opaque


_OPAQUE_CLASSES = {"any": NamedPhantom, "undefined": NamedPhantom, "unknown": NamedPhantom}


def _make(type_id):
    """The object of a type; called once for each."""
    draft = drafts.pop(type_id, None)
    if draft is not None:
        made = _core.Type.__new__(draft[0], type_id)
        made.__dict__.update(draft[1])
        return made
    return _core.Type.__new__(_class_of(_core.type_data(type_id)), type_id)


_core.set_type_maker(_make)

int8, int16, int32, int64 = (Integer(f"int{n}") for n in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (Integer(f"uint{n}") for n in (8, 16, 32, 64))
float16, float32, float64 = (Float(f"float{n}") for n in (16, 32, 64))
complex64, complex128 = Complex("complex64"), Complex("complex128")
boolean = bool_ = bool = b1 = Boolean()
none = void = NoneType()
pyobject = PyObject()
voidptr = RawPointer()
unicode_type = string = UnicodeType()
ellipsis = EllipsisType()
slice2_type, slice3_type = SliceType("slice<a:b>", 2), SliceType("slice<a:b:c>", 3)
range_state32_type, range_state64_type = RangeType(int32), RangeType(int64)
unsigned_range_state64_type = RangeType(uint64)
range_iter32_type, range_iter64_type = RangeIteratorType(int32), RangeIteratorType(int64)
unsigned_range_iter64_type = RangeIteratorType(uint64)
Any, undefined, unknown = NamedPhantom("any"), NamedPhantom("undefined"), NamedPhantom("unknown")
code_type, pyfunc_type = NamedOpaque("code"), NamedOpaque("pyfunc")
ffi, ffi_forced_object = NamedOpaque("ffi"), NamedOpaque("ffi_forced_object")

i1, i2, i4, i8 = int8, int16, int32, int64
u1, u2, u4, u8 = uint8, uint16, uint32, uint64
f2, f4, f8 = float16, float32, float64
c8, c16 = complex64, complex128
byte = uchar = uint8
char = int8
short, ushort = int16, uint16
intc, uintc = int32, uint32
intp = int_ = long_ = longlong = ssize_t = int64
uintp = uint = ulong = ulonglong = size_t = uint64
double = float64
np_bool_, np_intp, np_uintp, np_intc, np_uintc = boolean, intp, uintp, intc, uintc
py_bool, py_int, py_float, py_complex = boolean, int64, float64, complex128

integer_domain = frozenset([int8, int16, int32, int64, uint8, uint16, uint32, uint64])
signed_domain = frozenset([int8, int16, int32, int64])
unsigned_domain = frozenset([uint8, uint16, uint32, uint64])
real_domain = frozenset([float32, float64])
complex_domain = frozenset([complex64, complex128])
number_domain = real_domain | integer_domain | complex_domain

#: Names that are also at the top level (`naja.int64`).
EXPORTED = (
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp uintp intc uintc ssize_t size_t boolean float32 float64 "
    "complex64 complex128 bool_ byte char uchar short ushort int_ uint long_ ulong longlong ulonglong double void none "
    "b1 i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 c8 c16 optional ffi_forced_object ffi bool unicode_type voidptr pyobject"
).split()
