# SPDX-License-Identifier: Apache-2.0
#
# make run     set everything up and open the editor (without a display: the same job into demo-output/)
# make test    set everything up and run all tests
# PYTHON=...   which Python makes the virtual environment; FILE=... what make run opens

SHELL := bash
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup system run demo test lint bench accuracy clean force

VENV := .venv
VENV_CORE := .venv-core
BIN := $(VENV)/bin
FILE ?= resources/rackloom_resources/examples/dgx-h100-4.rackloom

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1

help:
	@echo "make run     open the editor on the example (no display: write demo-output/)"
	@echo "make test    run all tests"
	@echo "make lint    ruff, format, mypy strict, import contracts"
	@echo "make bench   medians of the benchmarks"
	@echo "make accuracy  hold the throughput model against published readings; rewrites its help page"
	@echo "make setup   only make $(VENV) with the rackloom command"
	@echo "make system  only check (and install) the Debian libraries Qt needs"
	@echo "make clean   remove everything that was built, also the virtual environments"

# A stamp holds the directory it was made in: an environment does not survive being moved or copied.
made_here = $(if $(filter $(CURDIR),$(shell cat $(1)/.ready 2>/dev/null)),,force)

setup: $(VENV)/.ready
	@:

$(VENV)/.ready: pyproject.toml $(call made_here,$(VENV))
	@packaging/linux/system.sh venv $(VENV)
	@echo "rackloom: installing Python packages into $(VENV) (a few minutes the first time)"
	@$(BIN)/python -m pip install --quiet --progress-bar off -e '.[dev]'
	@printf '%s\n' '$(CURDIR)' > $@

# Without PySide6, to prove that the library and the command line do not need it.
$(VENV_CORE)/.ready: pyproject.toml $(call made_here,$(VENV_CORE))
	@packaging/linux/system.sh venv $(VENV_CORE)
	@echo "rackloom: installing Python packages into $(VENV_CORE), without Qt"
	@$(VENV_CORE)/bin/python -m pip install --quiet --progress-bar off -e . pytest hypothesis
	@printf '%s\n' '$(CURDIR)' > $@

system:
	@packaging/linux/system.sh libraries

run: setup system
	@if [ -n "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ]; then \
		exec $(BIN)/rackloom '$(FILE)'; \
	else \
		exec packaging/demo.sh $(BIN)/rackloom '$(FILE)' demo-output; \
	fi

demo: setup system
	@packaging/demo.sh $(BIN)/rackloom '$(FILE)' demo-output

test: setup system $(VENV_CORE)/.ready
	@.ci/tests

lint: setup
	@failed=; \
	for tool in "python -m ruff check" "python -m ruff format --check" "python -m mypy" "lint-imports"; do \
		echo "== $$tool"; \
		$(BIN)/$$tool || failed="$$failed, $$tool"; \
	done; \
	if [ -n "$$failed" ]; then echo "lint failed: $${failed#, }"; exit 1; fi; \
	echo "lint passed"

bench: setup
	@mkdir -p build
	@$(BIN)/python -m pytest tests/benchmarks --benchmark-only --benchmark-disable-gc \
		--benchmark-columns=median,min,max,rounds --benchmark-sort=name --benchmark-time-unit=ms \
		--benchmark-json=build/benchmarks.json

accuracy: setup
	@PYTHONPATH=. $(BIN)/python -m tests.accuracy.accuracy_report --write

clean:
	rm -rf $(VENV) $(VENV_CORE) build dist demo-output .pytest_cache .mypy_cache .ruff_cache \
		.hypothesis .benchmarks .import_linter_cache
	find core gui resources tests -name __pycache__ -type d -prune -exec rm -rf {} +
