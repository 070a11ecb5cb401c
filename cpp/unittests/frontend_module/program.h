// Untyped NIR as Python data, so that tests can execute it with Python's own operators.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace naja::frontend_test {

/// program(function) -> list of functions: the function, then its inner ones, each
///   (name, parameter names, blocks, (positional, keyword-only, 1 for *args)), a block (parameters, instructions, is
///   loop header), an instruction (opcode, result or -1, operands, attribute, list of ints or names, edges), an edge
///   (block, arguments).
/// The attribute is a Python object for constants, text for symbols and operators; that of g.make_function is the index
/// of the inner function in this list.
PyObject *program(PyObject *, PyObject *function);

} // namespace naja::frontend_test
