// What compiled code and the runtime agree on. C ABI; no compiler layer, no LLVM, no Python.h.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

// ---- status of a compiled function
enum : int32_t {
  NAJA_OK = 0,
  NAJA_RAISED = 1,       // the exception is in the thread's runtime state (naja_rt_take_exception)
  NAJA_PYTHON_ERROR = 2, // a Python error is set already
};

// ---- owners: who keeps memory alive
// null: nobody (frozen or foreign memory). Low bit set: `pointer - 1` is a PyObject* that the caller of the outermost
// compiled function keeps alive for the duration of the call (an argument): counting references to it does nothing.
// Otherwise a MemInfo.
struct naja_meminfo {
  int64_t refcount;           // atomic
  void (*destroy)(naja_meminfo *); // frees payload and itself; null: naja_rt_free
  void *data;                 // start of the payload
  size_t size;
  void *context;              // PyObject* of an external owner, or of the destructor
};
typedef void *naja_owner;

/// The payload follows its owner at this distance, so that compiled code can tell what points into fresh memory.
enum { NAJA_PAYLOAD_OFFSET = 64 };
/// Payload aligned to 64 bytes. `*data` gets its address. zeroed: 0 or 1. Returns null (and records MemoryError) on failure.
naja_owner naja_rt_alloc(uint64_t bytes, int32_t zeroed, void **data);
void naja_rt_incref(naja_owner owner); // atomic; null and tagged: nothing
void naja_rt_decref(naja_owner owner); // at 0: destroy
/// An owner that outlives the call: a tagged one becomes a MemInfo holding a reference (takes the GIL), else incref.
naja_owner naja_rt_escape(naja_owner owner);
/// The owner of a payload that naja_rt_alloc returned.
naja_owner naja_rt_owner_of(void *data);
int64_t naja_rt_live_allocations(void); // for leak tests
int64_t naja_rt_total_allocations(void);

// ---- exceptions
/// Where code comes from: one for each source file, in data that the loader of cached code fills. Lines in code are those
/// of the time when it was compiled; where functions have moved since then, `moved` says how far.
struct naja_moved_lines { int32_t first, last, shift, unused; const char *file; };
struct naja_origin {
  const char *file;
  const struct naja_moved_lines *moved; // the last range that has the line counts (inner ones follow outer ones)
  int64_t moved_count;
};
/// Static description of a raise site, emitted as data with the code. Ids are of a process: they are read through slots
/// that the loader of cached code fills.
struct naja_raise_site {
  const uint32_t *exception; // ConstId of the class; null: none
  const uint32_t *args_type; // TypeId of the tuple of arguments
  const naja_origin *origin;
  const char *function;
  int32_t line;
  int32_t args_size;      // bytes at `args`
};
/// Records an exception; `args`: the arguments' scalars as a C struct (copied; references are taken over).
void naja_rt_raise(const naja_raise_site *site, const void *args);
enum naja_builtin_exception : uint32_t {
  NAJA_ZeroDivisionError, NAJA_IndexError, NAJA_ValueError, NAJA_TypeError, NAJA_OverflowError, NAJA_MemoryError,
  NAJA_UnboundLocalError, NAJA_RecursionError, NAJA_AssertionError, NAJA_KeyError, NAJA_StopIteration,
  NAJA_RuntimeError, NAJA_NotImplementedError, NAJA_SystemError, NAJA_NameError, NAJA_AttributeError,
};
/// Records a builtin exception with a ready text. origin, function may be null.
void naja_rt_raise_text(uint32_t exception, const char *text, const naja_origin *origin, const char *function, int32_t line);
/// `index` has been wrapped: a negative one is named as it was before.
void naja_rt_raise_index(int64_t index, int64_t axis, int64_t size, const naja_origin *origin, const char *function,
                         int32_t line);
void naja_rt_raise_broadcast(const char *text, int64_t a, int64_t b, const naja_origin *origin, const char *function,
                             int32_t line);

/// The exception in flight of this thread, for bindings; cleared by taking it. `site` null: text form.
struct naja_exception {
  const naja_raise_site *site;
  void *args;             // owned: free with naja_rt_free_exception
  uint32_t builtin;
  char text[504];
  const char *file, *function;
  int32_t line;
};
int32_t naja_rt_take_exception(naja_exception *out); // 1: there was one
void naja_rt_free_exception(naja_exception *exception);

// ---- services of the interpreter, installed by _core
struct naja_python_services {
  /// Calls PyErr_CheckSignals under the GIL: 0 or NAJA_PYTHON_ERROR.
  int32_t (*check_signals)(void);
  /// Prints boxed values separated by spaces: types and a C struct of all their scalars.
  int32_t (*print)(uint32_t count, const uint32_t *types, const void *values);
  void (*incref_object)(void *object); // take the GIL
  void (*decref_object)(void *object);
  /// Boxes a value; null with a Python error set.
  void *(*box)(uint32_t type, const void *value);
  /// Fills in NumPy's own sorting functions; those it does not have stay null.
  void (*sorts)(struct naja_sort_table *out);
  /// For parallel regions; null where there are none. Gives up the GIL if this thread has it: null, or what acquire_gil takes.
  void *(*release_gil)(void);
  void (*acquire_gil)(void *state);
  /// The exception that is set on this thread, cleared and as an object; and back again. Take the GIL.
  void *(*take_error)(void);
  void (*restore_error)(void *exception);
};
void naja_rt_install_python(const naja_python_services *services);
/// Puts the handler of SIGINT in front of the one in place (calls it, then sets naja_rt_signal_pending); nothing if it is
/// in front already. Cheap enough to repeat: Python replaces handlers.
void naja_rt_install_signal_handler(void);
extern volatile int32_t naja_rt_signal_pending; // set by the signal handler; compiled loops read it
int32_t naja_rt_poll_signals(void);             // cold path: status
int32_t naja_rt_print(uint32_t count, const uint32_t *types, const void *values);
void *naja_rt_box(uint32_t type, const void *value);
/// References to PyObjects; null: nothing.
void naja_rt_incref_object(void *object);
void naja_rt_decref_object(void *object);

/// Adds symbols that compiled code may name (of layers above the runtime). The table is kept, not copied; once, while one
/// thread runs.
void naja_rt_add_symbols(const struct naja_symbol *table, size_t count);

// ---- stack
/// NAJA_OK, or NAJA_RAISED with RecursionError where less than 64 KiB of this thread's stack are left.
int32_t naja_rt_check_stack(void);
/// What the symbol "naja_rt_stack_limit" is bound to: the distance of the lowest address that the stack may reach (a
/// thread-local word) from the thread pointer, so that compiled code compares before it calls naja_rt_check_stack. Null where
/// there is none.
void *naja_rt_stack_limit(void);

// ---- arithmetic that is better a call
int64_t naja_rt_ipow_i64(int64_t base, int64_t exponent); // exponent >= 0; wraps
uint64_t naja_rt_ipow_u64(uint64_t base, uint64_t exponent);
uint64_t naja_rt_gcd_u64(uint64_t a, uint64_t b);

// ---- sorting: NumPy's functions, which need no GIL and know the machine's vector instructions; else those of C++
enum naja_dtype : uint32_t {
  NAJA_BOOL, NAJA_INT8, NAJA_INT16, NAJA_INT32, NAJA_INT64, NAJA_UINT8, NAJA_UINT16, NAJA_UINT32, NAJA_UINT64,
  NAJA_FLOAT32, NAJA_FLOAT64, NAJA_COMPLEX64, NAJA_COMPLEX128, NAJA_DTYPES
};
struct naja_sort_table {
  int (*sort[NAJA_DTYPES])(void *data, intptr_t count, void *array);
  int (*argsort[NAJA_DTYPES])(void *data, intptr_t *order, intptr_t count, void *array);
  int (*stable_argsort[NAJA_DTYPES])(void *data, intptr_t *order, intptr_t count, void *array);
};
/// Contiguous items; NaNs go last.
void naja_rt_sort(uint32_t dtype, void *data, int64_t count);
void naja_rt_argsort(uint32_t dtype, int32_t stable, void *data, int64_t *order, int64_t count);

// ---- random numbers, per thread; `which`: 0 numpy.random, 1 the random module
void naja_rt_random_seed(int32_t which, uint32_t value);
uint32_t naja_rt_random_u32(int32_t which);
double naja_rt_random_double(int32_t which); // [0, 1)
double naja_rt_random_gauss(int32_t which);  // mean 0, variance 1
void naja_rt_random_fill(int32_t which, double *out, int64_t count); // as many calls of naja_rt_random_double

// ---- products of matrices: the BLAS of the process (NumPy's), where it is known
/// c = a @ b, row-major and contiguous, of m x k and k x n; a transposed operand is the C-contiguous memory of its
/// transpose. 1: done; 0: no BLAS, or none of this dtype.
int32_t naja_rt_gemm(uint32_t dtype, int64_t m, int64_t n, int64_t k, const void *a, int32_t a_transposed, const void *b,
                     int32_t b_transposed, void *c);

// ---- elementwise work: the loops around the row kernels of array.map, array.map_into and array.reduce
enum { NAJA_STOP = -1 }; // a row kernel of a reduction: the result cannot change any more
/// Does `n` (at least 1) elements: pointers[i] is element 0 of operand i, each advances by its item size. The rest is in
/// `frame`. Returns a status.
typedef int32_t (*naja_row_kernel)(char *const *pointers, int64_t n, uint64_t *frame);
enum naja_elementwise_kind : uint8_t { NAJA_MAP, NAJA_MAP_INTO, NAJA_REDUCE };
/// `position`: word of the frame with the data pointer; extents follow, then strides in bytes where layout is 2 (A).
struct naja_elementwise_operand {
  uint32_t position;
  uint32_t item_size;
  uint16_t ndim;
  uint8_t layout; // 0 C, 1 F, 2 A
  uint8_t whole;  // read by the kernel through the frame: not broadcast, has no entry in `pointers`
  uint32_t unused;
};
/// What naja_rt_elementwise needs to know to use threads. Of a map nothing here matters.
struct naja_elementwise_parallel {
  uint32_t frame_words;
  uint32_t accumulator, compensation; // words of the frame; compensation 0: there is none
  uint8_t reduction;                  // ir::ReduceKind
  uint8_t dtype;                      // naja_dtype of the accumulator
  uint16_t unused;
};
/// Static description, emitted with the code. Operand 0 of a map is its output; that of NAJA_MAP is allocated here: owner
/// (in the word before `position`), data and extents are results.
struct naja_elementwise {
  naja_row_kernel kernel;
  const naja_origin *origin;
  const char *function;
  int32_t line;
  uint16_t operands;
  uint8_t kind;
  uint8_t unused;
  int64_t longest_row; // elements that one call of the kernel may get; 0: any number
  const struct naja_elementwise_operand *operand;
  const struct naja_elementwise_parallel *parallel; // null: on the calling thread alone
};
int32_t naja_rt_elementwise(const struct naja_elementwise *plan, uint64_t *frame);

// ---- table of all symbols that compiled code may name
struct naja_symbol { const char *name; void *address; };
/// Sorted by name; includes libm, libmvec and the functions above.
const naja_symbol *naja_rt_symbols(size_t *count);
void *naja_rt_find_symbol(const char *name);
/// Lets this copy of the runtime answer naja_rt_find_symbol from another one (`_compiler` from `_core`).
void naja_rt_delegate(void *(*find)(const char *name));
}
