"""What compiled code depends on, named so that another process finds it again: objects as paths from the function
(`Paths`), questions about them, and the answers (`answer`)."""

from __future__ import annotations

import builtins
import sys
import types

from .. import _core
from .packing import pack


class NotCacheable(Exception):
    """Why code cannot be kept."""


class Missing(Exception):
    """A path that leads nowhere in this process."""


_Function, _Module = types.FunctionType, types.ModuleType
_OWN = ("naja.", "numpy.")


def is_own(function):
    """A function of naja's own: covered by the key's list of naja's files."""
    return (getattr(function, "__module__", None) or "").startswith("naja.")


def plain(function):
    return getattr(function, "py_func", function)


def dispatcher_of(value):
    return value if isinstance(value, _core.Dispatcher) else None


# ---------------------------------------------------------------------- types

def pack_type(type_id, refer):
    """A type as plain data; `refer(object)` gives the data for a Python object in it."""
    kind, text, bits, signed, ndim, layout, readonly, aligned, args, fields, offsets, constant, cls, name = (
        _core.type_data(type_id))
    if constant is None and cls is None and _core.parse_type(text) == type_id:
        return text
    return (kind, bits, signed, ndim, layout, readonly, aligned, tuple(pack_type(i, refer) for i in args), tuple(fields),
            tuple(offsets), name, None if constant is None else refer(constant), None if cls is None else refer(cls))


def unpack_type(data, find):
    """The id; `find` gives the object for what `refer` returned."""
    if type(data) is str:
        found = _core.parse_type(data)
        if found is None:
            raise ValueError("unknown type")
        return found
    kind, bits, signed, ndim, layout, readonly, aligned, args, fields, offsets, name, constant, cls = data
    more = {}
    if constant is not None:
        more["constant"] = find(constant)
    if cls is not None:
        more["cls"] = find(cls)
    return _core.intern_type(kind, bits=bits, is_signed=signed, ndim=ndim, layout=layout, readonly=readonly, aligned=aligned,
                             args=[unpack_type(a, find) for a in args], fields=fields, offsets=offsets, name=name, **more)


def type_objects(type_id):
    """Objects in a type, in the order of its parts."""
    data = _core.type_data(type_id)
    found = [o for o in data[11:13] if o is not None]
    for part in data[8]:
        found += type_objects(part)
    return found


def hash_of(value):
    """For keys: a value by its value, functions and classes by name."""
    found = _core.value_hash(value)
    return ("identity", type(value).__qualname__) if found is None else found


# ---------------------------------------------------------------------- objects by path

_SIMPLE = (int, float, str, bytes, bool, complex, type(None))


def globals_named_by(code):
    """Names that a code object or an inner one may load as globals, in order."""
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(dict.fromkeys(globals_named_by(constant)))
    return names


def look_up(function, name):
    scope = function.__globals__
    if name in scope:
        return scope[name]
    inner = scope.get("__builtins__", builtins)
    return (inner if isinstance(inner, dict) else vars(inner)).get(name)


def children(function):
    """(step, value) of everything frozen with a function."""
    for name in globals_named_by(function.__code__):
        value = look_up(function, name)
        if value is not None:
            yield ("global", name), value
    for i, cell in enumerate(function.__closure__ or ()):
        try:
            yield ("free", i), cell.cell_contents
        except ValueError:
            pass
    for i, value in enumerate(function.__defaults__ or ()):
        yield ("default", i), value
    for name, value in (function.__kwdefaults__ or {}).items():
        yield ("kwdefault", name), value


def step_into(value, step):
    """The object at the end of one step."""
    kind, which = step[0], step[1]
    function = plain(value)
    try:
        if kind == "global":
            found = look_up(function, which)
            if found is None:
                raise Missing(which)
            return found
        if kind == "free":
            return function.__closure__[which].cell_contents
        if kind == "default":
            return function.__defaults__[which]
        if kind == "kwdefault":
            return function.__kwdefaults__[which]
        if kind == "attr":
            return getattr(value, which)
        if kind == "item":
            return value[which]
        if kind == "hook":
            return user_hooks(value, "", None)[which]
    except Missing:
        raise
    except Exception as error:
        raise Missing(str(step)) from error
    raise Missing(kind)


def find(path, function, arg_ids):
    """The object of a path: where it starts, then steps."""
    start, *steps = path
    kind = start[0]
    try:
        if kind == "root":
            value = function
        elif kind == "arg":
            value = type_objects(arg_ids[start[1]])[start[2]]
        elif kind == "import":
            value = sys.modules[start[1]]
            for name in start[2].split("."):
                value = getattr(value, name)
        elif kind == "method":
            value = user_hooks(None, start[1], unpack_type(start[2], lambda p: find(p, function, arg_ids)))[start[3]]
        else:
            raise Missing(kind)
    except Missing:
        raise
    except Exception as error:
        raise Missing(str(start)) from error
    for step in steps:
        value = step_into(value, step)
    return value


class Paths:
    """Objects that can be reached from a function and its argument types, with the way to each."""

    def __init__(self, function, arg_ids):
        self._paths = {}
        self._kept = []  # so that ids stay those of these objects
        self.add(function, (("root",),))
        for i, type_id in enumerate(arg_ids):
            for k, value in enumerate(type_objects(type_id)):
                self.add(value, (("arg", i, k),))

    def add(self, value, path):
        if isinstance(value, _SIMPLE) or id(value) in self._paths or len(path) > 40:
            return
        self._paths[id(value)] = path
        self._kept.append(value)
        dispatcher = dispatcher_of(value)
        if dispatcher is not None:
            self._paths.setdefault(id(dispatcher.py_func), path)
        if isinstance(value, tuple):
            for i, item in enumerate(value):
                self.add(item, (*path, ("item", i)))

    def explore(self, function, path):
        for step, value in children(plain(function)):
            self.add(value, (*path, step))

    def get(self, value):
        """The path of an object, or None."""
        path = self._paths.get(id(value))
        if path is None:
            path = self._importable(value)
        return path

    @staticmethod
    def _importable(value):
        module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
        if isinstance(value, _Module):
            return None
        if not isinstance(module, str) or not isinstance(name, str):
            return None
        path = (("import", module, name),)
        try:
            return path if plain(find(path, None, ())) is plain(value) else None
        except Missing:
            return None


# ---------------------------------------------------------------------- overloads

def user_hooks(target, name, receiver):
    """Generators of @overload and its kin that are not naja's own and would be asked for a callable, or for a method or
    attribute ("@name") of a type."""
    extending = sys.modules.get("naja.extending")
    if extending is None:
        return []
    generators = [row.generator for row in extending._candidates(target, name or None, (receiver,))]
    return [g for g in generators if not is_own(g)]


def deep_hash(function):
    """Of a hook: its code and frozen values, and those of the functions it may call."""
    seen, waiting, hashes = set(), [function], []
    while waiting:
        current = plain(waiting.pop())
        if id(current) in seen or len(seen) > 1000:
            continue
        seen.add(id(current))
        hashes.append(_core.snapshot_hash(current)[:2])
        for _, value in children(current):
            inner = plain(value)
            if isinstance(inner, _Function) and not is_own(inner):
                module = (inner.__module__ or "").partition(".")[0]
                if module != "numpy" and module not in sys.stdlib_module_names:
                    waiting.append(inner)
    return tuple(hashes)


# ---------------------------------------------------------------------- answers

def canonical(value):
    """Options as plain data, whatever the order they were given in."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return ("float", repr(value))
    if isinstance(value, dict) or hasattr(value, "items"):
        return ("dict", tuple(sorted((str(k), pack(canonical(v))) for k, v in value.items())))
    if isinstance(value, (set, frozenset)):
        return ("set", tuple(sorted(pack(canonical(v)) for v in value)))
    if isinstance(value, (tuple, list)):
        return tuple(canonical(v) for v in value)
    if isinstance(value, _core.Type):
        return ("type", pack_type(value.id, hash_of))
    if isinstance(value, _Function):
        return ("function", *_core.snapshot_hash(value)[:1])
    raise NotCacheable(f"an option is {type(value).__name__}")


def options_of(dispatcher):
    """Everything about a dispatcher that changes how it, or a call of it, compiles."""
    state = vars(dispatcher)
    declared = tuple((tuple(pack_type(i, hash_of) for i in args), None if result is None else pack_type(result, hash_of))
                     for args, result in state.get("_declared", ()))
    return (canonical(state.get("targetoptions", {})), canonical(state.get("locals", {})), declared,
            bool(dispatcher._can_compile))


def answer(question, function, arg_ids):
    """What a question comes to in this process, as plain data."""
    kind, path = question[0], question[1]
    try:
        if kind == "function":
            value = find(path, function, arg_ids)
            dispatcher = dispatcher_of(value)
            return (*_core.snapshot_hash(plain(value))[:2], None if dispatcher is None else options_of(dispatcher))
        if kind == "attribute":
            return hash_of(getattr(find(path, function, arg_ids), question[2]))
        if kind == "place":
            return _core.snapshot_hash(plain(find(path, function, arg_ids)))[2:]
        if kind == "ufunc":
            return find(path, function, arg_ids).cache_state()
        if kind == "hooks":
            target = None if path is None else find(path, function, arg_ids)
            receiver = None
            if question[3] is not None:
                receiver = unpack_type(question[3], lambda p: find(p, function, arg_ids))
            if "naja.extending" not in sys.modules:
                return ()
            return tuple(deep_hash(g) for g in user_hooks(target, question[2], receiver))
    except Missing:
        return () if kind == "hooks" else "missing"  # nothing overloads what is not there
    except AttributeError:
        return "no attribute"
    raise ValueError("unknown question")
