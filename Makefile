# Everything sets itself up in .venv with nothing but Python 3.11+, make and the package registry.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SEED ?= 0

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench clean

help: ## list the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

demo: $(VENV)/.run ## the main job on the embedded default: no key, no network
	@$(BIN)/independence demo --seed $(SEED)

test: $(VENV)/.dev ## lint, types, import contract, unit and end-to-end tests
	@$(MAKE) --no-print-directory lint
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.dev ## ruff, mypy --strict, import contract
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.bench ## speed and scale, ratios in one run, with their bounds
	$(BIN)/python -m benchmarks

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed; name one with make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.run

$(VENV)/.bench: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,bench]'
	@touch $@ $(VENV)/.dev $(VENV)/.run
