// What an internal error leaves behind: a folder with the typed NIR, the options and the complaint, so that it can be
// run again with naja-opt. Also catches fatal signals raised while a thread compiles.
#pragma once

#include "naja/ir/function.h"

#include <string>
#include <string_view>

namespace naja::driver {

/// What is being compiled, for reports.
struct ReproducerContext {
  const ir::Module *module = nullptr; // as it is now; read only when something has gone wrong
  std::string typed_text;             // before passes, where it was kept (NAJA_VERIFY)
  std::string signature;              // "f(int64, float64)"
  const char *stage = "";             // "typing", "passes", ...
};

/// Writes the folder and returns its path; empty where it cannot be written.
std::string writeReproducer(const ReproducerContext &context, std::string_view complaint);

/// While alive, a fatal signal in this thread writes a reproducer before it goes on to whoever handled it before.
class CrashGuard {
public:
  explicit CrashGuard(const ReproducerContext &context);
  ~CrashGuard();
  CrashGuard(const CrashGuard &) = delete;
  CrashGuard &operator=(const CrashGuard &) = delete;

private:
  const ReproducerContext *previous_;
};

} // namespace naja::driver
