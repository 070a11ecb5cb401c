#include "naja/codegen/time_trace.h"

#include "naja/codegen/codegen.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>

namespace naja::codegen {
namespace {
std::atomic<bool> tracing{false};
constexpr unsigned kGranularityMicroseconds = 20;

llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }
} // namespace

std::string llvmVersion() { return LLVM_VERSION_STRING; }

void startTimeTrace() {
  tracing = true;
  if (!llvm::timeTraceProfilerEnabled()) llvm::timeTraceProfilerInitialize(kGranularityMicroseconds, "naja");
}

std::string writeTimeTrace(const std::string &path) {
  if (!tracing.exchange(false)) return {};
  // The writer needs a profiler of its own thread, even if that thread has recorded nothing.
  if (!llvm::timeTraceProfilerEnabled()) llvm::timeTraceProfilerInitialize(kGranularityMicroseconds, "naja");
  std::error_code error;
  llvm::raw_fd_ostream out(path, error, llvm::sys::fs::OF_Text);
  if (!error) llvm::timeTraceProfilerWrite(out);
  llvm::timeTraceProfilerCleanup();
  return error ? error.message() : std::string();
}

TraceThread::TraceThread() {
  if (!tracing || llvm::timeTraceProfilerEnabled()) return;
  llvm::timeTraceProfilerInitialize(kGranularityMicroseconds, "naja");
  owns_ = true;
}

TraceThread::~TraceThread() {
  if (owns_) llvm::timeTraceProfilerFinishThread();
}

TraceScope::TraceScope(std::string_view name, std::string_view detail) : active_(llvm::timeTraceProfilerEnabled()) {
  if (active_) llvm::timeTraceProfilerBegin(ref(name), ref(detail));
}

TraceScope::~TraceScope() {
  if (active_) llvm::timeTraceProfilerEnd();
}

} // namespace naja::codegen
