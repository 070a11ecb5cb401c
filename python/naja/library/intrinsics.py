"""What the library's code calls of the runtime. The bodies are never run: cpp/naja/library/array_intrinsics.cpp and its
kin say what a call becomes."""


def sort(x):
    """Sorts a contiguous array of one axis in place."""


def argsort(x, order, stable):
    """Writes the order of a contiguous array of one axis into one of int64. `stable` is constant."""


def gemm(a, b, out):
    """out = a @ b of contiguous matrices of one float dtype by the process's BLAS; whether that was done (False, a constant, for others)."""


def random_seed(which, seed):
    """Seeds generator `which` (0: numpy.random, 1: random; constant) of this thread."""


def random_double(which):
    """The next number in [0, 1)."""


def random_gauss(which):
    """The next standard normal number."""


def random_uint32(which):
    """The next 32 bits."""


def random_fill(which, out):
    """Fills a C-contiguous array of float64 with numbers in [0, 1)."""


def sum_dtype(a):
    """The dtype of np.sum of an array or dtype; a constant, as those below."""


def mean_dtype(a):
    """The dtype of np.mean."""


def real_dtype(a):
    """The dtype of np.abs."""


def map_function(function, *operands):
    """The function of the elements of operands (arrays broadcast together, numbers): a new array, or a number."""


def map_function_into(out, function, *operands):
    """The same into an existing array."""
