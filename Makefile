# Everything this project can do from a fresh clone. Needs Python 3.11+, git and make; installs into .venv and nowhere else.

PYTHON ?= python3
VENV := $(or $(SOSTENUTO_VENV),.venv)
BIN := $(VENV)/bin
# The stamp carries the folder's name: a copied or moved tree holds an environment that points at the old place.
STAMP := $(VENV)/.installed-$(shell printf '%s' '$(CURDIR)' | cksum | cut -d' ' -f1)
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := src tests $(wildcard benchmarks)

.DEFAULT_GOAL := help
.PHONY: help setup demo test check lint style types contracts format coverage long bench changelog clean

help: ## what can be typed
	@echo "Sostenuto: make TARGET   (PYTHON=python3.12 picks the interpreter, ARGS=... goes to the command)"
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | while IFS='|' read -r name text; do printf '%-18s %s\n' "$$name" "$$text"; done

setup: $(STAMP) ## make .venv with the package and its test tools, nothing global

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Sostenuto needs Python 3.11 or newer, '$(PYTHON)' is $$($(PYTHON) --version 2>/dev/null || echo not installed); try: make PYTHON=/path/to/python3.12 $(or $(MAKECMDGOALS),setup)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
		echo "'$(PYTHON)' comes without venv and pip; install your system's python3-venv package, or pick another: make PYTHON=..." >&2; exit 1; }
	@echo "setting up $(VENV) (once, about a minute)" >&2
	@rm -f "$(VENV)"/.installed-*
	@$(PYTHON) -m venv "$(VENV)"
	@$(PIP) install -c constraints.txt hatchling editables
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[test]'
	@touch "$@"

demo: setup ## a long job in a small window, on built-in input, without key or network
	@$(BIN)/sostenuto demo $(ARGS)

test: setup ## every test
	@$(BIN)/python -m pytest $(ARGS)

check: lint coverage ## style, types, import contracts, then every test with coverage

lint: style types contracts ## style, types and import contracts

style: setup
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)

types: setup
	$(BIN)/mypy $(SOURCES)

contracts: setup
	$(BIN)/lint-imports

format: setup ## lay out the code and mend what ruff can mend
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

coverage: setup ## every test, and which lines none of them reaches
	$(BIN)/python -m pytest --cov --cov-report=term $(ARGS)

long: setup ## the property tests with 10,000 fresh cases each (LONG=tests/ladder picks some)
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -m "hypothesis or long" $(or $(LONG),tests) $(ARGS)

bench: setup ## speed, memory, canaries, and other libraries (ARGS="--peers FOLDER" installs those)
	$(BIN)/python -m benchmarks $(ARGS)

changelog: setup ## show what the next release's changelog will say
	@$(PIP) install -c constraints.txt towncrier
	@$(BIN)/towncrier build --draft

clean: ## remove the environment and every cache
	rm -rf "$(VENV)" .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage build dist
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
