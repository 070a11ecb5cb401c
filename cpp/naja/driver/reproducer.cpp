#include "naja/driver/reproducer.h"

#include "naja/codegen/codegen.h"
#include "naja/support/options.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <unistd.h>

namespace naja::driver {
namespace {

namespace fs = std::filesystem;

fs::path freshFolder() {
  static std::atomic<int> count{0};
  std::error_code error;
  std::string base = optionString("REPRODUCER_DIR");
  fs::path root = base.empty() ? fs::temp_directory_path(error) : fs::path(base);
  fs::path folder = root / fmt::format("naja-reproducer-{}-{}", getpid(), ++count);
  fs::create_directories(folder, error);
  return error ? fs::path() : folder;
}

void writeFile(const fs::path &path, std::string_view text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

std::string describeOptions() {
  std::string text;
  for (const OptionInfo &option : allOptions())
    text += fmt::format("NAJA_{}={}\n", option.name, optionString(option.name));
  return text;
}

thread_local const ReproducerContext *current_context = nullptr;
thread_local bool is_reporting = false;

constexpr std::array kFatalSignals = {SIGSEGV, SIGABRT, SIGILL, SIGBUS, SIGFPE};
std::array<struct sigaction, kFatalSignals.size()> previous_actions;

// Not async-signal-safe, and need not be: the process dies anyway, and where this thread was compiling, a reproducer is
// worth the risk that writing it fails as well (the second signal then goes straight on).
void onFatalSignal(int signal) {
  for (size_t i = 0; i < kFatalSignals.size(); ++i)
    if (kFatalSignals[i] == signal) sigaction(signal, &previous_actions[i], nullptr);
  if (current_context && !is_reporting) {
    is_reporting = true;
    std::string folder = writeReproducer(*current_context, fmt::format("signal {}", signal));
    if (!folder.empty())
      fmt::print(stderr, "naja: the compiler crashed while compiling {} ({}); reproducer: {}\n",
                 current_context->signature, current_context->stage, folder);
  }
  raise(signal);
}

void installHandlers() {
  for (size_t i = 0; i < kFatalSignals.size(); ++i) {
    struct sigaction action{};
    action.sa_handler = onFatalSignal;
    action.sa_flags = SA_NODEFER | SA_ONSTACK;
    sigaction(kFatalSignals[i], &action, &previous_actions[i]);
  }
}

} // namespace

std::string writeReproducer(const ReproducerContext &context, std::string_view complaint) {
  fs::path folder = freshFolder();
  if (folder.empty()) return {};
  writeFile(folder / "error.txt", fmt::format("{}\nstage: {}\n{}\n", context.signature, context.stage, complaint));
  writeFile(folder / "options.txt",
            describeOptions() + fmt::format("cpu={}\nfeatures={}\n", codegen::hostCpu(), codegen::hostFeatures()));
  if (!context.typed_text.empty()) writeFile(folder / "input.typed.nir", context.typed_text);
  if (context.module) writeFile(folder / "current.typed.nir", ir::print(*context.module));
  return folder.string();
}

// The handlers stay in place only while some thread compiles: a crash of the user's own code is none of our business.
static std::mutex guard_mutex;
static int guard_count = 0;

CrashGuard::CrashGuard(const ReproducerContext &context) : previous_(current_context) {
  current_context = &context;
  std::lock_guard lock(guard_mutex);
  if (guard_count++ == 0) installHandlers();
}

CrashGuard::~CrashGuard() {
  current_context = previous_;
  std::lock_guard lock(guard_mutex);
  if (--guard_count > 0) return;
  for (size_t i = 0; i < kFatalSignals.size(); ++i) {
    struct sigaction now{};
    // Only where nobody else has installed a handler meanwhile.
    if (sigaction(kFatalSignals[i], nullptr, &now) == 0 && now.sa_handler == onFatalSignal)
      sigaction(kFatalSignals[i], &previous_actions[i], nullptr);
  }
}

} // namespace naja::driver
