#!/usr/bin/env bash
# Builds a preset with sanitizers (asan or ubsan) and runs the C++ unit tests and the Python tests under it.
#   tools/sanitized_tests.sh asan|ubsan python-with-naja's-test-packages [pytest arguments...]
# The sanitizer's runtime is loaded before Python's executable, which is not instrumented itself; neither are LLVM and the
# code that naja compiles.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
python=$2
shift 2
case $preset in
asan) runtime=libclang_rt.asan-x86_64.so ;;
ubsan) runtime=libclang_rt.ubsan_standalone-x86_64.so ;;
*) echo "sanitized_tests: no preset $preset" >&2; exit 2 ;;
esac
# Python frees little at its end; containers cross the border to LLVM, which does not annotate them.
export ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=0:allocator_may_return_null=1:use_sigaltstack=0
# pytest swallows what a process that dies has written: the findings go to files.
export UBSAN_OPTIONS=print_stacktrace=1:log_path=$PWD/build/$preset/finding
export ASAN_OPTIONS=$ASAN_OPTIONS:log_path=$PWD/build/$preset/finding

echo "$preset: building"
cmake --preset "$preset" -DPython_EXECUTABLE="$(command -v "$python")" >"/tmp/naja-$preset.log" || { cat "/tmp/naja-$preset.log"; exit 1; }
ninja -C "build/$preset" --quiet

echo "$preset: C++ unit tests"
ctest --test-dir "build/$preset" --output-on-failure --quiet

echo "$preset: Python tests"
mkdir -p "build/$preset/python"
tar -C python --exclude='*.so' --exclude=__pycache__ -cf - naja | tar -C "build/$preset/python" -xf -
cd tests
# A process per folder: one that dies takes no other folder's tests along, and names of test files may repeat.
status=0
for folder in python/*/; do
  ls "$folder"test_*.py >/dev/null 2>&1 || continue
  echo "$preset: $folder"
  code=0
  LD_PRELOAD=$(clang++-22 -print-file-name="$runtime") PYTHONMALLOC=malloc PYTHONPATH="$OLDPWD/build/$preset/python" \
    "$python" -m pytest -q -p no:cacheprovider "$@" "$folder" || code=$?
  [ $code -eq 0 ] || [ $code -eq 5 ] || status=1 # 5: no test of this folder was picked
done
exit $status
