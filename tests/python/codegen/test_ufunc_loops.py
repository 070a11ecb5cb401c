"""Claims about the loops of ufuncs, as FileCheck patterns on their typed NIR and optimised LLVM IR."""

import math

import pytest
from naja import guvectorize, vectorize
from test_vectorized import filecheck, pytestmark  # noqa: F401


@pytest.fixture
def check(tmp_path):
    return lambda ufunc, stage, checks: filecheck(ufunc.inspect_loop(stage=stage), checks, tmp_path)


def test_contiguous_operands_are_vectorised(check):
    f = vectorize(["float64(float64, float64)"])(lambda a, b: a * 2.0 + b)
    check(f, "opt.ll", """
    CHECK-LABEL: define {{.*}}i32 @
    CHECK: vector.body
    CHECK: load <[[N:[0-9]+]] x double>
    CHECK: fmul <[[N]] x double>
    CHECK: fadd <[[N]] x double>
    CHECK: store <[[N]] x double>
    """)


def test_a_fixed_operand_is_loaded_once(check):
    f = vectorize(["float32(float32, float32)"])(lambda a, b: a * b)
    check(f, "opt.nir", """
    CHECK: ptr.load {{.*}} : float32
    CHECK: loop
    CHECK: ptr.load {{.*}} : float32
    CHECK: fmul
    CHECK: ptr.store
    """)
    check(f, "opt.ll", """
    CHECK: shufflevector <[[N:[0-9]+]] x float> {{.*}} zeroinitializer
    CHECK: fmul <[[N]] x float>
    """)


def test_the_kernel_is_inlined_and_cannot_raise(check):
    f = vectorize(["float64(float64, float64)"])(lambda a, b: a / b)
    check(f, "opt.nir", """
    CHECK-NOT: call @
    CHECK-NOT: check_nonzero
    """)
    assert f.inspect_loop(stage="opt.nir").count("func @") == 1


def test_branches_and_math_functions_are_vectorised(check):
    f = vectorize(["float64(float64, float64)"])(lambda a, b: a if a > b else b * 0.5)
    check(f, "opt.ll", """
    CHECK: fcmp {{.*}}<[[N:[0-9]+]] x double>
    CHECK: select <[[N]] x i1>
    """)
    g = vectorize(["float64(float64)"])(lambda a: math.exp(a))
    check(g, "opt.ll", """
    CHECK: call {{.*}}<{{[0-9]+}} x double> @_ZGV{{.*}}_exp
    """)


def test_integers_are_reduced_in_vectors(check):
    f = vectorize(["int64(int64, int64)"])(lambda a, b: a + b)
    check(f, "opt.ll", """
    CHECK: call i64 @llvm.vector.reduce.add
    """)


def test_contiguous_core_arrays_are_vectorised(check):
    def kernel(x, y, out):
        for i in range(x.shape[0]):
            out[i] = x[i] * y

    check(guvectorize(["float64[:], float64, float64[:]"], "(n),()->(n)")(kernel), "opt.ll", """
    CHECK: fmul <[[N:[0-9]+]] x double>
    CHECK: store <[[N]] x double>
    """)


def test_large_kernels_are_there_once(check):
    f = vectorize(["int64(int64)"])(lambda n: sum_to(n))
    text = f.inspect_loop(stage="opt.nir")
    assert text.count(": loop") <= 4  # the loop over the elements and that of the kernel, in strips


def sum_to(n):
    s = 0
    for i in range(n):
        s += i * i
    return s
