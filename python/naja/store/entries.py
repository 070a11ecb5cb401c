"""Finding, loading and writing compiled code. A key (the function, its argument types, options and everything about the
process that matters) finds a manifest: lists of questions that compilations of that key have asked. The answers of this
process to one of them give the name of the object made from exactly those answers. docs/architecture/store.md."""

from __future__ import annotations

import os
import sys
import warnings

from .. import _core
from .files import Folder, default_folder
from .packing import pack, unpack
from .reads import (
    Missing,
    NotCacheable,
    Paths,
    answer,
    find,
    hash_of,
    is_own,
    options_of,
    pack_type,
    plain,
    unpack_type,
    user_hooks,
)

_MOST_MANIFEST_ROWS = 16
_folders = {}
_own_files = None
_told = False


def folder():
    """The store of this process."""
    path = default_folder()
    found = _folders.get(path)
    if found is None:
        found = _folders[path] = Folder(path)
    return found


# ---------------------------------------------------------------------- keys

def _files_of_naja():
    """Size and time of every file of naja that takes part in a compilation, and the versions and CPU under it."""
    global _own_files
    if _own_files is None:
        package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        rows = []
        for sub in (package, os.path.join(package, "library")):
            for entry in sorted(os.scandir(sub), key=lambda e: e.name):
                if entry.name.endswith(".py") or f"cpython-{sys.version_info[0]}{sys.version_info[1]}-" in entry.name:
                    info = entry.stat()
                    rows.append((entry.path, info.st_size, info.st_mtime_ns))
        numpy = sys.modules["numpy"]
        _own_files = (tuple(rows), sys.version, numpy.__version__, numpy.__file__, *_cpu())
    return _own_files


def _cpu():
    """What decides which instructions the host has."""
    wanted = (b"vendor_id", b"cpu family", b"model\t", b"stepping", b"flags", b"Features", b"CPU ")
    try:
        with open("/proc/cpuinfo", "rb", buffering=0) as file:
            first = file.read(8192).partition(b"\n\n")[0]
    except OSError:
        first = b""
    return os.uname().machine, *[line for line in first.split(b"\n") if line.startswith(wanted)]


def _options_of_process():
    return tuple((name, _core.get_option(name)) for name, _, _, _, in_key, _ in _core.options() if in_key)


def key_of(dispatcher, arg_ids, return_id, purpose=""):
    """The name under which compilations of this are listed. `purpose` sets other kinds of code apart (the loop of a
    ufunc)."""
    function = dispatcher.py_func
    parts = (_files_of_naja(), _options_of_process(), purpose, *_core.snapshot_hash(function)[:2],
             tuple(pack_type(i, hash_of) for i in arg_ids),
             None if return_id is None else pack_type(return_id, hash_of), options_of(dispatcher))
    return _core.hash128(pack(parts)).hex()


def _object_name(key, questions, answers):
    return _core.hash128(pack((key, questions, answers))).hex()


# ---------------------------------------------------------------------- loading

def load(dispatcher, arg_ids, return_id=None, purpose=""):
    """The specialisation from the store, or None."""
    store = folder()
    if not store.check():
        return None
    try:
        key = key_of(dispatcher, arg_ids, return_id, purpose)
        manifest = store.read(key + "m")
        if manifest is None:
            return None
        for questions in unpack(manifest):
            answers = [answer(q, dispatcher.py_func, arg_ids) for q in questions]
            payload = store.read(_object_name(key, questions, answers) + "o")
            if payload is not None:
                return _load_object(payload, dispatcher, arg_ids)
    except (NotCacheable, Missing, ValueError, TypeError, KeyError, IndexError, AttributeError):
        # Nothing of this kind is written; what is there was made by something else.
        return None
    return None


def _load_object(payload, dispatcher, arg_ids):
    function = dispatcher.py_func

    def at(path):
        return find(path, function, arg_ids)

    symbol, result, nogil, words, origins, arrays, image = unpack(payload)
    word_rows = [(name, unpack_type(data, at) if kind == "type" else _core.constant_id(at(data)))
                 for name, kind, data in words]
    origin_rows = []
    for name, file, ranges in origins:
        rows = []
        for first, last, path in ranges:
            _, _, first_now, _, file_now = _core.snapshot_hash(plain(at(path)))
            rows.append((first, last, first_now - first, file_now))
        origin_rows.append((name, rows[0][3] if len(rows) else file, rows))
    array_rows = {name: at(path) for name, path in arrays}
    entry, owner = _core.load_image(image, symbol, word_rows, origin_rows, array_rows)
    return _core.Specialisation(entry, arg_ids, unpack_type(result, at), owner, nogil)


# ---------------------------------------------------------------------- writing

def save(dispatcher, arg_ids, return_id, specialisation, record, purpose=""):
    """Writes a compilation to the store. What cannot be kept says so in a NumbaWarning; a store that cannot be written to
    is left alone after one warning."""
    global _told
    function = dispatcher.py_func
    try:
        key = key_of(dispatcher, arg_ids, return_id, purpose)
        entry = _Entry(dispatcher, arg_ids, record)
        payload = entry.payload(specialisation)
    except (NotCacheable, Missing) as why:
        from ..errors import NumbaWarning

        warnings.warn(f'Cannot cache compiled function "{function.__name__}" as it uses {why}', NumbaWarning, stacklevel=4)
        return
    answers = [answer(q, function, arg_ids) for q in entry.questions]
    questions = tuple(entry.questions)
    store = folder()
    try:
        if not store.check():
            store.make()
        store.write(_object_name(key, questions, answers) + "o", payload)
        _list(store, key + "m", questions)
    except OSError as error:
        if not _told:
            from ..errors import NumbaWarning

            _told = True
            warnings.warn(f"compiled code is not kept: {error}", NumbaWarning, stacklevel=4)


def _list(store, name, questions):
    """Puts the questions in front of a manifest. Of two processes that do it at once one may lose: that costs a
    compilation later."""
    rows = []
    known = store.read(name)
    if known is not None:
        try:
            rows = [row for row in unpack(known) if row != questions]
            if len(rows) < len(unpack(known)) and unpack(known)[0] == questions:
                return
        except ValueError:
            rows = []
    store.write(name, pack([questions, *rows[:_MOST_MANIFEST_ROWS - 1]]))


class _Entry:
    """An entry in the making: the paths of what compilation read, questions about it, and places in source files."""

    def __init__(self, dispatcher, arg_ids, record):
        if record["holds_address"]:
            raise NotCacheable("dynamic globals (such as ctypes pointers and large global arrays)")
        if record["typed_objects"]:
            raise NotCacheable("an object that is known by its identity alone")
        self.record = record
        self.dispatcher = dispatcher
        self.function = dispatcher.py_func
        self.arg_ids = arg_ids
        self.paths = Paths(self.function, arg_ids)
        self.questions = []
        self.places = {}   # file -> [(first, last, path)]
        self._explored = set()
        self._reach()
        self._ask_hooks()
        self._ask_functions()
        self._ask_attributes()
        self._ask_places()
        self.questions.sort(key=pack)  # the compiler asks in no particular order

    def _explore(self, function, path):
        function = plain(function)
        if id(function) not in self._explored:
            self._explored.add(id(function))
            self.paths.explore(function, path)
            return True
        return False

    def _reach(self):
        """Goes from the function along what compilation read until nothing new comes up."""
        self.made = {id(row[3]): row for row in self.record["overloads"] if row[3] is not None}
        self._explore(self.function, (("root",),))
        progress, followed = True, set()
        while progress:
            progress = False
            for function, _, _ in self.record["functions"]:
                if not is_own(function) and id(function) not in self.made:
                    path = self.paths.get(function)
                    progress |= path is not None and self._explore(function, path)
            for owner, name in self.record["attributes"]:
                path = None if owner is None else self.paths.get(owner)
                if path is not None and (id(owner), name) not in followed:
                    followed.add((id(owner), name))  # once: a bound method is another object each time
                    before = len(self.paths._kept)
                    self.paths.add(getattr(owner, name, None), (*path, ("attr", name)))
                    progress |= len(self.paths._kept) > before
            for row in self.record["overloads"]:
                for i, generator in enumerate(self._hooks(row)):
                    progress |= self._explore(generator, self._hook_path(row, i))

    @staticmethod
    def _hooks(row):
        return user_hooks(row[0], row[1], row[2])

    def _hook_path(self, row, i):
        target, name, receiver, _ = row
        if target is not None:
            return (*self._need(target), ("hook", i))
        return (("method", name, pack_type(receiver, self._refer), i),)

    def _need(self, value):
        path = self.paths.get(value)
        if path is None:
            shown = getattr(value, "__qualname__", None) or type(value).__qualname__
            raise NotCacheable(f"dynamic globals: {shown} cannot be found again from {self.function.__qualname__}")
        return path

    def _refer(self, value):
        return self._need(value)

    def _ask(self, *question):
        if question not in self.questions:
            self.questions.append(question)

    def _ask_ufunc(self, target):
        """A ufunc, or the ufunc of a method, answers calls by what loops it has."""
        ufunc = target if isinstance(target, _core.DUFunc) else getattr(target, "__self__", None)
        if isinstance(ufunc, _core.DUFunc):
            path = self._need(ufunc)
            for kernel in ufunc.kernels():
                self.paths.add(kernel, path)
            self._ask("ufunc", path)

    def _ask_hooks(self):
        for row in self.record["overloads"]:
            target, name, receiver, _ = row
            self._ask_ufunc(target)
            if target is not None:
                if is_own(target) and not self._hooks(row):
                    continue
                path = self.paths.get(target)
                if path is None:
                    if self._hooks(row):
                        self._need(target)
                    continue
                self._ask("hooks", path, "", None)
            elif receiver is not None:
                self._ask("hooks", None, name, pack_type(receiver, self._refer))
            for i, generator in enumerate(self._hooks(row)):
                self._place(generator, self._hook_path(row, i))

    def _ask_functions(self):
        self._place(self.function, (("root",),))
        for function, dispatcher, _ in self.record["functions"]:
            if is_own(function) or id(function) in self.made or function is self.function:
                continue
            path = self._need(dispatcher if dispatcher is not None else function)
            self._ask("function", path)
            self._place(function, path)

    def _ask_attributes(self):
        for owner, name in self.record["attributes"]:
            if owner is None:
                continue
            path = self.paths.get(owner)
            if path is None:
                module = (getattr(owner, "__name__", "") or "").partition(".")[0]
                if module in ("numpy", "naja", "math", "cmath", "operator", "builtins", "random"):
                    continue  # asked by naja's own library
                self._need(owner)
            self._ask("attribute", path, name)

    def _place(self, function, path):
        _, _, first, last, file = _core.snapshot_hash(plain(function))
        rows = self.places.setdefault(file, [])
        if (first, last, path) not in rows:
            rows.append((first, last, path))

    def _ask_places(self):
        """Lines are moved by the function that they are in; where that is not clear, and where debug information has
        them, places must not change."""
        fixed = bool(self.dispatcher.targetoptions.get("debug")) or _core.get_option("DEBUGINFO") not in ("", "0")
        for rows in self.places.values():
            rows.sort(key=lambda row: (row[0], -row[1]))
            for i, (first, last, path) in enumerate(rows):
                overlap = any(first <= other[1] < last or (other[:2] == (first, last) and other[2] != path)
                              for other in rows[:i])
                if fixed or overlap:
                    for _, _, each in rows:
                        self._ask("place", each)

    # ------------------------------------------------------------------ the object
    def payload(self, specialisation):
        words, origins, arrays = [], [], []
        for kind, type_id, symbol, file, value in self.record["slots"]:
            if kind == "type":
                words.append((symbol, kind, pack_type(type_id, self._refer)))
            elif kind == "constant":
                words.append((symbol, kind, self._need(value)))
            elif kind == "array":
                arrays.append((symbol, self._need(value)))
            else:
                origins.append((symbol, file, self.places.get(file, ())))
        return pack((self.record["symbol"], pack_type(specialisation.return_type, self._refer),
                     bool(specialisation.nogil), words, origins, arrays, self.record["image"]))


def compile_or_load(dispatcher, arg_ids, return_id, compile):
    """A specialisation from the store, or compiled by `compile` and written to the store; whether it was there."""
    found = load(dispatcher, arg_ids, return_id)
    if found is not None:
        return found, True
    specialisation = compile()
    from .. import _compiler

    record = _compiler.cache_record(specialisation)
    if record is not None:
        save(dispatcher, arg_ids, return_id, specialisation, record)
    return specialisation, False


__all__ = ["compile_or_load", "folder", "key_of", "load", "save"]
