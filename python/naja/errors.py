"""Exceptions and warnings. Names and hierarchy are Numba's, so that `except` clauses of existing programs keep their
meaning; compiled code itself raises ordinary Python exceptions."""

from __future__ import annotations

import contextlib
import warnings
from collections import defaultdict


class NajaWarning(Warning):
    """Base of all warnings."""

    def __init__(self, msg, loc=None, highlighting=True):
        self.msg = msg
        self.loc = loc
        super().__init__(str(msg) if loc is None else f"{msg}\n{loc}")


NumbaWarning = NajaWarning


class NumbaPerformanceWarning(NumbaWarning):
    """The program is correct and may be slower than it could be."""


class NumbaDeprecationWarning(NumbaWarning, DeprecationWarning):
    """A deprecated feature."""


class NumbaPendingDeprecationWarning(NumbaWarning, PendingDeprecationWarning):
    """A feature that will be deprecated."""


class NumbaParallelSafetyWarning(NumbaWarning):
    """A parallel loop that may race."""


class NumbaTypeSafetyWarning(NumbaWarning):
    """A conversion that may lose information."""


class NumbaExperimentalFeatureWarning(NumbaWarning):
    """An experimental feature."""


class NumbaInvalidConfigWarning(NumbaWarning):
    """An invalid configuration."""


class NumbaPedanticWarning(NumbaWarning):
    """Pedantic remarks of the compiler."""


class NumbaIRAssumptionWarning(NumbaPedanticWarning):
    """Reserved."""


class NumbaDebugInfoWarning(NumbaWarning):
    """Debug information that could not be made."""


class NumbaSystemWarning(NumbaWarning):
    """The system is not set up as it should be."""


class NajaError(Exception):
    """Base of all errors of the compiler. `diagnostic` holds the rendered parts where the compiler made it."""

    diagnostic = None

    def __init__(self, msg="", loc=None, highlighting=True):
        self.msg = msg
        self.loc = loc
        super().__init__(f"{msg}" if loc is None else f"{msg}\n{loc}")

    @property
    def contexts(self):
        return self.__dict__.setdefault("_contexts", [])

    def add_context(self, msg):
        """Adds a line that says where the error came up."""
        self.contexts.append(msg)
        self.args = (f"{self.args[0] if self.args else self.msg}\nDuring: {msg}",)
        return self

    def patch_message(self, new_message):
        self.args = (new_message,) + self.args[1:]


NumbaError = NajaError


class UnsupportedError(NajaError):
    """Python that cannot be compiled."""


class UnsupportedBytecodeError(Exception):
    """Bytecode that cannot be compiled."""

    diagnostic = None

    def __init__(self, msg="", loc=None):
        self.msg, self.loc = msg, loc
        super().__init__(f"{msg}" if loc is None else f"{msg}\n{loc}")


class UnsupportedRewriteError(UnsupportedError):
    """A rewrite that cannot be done."""


class IRError(NajaError):
    """An error in the intermediate representation."""


class RedefinedError(IRError):
    """A name defined twice."""


class NotDefinedError(IRError):
    """A name that is not defined."""

    def __init__(self, name, loc=None):
        self.name = name
        super().__init__(f"The compiler failed to analyze the bytecode. Variable '{name}' is not defined.", loc)


class VerificationError(IRError):
    """The intermediate representation breaks one of its rules."""


class DeprecationError(NajaError):
    """A feature that has been removed."""


class LoweringError(NajaError):
    """Code generation failed."""


class UnsupportedParforsError(NajaError):
    """A parallel loop that cannot be compiled."""


class ForbiddenConstruct(LoweringError):
    """A construct that may not stand here."""


class TypingError(NajaError):
    """Types cannot be inferred, or do not fit."""


class UntypedAttributeError(TypingError):
    """An attribute that a type does not have."""

    def __init__(self, value, attr, loc=None):
        super().__init__(f"Unknown attribute '{attr}' of type {value}", loc)


class ByteCodeSupportError(NajaError):
    """Bytecode that is not understood."""


class CompilerError(NajaError):
    """An error inside the compiler."""


class ConstantInferenceError(NajaError):
    """A value that had to be known at compile time is not."""

    def __init__(self, value="", loc=None):
        self.value = value
        super().__init__(f"Cannot make a constant from: {value}", loc)


class InternalError(NajaError):
    """An error inside the compiler that wraps another exception."""

    def __init__(self, exception):
        super().__init__(str(exception))
        self.old_exception = exception


class InternalTargetMismatchError(InternalError):
    """Targets that do not match."""


class NonexistentTargetError(InternalError):
    """No such target."""


class RequireLiteralValue(TypingError):
    """An argument must be a compile-time constant."""


class ForceLiteralArg(NajaError):
    """Asks for a call to be typed again with these arguments as literals."""

    def __init__(self, arg_indices, fold_arguments=None, loc=None):
        super().__init__("Pseudo-exception to force literal arguments in the dispatcher", loc)
        self.requested_args = frozenset(arg_indices)
        self.fold_arguments = fold_arguments

    def bind_fold_arguments(self, fold_arguments):
        return ForceLiteralArg(self.requested_args, fold_arguments, self.loc)

    def combine(self, other):
        if not isinstance(other, ForceLiteralArg):
            raise AssertionError(f"other must be a {ForceLiteralArg} but got a {type(other)} instead")
        return ForceLiteralArg(self.requested_args | other.requested_args)

    __or__ = combine


class LiteralTypingError(TypingError):
    """A value that has no literal type."""


class NumbaValueError(TypingError):
    """A value that an implementation does not take."""


class NumbaTypeError(TypingError):
    """A type that an implementation does not take."""


class NumbaAttributeError(TypingError):
    """An attribute that an implementation does not have."""


class NumbaAssertionError(TypingError):
    """An assertion of an implementation."""


class NumbaNotImplementedError(TypingError):
    """Something that an implementation does not do."""


class NumbaKeyError(TypingError):
    """A key that an implementation does not know."""


class NumbaIndexError(TypingError):
    """An index that an implementation does not take."""


class NumbaRuntimeError(NajaError):
    """An error of the runtime."""


class WarningsFixer:
    """Collects warnings of one category and issues each once per place."""

    def __init__(self, category):
        self._category = category
        self._warnings = defaultdict(set)

    @contextlib.contextmanager
    def catch_warnings(self, filename=None, lineno=None):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for w in caught:
            if isinstance(w.message, self._category):
                self._warnings[filename, lineno, w.category].add(str(w.message))
            else:
                warnings.warn_explicit(w.message, w.category, w.filename, w.lineno)

    def flush(self):
        for (filename, lineno, category), texts in sorted(self._warnings.items(), key=str):
            for text in sorted(texts):
                warnings.warn_explicit(text, category, filename or "<unknown>", lineno or 0)
        self._warnings.clear()


@contextlib.contextmanager
def new_error_context(fmt_, *args, **kwargs):
    """Adds a context line to errors raised in the block."""
    try:
        yield
    except NajaError as error:
        error.add_context(fmt_.format(*args, **kwargs))
        raise


def deprecated(arg):
    """Decorates a function that is about to go; `arg` names what to use."""

    def decorator(func):
        import functools

        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            warnings.warn(f'Call to deprecated function "{func.__name__}"\n use "{arg}" instead',
                          category=DeprecationWarning, stacklevel=2)
            return func(*args, **kwargs)

        return wrapper

    return decorator


#: Names that Numba exports at the top level.
EXPORTED = [name for name, value in list(globals().items())
            if isinstance(value, type) and issubclass(value, Exception) and not name.startswith(("_", "Naja"))]
