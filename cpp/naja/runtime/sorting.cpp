// Sorting of contiguous items, by NumPy where it is loaded, else by the C++ library.
#include "naja/runtime/internal.h"

#include <algorithm>
#include <complex>
#include <numeric>

namespace naja::runtime {
namespace {

template <class T> bool before(T a, T b) { return a < b || (b != b && a == a); }
template <class T> bool before(std::complex<T> a, std::complex<T> b) {
  // Lexicographic; parts that are NaN go last.
  const bool real_orders = a.real() != b.real() && (a.real() == a.real() || b.real() == b.real());
  return real_orders ? before(a.real(), b.real()) : before(a.imag(), b.imag());
}

template <class T> int sortItems(void *data, intptr_t count, void *) {
  auto *items = static_cast<T *>(data);
  std::sort(items, items + count, [](T a, T b) { return before(a, b); });
  return 0;
}
template <class T> int argsortItems(void *data, intptr_t *order, intptr_t count, void *) {
  const auto *items = static_cast<const T *>(data);
  std::stable_sort(order, order + count, [items](intptr_t a, intptr_t b) { return before(items[a], items[b]); });
  return 0;
}

template <class T> void fill(naja_sort_table &table, naja_dtype dtype) {
  if (table.sort[dtype] == nullptr) { table.sort[dtype] = sortItems<T>; }
  if (table.argsort[dtype] == nullptr) { table.argsort[dtype] = argsortItems<T>; }
  if (table.stable_argsort[dtype] == nullptr) { table.stable_argsort[dtype] = argsortItems<T>; }
}

naja_sort_table makeTable() {
  naja_sort_table table{};
  if (const naja_python_services *python = pythonServices(); python != nullptr && python->sorts != nullptr) {
    python->sorts(&table);
  }
  fill<uint8_t>(table, NAJA_BOOL);
  fill<int8_t>(table, NAJA_INT8);
  fill<int16_t>(table, NAJA_INT16);
  fill<int32_t>(table, NAJA_INT32);
  fill<int64_t>(table, NAJA_INT64);
  fill<uint8_t>(table, NAJA_UINT8);
  fill<uint16_t>(table, NAJA_UINT16);
  fill<uint32_t>(table, NAJA_UINT32);
  fill<uint64_t>(table, NAJA_UINT64);
  fill<float>(table, NAJA_FLOAT32);
  fill<double>(table, NAJA_FLOAT64);
  fill<std::complex<float>>(table, NAJA_COMPLEX64);
  fill<std::complex<double>>(table, NAJA_COMPLEX128);
  return table;
}

const naja_sort_table &table() {
  static const naja_sort_table made = makeTable();
  return made;
}

} // namespace
} // namespace naja::runtime

using namespace naja::runtime;

extern "C" {

void naja_rt_sort(uint32_t dtype, void *data, int64_t count) {
  if (count > 1) { table().sort[dtype](data, count, nullptr); }
}

void naja_rt_argsort(uint32_t dtype, int32_t stable, void *data, int64_t *order, int64_t count) {
  std::iota(order, order + count, int64_t(0));
  if (count < 2) { return; }
  const naja_sort_table &functions = table();
  auto *indices = reinterpret_cast<intptr_t *>(order);
  (stable != 0 ? functions.stable_argsort : functions.argsort)[dtype](data, indices, count, nullptr);
}
}
