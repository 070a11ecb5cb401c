"""`python -m naja`: a report of the system, the cache of compiled code, and running programs written for Numba."""

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
    cache = commands.add_parser("cache", help="the cache of compiled code")
    cache.add_argument("what", choices=["info", "clear", "path"])
    options = parser.parse_args(argv)
    if options.command == "cache":
        from .cache import main as run_cache

        return run_cache(options.what)
    if options.command == "run":
        from .compat.run import run_program

        return run_program(options.target, options.args, as_module=options.module, as_numba=options.as_numba)
    if options.version:
        from . import __version__

        print(f"naja {__version__}")
    elif options.sysinfo:
        from .sysinfo import report

        print(report())
    else:
        parser.print_help()
    return 0


if __name__ == "__main__":
    sys.exit(main())
