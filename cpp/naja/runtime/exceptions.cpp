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

/// The line and file as they are now.
void locate(naja_exception &exception, const naja_origin *origin, int32_t line) {
  exception.file = origin ? origin->file : nullptr;
  exception.line = line;
  if (!origin) { return; }
  for (int64_t i = 0; i < origin->moved_count; ++i) {
    const naja_moved_lines &range = origin->moved[i];
    if (line < range.first || line > range.last) { continue; }
    exception.line = line + range.shift;
    exception.file = range.file;
  }
}

naja_exception &record(const naja_origin *origin, const char *function, int32_t line) {
  if (state.pending) { naja_rt_free_exception(&state.exception); }
  state.pending = true;
  naja_exception &exception = state.exception;
  exception.site = nullptr;
  exception.args = nullptr;
  exception.builtin = NAJA_SystemError;
  exception.text[0] = '\0';
  exception.function = function;
  locate(exception, origin, line);
  return exception;
}

} // namespace

void naja::runtime::putException(const naja_exception &exception) {
  record(nullptr, nullptr, 0) = exception;
}

extern "C" {

void naja_rt_raise(const naja_raise_site *site, const void *args) {
  naja_exception &exception = record(site->origin, site->function, site->line);
  exception.site = site;
  if (site->args_size <= 0 || args == nullptr) { return; }
  exception.args = std::malloc(static_cast<size_t>(site->args_size));
  if (exception.args == nullptr) {
    exception.site = nullptr;
    exception.builtin = NAJA_MemoryError;
    return;
  }
  std::memcpy(exception.args, args, static_cast<size_t>(site->args_size));
}

void naja_rt_raise_text(uint32_t builtin, const char *text, const naja_origin *origin, const char *function, int32_t line) {
  naja_exception &exception = record(origin, function, line);
  exception.builtin = builtin;
  if (text) { std::snprintf(exception.text, sizeof exception.text, "%s", text); }
}

void naja_rt_raise_index(int64_t index, int64_t axis, int64_t size, const naja_origin *origin, const char *function,
                         int32_t line) {
  if (index < 0) { index -= size; } // wrapped before it was checked: as the user gave it
  naja_exception &exception = record(origin, function, line);
  exception.builtin = NAJA_IndexError;
  std::snprintf(exception.text, sizeof exception.text, "index %lld is out of bounds for axis %lld with size %lld",
                static_cast<long long>(index), static_cast<long long>(axis), static_cast<long long>(size));
}

void naja_rt_raise_broadcast(const char *text, int64_t a, int64_t b, const naja_origin *origin, const char *function,
                             int32_t line) {
  naja_exception &exception = record(origin, function, line);
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
