// CompileRequest -> CompiledFunction: translate, type, run passes, generate, link, load. Crash capture and dumps.
#pragma once

#include "naja/codegen/codegen.h"
#include "naja/codegen/nvptx/nvptx.h"
#include "naja/driver/ufunc_loop.h"
#include "naja/store/image.h"
#include "naja/typing/infer.h"

#include <map>
#include <memory>
#include <string>

namespace naja::driver {

/// What the object store needs beside the code: what compilation read, and the image with the slots to fill.
struct CacheRecord {
  typing::Session::ReadSet reads;
  std::string image; // serialised
  std::vector<codegen::Slot> slots;
  bool holds_address = false;
};

/// Code ready to call, with what inspection shows.
struct CompiledFunction {
  void *entry = nullptr; // i32 f(ret*, scalars...)
  TypeId return_type;
  std::vector<TypeId> arg_types;
  bool may_raise = true;
  std::shared_ptr<store::LoadedImage> image;
  std::string symbol;
  std::map<std::string, std::string> artefacts; // "nir", "typed.nir", "opt.nir", "ll", "opt.ll", "s" where kept
  std::map<std::string, double> timings;        // seconds per stage
  std::vector<ir::ParallelNote> parallel_notes; // what became of its parallel loops
  size_t nir_instructions = 0;                  // of the function alone, after passes
  std::vector<std::shared_ptr<CompiledFunction>> callees; // kept alive
  std::shared_ptr<const CacheRecord> record;              // where it was asked for
};

/// What to keep: the texts are made anew on demand by inspect (recompiling), so that an ordinary call keeps none.
struct CompileOptions {
  int opt_level = 3;
  bool keep_texts = false;
  bool record = false; // for the object store: calls no code of this process, and leaves a CacheRecord
  bool load = true;    // false: for the texts only; nothing is mapped or registered
  std::optional<UfuncLoop> loop = std::nullopt; // compile the loop of a ufunc around the function; never registered
  std::optional<codegen::PtxOptions> ptx; // PTX (artefact "ptx", "symbol", "missing") instead of code for the host
  PyHandle dispatcher; // with the snapshot's function: the key in the registry of compiled specialisations
};

/// One compilation. Create, then step() until it is not NeedsPython; answer requests on session() in between, with the
/// GIL held. Everything else runs without the GIL.
class Compilation {
public:
  Compilation(typing::Session::Root root, CompileOptions options);
  ~Compilation();
  typing::Session &session();
  enum class State { NeedsPython, Done, Failed };
  State step();
  std::shared_ptr<CompiledFunction> result();
  const Diagnostic &error() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace naja::driver
