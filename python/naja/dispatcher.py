"""What `jit` makes of a function: the object that is called (`_core.Dispatcher`, in C++) with the Python-level API."""

from __future__ import annotations

import os
import sys
import threading

from . import _core


class CPUDispatcher(_core.Dispatcher):
    """A function that is compiled for the types it is called with."""

    def __init__(self, py_func, locals=None, targetoptions=None, cache=False):
        super().__init__(py_func)
        self.__dict__.update(
            __wrapped__=py_func, __name__=py_func.__name__, __qualname__=py_func.__qualname__,
            __module__=py_func.__module__, __doc__=py_func.__doc__, locals=locals or {},
            targetoptions=targetoptions if targetoptions is not None else {}, _cache=cache, _flags=None, _misses={}, _hits={},
            _declared=[], _uuid=None)

    # ------------------------------------------------------------------ compiling
    @property
    def compiler_flags(self):
        """Flags of the compiler, checked when first needed."""
        flags = self._flags
        if flags is None:
            from .options import parse

            flags = self.__dict__["_flags"] = parse(self.targetoptions, self.locals)
        return flags

    def _compile_ids(self, arg_ids, return_id=None):
        """The specialisation for these argument types (ids); compiles it where there is none."""
        known = self._exact(arg_ids)
        if known is not None:
            return known
        if not self._can_compile:
            raise TypeError(self._no_match(arg_ids))
        if self._cache:
            from .store.entries import compile_or_load

            specialisation, was_there = compile_or_load(self, arg_ids, return_id,
                                                        lambda: self._compile_now(arg_ids, return_id, record=True))
            if was_there:
                self._hits[arg_ids] = self._hits.get(arg_ids, 0) + 1
                return specialisation
        else:
            specialisation = self._compile_now(arg_ids, return_id)
        self._misses[arg_ids] = self._misses.get(arg_ids, 0) + 1
        return specialisation

    def _compile_now(self, arg_ids, return_id, record=False):
        specialisation = _compiler().compile(self.py_func, self, arg_ids, return_id, self.compiler_flags, record)
        if self.compiler_flags.parallel:
            from .parallel import warn

            warn(self, specialisation)
        return specialisation

    def _exact(self, arg_ids):
        for specialisation in self._specialisations():
            if specialisation.args == arg_ids:
                return specialisation
        return None

    def _no_match(self, arg_ids):
        types = ", ".join(_core.type_data(i)[1] for i in arg_ids)
        return f"No matching definition for argument type(s) {types}"

    def compile(self, sig):
        """Compiles for a signature (types, a Signature or a string); the result is what a call enters."""
        from .types.signatures import normalize_signature

        args, return_type = normalize_signature(sig)
        arg_ids = tuple(t.id for t in args)
        known = self._exact(arg_ids)
        if known is not None:
            return EntryPoint(self, known)
        if not self._can_compile:
            raise RuntimeError("compilation disabled")
        if self.compiler_flags is not None:  # refused options come first
            self._check_arity(len(args))
        specialisation = self._compile_ids(arg_ids, None if return_type is None else return_type.id)
        self._add(specialisation)
        self._declared.append((arg_ids, None if return_type is None else return_type.id))
        return EntryPoint(self, specialisation)

    def _check_arity(self, given):
        """A declared signature has a type for each parameter."""
        code = self.py_func.__code__
        takes = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4)
        if given != takes:
            raise TypeError(f"Signature mismatch: {given} argument types given, but function takes {takes} arguments")

    def compile_all(self, signatures):
        """Compiles for several signatures, at once where there are processors for it: the compiler gives up the GIL."""
        if len(signatures) > 2 and (os.cpu_count() or 1) > 1 and not self._cache:
            from .types.signatures import normalize_signature

            wanted = []
            for args, return_type in map(normalize_signature, signatures):
                wanted.append((tuple(t.id for t in args), None if return_type is None else return_type.id))
            _compile_ahead(self, list(dict.fromkeys(wanted)))
        for signature in signatures:
            self.compile(signature)

    def get_compile_result(self, sig):
        """The CompileResult of a signature, which is compiled where it is not yet."""
        self.compile(sig)
        return self.overloads[self._signature_key(sig)]

    def get_overload(self, sig):
        """The entry point of a signature."""
        return EntryPoint(self, self._specialisation(sig))

    def _specialisation(self, sig):
        known = self._exact(tuple(t.id for t in self._signature_key(sig)))
        if known is None:
            raise KeyError(sig)
        return known

    def recompile(self):
        """Compiles every signature again, with the globals and closure cells of now."""
        wanted = [(s.args, s.return_type) for s in self._specialisations()]
        can_compile = self._can_compile
        self._clear()
        _compiler().forget(self.py_func)
        self._can_compile = True
        try:
            for arg_ids, return_id in wanted:
                self._add(self._compile_ids(arg_ids))
        finally:
            self._can_compile = can_compile

    def disable_compile(self, val=True):
        """Refuses new signatures (or allows them again)."""
        self._can_compile = not val

    def enable_caching(self):
        """Keeps compiled code across processes."""
        self.__dict__["_cache"] = True

    # ------------------------------------------------------------------ what is compiled
    @property
    def signatures(self):
        """Argument types of every specialisation, in the order of compilation."""
        return [_types_of(s.args) for s in self._specialisations()]

    @property
    def nopython_signatures(self):
        """The same with their return types."""
        from .types.signatures import signature_of_ids

        return [signature_of_ids(s.args, s.return_type) for s in self._specialisations()]

    @property
    def overloads(self):
        """CompileResult by argument types."""
        from collections import OrderedDict

        from .inspection import CompileResult

        return OrderedDict((_types_of(s.args), CompileResult(self, s)) for s in self._specialisations())

    @property
    def is_compiling(self):
        return False

    @property
    def stats(self):
        from collections import Counter

        from .inspection import _CompileStats

        path = None
        if self._cache:
            from .store.entries import folder

            path = folder().path
        return _CompileStats(path, *(Counter({_types_of(k): n for k, n in counts.items()})
                                     for counts in (self._hits, self._misses)))

    _cache_hits = property(lambda self: self.stats.cache_hits)  # read by tests written for Numba
    _cache_misses = property(lambda self: self.stats.cache_misses)

    def get_metadata(self, signature=None):
        """What is known of the compilation of one signature, or a dict of all."""
        from .inspection import metadata

        return self._for_signatures(signature, lambda s: metadata(self, s))

    def typeof_pyval(self, val):
        from .typing import typeof

        return typeof(val)

    def get_function_type(self):
        """The first-class type, where exactly one signature exists and no more can come."""
        from .types import FunctionType

        if not self._can_compile and len(self._specialisations()) == 1:
            return FunctionType(self.nopython_signatures[0])
        return None

    @property
    def _numba_type_(self):
        from .types import Dispatcher

        return Dispatcher(self)

    doc = property(lambda self: self.__doc__)
    func_code = property(lambda self: self.py_func.__code__)

    # ------------------------------------------------------------------ inspection
    def _signature_key(self, sig):
        from .types.signatures import normalize_signature

        return normalize_signature(sig)[0]

    def _for_signatures(self, signature, function):
        if signature is None:
            return {_types_of(s.args): function(s) for s in self._specialisations()}
        return function(self._specialisation(signature))

    def inspect_llvm(self, signature=None):
        """Optimised LLVM IR of one signature, or a dict of all."""
        from .inspection import text

        return self._for_signatures(signature, lambda s: text(self, s, "opt.ll"))

    def inspect_asm(self, signature=None):
        """Assembly of one signature, or a dict of all."""
        from .inspection import text

        return self._for_signatures(signature, lambda s: text(self, s, "s"))

    def inspect_nir(self, signature=None, stage="opt.nir"):
        """NIR of one signature, or a dict of all: `nir` (as it comes from the bytecode), `typed.nir` or `opt.nir`."""
        from .inspection import text

        return self._for_signatures(signature, lambda s: text(self, s, stage))

    def inspect_cfg(self, signature=None, show_wrapper=None, **kwargs):
        """The control-flow graph of the LLVM IR of one signature, or a dict of all."""
        from .inspection import ControlFlowGraph, text

        return self._for_signatures(signature, lambda s: ControlFlowGraph(text(self, s, "opt.ll"), self.__name__))

    def parallel_diagnostics(self, signature=None, level=1):
        """Prints what became of the parallel loops of one signature, or of all."""
        from .parallel import print_diagnostics

        print_diagnostics(self, signature, level)

    def inspect_types(self, file=None, signature=None, pretty=False, style="default", **kwargs):
        """Prints the source with the types of its values; returns an object that shows the same with pretty=True."""
        from .inspection import TypedSource

        if pretty and file is not None:
            raise ValueError("`file` must be None if `pretty=True`")
        wanted = self._specialisations() if signature is None else [self._specialisation(signature)]
        texts = [TypedSource(self, s) for s in wanted]
        if pretty:
            return texts[0] if signature is not None or len(texts) == 1 else texts
        for shown in texts:
            print(shown, file=file or sys.stdout)
        return None

    def get_annotation_info(self, signature=None):
        """The source with the types of its values: a dict of texts, by place of the function and argument types."""
        from .inspection import TypedSource

        code = self.py_func.__code__
        place = f"{code.co_filename}:{code.co_firstlineno}"
        texts = self._for_signatures(signature, lambda s: str(TypedSource(self, s)))
        return {(place, sig): text for sig, text in (texts if signature is None else {signature: texts}).items()}

    def dump(self, tab=""):
        print(f"{tab}DUMP {type(self).__name__}[{self.py_func.__name__}]")
        for sig in self.nopython_signatures:
            print(f"{tab}  {sig}")

    # ------------------------------------------------------------------ identity
    def __reduce__(self):
        from .pickling import reduce_dispatcher

        return reduce_dispatcher(self)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class EntryPoint:
    """One specialisation as a callable: arguments are converted to its types."""

    def __init__(self, dispatcher, specialisation):
        self.specialisation = specialisation
        self._dispatcher = dispatcher
        self._call = None
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(self, name, getattr(dispatcher, name))

    def __call__(self, *args, **kwargs):
        if self._call is None:
            self._call = CPUDispatcher(self._dispatcher.py_func)
            self._call._add(self.specialisation)
            self._call.disable_compile()
        return self._call(*args, **kwargs)

    def __repr__(self):
        types = ", ".join(_core.type_data(i)[1] for i in self.specialisation.args)
        return f"<entry point of {self._dispatcher.__name__}({types})>"


Dispatcher = CPUDispatcher


def _typeof_by_python(value):
    """The type of a value that only extensions know."""
    from .extending import typeof_impl

    return typeof_impl(value)


_core.set_typeof_hook(_typeof_by_python)


def _types_of(ids):
    return tuple(map(_core.type_object, ids))


_compiler_module = None
_compiler_lock = threading.Lock()


def _compiler():
    """The compiler, loaded by the first compilation."""
    global _compiler_module
    if _compiler_module is None:
        with _compiler_lock:
            from . import _compiler as module

            _compiler_module = module
    return _compiler_module


def _compile_ahead(dispatcher, wanted):
    """Compiles specialisations on a few threads; what is compiled waits in the compiler's registry. Errors come up again
    when the specialisation is asked for."""
    compile, flags = _compiler().compile, dispatcher.compiler_flags
    waiting = iter(wanted)

    def work():
        for arg_ids, return_id in waiting:  # shared: each thread takes the next one
            try:
                compile(dispatcher.py_func, dispatcher, arg_ids, return_id, flags)
            except Exception:
                return

    threads = [threading.Thread(target=work, name="naja compiler")
               for _ in range(min(len(wanted), os.cpu_count() or 1, 8) - 1)]
    for thread in threads:
        thread.start()
    work()
    for thread in threads:
        thread.join()


def _compile_hook(dispatcher, arg_ids):
    return dispatcher._compile_ids(arg_ids)


_core.set_compile_hook(_compile_hook)
