"""Claims about machine code, as FileCheck patterns on the optimised LLVM IR (inspect_llvm) and assembly (inspect_asm) of a
function: its loops are vectorised as clang's would be, checks that cannot fail are gone, induction variables do not wrap."""

import math
import platform
import shutil
import subprocess

import numpy as np
import pytest
from naja import njit

FILECHECK = next((path for name in ("FileCheck-22", "FileCheck", "/usr/lib/llvm-22/bin/FileCheck")
                  if (path := shutil.which(name))), None)  # fmt: skip
pytestmark = [
    pytest.mark.skipif(FILECHECK is None, reason="FileCheck is not installed (Debian package llvm-22-tools)"),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the patterns are of x86-64"),
]

F8 = np.ones(40)
F4 = np.ones(40, np.float32)
I8 = np.arange(1, 41)


def filecheck(text, checks, tmp_path):
    pattern = tmp_path / "checks.txt"
    pattern.write_text(checks)
    done = subprocess.run([FILECHECK, "--dump-input=fail", pattern], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:4000]


@pytest.fixture
def check_llvm(tmp_path):
    """check_llvm(checks, args)(function): compiles the function for these arguments and holds its LLVM IR against the checks."""

    def check(checks, *args, **options):
        def compile_and_check(function):
            compiled = njit(**options)(function)
            compiled(*args)
            filecheck(compiled.inspect_llvm(compiled.signatures[0]), checks, tmp_path)
            return compiled

        return compile_and_check

    return check


def test_integer_sum_is_vectorised(check_llvm):
    @check_llvm("""
    CHECK: load <[[N:[0-9]+]] x i64>
    CHECK: add <[[N]] x i64>
    CHECK: call i64 @llvm.vector.reduce.add
    """, I8)
    def total(a):
        s = 0
        for i in range(a.shape[0]):
            s += a[i]
        return s


def test_float_sum_keeps_its_order(check_llvm):
    @check_llvm("""
    CHECK-NOT: fadd <
    CHECK: fadd double
    """, F8)
    def total(a):
        s = 0.0
        for i in range(a.shape[0]):
            s += a[i]
        return s


def test_fastmath_sum_is_vectorised(check_llvm):
    @check_llvm("CHECK: fadd {{.*}}<{{[0-9]+}} x double>", F8, fastmath=True)
    def total(a):
        s = 0.0
        for i in range(a.shape[0]):
            s += a[i]
        return s


def test_saxpy_is_vectorised(check_llvm):
    @check_llvm("""
    CHECK: load <[[N:[0-9]+]] x float>
    CHECK: fmul <[[N]] x float>
    CHECK: fadd <[[N]] x float>
    CHECK: store <[[N]] x float>
    """, np.float32(2), F4, F4.copy())
    def saxpy(alpha, x, y):
        for i in range(x.shape[0]):
            y[i] = alpha * x[i] + y[i]


def test_array_expression_is_one_vector_loop(check_llvm):
    @check_llvm("""
    CHECK: fmul <[[N:[0-9]+]] x double>
    CHECK: fadd <[[N]] x double>
    CHECK: store <[[N]] x double>
    """, F8, F8.copy())
    def fused(a, b):
        return a * b + a


@pytest.mark.parametrize("name", ["exp", "sin", "log", "cos", "pow"])
def test_math_loops_call_libmvec(name, tmp_path):
    function = getattr(math, name)
    if name == "pow":
        def loop(x, out):
            for i in range(x.shape[0]):
                out[i] = function(x[i], 1.37)
    else:
        def loop(x, out):
            for i in range(x.shape[0]):
                out[i] = function(x[i])
    compiled = njit(loop)
    compiled(F8, np.empty(40))
    signature = compiled.signatures[0]
    filecheck(compiled.inspect_llvm(signature), f"CHECK: call {{{{.*}}}}@_ZGV{{{{[bcde]N[0-9]+v+}}}}_{name}(", tmp_path)
    filecheck(compiled.inspect_asm(signature), f"CHECK: _ZGV{{{{[bcde]N[0-9]+v+}}}}_{name}", tmp_path)


def test_ufunc_calls_libmvec(check_llvm):
    @check_llvm("CHECK: @_ZGV{{[bcde]N[0-9]+v+}}_exp(", F8)
    def f(a):
        return np.exp(a)


def test_division_by_a_literal_is_vectorised_and_unchecked(check_llvm):
    @check_llvm("""
    CHECK-NOT: ZeroDivisionError
    CHECK-NOT: naja_rt_raise
    CHECK: fmul <{{[0-9]+}} x double>
    CHECK-NOT: naja_rt_raise
    """, F8, F8.copy())
    def halves(a, out):
        for i in range(a.shape[0]):
            out[i] = a[i] / 2.0


def test_integer_floor_division_by_a_literal_has_no_division(check_llvm):
    @check_llvm("""
    CHECK-NOT: sdiv
    CHECK-NOT: udiv
    CHECK-NOT: naja_rt_raise
    CHECK: ashr <{{[0-9]+}} x i64>
    """, I8, I8.copy())
    def quarters(a, out):
        for i in range(a.shape[0]):
            out[i] = a[i] // 4


def test_indices_known_to_be_in_range_are_not_wrapped(check_llvm):
    @check_llvm("""
    CHECK: vector.body:
    CHECK-NOT: select
    CHECK-NOT: icmp slt
    CHECK: fadd <{{[0-9]+}} x double>
    CHECK-NOT: select
    CHECK: store <{{[0-9]+}} x double>
    CHECK-NOT: naja_rt_raise
    """, F8, np.empty(40))
    def neighbours(a, out):
        n = a.shape[0]
        for i in range(1, n - 1):
            out[i] = a[i - 1] + a[i + 1]


def test_bounds_checks_that_cannot_fail_are_gone(check_llvm):
    @check_llvm("""
    CHECK-NOT: naja_rt_raise_index
    CHECK: load <{{[0-9]+}} x i64>
    CHECK-NOT: naja_rt_raise_index
    """, I8, boundscheck=True)
    def total(a):
        s = 0
        for i in range(a.shape[0]):
            s += a[i]
        return s


def test_bounds_checks_that_may_fail_stay(check_llvm):
    @check_llvm("CHECK: call {{.*}}@naja_rt_raise_index", I8, 3, boundscheck=True)
    def at(a, i):
        return a[i]


def test_induction_variables_do_not_wrap(check_llvm):
    @check_llvm("CHECK: add nuw nsw i64 %{{[0-9]+}}, 1", F8, F8.copy())
    def neighbours(a, out):
        for i in range(1, a.shape[0]):
            out[i] = a[i - 1] * out[i - 1]


def test_functions_that_cannot_raise_return_no_status_to_callers(check_llvm):
    @njit
    def square(x):
        return x * x

    @check_llvm("""
    CHECK-NOT: call {{.*}}square
    CHECK: fmul <{{[0-9]+}} x double>
    """, F8, F8.copy())
    def squares(a, out):
        for i in range(a.shape[0]):
            out[i] = square(a[i])


def test_start_of_a_range_decides_whether_its_indices_wrap(check_llvm):
    # In the loop for a `begin` that is not negative nothing asks for the sign of the index, so that it vectorises.
    @check_llvm("""
    CHECK: add <[[N:[0-9]+]] x i64>
    CHECK: call i64 @llvm.vector.reduce.add
    """, I8, 3, 17)
    def part(a, begin, end):
        s = 0
        for k in range(begin, end):
            s += a[k]
        return s

    assert part(I8, 3, 17) == sum(range(4, 18))
    assert part(I8, -3, 5) == 38 + 39 + 40 + 1 + 2 + 3 + 4 + 5
    assert part(I8, -3, -1) == 38 + 39


def test_rare_cases_of_a_checked_loop_share_one_loop(check_llvm):
    # One scalar division: for arrays that overlap, for short loops, and for the strip in which a check fails.
    @check_llvm("""
    CHECK: fdiv <[[N:[0-9]+]] x double>
    CHECK: fdiv double
    CHECK-NOT: fdiv double
    """, F8, F8.copy(), np.empty(40))
    def divide(a, b, out):
        for i in range(a.shape[0]):
            out[i] = math.exp(a[i]) / b[i]


def test_load_of_the_iteration_before_is_not_repeated(check_llvm):
    # What the comparison loaded is what the next iteration stores.
    @check_llvm("""
    CHECK: [[V:%[.a-z0-9]+]] = phi double
    CHECK-NOT: load
    CHECK: store double [[V]]
    """, F8, 5)
    def sort_windows(a, width):
        window = np.empty(width)
        for i in range(a.shape[0] - width):
            for j in range(width):
                k = j
                while k > 0 and window[k - 1] > a[i + j]:
                    window[k] = window[k - 1]
                    k -= 1
                window[k] = a[i + j]
        return window[0]


def _cpu_flags():
    try:
        with open("/proc/cpuinfo") as info:
            return next((line for line in info if line.startswith("flags")), "").split()
    except OSError:
        return []


@pytest.mark.skipif(not {"gfni", "vaes"} <= set(_cpu_flags()), reason="the CPU divides 64 bits slowly")
def test_divisions_do_not_ask_for_small_operands(tmp_path):
    @njit
    def quotients(a, d):
        s = 0
        for i in range(a.shape[0]):
            s += a[i] // d + a[i] % d
        return s

    assert quotients(I8 - 20, 7) == sum(x // 7 + x % 7 for x in range(-19, 21))
    filecheck(quotients.inspect_asm(quotients.signatures[0]), "CHECK-NOT: divl\nCHECK: idivq\nCHECK-NOT: divl\n", tmp_path)
