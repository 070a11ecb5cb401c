#include "naja/bindings/core/ufunc_loop.h"

#include "naja/bindings/core/exceptions.h"
#include "naja/runtime/abi.h"
#include "naja/runtime/parallel/parallel.h"

#include <atomic>
#include <cfenv>
#include <cmath>
#include <limits>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace naja::bindings {
namespace {

constexpr int kFlags = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID;
/// Elements that are worth a chunk of a parallel loop.
constexpr int64_t kGrain = 2048;

#if defined(__SSE2__)
// Compiled code computes in vector registers only; the x87's flags, which are slow to change, are left alone.
int testFlags() { return static_cast<int>(_mm_getcsr()) & kFlags; }
void setFlags(int flags) { _mm_setcsr((_mm_getcsr() & ~static_cast<unsigned>(kFlags)) | static_cast<unsigned>(flags)); }
#else
int testFlags() { return std::fetestexcept(kFlags); }
void setFlags(int flags) {
  std::feclearexcept(kFlags);
  std::feraiseexcept(flags);
}
#endif

// ---- which flags the results explain

/// What the elements of an operand show.
struct Seen {
  bool infinite = false, nan = false, tiny = false;
};

template <typename T> void look(const char *at, unsigned parts, Seen &seen) {
  for (unsigned i = 0; i < parts; ++i) {
    const T value = reinterpret_cast<const T *>(at)[i];
    seen.infinite = seen.infinite || std::isinf(value);
    seen.nan = seen.nan || std::isnan(value);
    seen.tiny = seen.tiny || std::abs(value) < std::numeric_limits<T>::min();
  }
}

void lookAt(const Type &type, const char *at, Seen &seen) {
  const unsigned parts = type.kind == TypeKind::Complex ? 2 : 1;
  if (type.kind != TypeKind::Float && type.kind != TypeKind::Complex) { return; }
  const unsigned bits = type.bits / parts;
  if (bits == 64) {
    look<double>(at, parts, seen);
  } else if (bits == 32) {
    look<float>(at, parts, seen);
  }
}

int explained(const Seen &inputs, const Seen &output) {
  int flags = 0;
  if (output.infinite && !inputs.infinite) { flags |= FE_DIVBYZERO | FE_OVERFLOW; }
  if (output.nan && !inputs.nan) { flags |= FE_INVALID; }
  if (output.tiny) { flags |= FE_UNDERFLOW; }
  return flags;
}

/// Of an elementwise loop: an operand that the output has replaced says nothing any more.
int explainedElementwise(const UfuncLoop &loop, char **args, npy_intp n, npy_intp const *steps, int raised) {
  int flags = 0;
  const Type &result = typeOf(loop.elements[loop.inputs]);
  for (npy_intp i = 0; i < n && flags != raised; ++i) {
    Seen output, inputs;
    lookAt(result, args[loop.inputs] + i * steps[loop.inputs], output);
    if (!output.infinite && !output.nan && !output.tiny) { continue; }
    for (uint32_t k = 0; k < loop.inputs; ++k) {
      if (args[k] != args[loop.inputs]) { lookAt(typeOf(loop.elements[k]), args[k] + i * steps[k], inputs); }
    }
    flags |= explained(inputs, output) & raised;
  }
  return flags;
}

void lookAtCore(const Type &type, const std::vector<unsigned> &axes, size_t axis, const char *at,
                npy_intp const *extents, npy_intp const *steps, Seen &seen) {
  if (axis == axes.size()) { return lookAt(type, at, seen); }
  for (npy_intp i = 0; i < extents[axes[axis]]; ++i) {
    lookAtCore(type, axes, axis + 1, at + i * steps[axis], extents, steps, seen);
  }
}

/// Of a generalised loop: the outputs alone are asked, as anything may have become of the inputs.
int explainedGeneralised(const UfuncLoop &loop, char **args, npy_intp const *dimensions, npy_intp const *steps) {
  const size_t operands = loop.elements.size();
  npy_intp const *core_steps = steps + operands;
  Seen seen;
  for (size_t k = 0; k < operands; ++k) {
    for (npy_intp i = 0; k >= loop.inputs && i < dimensions[0]; ++i) {
      lookAtCore(typeOf(loop.elements[k]), loop.core[k], 0, args[k] + i * steps[k], dimensions + 1, core_steps, seen);
    }
    core_steps += loop.core[k].size();
  }
  return explained({}, seen);
}

// ---- entering

/// Enters the code on this thread; `flags` gets those of the raised flags that the results explain. A status.
int32_t enter(const UfuncLoop &loop, char **args, npy_intp const *dimensions, npy_intp const *steps, int *flags) {
  uint64_t nothing = 0;
  const int before = testFlags();
  if (before != 0) { setFlags(0); }
  const int32_t status = loop.entry(&nothing, args, dimensions, steps);
  const int raised = testFlags();
  if (raised != 0 || before != 0) { setFlags(before); }
  if (__builtin_expect(raised != 0, 0)) {
    *flags |= raised & (loop.core.empty() ? explainedElementwise(loop, args, dimensions[0], steps, raised)
                                          : explainedGeneralised(loop, args, dimensions, steps));
  }
  return status;
}

struct Region {
  const UfuncLoop &loop;
  char **args;
  npy_intp const *dimensions, *steps;
  std::atomic<int> flags{0};
};

int32_t enterChunk(void *data, int64_t begin, int64_t end, int64_t) {
  auto *region = static_cast<Region *>(data);
  const size_t operands = region->loop.elements.size();
  std::vector<char *> args(region->args, region->args + operands);
  unsigned core = 0;
  for (const auto &axes : region->loop.core) {
    for (unsigned axis : axes) { core = std::max(core, axis + 1); }
  }
  std::vector<npy_intp> dimensions(region->dimensions, region->dimensions + 1 + core);
  dimensions[0] = end - begin;
  for (size_t i = 0; i < operands; ++i) { args[i] += begin * region->steps[i]; }
  int flags = 0;
  const int32_t status = enter(region->loop, args.data(), dimensions.data(), region->steps, &flags);
  region->flags.fetch_or(flags, std::memory_order_relaxed);
  return status;
}

/// An output that stays where it is gathers a value from one element to the next; one that moves over an input which is
/// a step behind does so too (accumulate).
bool carriesValues(const UfuncLoop &loop, char **args, npy_intp n, npy_intp const *steps) {
  for (size_t out = loop.inputs; out < loop.elements.size(); ++out) {
    if (steps[out] == 0) { return true; }
    for (uint32_t in = 0; in < loop.inputs; ++in) {
      const npy_intp distance = args[out] - args[in];
      if (distance != 0 && std::abs(distance) < std::abs(steps[out]) * n) { return true; }
    }
  }
  return loop.inputs == loop.elements.size(); // without outputs, inputs are written
}

int32_t run(const UfuncLoop &loop, char **args, npy_intp const *dimensions, npy_intp const *steps, int *flags) {
  npy_intp work = dimensions[0];
  if (!loop.parallel || work < 2 || carriesValues(loop, args, work, steps)) {
    return enter(loop, args, dimensions, steps, flags);
  }
  Region region{loop, args, dimensions, steps};
  const int32_t status = naja_rt_parallel_for(work, enterChunk, &region, loop.core.empty() ? kGrain : 1);
  *flags |= region.flags.load(std::memory_order_relaxed);
  return status;
}

} // namespace

void enterUfuncLoop(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data) {
  int flags = 0;
  const int32_t status = run(*static_cast<const UfuncLoop *>(data), args, dimensions, steps, &flags);
  if (__builtin_expect(flags != 0, 0)) { std::feraiseexcept(flags); }
  if (__builtin_expect(status != 0, 0)) {
    PyGILState_STATE gil = PyGILState_Ensure();
    if (!PyErr_Occurred()) { raiseStatus(status); }
    PyGILState_Release(gil);
  }
}

bool runUfuncLoop(const UfuncLoop &loop, char **args, npy_intp const *dimensions, npy_intp const *steps, int *flags) {
  const int32_t status = enter(loop, args, dimensions, steps, flags);
  if (__builtin_expect(status != 0, 0)) { raiseStatus(status); }
  return status == 0;
}

} // namespace naja::bindings
