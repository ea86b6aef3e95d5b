# make demo: install, run the demo study, print what it found.  make audit: two studies of the shelf, simulated.
# make ui: Dagster's UI.
# make docs: the pages of docs/ as a site.
# make test: functions, tables and one small study.  make test-long: whole studies, real data, error rates, a browser.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# two workers, one thread each; slow files come first in the order of collection, so that neither waits at the end
PYTEST := $(BIN)/python -m pytest --numprocesses 2 --no-loadscope-reorder --durations 20
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --constraint constraints.txt --editable
# pip compiles what it installs, but not the packages of a checkout: images that set PYTHONDONTWRITEBYTECODE would have
# every command compile their 80,000 lines anew
COMPILE := $(BIN)/python -m compileall -qq python_assets dagster_project dbt_models expectations plumbline
export DAGSTER_HOME := $(CURDIR)/.dagster

.PHONY: demo audit test test-long ui lint docs clean

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Plumbline needs Python 3.11 or newer; call: make PYTHON=python3.11")'
	@echo "Installing into $(VENV): some minutes, and 2.2 GB where torch is its CPU build (README)"
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) .
	$(COMPILE)
	touch $@

# an extra of pyproject.toml on top of what a user needs: test, test-long, dev, docs
$(VENV)/installed-%: $(VENV)/installed
	$(INSTALL) '.[$*]'
	touch $@

demo: $(VENV)/installed
	$(BIN)/plumbline run g20_demo

audit: $(VENV)/installed
	$(BIN)/plumbline audit --model simulator:fair --model simulator:biased --benchmarks faiths,occupations --yes --name simulated

test test-long: export OMP_NUM_THREADS := 1
# images that set it would have every run and worker compile anew; empty is off
test test-long: export PYTHONDONTWRITEBYTECODE :=

test: $(VENV)/installed-test
	$(PYTEST) -m 'not run'

test-long: $(VENV)/installed-test-long
	$(PYTEST) -m run

ui: $(VENV)/installed
	$(BIN)/plumbline ui

lint: $(VENV)/installed-dev
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy
	$(BIN)/sqlfluff lint --processes 2 dbt_models/models dbt_models/tests
	$(BIN)/sqlfluff lint --processes 2 --templater placeholder python_assets/report/tables docs/queries

# the pages of docs/ as a site in build/site, for any server; `.venv/bin/mkdocs serve` shows it on loopback, with search
docs: $(VENV)/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

clean:
	rm -rf warehouse .dagster build
