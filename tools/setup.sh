#!/usr/bin/env bash
# Installs what is missing to build naja: Debian packages (with sudo where not root), then the project's own virtual
# environment. Says what it does; does nothing when all is there.
#   tools/setup.sh VENV PYTHON EXTRA...     EXTRA: further PyPI packages
set -euo pipefail
cd "$(dirname "$0")/.."
venv=$1 python=$2
shift 2

packages=(g++ clang-22 cmake ninja-build lld-22 llvm-22-dev llvm-22-tools clang-format-22 ccache libfmt-dev libxxhash-dev
  libzstd-dev zlib1g-dev libxml2-dev libgtest-dev libbenchmark-dev python3-dev python3-venv wamerican)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if ((${#missing[@]})); then
  sudo=()
  if ((EUID != 0)); then sudo=(sudo); fi
  echo "setup: installing Debian packages: ${missing[*]}"
  "${sudo[@]}" apt-get update -qq || { echo "setup: FAILED: apt-get update" >&2; exit 1; }
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    { echo "setup: FAILED: apt-get install ${missing[*]}" >&2; exit 1; }
fi

if [ ! -x "$venv/bin/python" ]; then
  echo "setup: making the virtual environment $venv with $("$python" --version)"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    { echo "setup: FAILED: naja needs Python 3.11 or newer; name one with PYTHON=..." >&2; exit 1; }
  "$python" -m venv "$venv"
fi
wanted=(numpy scipy nanobind scikit-build-core ruff pytest hypothesis cloudpickle cffi psutil setuptools "$@")
stamp="$venv/.packages"
if [ "$(cat "$stamp" 2>/dev/null)" != "${wanted[*]}" ]; then
  echo "setup: installing Python packages into $venv: ${wanted[*]}"
  "$venv/bin/python" -m pip install -q "${wanted[@]}" || { echo "setup: FAILED: pip install" >&2; exit 1; }
  echo "${wanted[*]}" >"$stamp"
fi
