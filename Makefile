# make demo: install, run the demo study, print what it found.  make test: every test.  make ui: Dagster's UI.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export DAGSTER_HOME := $(CURDIR)/.dagster

.PHONY: demo test ui lint clean

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Plumbline needs Python 3.11 or newer; call: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]'
	touch $@

demo: $(VENV)/installed
	$(BIN)/plumbline run g20_demo

test: $(VENV)/installed
	$(BIN)/python -m pytest

ui: $(VENV)/installed
	$(BIN)/plumbline ui

lint: $(VENV)/installed
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

clean:
	rm -rf warehouse .dagster
