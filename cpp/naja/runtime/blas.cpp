// Products of matrices by the BLAS that NumPy has brought into the process: found among the loaded libraries by name, its
// functions by their C names (with the prefixes and suffixes under which builds hide them). Nothing is loaded for it.
#include "naja/runtime/internal.h"

#include <complex>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <link.h>
#include <string>
#include <string_view>
#include <vector>

namespace naja::runtime {
namespace {

constexpr int kRowMajor = 101, kNoTranspose = 111, kTranspose = 112;

/// The four functions of one BLAS; its integers have 32 or 64 bits.
struct Blas {
  void *sgemm = nullptr, *dgemm = nullptr, *cgemm = nullptr, *zgemm = nullptr;
  bool wide = false;
};

int collect(dl_phdr_info *info, size_t, void *context) {
  static_cast<std::vector<std::string> *>(context)->emplace_back(info->dlpi_name == nullptr ? "" : info->dlpi_name);
  return 0;
}

/// How likely a library is a BLAS, by its file name; 0: not.
int likelihood(const std::string &path) {
  std::string_view file(path);
  file.remove_prefix(file.rfind('/') + 1);
  if (file.find("openblas") != file.npos) { return 3; }
  if (file.find("mkl_rt") != file.npos || file.find("blis") != file.npos) { return 2; }
  return file.find("blas") != file.npos && file.find("cython") == file.npos ? 1 : 0;
}

bool findFunctions(void *library, Blas &blas) {
  struct Form { const char *prefix, *suffix; bool wide; };
  constexpr Form kForms[] = {{"scipy_cblas_", "64_", true}, {"cblas_", "64_", true}, {"scipy_cblas_", "", false}, {"cblas_", "", false}};
  for (const Form &form : kForms) {
    auto find = [&](const char *name) { return dlsym(library, (std::string(form.prefix) + name + form.suffix).c_str()); };
    blas = {find("sgemm"), find("dgemm"), find("cgemm"), find("zgemm"), form.wide};
    if (blas.dgemm != nullptr) { return true; }
  }
  return false;
}

Blas findBlas() {
  Blas blas;
  std::vector<std::string> libraries;
  dl_iterate_phdr(collect, &libraries);
  for (int wanted = 3; wanted > 0; --wanted) {
    for (const std::string &path : libraries) {
      if (likelihood(path) != wanted) { continue; }
      void *library = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY); // kept: its functions are in use from now on
      if (library != nullptr && findFunctions(library, blas)) { return blas; }
    }
  }
  return {};
}

const Blas &blasOfProcess() {
  static const Blas blas = findBlas();
  return blas;
}

template <class Int, class Scalar>
using GemmFunction = void (*)(int, int, int, Int, Int, Int, Scalar, const void *, Int, const void *, Int, Scalar, void *, Int);

struct Gemm {
  int64_t m, n, k;
  const void *a, *b;
  void *c;
  bool a_transposed, b_transposed;
};

/// Scalar: the numbers themselves for real matrices, pointers to them for complex ones.
template <class Int, class Scalar> void call(void *function, const Gemm &g, Scalar one, Scalar zero) {
  auto gemm = reinterpret_cast<GemmFunction<Int, Scalar>>(function);
  const Int m = static_cast<Int>(g.m), n = static_cast<Int>(g.n), k = static_cast<Int>(g.k);
  gemm(kRowMajor, g.a_transposed ? kTranspose : kNoTranspose, g.b_transposed ? kTranspose : kNoTranspose, m, n, k, one, g.a,
       g.a_transposed ? m : k, g.b, g.b_transposed ? k : n, zero, g.c, n);
}
template <class Scalar> void call(bool wide, void *function, const Gemm &g, Scalar one, Scalar zero) {
  if (wide) {
    call<int64_t>(function, g, one, zero);
  } else {
    call<int32_t>(function, g, one, zero);
  }
}

bool fits(int64_t extent) { return extent > 0 && extent <= INT32_MAX; }

} // namespace
} // namespace naja::runtime

using namespace naja::runtime;

extern "C" int32_t naja_rt_gemm(uint32_t dtype, int64_t m, int64_t n, int64_t k, const void *a, int32_t a_transposed,
                                const void *b, int32_t b_transposed, void *c) {
  const Blas &blas = blasOfProcess();
  if (!fits(m) || !fits(n) || !fits(k)) { return 0; }
  const Gemm g{m, n, k, a, b, c, a_transposed != 0, b_transposed != 0};
  const std::complex<float> one_c(1), zero_c(0);
  const std::complex<double> one_z(1), zero_z(0);
  switch (dtype) {
  case NAJA_FLOAT32:
    if (blas.sgemm == nullptr) { return 0; }
    call(blas.wide, blas.sgemm, g, 1.0F, 0.0F);
    return 1;
  case NAJA_FLOAT64:
    if (blas.dgemm == nullptr) { return 0; }
    call(blas.wide, blas.dgemm, g, 1.0, 0.0);
    return 1;
  case NAJA_COMPLEX64:
    if (blas.cgemm == nullptr) { return 0; }
    call<const void *>(blas.wide, blas.cgemm, g, &one_c, &zero_c);
    return 1;
  case NAJA_COMPLEX128:
    if (blas.zgemm == nullptr) { return 0; }
    call<const void *>(blas.wide, blas.zgemm, g, &one_z, &zero_z);
    return 1;
  default: return 0;
  }
}
