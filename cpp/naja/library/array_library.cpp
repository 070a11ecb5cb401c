// Functions that are written in Python (naja.library) and compiled by naja itself: which NumPy function or method is which
// library function, how its arguments are bound, and what stands for those that are not given.
#include "naja/library/array_families.h"
#include "naja/library/array_support.h"

namespace naja::library {
namespace {

struct LibraryRow {
  std::string_view name;       // "numpy.argmin"
  std::string_view parameters; // as of bindArguments; all of them are passed, None for those that are not given
  std::string_view function;   // "reductions:argmin"; with '$' for the value of the last parameter, a constant string
  std::string_view fallback;   // value of '$' where it is not given
  bool is_method = false;      // a method of arrays: operand 0 is the array
  /// How many of the leading parameters are arrays, scalars or tuples of them for the row to apply at all.
  unsigned arrays = 1;
};

constexpr LibraryRow kRows[] = {
    {"numpy.argmin", "a, axis=", "reductions:argmin", {}},
    {"numpy.argmax", "a, axis=", "reductions:argmax", {}},
    {"argmin", "a, axis=", "reductions:argmin", {}, true},
    {"argmax", "a, axis=", "reductions:argmax", {}, true},
    {"numpy.cumsum", "a, axis=, dtype=", "reductions:cumsum", {}},
    {"numpy.cumprod", "a, axis=, dtype=", "reductions:cumprod", {}},
    {"numpy.nancumsum", "a, axis=, dtype=", "reductions:nancumsum", {}},
    {"cumsum", "a, axis=, dtype=", "reductions:cumsum", {}, true},
    {"cumprod", "a, axis=, dtype=", "reductions:cumprod", {}, true},
    {"numpy.median", "a", "statistics:median", {}},
    {"numpy.nanmedian", "a", "statistics:nanmedian", {}},
    {"numpy.percentile", "a, q", "statistics:percentile", {}},
    {"numpy.nanpercentile", "a, q", "statistics:nanpercentile", {}},
    {"numpy.quantile", "a, q", "statistics:quantile", {}},
    {"numpy.nanquantile", "a, q", "statistics:nanquantile", {}},
    {"numpy.average", "a, weights=", "statistics:average", {}},
    {"numpy.bincount", "x, weights=, minlength=", "statistics:bincount", {}},
    {"numpy.histogram", "a, bins=, range=", "statistics:histogram", {}},
    {"numpy.digitize", "x, bins, right=", "statistics:digitize", {}},
    {"numpy.cov", "m", "statistics:cov", {}},
    {"numpy.corrcoef", "x", "statistics:corrcoef", {}},
    {"numpy.sort", "a", "sorting:sort", {}},
    {"sort", "a", "sorting:sort_inplace", {}, true},
    {"numpy.argsort", "a, axis=, kind=", "sorting:argsort_$", "quicksort"},
    {"argsort", "a, axis=, kind=", "sorting:argsort_$", "quicksort", true},
    {"numpy.searchsorted", "a, v, side=", "sorting:searchsorted_$", "left"},
    {"numpy.unique", "ar", "sorting:unique", {}},
    {"numpy.partition", "a, kth", "sorting:partition", {}},
    {"numpy.argpartition", "a, kth", "sorting:argpartition", {}},
    {"numpy.nonzero", "a", "search:nonzero", {}},
    {"nonzero", "a", "search:nonzero", {}, true},
    {"numpy.where", "condition", "search:nonzero", {}},
    {"numpy.flatnonzero", "a", "search:flatnonzero", {}},
    {"numpy.argwhere", "a", "search:argwhere", {}},
    {"numpy.array_equal", "a1, a2", "search:array_equal", {}, false, 2},
    {"numpy.isin", "element, test_elements", "search:isin", {}, false, 2},
    {"numpy.in1d", "ar1, ar2", "search:in1d", {}, false, 2},
    {"numpy.intersect1d", "ar1, ar2", "search:intersect1d", {}, false, 2},
    {"numpy.union1d", "ar1, ar2", "search:union1d", {}, false, 2},
    {"numpy.setdiff1d", "ar1, ar2", "search:setdiff1d", {}, false, 2},
    {"numpy.setxor1d", "ar1, ar2", "search:setxor1d", {}, false, 2},
    {"numpy.diff", "a, n=", "manipulation:diff", {}},
    {"numpy.ediff1d", "ary", "manipulation:ediff1d", {}},
    {"numpy.outer", "a, b", "manipulation:outer", {}, false, 2},
    {"numpy.repeat", "a, repeats", "manipulation:repeat", {}},
    {"repeat", "a, repeats", "manipulation:repeat", {}, true},
    {"numpy.roll", "a, shift", "manipulation:roll", {}},
    {"numpy.take", "a, indices, axis=", "manipulation:take", {}},
    {"take", "a, indices, axis=", "manipulation:take", {}, true},
    {"numpy.diag", "v, k=", "manipulation:diag", {}},
    {"numpy.diagonal", "a, offset=", "manipulation:diagonal", {}},
    {"numpy.trace", "a, offset=", "manipulation:trace", {}},
    {"numpy.tril", "m, k=", "manipulation:tril", {}},
    {"numpy.triu", "m, k=", "manipulation:triu", {}},
    {"numpy.fill_diagonal", "a, val", "manipulation:fill_diagonal", {}},
    {"numpy.rot90", "m, k=", "manipulation:rot90", {}},
    {"numpy.delete", "arr, obj", "manipulation:delete", {}},
    {"numpy.interp", "x, xp, fp", "manipulation:interp", {}},
    {"numpy.trapezoid", "y, x=, dx=", "manipulation:trapezoid", {}},
    {"numpy.trapz", "y, x=, dx=", "manipulation:trapezoid", {}},
    {"numpy.cross", "a, b", "manipulation:cross", {}, false, 2},
    {"numpy.kron", "a, b", "manipulation:kron", {}, false, 2},
    {"numpy.convolve", "a, v, mode=", "manipulation:convolve_$", "full", false, 2},
    {"numpy.correlate", "a, v, mode=", "manipulation:correlate_$", "valid", false, 2},
    {"numpy.vander", "x, N=", "manipulation:vander", {}},
    {"numpy.tri", "N, M=, k=", "manipulation:tri", {}, false, 0},
    {"numpy.dot", "a, b, out=", "linalg:dot", {}, false, 2},
    {"dot", "a, b, out=", "linalg:dot", {}, true, 2},
    {"numpy.vdot", "a, b", "linalg:vdot", {}, false, 2},
    {"numpy.matmul", "a, b", "linalg:matmul", {}, false, 2},
    {"numpy.linalg.norm", "x, ord=", "linalg:norm", {}},
    {"numpy.linalg.det", "a", "linalg:det", {}},
    {"numpy.linalg.inv", "a", "linalg:inv", {}},
    {"numpy.linalg.solve", "a, b", "linalg:solve", {}, false, 2},
    {"numpy.linalg.cholesky", "a", "linalg:cholesky", {}},
    {"numpy.linalg.matrix_power", "a, n", "linalg:matrix_power", {}},
    {"numpy.random.seed", "seed=", "random:seed", {}, false, 0},
    {"numpy.random.random", "size=", "random:random", {}, false, 0},
    {"numpy.random.random_sample", "size=", "random:random", {}, false, 0},
    {"numpy.random.ranf", "size=", "random:random", {}, false, 0},
    {"numpy.random.sample", "size=", "random:random", {}, false, 0},
    {"numpy.random.standard_normal", "size=", "random:standard_normal", {}, false, 0},
    {"numpy.random.standard_exponential", "size=", "random:standard_exponential", {}, false, 0},
    {"numpy.random.standard_cauchy", "size=", "random:standard_cauchy", {}, false, 0},
    {"numpy.random.uniform", "low=, high=, size=", "random:uniform", {}, false, 0},
    {"numpy.random.normal", "loc=, scale=, size=", "random:normal", {}, false, 0},
    {"numpy.random.exponential", "scale=, size=", "random:exponential", {}, false, 0},
    {"numpy.random.gamma", "shape, scale=, size=", "random:gamma", {}, false, 0},
    {"numpy.random.laplace", "loc=, scale=, size=", "random:laplace", {}, false, 0},
    {"numpy.random.gumbel", "loc=, scale=, size=", "random:gumbel", {}, false, 0},
    {"numpy.random.logistic", "loc=, scale=, size=", "random:logistic", {}, false, 0},
    {"numpy.random.lognormal", "mean=, sigma=, size=", "random:lognormal", {}, false, 0},
    {"numpy.random.rayleigh", "scale=, size=", "random:rayleigh", {}, false, 0},
    {"numpy.random.poisson", "lam=, size=", "random:poisson", {}, false, 0},
    {"numpy.random.randint", "low, high=, size=", "random:randint", {}, false, 0},
    {"numpy.random.beta", "a, b, size=", "random:beta", {}, false, 0},
    {"numpy.random.binomial", "n, p, size=", "random:binomial", {}, false, 0},
    {"numpy.random.chisquare", "df, size=", "random:chisquare", {}, false, 0},
    {"numpy.random.f", "dfnum, dfden, size=", "random:f", {}, false, 0},
    {"numpy.random.geometric", "p, size=", "random:geometric", {}, false, 0},
    {"numpy.random.negative_binomial", "n, p, size=", "random:negative_binomial", {}, false, 0},
    {"numpy.random.pareto", "a, size=", "random:pareto", {}, false, 0},
    {"numpy.random.power", "a, size=", "random:power", {}, false, 0},
    {"numpy.random.standard_gamma", "shape, size=", "random:standard_gamma", {}, false, 0},
    {"numpy.random.standard_t", "df, size=", "random:standard_t", {}, false, 0},
    {"numpy.random.triangular", "left, mode, right, size=", "random:triangular", {}, false, 0},
    {"numpy.random.wald", "mean, scale, size=", "random:wald", {}, false, 0},
    {"numpy.random.weibull", "a, size=", "random:weibull", {}, false, 0},
    {"numpy.random.shuffle", "x", "random:shuffle", {}},
    {"numpy.random.permutation", "x", "random:permutation", {}},
    {"numpy.random.choice", "a, size=, replace=", "random:choice", {}},
};

const LibraryRow *findRow(std::string_view name) {
  for (const LibraryRow &row : kRows)
    if (row.name == name)
      return &row;
  return nullptr;
}

bool isArrayLike(TypeId type) { return type.valid() && (isArray(type) || isScalar(type)); }

Resolution libraryCall(const Query &query) {
  const LibraryRow &row = *findRow(query.name);
  std::string_view plain = row.name.substr(row.name.rfind('.') + 1);
  BoundArguments bound = bindArguments(plain, row.parameters, query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  for (unsigned i = 0; i < row.arrays; ++i)
    if (!isArrayLike(boundOperand(bound, i, query).type))
      return {};
  std::string function = "naja.library." + std::string(row.function);
  size_t count = bound.operand.size();
  if (size_t mark = function.find('$'); mark != std::string::npos) {
    --count;
    AbstractValue value = boundOperand(bound, count, query);
    std::optional<std::string_view> text = isNone(value) ? row.fallback : constantString(value);
    if (!text)
      return Resolution::error(std::string(plain) + ": the last argument must be a constant string");
    function.replace(mark, 1, *text);
  }
  std::vector<Resolution::Arg> args;
  for (size_t i = 0; i < count; ++i) {
    int operand = bound.operand[i];
    args.push_back(operand >= 0 ? Resolution::Arg{operand, {}} : Resolution::Arg{-1, ConstantStore::global().none()});
  }
  return Resolution::callLibrary(std::move(function), std::move(args));
}

/// rand(d0, d1, ...) and randn: the extents as arguments; none: one number.
Resolution randOf(const Query &query) {
  std::string function = query.name == "numpy.random.rand" ? "random" : "standard_normal";
  size_t count = query.operands.size();
  for (const AbstractValue &operand : query.operands)
    if (!isIndexLike(operand.type))
      return Resolution::error("the extents must be ints, not " + toString(operand.type));
  if (count == 0)
    return Resolution::callLibrary("naja.library.random:" + function, {{-1, ConstantStore::global().none()}});
  std::vector<Resolution::Arg> args;
  for (size_t i = 0; i < count; ++i)
    args.push_back({static_cast<int>(i), {}});
  return Resolution::callLibrary("naja.library.random:" + function + "_of", std::move(args));
}

/// a @ b
Resolution matmulOperator(ir::BinaryOp op, bool, const Query &query) {
  if (op != ir::BinaryOp::MatMul || !isArray(query.operands[0].type) || !isArray(query.operands[1].type))
    return {};
  return Resolution::callLibrary("naja.library.linalg:matmul", {{0, {}}, {1, {}}});
}

} // namespace

void registerArrayLibrary(Table &table) {
  for (const LibraryRow &row : kRows) {
    if (row.is_method)
      table.method(TypeKind::Array, row.name, libraryCall);
    else
      table.call(row.name, libraryCall);
  }
  table.binary(matmulOperator);
  table.call("numpy.random.rand", randOf);
  table.call("numpy.random.randn", randOf);
}

} // namespace naja::library
