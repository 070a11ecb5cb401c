// The user's errors: what is wrong, where, and what to do. Our own errors are asserts (support/assert.h); errors at run
// time are Python exceptions raised by compiled code (runtime/abi.h).
#pragma once

#include "naja/support/location.h"

#include <string>
#include <utility>
#include <vector>

namespace naja {

/// Which Python exception class the diagnostic becomes (naja.errors).
enum class DiagnosticKind { Typing, Unsupported, UnsupportedBytecode, Lowering, Compiler, Value, Deferred };

/// A position in a named file and function.
struct SourceRange {
  std::string file;
  std::string function;
  Loc loc;
};

/// A secondary remark: the other definition, the call that led here ("during: call of g at line 3").
struct DiagnosticNote {
  std::string message;
  SourceRange where;
};

/// One error. `message` is one line without position; `label` stands under the caret; `hint` says what to do.
struct Diagnostic {
  DiagnosticKind kind = DiagnosticKind::Typing;
  std::string message;
  SourceRange where;
  std::string label;
  std::string hint;
  std::vector<DiagnosticNote> notes;

  Diagnostic &withLabel(std::string text) { label = std::move(text); return *this; }
  Diagnostic &withHint(std::string text) { hint = std::move(text); return *this; }
};

/// Renders at most `max_lines` lines: message, source line with a caret, types, chain of calls, hint. `source_line`
/// gives the text of a line of a file, or "" where there is none.
std::string renderDiagnostic(const Diagnostic &diagnostic, std::string (*source_line)(void *, const std::string &, int),
                             void *context, int max_lines = 15);

} // namespace naja
