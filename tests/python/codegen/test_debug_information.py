"""debug=True describes the variables of the Python function; other code carries nothing for it."""

import numpy as np
from naja import njit
from test_vectorized import filecheck, pytestmark  # noqa: F401

CHECKS = """
CHECK: #dbg_value(ptr {{.*}}, ![[VALUES:[0-9]+]], !DIExpression(DW_OP_LLVM_fragment, 0, 64)
CHECK: #dbg_value(i64 {{.*}}, ![[VALUES]], !DIExpression(DW_OP_LLVM_fragment, 64, 64)
CHECK-DAG: ![[VALUES]] = !DILocalVariable(name: "values", {{.*}}, type: ![[ARRAY:[0-9]+]])
CHECK-DAG: ![[ARRAY]] = !DICompositeType(tag: DW_TAG_structure_type, name: "array(float64, 1d, C)"
CHECK-DAG: !DIDerivedType(tag: DW_TAG_member, name: "data",
CHECK-DAG: !DIDerivedType(tag: DW_TAG_member, name: "n0",
CHECK-DAG: !DILocalVariable(name: "scale", {{.*}}, type: ![[INT:[0-9]+]])
CHECK-DAG: ![[INT]] = !DIBasicType(name: "int64", size: 64, encoding: DW_ATE_signed)
CHECK-DAG: !DILocalVariable(name: "result", {{.*}}, type: ![[FLOAT:[0-9]+]])
CHECK-DAG: ![[FLOAT]] = !DIBasicType(name: "float64", size: 64, encoding: DW_ATE_float)
CHECK-DAG: !DILocalVariable(name: "scaled",
"""


def total(values, scale):
    result = 0.0
    for i in range(values.shape[0]):
        scaled = values[i] * scale
        result += scaled
    return result


def test_variables(tmp_path):
    compiled = njit(debug=True)(total)
    assert compiled(np.arange(5.0), 2) == 20.0
    filecheck(compiled.inspect_llvm(compiled.signatures[0]), CHECKS, tmp_path)


def test_nothing_without_debug():
    compiled = njit(total)
    compiled(np.arange(5.0), 2)
    assert "dbg_value" not in compiled.inspect_llvm(compiled.signatures[0])
