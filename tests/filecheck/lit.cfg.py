# lit configuration: tests are .nir files whose RUN lines use naja-opt, naja-run and FileCheck.
import os
import shutil

import lit.formats

config.name = "naja"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".nir"]
config.test_source_root = os.path.dirname(__file__)
ROOT = os.path.dirname(os.path.dirname(config.test_source_root))
config.test_exec_root = os.path.join(ROOT, "build", "filecheck")


def find(*names):
    for name in names:
        if path := shutil.which(name):
            return path
    return names[0]


def tool(name):
    """The tool on PATH (make test sets it), else of the dev build."""
    return shutil.which(name) or os.path.join(ROOT, "build", "dev", "cpp", "tools", name)


config.substitutions += [
    ("naja-opt", tool("naja-opt")),
    ("naja-run", tool("naja-run")),
    ("naja-reduce", tool("naja-reduce")),
    ("FileCheck", find("FileCheck-22", "FileCheck", "/usr/lib/llvm-22/bin/FileCheck")),
]
