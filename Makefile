# make demo   installs what is missing, builds naja, runs the examples on real data (pictures and a page in examples/output)
# make test   the same set-up, then builds and passes all tests
# make asan, make ubsan   all C++ unit tests and Python tests under a sanitizer (PYTEST='-k loops' picks some)
# PYTHON=python3.12 make ...   another interpreter (3.11 or newer); its own virtual environment and build folder
SHELL := /bin/bash
PYTHON ?= python3
TAG := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
VENV := .venv$(TAG)
BUILD := build/release-$(TAG)
BIN := $(VENV)/bin
SOURCES := $(shell find cpp python cmake CMakeLists.txt pyproject.toml -type f \
  \( -name '*.cpp' -o -name '*.h' -o -name '*.def' -o -name '*.S' -o -name '*.py' -o -name '*.cmake' -o -name '*.txt' -o -name '*.toml' \))
EXTRAS := scikit-image scikit-learn

.PHONY: demo test test-python asan ubsan setup build lint format clean

setup:
	@tools/setup.sh $(VENV) $(PYTHON) $(EXTRAS)

$(BUILD)/.installed: $(SOURCES) | setup
	@echo "build: compiling naja for Python $(TAG) and installing it into $(VENV)"
	@mkdir -p $(BUILD)
	@CXX=$${CXX:-clang++-22} $(BIN)/python -m pip install -q --no-build-isolation --no-deps --force-reinstall . \
	  -Cbuild-dir=$(BUILD)-wheel -Ccmake.define.NAJA_WERROR=ON || { echo "build: FAILED" >&2; exit 1; }
	@touch $@

build: setup $(BUILD)/.installed

demo: build
	@echo "demo: running the examples under CPython/NumPy and under naja"
	@$(BIN)/python examples/run_demo.py --output examples/output || { echo "demo: FAILED" >&2; exit 1; }

$(BUILD)/.native: $(SOURCES) $(shell find cpp/unittests -type f) | setup
	@echo "build: compiling the C++ unit tests and tools"
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=$${CXX:-clang++-22} -DNAJA_BUILD_TESTS=ON -DNAJA_WERROR=ON \
	  -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python >$(BUILD)/configure.log || { cat $(BUILD)/configure.log; exit 1; }
	@ninja -C $(BUILD) --quiet all || { echo "build: FAILED" >&2; exit 1; }
	@touch $@

test: build $(BUILD)/.native
	@echo "test: layers and linters"
	@$(BIN)/python tools/check_layers.py
	@$(BIN)/ruff check -q python tests examples benchmarks tools
	@$(BIN)/python tools/size_report.py --check
	@echo "test: C++ unit tests"
	@ctest --test-dir $(BUILD) --output-on-failure --quiet || { echo "test: FAILED: C++ unit tests" >&2; exit 1; }
	@echo "test: FileCheck"
	@PATH="$(CURDIR)/$(BUILD)/cpp/tools:$$PATH" $(BIN)/python tools/run_lit.py tests/filecheck || { echo "test: FAILED: FileCheck" >&2; exit 1; }
	@echo "test: Python"
	@cd tests && ../$(BIN)/python -m pytest -q -x python || { echo "test: FAILED: Python" >&2; exit 1; }

lint:
	@$(BIN)/python tools/check_layers.py
	@$(BIN)/ruff check python tests examples benchmarks tools

format:
	@git ls-files '*.cpp' '*.h' | xargs clang-format-22 -i
	@$(BIN)/ruff format -q python tests examples benchmarks tools

asan ubsan: setup
	@tools/sanitized_tests.sh $@ $(CURDIR)/$(BIN)/python $(PYTEST) || { echo "$@: FAILED" >&2; exit 1; }

clean:
	rm -rf build .venv* examples/output

test-python: build
	@cd tests && ../$(BIN)/python -m pytest -q -x python || { echo "test: FAILED: Python $(TAG)" >&2; exit 1; }
