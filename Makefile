# Each target sets up all it needs on a machine with Python 3.11+ and nothing else; only bench wants gcc too.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help setup serve test lint chaos soak bench clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: .venv/ready  ## make .venv with the package and its tools

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[envs,server,dev]'
	$(BIN)/ludus warm
	@touch $@

serve: setup  ## open the house at http://127.0.0.1:8000
	$(BIN)/ludus serve

test: setup  ## run all tests
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: setup  ## ruff, mypy, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

chaos: setup  ## kill the server thirty times under a load of games: nothing may be lost
	PYTHONPATH=tests $(BIN)/python -m chaos

soak: setup  ## a hundred agents play for three minutes with broken connections: every match ends
	PYTHONPATH=tests $(BIN)/python -m arena.soak

bench: setup  ## deep counts and speed, beside peers; needs gcc
	@command -v gcc >/dev/null || { echo "make bench needs gcc, to build the C program that ours is measured beside"; exit 2; }
	$(BIN)/python -m pytest -m deep tests
	$(BIN)/python -m benchmarks.rules
	$(BIN)/python -m benchmarks.envs
	$(BIN)/python -m benchmarks.rooms
	$(BIN)/python -m benchmarks.arena
	$(BIN)/python -m benchmarks.page
	$(BIN)/python -m benchmarks.engines.checkers
	$(BIN)/python -m benchmarks.engines.backgammon

clean:  ## remove what the targets above made
	rm -rf .venv .venv-peers .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
	find src tests -name '*.nb[ic]' -delete
