"""Finds naja_frontend_test, the front end as a module (CMake target of that name), for the running interpreter."""

import os
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(Path(__file__).parent))


def find_module():
    """The newest one of all build folders without sanitizers, or that of NAJA_BUILD_DIR."""
    name = "cpp/unittests/naja_frontend_test" + sysconfig.get_config_var("EXT_SUFFIX")
    chosen = os.environ.get("NAJA_BUILD_DIR")
    built = (path for path in (ROOT / "build").glob(f"*/{name}") if path.relative_to(ROOT).parts[1] not in ("asan", "ubsan"))
    found = [Path(chosen, name)] if chosen else built
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


@pytest.fixture(scope="session")
def frontend():
    path = find_module()
    if path is None:
        pytest.skip("naja_frontend_test is not built for this interpreter")
    sys.path.insert(0, str(path.parent))
    import naja_frontend_test

    return naja_frontend_test
