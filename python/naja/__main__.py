"""`python -m naja`: a report of the system, and running programs written for Numba."""

from __future__ import annotations

import argparse
import sys


def main(argv=None):
    parser = argparse.ArgumentParser(prog="python -m naja", description=__doc__)
    parser.add_argument("-s", "--sysinfo", action="store_true", help="print a report of the system")
    parser.add_argument("--version", action="store_true", help="print the version")
    commands = parser.add_subparsers(dest="command")
    run = commands.add_parser("run", help="run a script or module")
    run.add_argument("--as-numba", action="store_true", help="`import numba` gives naja")
    run.add_argument("-m", dest="module", action="store_true", help="the target is a module")
    run.add_argument("target")
    run.add_argument("args", nargs=argparse.REMAINDER)
    options = parser.parse_args(argv)
    if options.command == "run":
        return _run(options)
    if options.version:
        from . import __version__

        print(f"naja {__version__}")
    elif options.sysinfo:
        from .sysinfo import report

        print(report())
    else:
        parser.print_help()
    return 0


def _run(options):
    import os
    import runpy

    if options.as_numba:
        from .compat import install_as_numba, install_in_children

        install_as_numba()
        install_in_children()
    sys.argv = [options.target, *options.args]
    if options.module:
        sys.path.insert(0, os.getcwd())
        runpy.run_module(options.target, run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(options.target)))
        runpy.run_path(options.target, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
