// The exception in flight of each thread. Compiled code returns a status; the exception waits here until bindings take
// it.
#include "naja/runtime/internal.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct State {
  bool pending;
  naja_exception exception;
};
thread_local State state; // zero-initialised: no guard

naja_exception &record(const char *file, const char *function, int32_t line) {
  if (state.pending) { naja_rt_free_exception(&state.exception); }
  state.pending = true;
  naja_exception &exception = state.exception;
  exception.site = nullptr;
  exception.args = nullptr;
  exception.builtin = NAJA_SystemError;
  exception.text[0] = '\0';
  exception.file = file;
  exception.function = function;
  exception.line = line;
  return exception;
}

} // namespace

void naja::runtime::putException(const naja_exception &exception) {
  record(exception.file, exception.function, exception.line) = exception;
}

extern "C" {

void naja_rt_raise(const naja_raise_site *site, const void *args) {
  naja_exception &exception = record(site->file, site->function, site->line);
  exception.site = site;
  exception.builtin = site->exception;
  if (site->args_size <= 0 || args == nullptr) { return; }
  exception.args = std::malloc(static_cast<size_t>(site->args_size));
  if (exception.args == nullptr) {
    exception.site = nullptr;
    exception.builtin = NAJA_MemoryError;
    return;
  }
  std::memcpy(exception.args, args, static_cast<size_t>(site->args_size));
}

void naja_rt_raise_text(uint32_t builtin, const char *text, const char *file, const char *function, int32_t line) {
  naja_exception &exception = record(file, function, line);
  exception.builtin = builtin;
  if (text) { std::snprintf(exception.text, sizeof exception.text, "%s", text); }
}

void naja_rt_raise_index(int64_t index, int64_t axis, int64_t size, const char *file, const char *function,
                         int32_t line) {
  if (index < 0) { index -= size; } // wrapped before it was checked: as the user gave it
  naja_exception &exception = record(file, function, line);
  exception.builtin = NAJA_IndexError;
  std::snprintf(exception.text, sizeof exception.text, "index %lld is out of bounds for axis %lld with size %lld",
                static_cast<long long>(index), static_cast<long long>(axis), static_cast<long long>(size));
}

void naja_rt_raise_broadcast(const char *text, int64_t a, int64_t b, const char *file, const char *function,
                             int32_t line) {
  naja_exception &exception = record(file, function, line);
  exception.builtin = NAJA_ValueError;
  std::snprintf(exception.text, sizeof exception.text, "%s %lld and %lld",
                text ? text : "operands could not be broadcast together: extents", static_cast<long long>(a),
                static_cast<long long>(b));
}

int32_t naja_rt_take_exception(naja_exception *out) {
  if (!state.pending) { return 0; }
  state.pending = false;
  *out = state.exception;
  state.exception.args = nullptr;
  return 1;
}

void naja_rt_free_exception(naja_exception *exception) {
  std::free(exception->args);
  exception->args = nullptr;
}
}
