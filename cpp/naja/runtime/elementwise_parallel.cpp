#include "naja/runtime/elementwise_parallel.h"

#include "naja/runtime/parallel/parallel.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <memory>
#include <new>

namespace naja::runtime {
namespace {

constexpr int64_t kGrain = 16384; // elements that are worth a chunk
enum : uint8_t { kSum, kProd, kMin, kMax, kAny, kAll, kAnd, kOr, kXor };

template <class T> constexpr bool kIsFloating = std::is_floating_point_v<T>;
template <class T> struct Components { using type = T; static constexpr int count = 1; };
template <class T> struct Components<std::complex<T>> { using type = T; static constexpr int count = 2; };

/// Scalars lie in a word each, complex numbers in two.
template <class T> T load(const uint64_t *words) {
  if constexpr (Components<T>::count == 2) {
    using Part = typename Components<T>::type;
    Part parts[2];
    std::memcpy(&parts[0], words, sizeof(Part));
    std::memcpy(&parts[1], words + 1, sizeof(Part));
    return T(parts[0], parts[1]);
  } else {
    T value;
    std::memcpy(&value, words, sizeof(T));
    return value;
  }
}
template <class T> void store(uint64_t *words, T value) {
  if constexpr (Components<T>::count == 2) {
    const auto real = value.real(), imaginary = value.imag();
    std::memcpy(words, &real, sizeof real);
    std::memcpy(words + 1, &imaginary, sizeof imaginary);
  } else {
    std::memcpy(words, &value, sizeof(T));
  }
}

template <class T> bool before(T a, T b) {
  if constexpr (Components<T>::count == 2) {
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  } else {
    return a < b;
  }
}
template <class T> T extreme(T a, T b, bool maximum) {
  if (a != a) { return a; } // NaN wins
  if (b != b) { return b; }
  return (maximum ? before(a, b) : before(b, a)) ? b : a;
}

/// One float of a compensated sum (Neumaier): what is lost is kept apart.
template <class T> void addCompensated(uint64_t *sum, uint64_t *lost, T value) {
  const T old = load<T>(sum), total = old + value, part = total - old;
  store<T>(lost, load<T>(lost) + ((old - (total - part)) + (value - part)));
  store<T>(sum, total);
}

template <class T> T folded(uint8_t kind, T a, T b) {
  switch (kind) {
  case kProd:
    if constexpr (std::is_same_v<T, bool>)
      return a && b;
    else
      return a * b;
  case kMin: return extreme(a, b, false);
  case kMax: return extreme(a, b, true);
  default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;
    const U x = static_cast<U>(a), y = static_cast<U>(b);
    switch (kind) {
    case kAny:
    case kOr: return static_cast<T>(x | y);
    case kAll:
    case kAnd: return static_cast<T>(x & y);
    case kXor: return static_cast<T>(x ^ y);
    default: return static_cast<T>(x + y);
    }
  } else {
    return a + b;
  }
}

struct Fold {
  void (*identity)(const naja_elementwise_parallel &plan, uint64_t *frame);
  void (*combine)(const naja_elementwise_parallel &plan, uint64_t *frame, const uint64_t *partial);
};

template <class T> void setIdentity(const naja_elementwise_parallel &plan, uint64_t *frame) {
  uint64_t *at = frame + plan.accumulator;
  if (plan.reduction == kProd) { store<T>(at, T(1)); }
  if (plan.reduction != kSum && plan.reduction != kXor) { return; } // the others may fold the initial value in twice
  std::memset(at, 0, sizeof(uint64_t) * Components<T>::count);
  if (plan.compensation != 0) { std::memset(frame + plan.compensation, 0, sizeof(uint64_t) * Components<T>::count); }
}

template <class T> void combine(const naja_elementwise_parallel &plan, uint64_t *frame, const uint64_t *partial) {
  uint64_t *at = frame + plan.accumulator;
  const uint64_t *from = partial + plan.accumulator;
  using Part = typename Components<T>::type;
  if constexpr (kIsFloating<Part>) {
    if (plan.reduction == kSum && plan.compensation != 0) {
      for (int i = 0; i < Components<T>::count; ++i) {
        uint64_t *lost = frame + plan.compensation + i;
        addCompensated<Part>(at + i, lost, load<Part>(from + i));
        store<Part>(lost, load<Part>(lost) + load<Part>(partial + plan.compensation + i));
      }
      return;
    }
  }
  store<T>(at, folded<T>(plan.reduction, load<T>(at), load<T>(from)));
}

template <class T> constexpr Fold foldOf() { return {setIdentity<T>, combine<T>}; }
constexpr Fold kFolds[NAJA_DTYPES] = {foldOf<bool>(),     foldOf<int8_t>(),   foldOf<int16_t>(),  foldOf<int32_t>(),
                                      foldOf<int64_t>(),  foldOf<uint8_t>(),  foldOf<uint16_t>(), foldOf<uint32_t>(),
                                      foldOf<uint64_t>(), foldOf<float>(),    foldOf<double>(),   foldOf<std::complex<float>>(),
                                      foldOf<std::complex<double>>()};

struct Job {
  int32_t (*fn)(const void *context, int64_t begin, int64_t end, uint64_t *frame);
  const void *context;
  uint64_t *frames; // the shared one, or one for each chunk
  uint64_t stride;  // words between them
};

int32_t runChunk(void *data, int64_t begin, int64_t end, int64_t chunk) {
  const Job &job = *static_cast<const Job *>(data);
  const int32_t status = job.fn(job.context, begin, end, job.frames + static_cast<uint64_t>(chunk) * job.stride);
  return status == NAJA_STOP ? NAJA_OK : status;
}

} // namespace

bool wantsThreads(const naja_elementwise &plan, int64_t elements) {
  return plan.parallel != nullptr && elements >= 2 * kGrain && naja_rt_get_num_threads() > 1;
}

int32_t runInChunks(const naja_elementwise &plan, uint64_t *frame, int64_t count, int64_t elements,
                    int32_t (*fn)(const void *context, int64_t begin, int64_t end, uint64_t *frame), const void *context) {
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, elements / count));
  const int64_t chunks = naja_rt_parallel_chunks(count, grain, 4);
  Job job = {fn, context, frame, 0};
  if (plan.kind != NAJA_REDUCE) { return naja_rt_parallel_run(count, chunks, runChunk, &job); }
  const naja_elementwise_parallel &parallel = *plan.parallel;
  const Fold &fold = kFolds[parallel.dtype];
  job.stride = (parallel.frame_words + 7U) & ~7U; // a cache line each
  std::unique_ptr<uint64_t[]> frames(new (std::nothrow) uint64_t[static_cast<size_t>(chunks) * job.stride]);
  if (!frames) { return fn(context, 0, count, frame); }
  job.frames = frames.get();
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    uint64_t *own = job.frames + static_cast<uint64_t>(chunk) * job.stride;
    std::memcpy(own, frame, sizeof(uint64_t) * parallel.frame_words);
    fold.identity(parallel, own);
  }
  const int32_t status = naja_rt_parallel_run(count, chunks, runChunk, &job);
  if (status != NAJA_OK) { return status; }
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    fold.combine(parallel, frame, job.frames + static_cast<uint64_t>(chunk) * job.stride);
  }
  return NAJA_OK;
}

} // namespace naja::runtime
