#!/usr/bin/env python3
"""Runs lit on the given folders, with whichever lit of LLVM 22 is installed."""

import os
import shutil
import sys
from pathlib import Path


def main():
    candidates = ("lit-22", "llvm-lit-22", "lit", "llvm-lit")
    lit = next((path for name in candidates if (path := shutil.which(name))), None)
    if lit is None:
        print("run_lit: lit is not installed (Debian package llvm-22-tools)", file=sys.stderr)
        return 1
    folders = [folder for folder in sys.argv[1:] if Path(folder).exists()]
    return os.spawnv(os.P_WAIT, lit, [lit, "-q", *folders])


if __name__ == "__main__":
    sys.exit(main())
