#include "naja/driver/compile.h"

#include "naja/codegen/time_trace.h"
#include "naja/driver/artefacts.h"
#include "naja/driver/compiled_functions.h"
#include "naja/driver/reproducer.h"
#include "naja/driver/unboxable.h"
#include "naja/jit/make_image.h"
#include "naja/passes/pipeline.h"
#include "naja/runtime/abi.h"
#include "naja/support/options.h"

#include <chrono>
#include <fmt/format.h>

namespace naja::driver {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string describeSignature(const typing::Session::Root &root) {
  std::string text = root.snapshot->code->qualname + "(";
  for (size_t i = 0; i < root.arg_types.size(); ++i) text += (i ? ", " : "") + toString(root.arg_types[i]);
  return text + ")";
}

/// Where the function returns, for a diagnostic about the result.
Loc returnOf(const ir::Function &function) {
  for (uint32_t b = 0; b < function.numBlocks(); ++b) {
    const ir::BlockId id(b);
    if (function.block(id).dead || function.block(id).insts.empty()) continue;
    const ir::Inst &end = function.terminator(id);
    if (end.op == ir::Opcode::Return && end.loc.known()) return end.loc;
  }
  return Loc{function.first_line, function.first_line, -1, -1};
}

} // namespace

struct Compilation::Impl {
  Impl(typing::Session::Root root, CompileOptions options)
      : options(options), dumps(DumpRequests::read()), key{root.snapshot->function, options.dispatcher, root.arg_types},
        file(root.snapshot->code->file), first_line(root.snapshot->code->first_line),
        trace_name(root.snapshot->code->qualname) {
    context.signature = describeSignature(root);
    bisect = static_cast<int>(optionInt("BISECT"));
    verify = optionBool("VERIFY");
    debug = root.options.flags.debug;
    // A kernel is one function: it calls nothing that was compiled for the host.
    typing::CompiledFunctions *callees = root.options.flags.cuda || options.record ? nullptr : &visible;
    session = std::make_unique<typing::Session>(std::move(root), callees);
  }

  State step();
  bool finish();
  bool checkResult(const ir::Function &root);
  bool runPasses(ir::Module &module);
  std::optional<codegen::Object> generate(const ir::Module &module);
  bool link(codegen::Object &object);
  bool generatePtx(const ir::Module &module);
  bool fail(Diagnostic diagnostic);
  bool failInternally(std::string_view complaint);
  void keep(const char *name, std::string text);
  bool wants(const char *artefact) const { return options.keep_texts || dumps.wantsArtefact(artefact); }
  void reportTimes() const;

  CompileOptions options;
  DumpRequests dumps;
  SpecialisationKey key;
  std::string file;
  int first_line;
  std::string trace_name;
  ReproducerContext context;
  VisibleFunctions visible;
  std::shared_ptr<CacheRecord> record;
  std::unique_ptr<typing::Session> session;
  std::shared_ptr<CompiledFunction> result = std::make_shared<CompiledFunction>();
  Diagnostic error;
  int bisect = -1;
  bool verify = false, debug = false;
};

Compilation::Compilation(typing::Session::Root root, CompileOptions options)
    : impl_(std::make_unique<Impl>(std::move(root), options)) {}
Compilation::~Compilation() = default;

typing::Session &Compilation::session() { return *impl_->session; }
std::shared_ptr<CompiledFunction> Compilation::result() { return impl_->result; }
const Diagnostic &Compilation::error() const { return impl_->error; }

Compilation::State Compilation::step() { return impl_->step(); }

Compilation::State Compilation::Impl::step() {
  CrashGuard guard(context);
  codegen::TraceThread trace_thread;
  context.stage = "typing";
  auto start = Clock::now();
  typing::Session::State state;
  {
    codegen::TraceScope trace("typing", trace_name);
    state = session->run();
  }
  result->timings["typing"] += secondsSince(start);
  if (state == typing::Session::State::NeedsPython) return State::NeedsPython;
  if (state == typing::Session::State::Failed) {
    error = session->error();
    return State::Failed;
  }
  return finish() ? State::Done : State::Failed;
}

bool Compilation::Impl::finish() {
  if (wants("nir")) keep("nir", session->untypedText());
  std::unique_ptr<ir::Module> module = session->takeModule();
  ir::Function &root = module->get(module->root);
  // Images are bound to each other by symbol: unique in the process.
  root.name = fmt::format("{}.{}", root.name, Registry::global().nextNumber());
  result->return_type = session->returnType();
  result->arg_types = key.arg_types;
  if (!options.loop && !checkResult(root)) return false;
  if (options.record) {
    record = std::make_shared<CacheRecord>();
    record->reads = session->readSet();
  }
  session.reset(); // its memory is the front end's: not needed while LLVM runs
  if (options.loop) wrapUfuncLoop(*module, *options.loop);
  context.module = module.get();
  if (!runPasses(*module)) return false;
  const ir::Function &compiled = module->get(module->root); // the loop of a ufunc may have swallowed its kernel
  result->may_raise = compiled.may_raise;
  result->nir_instructions = compiled.numInsts();
  if (options.ptx) return generatePtx(*module);
  std::optional<codegen::Object> object = generate(*module);
  if (!object) return false;
  result->parallel_notes = std::move(module->parallel_notes);
  context.module = nullptr;
  module.reset();
  if (options.load && !link(*object)) return false;
  if (dumps.time) reportTimes();
  return true;
}

/// What Python calls must return something that Python can have; compiled callers may get anything.
bool Compilation::Impl::checkResult(const ir::Function &root) {
  std::optional<Unboxable> reason = whyUnboxable(result->return_type);
  if (!reason) return true;
  Diagnostic diagnostic;
  diagnostic.kind = DiagnosticKind::Typing;
  diagnostic.message = reason->what + " cannot be returned to Python";
  diagnostic.where = {file, trace_name, returnOf(root)};
  diagnostic.label = "result: " + toString(result->return_type);
  diagnostic.hint = reason->hint;
  return fail(std::move(diagnostic));
}

bool Compilation::Impl::runPasses(ir::Module &module) {
  context.stage = "passes";
  if (verify) context.typed_text = ir::print(module);
  if (wants("typed.nir")) keep("typed.nir", ir::print(module));
  passes::PipelineHooks hooks;
  hooks.bisect = bisect;
  hooks.verify = verify;
  hooks.after = [this](std::string_view pass, const ir::Module &now, double seconds) {
    result->timings["pass." + std::string(pass)] += seconds;
    if (dumps.wantsPass(pass)) dump(fmt::format("{} after {}", context.signature, pass), ir::print(now));
  };
  auto start = Clock::now();
  std::vector<std::string> complaints;
  {
    codegen::TraceScope trace("passes", trace_name);
    complaints = passes::runPipeline(module, hooks);
  }
  result->timings["passes"] = secondsSince(start);
  if (!complaints.empty()) {
    std::string text;
    for (const std::string &complaint : complaints) text += complaint + "\n";
    return failInternally(text);
  }
  if (wants("opt.nir")) keep("opt.nir", ir::print(module));
  return true;
}

std::optional<codegen::Object> Compilation::Impl::generate(const ir::Module &module) {
  context.stage = "code generation";
  codegen::Options wanted;
  wanted.opt_level = options.opt_level;
  wanted.cpu = optionString("CPU_NAME");
  wanted.features = optionString("CPU_FEATURES");
  wanted.keep_ir = wants("ll");
  wanted.keep_opt_ir = wants("opt.ll");
  wanted.keep_asm = wants("s");
  wanted.debug_info = debug;
  wanted.verify = verify;
  Result<codegen::Object> object = [&] {
    codegen::TraceScope trace("codegen", trace_name);
    return codegen::compile(module, wanted);
  }();
  if (!object) {
    if (object.error().kind == DiagnosticKind::Compiler)
      failInternally(object.error().message);
    else
      fail(object.error());
    return std::nullopt;
  }
  result->timings["lower"] = object->lower_seconds;
  result->timings["optimise"] = object->optimise_seconds;
  result->timings["emit"] = object->emit_seconds;
  result->symbol = object->root_symbol;
  if (wanted.keep_ir) keep("ll", std::move(object->ir));
  if (wanted.keep_opt_ir) keep("opt.ll", std::move(object->opt_ir));
  if (wanted.keep_asm) keep("s", std::move(object->assembly));
  return std::move(*object);
}

static void *resolveSymbol(void *, const char *name) {
  // Frozen arrays are used where they are.
  if (std::string_view(name).starts_with(codegen::kArrayPrefix)) {
    const ConstId id(static_cast<uint32_t>(std::strtoul(name + codegen::kArrayPrefix.size(), nullptr, 10)));
    const auto *array = std::get_if<ArrayRef>(&ConstantStore::global().get(id).value);
    return array ? reinterpret_cast<void *>(array->data) : nullptr;
  }
  if (void *address = naja_rt_find_symbol(name)) return address;
  std::shared_ptr<CompiledFunction> function = Registry::global().findSymbol(name);
  return function ? function->entry : nullptr;
}

bool Compilation::Impl::link(codegen::Object &object) {
  context.stage = "linking";
  codegen::TraceScope trace("link", trace_name);
  auto start = Clock::now();
  Result<store::Image> image = jit::makeImage(object.elf);
  if (!image) return failInternally(image.error().message);
  result->timings["link"] = secondsSince(start);
  start = Clock::now();
  std::string complaint;
  result->image = store::Loader::load(*image, resolveSymbol, nullptr, &complaint);
  if (!result->image) return failInternally(complaint);
  result->timings["load"] = secondsSince(start);
  result->entry = result->image->find(result->symbol);
  if (!result->entry) return failInternally("the image does not export " + result->symbol);
  result->callees = visible.takeUsed();
  if (record) {
    record->image = image->serialize();
    record->slots = std::move(object.slots);
    record->holds_address = object.holds_address;
    result->record = record;
  }
  if (!options.loop) Registry::global().insert(key, result);
  return true;
}

bool Compilation::Impl::generatePtx(const ir::Module &module) {
  context.stage = "code generation";
  Result<codegen::Ptx> ptx = codegen::compilePtx(module, *options.ptx);
  context.module = nullptr;
  if (!ptx) return ptx.error().kind == DiagnosticKind::Compiler ? failInternally(ptx.error().message) : fail(ptx.error());
  result->artefacts["ptx"] = std::move(ptx->text);
  result->artefacts["symbol"] = std::move(ptx->symbol);
  result->artefacts["missing"] = std::move(ptx->missing);
  result->artefacts["opt.ll"] = std::move(ptx->opt_ir);
  return true;
}

bool Compilation::Impl::fail(Diagnostic diagnostic) {
  error = std::move(diagnostic);
  return false;
}

bool Compilation::Impl::failInternally(std::string_view complaint) {
  std::string folder = writeReproducer(context, complaint);
  Diagnostic diagnostic;
  diagnostic.kind = DiagnosticKind::Compiler;
  diagnostic.message = fmt::format("internal error in {} of {}: {}", context.stage, context.signature, complaint);
  diagnostic.where = {file, trace_name, Loc{first_line, first_line, -1, -1}};
  if (!folder.empty()) diagnostic.hint = "this is a bug of naja; please report it with the folder " + folder;
  return fail(std::move(diagnostic));
}

void Compilation::Impl::keep(const char *name, std::string text) {
  if (dumps.wantsArtefact(name)) dump(fmt::format("{} {}", context.signature, name), text);
  if (options.keep_texts) result->artefacts[name] = std::move(text);
}

void Compilation::Impl::reportTimes() const {
  std::string text;
  for (const auto &[stage, seconds] : result->timings)
    text += fmt::format(";   {:<32} {:9.3f} ms\n", stage, seconds * 1e3);
  dump(fmt::format("time of {}", context.signature), text);
}

} // namespace naja::driver
