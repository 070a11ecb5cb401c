// Measures ADR 2: what an object of generated code costs until it can be called, through naja's image and loader, and
// through an ORC session with JITLink.
//
//   link_time OBJECT.o...        (objects: `clang-22 -c` of what `Dispatcher.inspect_asm` prints)
//
// Build: clang++-22 -std=c++20 -O2 -I cpp link_time.cpp <build>/libnaja_{jit,store,support}.a $(llvm-config-22 --cxxflags --libs)
// Imports resolve to one address on both sides; nothing is executed. Prints least-of-N microseconds per object.
#include "naja/jit/make_image.h"
#include "naja/store/image.h"

#include <llvm/ExecutionEngine/JITSymbol.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <vector>

using namespace llvm;
using namespace llvm::orc;

namespace {

constexpr int kRounds = 50;

/// Resolves every import to the same address.
class AnySymbol : public DefinitionGenerator {
public:
  Error tryToGenerate(LookupState &, LookupKind, JITDylib &library, JITDylibLookupFlags, const SymbolLookupSet &names) override {
    SymbolMap found;
    for (const auto &[name, flags] : names)
      found[name] = {ExecutorAddr::fromPtr(&kRounds), JITSymbolFlags::Exported};
    return library.define(absoluteSymbols(std::move(found)));
  }
};

template <typename F> double leastMicroseconds(F &&run) {
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    run();
    std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count());
  }
  return least;
}

void fail(const char *what) {
  std::fprintf(stderr, "link_time: %s\n", what);
  std::exit(1);
}

void *anyAddress(void *, const char *) { return const_cast<int *>(&kRounds); }

} // namespace

int main(int argc, char **argv) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  ExitOnError exit_on_error("link_time: ");
  auto session = exit_on_error(
      LLJITBuilder()
          .setObjectLinkingLayerCreator([](ExecutionSession &s) -> Expected<std::unique_ptr<ObjectLayer>> {
            return std::make_unique<ObjectLinkingLayer>(s);
          })
          .create());
  double start_of_session = leastMicroseconds([&] {
    exit_on_error(LLJITBuilder()
                      .setObjectLinkingLayerCreator([](ExecutionSession &s) -> Expected<std::unique_ptr<ObjectLayer>> {
                        return std::make_unique<ObjectLinkingLayer>(s);
                      })
                      .create());
  });
  std::printf("%-28s %10s %10s %10s %8s\n", "object", "bytes", "naja us", "JITLink us", "ratio");
  int serial = 0;
  for (int i = 1; i < argc; ++i) {
    auto buffer = MemoryBuffer::getFile(argv[i]);
    if (!buffer) fail("cannot read an object");
    StringRef text = (*buffer)->getBuffer();
    std::string exported;
    double ours = leastMicroseconds([&] {
      auto image = naja::jit::makeImage({text.data(), text.size()});
      if (!image) fail("makeImage failed");
      std::string error;
      auto loaded = naja::store::Loader::load(*image, anyAddress, nullptr, &error);
      if (!loaded || image->exports.empty()) fail(error.c_str());
      exported = image->exports.front().name;
      if (!loaded->find(exported)) fail("the export was not found");
    });
    double theirs = leastMicroseconds([&] {
      auto &library = exit_on_error(session->getExecutionSession().createJITDylib("object" + std::to_string(serial++)));
      library.addGenerator(std::make_unique<AnySymbol>());
      auto tracker = library.createResourceTracker();
      exit_on_error(session->addObjectFile(tracker, MemoryBuffer::getMemBuffer(text, argv[i], false)));
      exit_on_error(session->lookupLinkerMangled(library, exported));
      exit_on_error(tracker->remove());
    });
    std::printf("%-28s %10zu %10.1f %10.1f %8.1f\n", argv[i], text.size(), ours, theirs, theirs / ours);
  }
  std::printf("an ORC session: %.0f us\n", start_of_session);
}
