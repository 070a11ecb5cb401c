#!/usr/bin/env bash
# Formats the staged lines of C++ files (the others are left as they are); fails where that changes a file.
set -euo pipefail
cd "$(dirname "$0")/.."
git clang-format-22 --staged --quiet --extensions cpp,h --binary "$(command -v clang-format-22)" ||
  { echo "format_changed: formatted; stage the changes and commit again" >&2; exit 1; }
