// The table of symbols. Functions of libc, libm and libmvec are looked up when first wanted: relocations of hundreds of
// them would cost every import.
#include "naja/runtime/internal.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

// Every symbol under a name of its own, so that neither prototypes nor C++ overloads are in the way.
#define NAJA_RT(name) extern "C" void symbol_##name(void) __asm__(#name);
#define NAJA_BUILTIN(name) extern "C" void symbol_##name(void) __asm__(#name);
#include "naja/runtime/symbols.def"

namespace naja::runtime {
namespace {

struct Entry {
  std::string_view name;
  void (*address)(void);
};
constexpr Entry kOwn[] = {
#define NAJA_RT(name) {#name, symbol_##name},
#define NAJA_BUILTIN(name) {#name, symbol_##name},
#include "naja/runtime/symbols.def"
};

// Each also with the suffix f (float).
constexpr std::string_view kMath[] = {
    "acos",      "acosh",        "asin",  "asinh",    "atan",         "atan2",    "atanh",     "cabs",      "cacos",
    "cacosh",    "carg",         "casin", "casinh",   "catan",        "catanh",   "cbrt",      "ccos",      "ccosh",
    "ceil",      "cexp",         "clog",  "clog10",   "conj",         "copysign", "cos",       "cosh",      "cpow",
    "cproj",     "csin",         "csinh", "csqrt",    "ctan",         "ctanh",    "drem",      "erf",       "erfc",
    "exp",       "exp10",        "exp2",  "expm1",    "fabs",         "fdim",     "floor",     "fma",       "fmax",
    "fmaximum",  "fmaximum_num", "fmin",  "fminimum", "fminimum_num", "fmod",     "frexp",     "hypot",     "ilogb",
    "j0",        "j1",           "jn",    "ldexp",    "lgamma",       "llrint",   "llround",   "log",       "log10",
    "log1p",     "log2",         "logb",  "lrint",    "lround",       "modf",     "nearbyint", "nextafter", "pow",
    "remainder", "remquo",       "rint",  "round",    "roundeven",    "scalbln",  "scalbn",    "sin",       "sincos",
    "sinh",      "sqrt",         "tan",   "tanh",     "tgamma",       "trunc",    "y0",        "y1",        "yn",
};
constexpr std::string_view kMemory[] = {"abort",  "bcmp",   "free",    "malloc", "memchr",
                                        "memcmp", "memcpy", "memmove", "memset", "strlen"};

// libmvec names its functions _ZGV<isa>N<lanes>v[v]_<name>[f]; masked forms are not used.
struct VectorIsa {
  char letter;
  int lanes;
};
#if defined(__aarch64__)
constexpr VectorIsa kVectorIsas[] = {{'n', 2}};
#else
constexpr VectorIsa kVectorIsas[] = {{'b', 2}, {'c', 4}, {'d', 4}, {'e', 8}};
#endif
constexpr std::string_view kVector[] = {"acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt",  "cos",   "cosh",
                                        "erf",  "erfc",  "exp",  "exp10", "exp2", "expm1", "log",   "log10", "log1p",
                                        "log2", "sin",   "sinh", "tan",   "tanh", "atan2", "hypot", "pow"};

bool isVectorName(std::string_view name) { return name.starts_with("_ZGV"); }

/// libmvec, loaded when a name of it is first wanted (it is a part of glibc; elsewhere there is none).
void *vectorLibrary() {
  static void *const library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  return library;
}
void *mathLibrary() {
  static void *const library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  return library ? library : RTLD_DEFAULT;
}

template <size_t N> bool contains(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool isLibraryName(std::string_view name) {
  if (contains(kMath, name) || contains(kMemory, name)) { return true; }
  return !name.empty() && name.back() == 'f' && contains(kMath, name.substr(0, name.size() - 1));
}

struct Table {
  std::vector<std::string> names;
  std::vector<naja_symbol> symbols;
};

void addLibrarySymbols(std::vector<std::string> &names) {
  for (std::string_view name : kMemory) { names.emplace_back(name); }
  for (std::string_view name : kMath) {
    names.emplace_back(name);
    names.push_back(std::string(name) + "f");
  }
  for (VectorIsa isa : kVectorIsas) {
    for (std::string_view name : kVector) {
      const bool two = name == "atan2" || name == "hypot" || name == "pow";
      const std::string prefix = std::string("_ZGV") + isa.letter + "N";
      const std::string suffix = std::string(two ? "vv_" : "v_") + std::string(name);
      names.push_back(prefix + std::to_string(isa.lanes) + suffix);
      names.push_back(prefix + std::to_string(isa.lanes * 2) + suffix + "f");
    }
  }
}

Table makeTable() {
  Table table;
  addLibrarySymbols(table.names);
  for (const Entry &entry : kOwn) {
    table.symbols.push_back({entry.name.data(), reinterpret_cast<void *>(entry.address)});
  }
  for (const std::string &name : table.names) {
    if (void *address = findInLibrary(name.c_str())) { table.symbols.push_back({name.c_str(), address}); }
  }
  std::sort(table.symbols.begin(), table.symbols.end(),
            [](const naja_symbol &a, const naja_symbol &b) { return std::strcmp(a.name, b.name) < 0; });
  return table;
}

std::atomic<void *(*)(const char *)> delegate{nullptr};

const naja_symbol *added = nullptr;
size_t added_count = 0;

} // namespace

void *findInLibrary(const char *name) {
  if (isVectorName(name)) {
    void *library = vectorLibrary();
    return library ? dlsym(library, name) : nullptr;
  }
  return dlsym(mathLibrary(), name);
}

} // namespace naja::runtime

using namespace naja::runtime;

extern "C" {

const naja_symbol *naja_rt_symbols(size_t *count) {
  static const Table table = makeTable();
  *count = table.symbols.size();
  return table.symbols.data();
}

void *naja_rt_find_symbol(const char *name) {
  if (auto *find = delegate.load(std::memory_order_acquire)) { return find(name); }
  if (std::string_view(name) == "naja_rt_stack_limit") { return naja_rt_stack_limit(); }
  for (const Entry &entry : kOwn) {
    if (entry.name == name) { return reinterpret_cast<void *>(entry.address); }
  }
  for (size_t i = 0; i < added_count; ++i) {
    if (std::strcmp(added[i].name, name) == 0) { return added[i].address; }
  }
  return isVectorName(name) || isLibraryName(name) ? findInLibrary(name) : nullptr;
}

void naja_rt_add_symbols(const naja_symbol *table, size_t count) {
  added = table;
  added_count = count;
}

void naja_rt_delegate(void *(*find)(const char *name)) { delegate.store(find, std::memory_order_release); }
}
