// NAJA_TIME_TRACE: LLVM's time-trace profiler, which also records our own stages, so that one Chrome trace shows both.
// Everything here does nothing unless startTimeTrace was called.
#pragma once

#include <string>
#include <string_view>

namespace naja::codegen {

void startTimeTrace();
/// Writes all that was recorded, of every thread, as a Chrome trace; empty, or what went wrong.
std::string writeTimeTrace(const std::string &path);

/// Takes part in the trace with the current thread for as long as it lives; may be nested.
class TraceThread {
public:
  TraceThread();
  ~TraceThread();
  TraceThread(const TraceThread &) = delete;
  TraceThread &operator=(const TraceThread &) = delete;

private:
  bool owns_ = false;
};

/// One span.
class TraceScope {
public:
  TraceScope(std::string_view name, std::string_view detail);
  ~TraceScope();
  TraceScope(const TraceScope &) = delete;
  TraceScope &operator=(const TraceScope &) = delete;

private:
  bool active_ = false;
};

} // namespace naja::codegen
