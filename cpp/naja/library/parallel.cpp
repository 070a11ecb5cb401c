// Threads of parallel regions as seen from compiled code: naja.get_num_threads() and the like.
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

namespace naja::library {

using namespace ir;

namespace {

Resolution noArguments(const Query &q, std::string_view symbol, TypeId machine, TypeId result) {
  if (!q.operands.empty()) return Resolution::error("takes no arguments");
  return Resolution::resolved(result, [symbol, machine, result](Emitter &e, std::span<const ValueId>) {
    return e.builder().cast(e.builder().callRuntime(symbol, machine, {}, false), result);
  });
}

Resolution getNumThreads(const Query &q) { return noArguments(q, "naja_rt_get_num_threads", types().int32, types().int64); }
Resolution getThreadId(const Query &q) { return noArguments(q, "naja_rt_get_thread_id", types().int32, types().int64); }
Resolution getChunksize(const Query &q) {
  return noArguments(q, "naja_rt_get_parallel_chunksize", types().int64, types().uint64);
}

std::optional<Resolution> wrongArgument(const Query &q, const char *message) {
  if (q.operands.size() != 1 || !q.keywords.empty()) return Resolution::error("takes one argument");
  if (!isInt(q.operands[0].type) && !isBool(q.operands[0].type)) return Resolution::error(message);
  return {};
}

Resolution setNumThreads(const Query &q) {
  if (auto wrong = wrongArgument(q, "The number of threads specified must be an integer")) return *wrong;
  return Resolution::resolved(types().none, [n = q.operands[0]](Emitter &e, std::span<const ValueId> args) {
    ValueId threads = emitConvert(e, emitOperand(e, n, args[0]), types().int64);
    e.builder().callRuntime("naja_rt_set_num_threads", types().none, std::span(&threads, 1), true);
    return e.builder().noneConst();
  });
}

Resolution setChunksize(const Query &q) {
  if (auto wrong = wrongArgument(q, "The parallel chunksize must be an integer")) return *wrong;
  return Resolution::resolved(types().uint64, [n = q.operands[0]](Emitter &e, std::span<const ValueId> args) {
    Builder &b = e.builder();
    ValueId size = emitConvert(e, emitOperand(e, n, args[0]), types().int64);
    emitCheck(e, b.icmp(Predicate::Ge, size, b.int64(0)), "ValueError", "chunksize must be greater than or equal to zero");
    return b.cast(b.callRuntime("naja_rt_set_parallel_chunksize", types().int64, std::span(&size, 1), false), types().uint64);
  });
}

} // namespace

void registerParallel(Table &table) {
  table.call("naja.parallel.get_num_threads", getNumThreads);
  table.call("naja.parallel.set_num_threads", setNumThreads);
  table.call("naja.parallel.get_thread_id", getThreadId);
  table.call("naja.parallel.get_parallel_chunksize", getChunksize);
  table.call("naja.parallel.set_parallel_chunksize", setChunksize);
}

} // namespace naja::library
