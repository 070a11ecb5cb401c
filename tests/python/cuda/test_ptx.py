"""PTX: what is in it, and that NVIDIA's assembler takes it where it is installed."""

import glob
import math
import os
import re
import runpy
import shutil
import subprocess
import sysconfig

import numpy as np
import pytest
from naja import cuda, float32, float64, int32, types
from naja.cuda.compiler import libdevice

needs_libdevice = pytest.mark.skipif(not libdevice(), reason="libdevice is not installed")
EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", "cuda")


def find_ptxas():
    for package in glob.glob(os.path.join(sysconfig.get_paths()["purelib"], "nvidia", "*", "bin", "ptxas")):
        return package
    return shutil.which("ptxas")


def assemble(ptx, cc, tmp_path):
    source = tmp_path / "code.ptx"
    source.write_text(ptx)
    run = subprocess.run([find_ptxas(), "-v", f"-arch=sm_{cc[0]}{cc[1]}", str(source), "-o", str(tmp_path / "code.cubin")],
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stderr


def test_narrow_integers():
    def lcg(x, n):
        for _ in range(n):
            x = x * int32(1103515245) + int32(12345)
        return x

    ptx, result = cuda.compile_ptx(lcg, int32(int32, int32), device=True, cc=(8, 0))
    assert result == types.int32 and ".target sm_80" in ptx
    assert not re.search(r"\b(mul|mad|add)\S*\.[su]64\b", ptx)


def test_float32_stays():
    ptx, result = cuda.compile_ptx(lambda a: a * 0.5 + 1.0, float32(float32), device=True)
    assert result == types.float32 and ".f64" not in ptx and "sm_75" in ptx


def test_kernel():
    def kernel(a, out):
        s = cuda.shared.array(64, float32)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        s[t] = a[i]
        cuda.syncthreads()
        cuda.atomic.add(out, 0, s[63 - t])

    ptx, result = cuda.compile_ptx(kernel, types.void(float32[:], float32[:]))
    assert result == types.none
    for wanted in (".visible .entry", ".shared", "bar.sync", "%tid.x", "%ctaid.x", "atom"):
        assert wanted in ptx, wanted
    assert "naja_rt" not in ptx


def test_c_abi():
    def add(x, y):
        return x + y

    code, result = cuda.compile(add, float64(float64, float64))
    assert result == types.float64
    assert re.search(r"\.visible \.func\s+\(\.param \.b64 func_retval0\) add\(", code)
    code, _ = cuda.compile(add, float64(float64, float64), abi_info={"abi_name": "plus"})
    assert ") plus(" in code


def test_refused():
    with pytest.raises(TypeError, match="void return type"):
        cuda.compile_ptx(lambda x: x, (int32,))
    with pytest.raises(NotImplementedError, match="Unsupported ABI"):
        cuda.compile(lambda x: x, (int32,), abi="fortran")
    with pytest.raises(NotImplementedError, match="C ABI"):
        cuda.compile(lambda x: None, (int32,), device=False)
    with pytest.raises(ValueError, match="compute capability"):
        cuda.compile(lambda x: x, (int32,), cc=(3, 0))


@needs_libdevice
def test_math():
    def function(x):
        return math.sin(x) + math.pow(x, 1.5) + math.erf(x)

    for dtype in (float32, float64):
        ptx, _ = cuda.compile(function, dtype(dtype), cc=(9, 0))
        assert "__nv_" not in ptx and "reflect" not in ptx


def test_inspection():
    @cuda.jit
    def kernel(a):
        a[cuda.grid(1)] += 1

    kernel[1, 4](np.zeros(4))
    assert list(kernel.inspect_ptx()) == kernel.signatures
    assert ".entry" in kernel.inspect_asm(kernel.signatures[0])
    assert "nvptx64" in kernel.inspect_llvm(kernel.signatures[0])


@pytest.mark.skipif(not find_ptxas(), reason="ptxas is not installed")
@pytest.mark.parametrize("cc", [(7, 5), (9, 0), (10, 0)])
def test_ptxas_takes_the_examples(cc, tmp_path, capsys):
    for path in sorted(glob.glob(os.path.join(EXAMPLES, "*.py"))):
        scope = runpy.run_path(path)
        scope["main"]()
        for kernel in scope.values():
            if isinstance(kernel, type(scope["cuda"].jit(lambda: None))) and not kernel.device:
                for signature in kernel.signatures:
                    ptx, _ = cuda.compile_ptx(kernel, signature, cc=cc)
                    assert "registers" in assemble(ptx, cc, tmp_path)
