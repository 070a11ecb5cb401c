// Elementwise maps and reductions: broadcasting, order of the axes, overlap, memory. Compiled code brings one small loop over
// unit strides (the row kernel); all that does not depend on types and operations is here, compiled ahead, so that an array
// expression costs LLVM one loop. Rows that are not at unit stride go through small buffers.
#include "naja/runtime/elementwise_parallel.h"
#include "naja/runtime/internal.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

constexpr int kMaxDims = 64;
constexpr int kMaxOperands = 256;
constexpr int64_t kBufferBytes = 16 * 1024; // for all operands together
constexpr int64_t kRowsBetweenPolls = int64_t{1} << 22;
enum : uint8_t { kLayoutC = 0, kLayoutF = 1, kLayoutA = 2 };

/// An operand that takes part in the loops, with a stride for each axis of the common shape (0 where it is broadcast).
struct Operand {
  char *data;
  int64_t item_size;
  int64_t *stride;
};

/// A loop nest over some operands. Small ones need no memory but their own; nothing is cleared that is not used.
class Nest {
public:
  Nest(int dimensions, int capacity) : ndim(dimensions), axes_(dimensions > 0 ? dimensions : 1) {
    const int words = axes_ * (capacity + 1), headers = capacity;
    if (words > kInlineWords) heap_.reset(new int64_t[static_cast<size_t>(words)]);
    if (headers > kInlineOperands) heap_operands_.reset(new Operand[static_cast<size_t>(headers)]);
    extent = heap_ ? heap_.get() : words_;
    operand = heap_operands_ ? heap_operands_.get() : operands_;
  }
  Nest(const Nest &) = delete;
  Nest &operator=(const Nest &) = delete;

  Operand &add(char *data, int64_t item_size) {
    Operand &added = operand[operands++];
    added = {data, item_size, extent + axes_ * operands};
    return added;
  }
  int64_t size() const {
    int64_t total = 1;
    for (int axis = 0; axis < ndim; ++axis) total *= extent[axis];
    return total;
  }

  int ndim;
  int operands = 0;
  int64_t *extent;
  Operand *operand;

private:
  static constexpr int kInlineWords = 64, kInlineOperands = 12;
  int axes_;
  int64_t words_[kInlineWords];
  Operand operands_[kInlineOperands];
  std::unique_ptr<int64_t[]> heap_;
  std::unique_ptr<Operand[]> heap_operands_;
};

/// Extents and strides of an operand as the frame holds them.
struct Geometry {
  char *data;
  const int64_t *extents;
  int64_t strides[kMaxDims];
};

void fillStrides(int64_t *strides, const int64_t *extents, int ndim, int64_t item_size, uint8_t layout) {
  int64_t stride = item_size;
  for (int i = 0; i < ndim; ++i) {
    const int axis = layout == kLayoutF ? i : ndim - 1 - i;
    strides[axis] = stride;
    stride *= extents[axis];
  }
}

void readGeometry(const naja_elementwise_operand &info, const uint64_t *frame, Geometry &out) {
  out.data = reinterpret_cast<char *>(frame[info.position]);
  out.extents = reinterpret_cast<const int64_t *>(frame + info.position + 1);
  if (info.layout == kLayoutA) {
    std::memcpy(out.strides, out.extents + info.ndim, sizeof(int64_t) * info.ndim);
  } else {
    fillStrides(out.strides, out.extents, info.ndim, info.item_size, info.layout);
  }
}

// ------------------------------------------------------------------------------------------------------------- shapes

void appendShape(char *text, size_t size, const int64_t *extents, int ndim) {
  size_t used = std::strlen(text);
  auto add = [&](const char *format, long long value) {
    if (used < size) used += static_cast<size_t>(std::snprintf(text + used, size - used, format, value));
  };
  add("(", 0);
  for (int axis = 0; axis < ndim; ++axis) add(axis + 1 < ndim ? "%lld," : "%lld", extents[axis]);
  add(ndim == 1 ? ",)" : ")", 0);
}

[[gnu::cold]] int32_t shapesDiffer(const naja_elementwise &plan, const uint64_t *frame) {
  char text[400];
  const bool into = plan.kind == NAJA_MAP_INTO;
  auto shape = [&](int i) {
    appendShape(text, sizeof text, reinterpret_cast<const int64_t *>(frame + plan.operand[i].position + 1), plan.operand[i].ndim);
  };
  const int first = plan.kind == NAJA_REDUCE ? 0 : 1;
  int inputs = 0;
  for (int i = first; i < plan.operands; ++i) inputs += !plan.operand[i].whole;
  if (into && inputs == 1) {
    std::strcpy(text, "could not broadcast input array from shape ");
  } else {
    std::strcpy(text, "operands could not be broadcast together with shapes");
  }
  for (int i = first; i < plan.operands; ++i) {
    if (plan.operand[i].whole) continue;
    if (!(into && inputs == 1)) std::strcat(text, " ");
    shape(i);
    if (std::strlen(text) > sizeof text - 64) break;
  }
  if (into) {
    std::strcat(text, " into shape ");
    shape(0);
  }
  naja_rt_raise_text(NAJA_ValueError, text, plan.origin, plan.function, plan.line);
  return NAJA_RAISED;
}

/// Joins an operand's shape into the common one (aligned at the last axis). False: they differ.
bool joinShape(Nest &nest, const int64_t *extents, int ndim, bool fixed) {
  const int shift = nest.ndim - ndim;
  if (shift < 0) {
    // Leading ones may be dropped where the output's shape is given.
    for (int axis = 0; axis < -shift; ++axis)
      if (extents[axis] != 1) return false;
  }
  for (int axis = std::max(0, -shift); axis < ndim; ++axis) {
    int64_t &common = nest.extent[axis + shift];
    if (extents[axis] == common || extents[axis] == 1) continue;
    if (fixed || common != 1) return false;
    common = extents[axis];
  }
  return true;
}

void addOperand(Nest &nest, const Geometry &geometry, const naja_elementwise_operand &info) {
  Operand &operand = nest.add(geometry.data, info.item_size);
  const int shift = nest.ndim - info.ndim;
  for (int axis = 0; axis < nest.ndim; ++axis) {
    const int own = axis - shift;
    operand.stride[axis] = own < 0 || geometry.extents[own] == 1 ? 0 : geometry.strides[own];
  }
}

// -------------------------------------------------------------------------------------------------------------- loops

void permute(Nest &nest, const int *order, int count) {
  int64_t moved[kMaxDims];
  auto apply = [&](int64_t *row) {
    for (int i = 0; i < count; ++i) moved[i] = row[order[i]];
    std::copy(moved, moved + count, row);
  };
  apply(nest.extent);
  for (int i = 0; i < nest.operands; ++i) apply(nest.operand[i].stride);
}

/// Orders the axes for the memory of operand 0, drops those of extent 1 and joins neighbours that are one run for all. In
/// place: position p of the result is made from axes that have been read.
void simplify(Nest &nest) {
  int order[kMaxDims], count = 0;
  for (int axis = 0; axis < nest.ndim; ++axis)
    if (nest.extent[axis] != 1) order[count++] = axis;
  const int64_t *key = nest.operand[0].stride;
  const auto slower = [key](int a, int b) { return std::llabs(key[a]) > std::llabs(key[b]); };
  if (!std::is_sorted(order, order + count, slower)) {
    for (int i = 1; i < count; ++i) // insertion keeps the order of equals and needs no memory
      for (int k = i; k > 0 && slower(order[k], order[k - 1]); --k) std::swap(order[k], order[k - 1]);
    permute(nest, order, count);
    for (int i = 0; i < count; ++i) order[i] = i;
  }
  int last = -1;
  for (int position = 0; position < count; ++position) {
    const int axis = order[position];
    const int64_t extent = nest.extent[axis];
    bool joins = last >= 0;
    for (int i = 0; joins && i < nest.operands; ++i)
      joins = nest.operand[i].stride[last] == nest.operand[i].stride[axis] * extent;
    if (joins) {
      nest.extent[last] *= extent;
    } else {
      nest.extent[++last] = extent;
    }
    for (int i = 0; i < nest.operands; ++i) nest.operand[i].stride[last] = nest.operand[i].stride[axis];
  }
  nest.ndim = last + 1;
  if (nest.ndim == 0) {
    nest.ndim = 1;
    nest.extent[0] = 1;
    for (int i = 0; i < nest.operands; ++i) nest.operand[i].stride[0] = 0;
  }
}

template <class T> void gatherAs(char *to, const char *from, int64_t stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i, from += stride) std::memcpy(to + i * static_cast<int64_t>(sizeof(T)), from, sizeof(T));
}
template <class T> void scatterAs(char *to, int64_t stride, const char *from, int64_t n) {
  for (int64_t i = 0; i < n; ++i, to += stride) std::memcpy(to, from + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
}
struct Pair64 { uint64_t a, b; };

void gather(char *to, const char *from, int64_t stride, int64_t n, int64_t item_size) {
  switch (item_size) {
  case 1: return gatherAs<uint8_t>(to, from, stride, n);
  case 2: return gatherAs<uint16_t>(to, from, stride, n);
  case 4: return gatherAs<uint32_t>(to, from, stride, n);
  case 8: return gatherAs<uint64_t>(to, from, stride, n);
  case 16: return gatherAs<Pair64>(to, from, stride, n);
  default:
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * item_size, from + i * stride, static_cast<size_t>(item_size));
  }
}

void scatter(char *to, int64_t stride, const char *from, int64_t n, int64_t item_size) {
  switch (item_size) {
  case 1: return scatterAs<uint8_t>(to, stride, from, n);
  case 2: return scatterAs<uint16_t>(to, stride, from, n);
  case 4: return scatterAs<uint32_t>(to, stride, from, n);
  case 8: return scatterAs<uint64_t>(to, stride, from, n);
  case 16: return scatterAs<Pair64>(to, stride, from, n);
  default:
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * stride, from + i * item_size, static_cast<size_t>(item_size));
  }
}

/// Runs the kernel over one simplified nest.
class Runner {
public:
  Runner(Nest &nest, naja_row_kernel kernel, uint64_t *frame, int64_t longest_row, bool has_output)
      : nest_(nest), kernel_(kernel), frame_(frame), has_output_(has_output) {
    const int inner = nest.ndim - 1;
    int64_t buffered_bytes = 0;
    for (int i = 0; i < nest.operands; ++i) {
      const Operand &operand = nest.operand[i];
      buffered_[i] = operand.stride[inner] != operand.item_size && nest.extent[inner] > 1;
      constant_[i] = buffered_[i] && std::all_of(operand.stride, operand.stride + nest.ndim, [](int64_t s) { return s == 0; });
      if (buffered_[i]) buffered_bytes += (operand.item_size + 15) & ~int64_t{15};
    }
    row_ = longest_row > 0 ? longest_row : nest.extent[inner];
    if (buffered_bytes > 0) row_ = std::min(row_, std::max<int64_t>(1, kBufferBytes / buffered_bytes));
    row_ = std::max<int64_t>(1, std::min({row_, nest.extent[inner], kRowsBetweenPolls}));
    if (buffered_bytes * row_ > kBufferBytes) {
      heap_.reset(new char[static_cast<size_t>(buffered_bytes * row_)]);
    }
    char *next = heap_ ? heap_.get() : stack_;
    for (int i = 0; i < nest.operands; ++i) {
      if (!buffered_[i]) continue;
      buffer_[i] = next;
      next += ((nest.operand[i].item_size + 15) & ~int64_t{15}) * row_;
      if (constant_[i]) gather(buffer_[i], nest.operand[i].data, 0, row_, nest.operand[i].item_size);
    }
  }

  int32_t run() {
    const int inner = nest_.ndim - 1;
    int64_t index[kMaxDims] = {};
    for (;;) {
      if (int32_t status = row(); status != NAJA_OK) return status;
      int axis = inner - 1;
      for (; axis >= 0; --axis) {
        for (int i = 0; i < nest_.operands; ++i) nest_.operand[i].data += nest_.operand[i].stride[axis];
        if (++index[axis] < nest_.extent[axis]) break;
        for (int i = 0; i < nest_.operands; ++i) nest_.operand[i].data -= nest_.operand[i].stride[axis] * nest_.extent[axis];
        index[axis] = 0;
      }
      if (axis < 0) return NAJA_OK;
    }
  }

private:
  int32_t row() {
    const int inner = nest_.ndim - 1;
    const int64_t n = nest_.extent[inner];
    for (int64_t at = 0; at < n; at += row_) {
      const int64_t count = std::min(row_, n - at);
      char *pointers[kMaxOperands];
      for (int i = 0; i < nest_.operands; ++i) {
        const Operand &operand = nest_.operand[i];
        char *from = operand.data + at * operand.stride[inner];
        const bool output = i == 0 && has_output_;
        if (buffered_[i] && !constant_[i] && !output) gather(buffer_[i], from, operand.stride[inner], count, operand.item_size);
        pointers[i] = buffered_[i] ? buffer_[i] : from;
      }
      const int32_t status = kernel_(pointers, count, frame_);
      if (has_output_ && buffered_[0]) {
        const Operand &out = nest_.operand[0];
        scatter(out.data + at * out.stride[inner], out.stride[inner], buffer_[0], count, out.item_size);
      }
      if (status != NAJA_OK) return status;
      done_ += count;
      if (done_ >= kRowsBetweenPolls) {
        done_ = 0;
        if (naja_rt_signal_pending != 0) {
          if (int32_t raised = naja_rt_poll_signals(); raised != NAJA_OK) return raised;
        }
      }
    }
    return NAJA_OK;
  }

  Nest &nest_;
  naja_row_kernel kernel_;
  uint64_t *frame_;
  bool has_output_;
  bool buffered_[kMaxOperands], constant_[kMaxOperands];
  char *buffer_[kMaxOperands];
  int64_t row_ = 1, done_ = 0;
  std::unique_ptr<char[]> heap_;
  alignas(64) char stack_[kBufferBytes];
};

struct NestJob {
  const Nest &nest;
  const naja_elementwise &plan;
};

/// Steps [begin, end) of the nest's slowest axis.
int32_t runPartOfNest(const void *context, int64_t begin, int64_t end, uint64_t *frame) {
  const auto &[nest, plan] = *static_cast<const NestJob *>(context);
  Nest part(nest.ndim, nest.operands);
  std::copy(nest.extent, nest.extent + nest.ndim, part.extent);
  part.extent[0] = end - begin;
  for (int i = 0; i < nest.operands; ++i) {
    const Operand &from = nest.operand[i];
    Operand &to = part.add(from.data + begin * from.stride[0], from.item_size);
    std::copy(from.stride, from.stride + nest.ndim, to.stride);
  }
  return Runner(part, plan.kernel, frame, plan.longest_row, plan.kind != NAJA_REDUCE).run();
}

int32_t runNest(Nest &nest, const naja_elementwise &plan, uint64_t *frame) {
  if (nest.size() == 0) return NAJA_OK;
  simplify(nest);
  int32_t status;
  if (plan.parallel && nest.extent[0] > 1 && naja::runtime::wantsThreads(plan, nest.size())) {
    const NestJob job{nest, plan};
    return naja::runtime::runInChunks(plan, frame, nest.extent[0], nest.size(), runPartOfNest, &job);
  }
  if (nest.ndim == 1 && plan.longest_row == 0 && nest.extent[0] <= kRowsBetweenPolls) {
    // One run of unit strides: the usual case.
    char *pointers[kMaxOperands];
    bool unit = true;
    for (int i = 0; i < nest.operands; ++i) {
      pointers[i] = nest.operand[i].data;
      unit &= nest.operand[i].stride[0] == nest.operand[i].item_size || nest.extent[0] == 1;
    }
    if (unit) {
      status = plan.kernel(pointers, nest.extent[0], frame);
      return status == NAJA_STOP ? NAJA_OK : status;
    }
  }
  status = Runner(nest, plan.kernel, frame, plan.longest_row, plan.kind != NAJA_REDUCE).run();
  return status == NAJA_STOP ? NAJA_OK : status;
}

// ------------------------------------------------------------------------------------------------------------ overlap

struct Range { const char *low, *high; };

Range rangeOf(const char *data, const int64_t *extents, const int64_t *strides, int ndim, int64_t item_size) {
  Range range{data, data + item_size};
  for (int axis = 0; axis < ndim; ++axis) {
    if (extents[axis] == 0) return {data, data};
    const int64_t reach = (extents[axis] - 1) * strides[axis];
    (reach < 0 ? range.low : range.high) += reach;
  }
  return range;
}

bool intersect(Range a, Range b) { return a.low < b.high && b.low < a.high; }

/// Does an operand of map_into read memory that the output writes, other than the same element at the same time?
bool overlapsOutput(const naja_elementwise &plan, const uint64_t *frame, const Nest &nest, const Geometry &out) {
  const Range written = rangeOf(out.data, out.extents, out.strides, plan.operand[0].ndim, plan.operand[0].item_size);
  int next = 1;
  for (int i = 1; i < plan.operands; ++i) {
    const naja_elementwise_operand &info = plan.operand[i];
    Geometry geometry;
    readGeometry(info, frame, geometry);
    const Range read = rangeOf(geometry.data, geometry.extents, geometry.strides, info.ndim, info.item_size);
    const Operand *operand = info.whole ? nullptr : &nest.operand[next++];
    if (!intersect(written, read)) continue;
    const bool same = operand && operand->data == nest.operand[0].data && operand->item_size == nest.operand[0].item_size &&
                      std::equal(operand->stride, operand->stride + nest.ndim, nest.operand[0].stride);
    if (!same) return true;
  }
  return false;
}

int32_t copyKernel(char *const *pointers, int64_t n, uint64_t *frame) {
  std::memcpy(pointers[0], pointers[1], static_cast<size_t>(n) * frame[0]);
  return NAJA_OK;
}

/// Computes into fresh memory and copies.
int32_t runThroughTemporary(Nest &nest, const naja_elementwise &plan, uint64_t *frame) {
  const int64_t total = nest.size();
  if (total == 0) return NAJA_OK;
  Operand &temporary = nest.operand[0];
  const int64_t item_size = temporary.item_size;
  Nest copy(nest.ndim, 2);
  std::copy(nest.extent, nest.extent + nest.ndim, copy.extent);
  const Operand &to = copy.add(temporary.data, item_size);
  std::copy(temporary.stride, temporary.stride + nest.ndim, to.stride);
  void *data = nullptr;
  naja_owner owner = naja_rt_alloc(static_cast<uint64_t>(total) * static_cast<uint64_t>(item_size), 0, &data);
  if (!owner) return NAJA_RAISED;
  temporary.data = static_cast<char *>(data);
  fillStrides(temporary.stride, nest.extent, nest.ndim, item_size, kLayoutC);
  const Operand &from = copy.add(temporary.data, item_size);
  std::copy(temporary.stride, temporary.stride + nest.ndim, from.stride);
  int32_t status = runNest(nest, plan, frame);
  if (status == NAJA_OK) {
    naja_elementwise copy_plan = plan;
    copy_plan.kernel = copyKernel;
    copy_plan.longest_row = 0;
    auto copy_frame = static_cast<uint64_t>(item_size);
    status = runNest(copy, copy_plan, &copy_frame);
  }
  naja_rt_decref(owner);
  return status;
}

// ---------------------------------------------------------------------------------------------------------- the kinds

/// Common shape from the inputs (`first` on); false: they differ.
bool joinInputs(Nest &nest, const naja_elementwise &plan, const uint64_t *frame, int first, bool fixed) {
  for (int i = first; i < plan.operands; ++i) {
    const naja_elementwise_operand &info = plan.operand[i];
    if (info.whole) continue;
    if (!joinShape(nest, reinterpret_cast<const int64_t *>(frame + info.position + 1), info.ndim, fixed)) return false;
  }
  return true;
}

void addInputs(Nest &nest, const naja_elementwise &plan, const uint64_t *frame, int first) {
  for (int i = first; i < plan.operands; ++i) {
    if (plan.operand[i].whole) continue;
    Geometry geometry;
    readGeometry(plan.operand[i], frame, geometry);
    addOperand(nest, geometry, plan.operand[i]);
  }
}

/// Contiguous inputs of one shape and of the output's layout: one run, no nest needed.
bool isOneRun(const naja_elementwise &plan, const uint64_t *frame) {
  const naja_elementwise_operand &out = plan.operand[0];
  const uint64_t *extents = nullptr;
  for (int i = 1; i < plan.operands; ++i) {
    const naja_elementwise_operand &info = plan.operand[i];
    if (info.whole) continue;
    if (info.ndim != out.ndim || info.layout != out.layout || info.layout == kLayoutA) return false;
    const uint64_t *own = frame + info.position + 1;
    if (extents && !std::equal(own, own + info.ndim, extents)) return false;
    extents = own;
  }
  return extents != nullptr;
}

naja_owner allocateOutput(const naja_elementwise_operand &out, const int64_t *extents, uint64_t *frame) {
  uint64_t bytes = out.item_size;
  bool overflow = false;
  for (int axis = 0; axis < out.ndim; ++axis)
    overflow |= __builtin_mul_overflow(bytes, static_cast<uint64_t>(extents[axis]), &bytes);
  void *data = nullptr;
  naja_owner owner = naja_rt_alloc(overflow ? UINT64_MAX : bytes, 0, &data);
  uint64_t *result = frame + out.position;
  result[-1] = reinterpret_cast<uint64_t>(owner);
  result[0] = reinterpret_cast<uint64_t>(data);
  std::memcpy(result + 1, extents, sizeof(int64_t) * out.ndim);
  if (out.layout == kLayoutA)
    fillStrides(reinterpret_cast<int64_t *>(result + 1 + out.ndim), extents, out.ndim, out.item_size, kLayoutC);
  return owner;
}

/// Calls the kernel for the elements [begin, end) of contiguous operands.
int32_t runPartOfRun(const void *context, int64_t begin, int64_t end, uint64_t *frame) {
  const auto &plan = *static_cast<const naja_elementwise *>(context);
  int64_t total = end - begin;
  char *pointers[kMaxOperands];
  int used = 0;
  for (int i = 0; i < plan.operands; ++i) {
    const naja_elementwise_operand &info = plan.operand[i];
    if (!info.whole) pointers[used++] = reinterpret_cast<char *>(frame[info.position]) + begin * info.item_size;
  }
  const int64_t longest = plan.longest_row > 0 ? plan.longest_row : kRowsBetweenPolls;
  int64_t done = 0;
  while (total > 0) {
    const int64_t count = std::min(total, longest);
    if (const int32_t status = plan.kernel(pointers, count, frame); status != NAJA_OK) return status;
    total -= count;
    if (total == 0) break;
    for (int i = 0, at = 0; i < plan.operands; ++i)
      if (!plan.operand[i].whole) pointers[at++] += count * plan.operand[i].item_size;
    done += count;
    if (done < kRowsBetweenPolls) continue;
    done = 0;
    if (naja_rt_signal_pending != 0) {
      if (const int32_t status = naja_rt_poll_signals(); status != NAJA_OK) return status;
    }
  }
  return NAJA_OK;
}

int32_t runOneRun(const naja_elementwise &plan, uint64_t *frame, int64_t total) {
  if (!plan.parallel || !naja::runtime::wantsThreads(plan, total)) return runPartOfRun(&plan, 0, total, frame);
  return naja::runtime::runInChunks(plan, frame, total, total, runPartOfRun, &plan);
}

int64_t productOf(const int64_t *extents, int ndim) {
  int64_t total = 1;
  for (int axis = 0; axis < ndim; ++axis) total *= extents[axis];
  return total;
}

int32_t mapOneRun(const naja_elementwise &plan, uint64_t *frame) {
  int first = 1;
  while (plan.operand[first].whole) ++first;
  const auto *extents = reinterpret_cast<const int64_t *>(frame + plan.operand[first].position + 1);
  naja_owner owner = allocateOutput(plan.operand[0], extents, frame);
  if (!owner) return NAJA_RAISED;
  const int32_t status = runOneRun(plan, frame, productOf(extents, plan.operand[0].ndim));
  if (status != NAJA_OK) naja_rt_decref(owner);
  return status;
}

/// Operand 0 and the others are contiguous, of one shape, and what they share with it is the same element at the same time.
bool isOneRunInto(const naja_elementwise &plan, const uint64_t *frame, int64_t *total) {
  const naja_elementwise_operand &out = plan.operand[0];
  if (out.layout == kLayoutA) return false;
  const uint64_t *extents = frame + out.position + 1;
  *total = productOf(reinterpret_cast<const int64_t *>(extents), out.ndim);
  const uint64_t data = frame[out.position], end = data + static_cast<uint64_t>(*total) * out.item_size;
  for (int i = 1; i < plan.operands; ++i) {
    const naja_elementwise_operand &info = plan.operand[i];
    if (info.whole || info.ndim != out.ndim || info.layout != out.layout) return false;
    const uint64_t *own = frame + info.position + 1;
    if (!std::equal(own, own + info.ndim, extents)) return false;
    const uint64_t from = frame[info.position], to = from + static_cast<uint64_t>(*total) * info.item_size;
    const bool apart = to <= data || end <= from;
    if (!apart && (from != data || info.item_size != out.item_size)) return false;
  }
  return true;
}

int32_t map(const naja_elementwise &plan, uint64_t *frame) {
  if (isOneRun(plan, frame)) return mapOneRun(plan, frame);
  const naja_elementwise_operand &out = plan.operand[0];
  Nest nest(out.ndim, plan.operands);
  std::fill(nest.extent, nest.extent + nest.ndim, 1);
  if (!joinInputs(nest, plan, frame, 1, false)) return shapesDiffer(plan, frame);
  naja_owner owner = allocateOutput(out, nest.extent, frame);
  if (!owner) return NAJA_RAISED;
  addInputs(nest, plan, frame, 0);
  const int32_t status = runNest(nest, plan, frame);
  if (status != NAJA_OK) naja_rt_decref(owner);
  return status;
}

int32_t mapInto(const naja_elementwise &plan, uint64_t *frame) {
  if (int64_t total; isOneRunInto(plan, frame, &total)) return runOneRun(plan, frame, total);
  Geometry out;
  readGeometry(plan.operand[0], frame, out);
  Nest nest(plan.operand[0].ndim, plan.operands);
  std::copy(out.extents, out.extents + nest.ndim, nest.extent);
  if (!joinInputs(nest, plan, frame, 1, true)) return shapesDiffer(plan, frame);
  addOperand(nest, out, plan.operand[0]);
  addInputs(nest, plan, frame, 1);
  if (overlapsOutput(plan, frame, nest, out)) return runThroughTemporary(nest, plan, frame);
  return runNest(nest, plan, frame);
}

/// Contiguous operands of one shape and layout.
bool isOneRunOver(const naja_elementwise &plan, const uint64_t *frame, int64_t *total) {
  const naja_elementwise_operand *first = nullptr;
  for (int i = 0; i < plan.operands; ++i) {
    const naja_elementwise_operand &info = plan.operand[i];
    if (info.whole) continue;
    if (!first) first = &info;
    if (info.ndim != first->ndim || info.layout != first->layout || info.layout == kLayoutA) return false;
    const uint64_t *own = frame + info.position + 1;
    if (!std::equal(own, own + info.ndim, frame + first->position + 1)) return false;
  }
  if (!first) return false;
  *total = productOf(reinterpret_cast<const int64_t *>(frame + first->position + 1), first->ndim);
  return true;
}

int32_t reduce(const naja_elementwise &plan, uint64_t *frame) {
  if (int64_t total; isOneRunOver(plan, frame, &total)) {
    const int32_t status = runOneRun(plan, frame, total);
    return status == NAJA_STOP ? NAJA_OK : status;
  }
  int ndim = 0;
  for (int i = 0; i < plan.operands; ++i)
    if (!plan.operand[i].whole) ndim = std::max<int>(ndim, plan.operand[i].ndim);
  Nest nest(ndim, plan.operands);
  std::fill(nest.extent, nest.extent + nest.ndim, 1);
  if (!joinInputs(nest, plan, frame, 0, false)) return shapesDiffer(plan, frame);
  addInputs(nest, plan, frame, 0);
  return runNest(nest, plan, frame);
}

} // namespace

extern "C" int32_t naja_rt_elementwise(const naja_elementwise *plan, uint64_t *frame) {
  static constexpr int32_t (*kKinds[])(const naja_elementwise &, uint64_t *) = {map, mapInto, reduce};
  if (plan->operands > kMaxOperands) {
    naja_rt_raise_text(NAJA_SystemError, "too many arrays in one expression", plan->origin, plan->function, plan->line);
    return NAJA_RAISED;
  }
  return kKinds[plan->kind](*plan, frame);
}
