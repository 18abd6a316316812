# Each target installs what it needs on a machine with Python 3.11+ and nothing else; only bench needs gcc too.
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(os.cpu_count() + 2)')

ifneq ($(shell command -v uv),)
CREATE := uv venv --seed --allow-existing --python $(PYTHON) .venv
INSTALL := uv pip install --python $(BIN)/python
else
CREATE := $(PYTHON) -m venv .venv
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --no-compile
endif

.PHONY: help setup lock hooks serve test libraries check format lint docs newcomer chaos soak fuzz bench clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 11

setup: .venv/dev  ## create .venv with the package and its tools; LOCKED=1 installs the versions of requirements-dev.txt

.venv/serve: pyproject.toml
	$(CREATE)
	@echo 'Installing what the server needs, up to 400 MB on disk'
	$(INSTALL) --editable .
	$(BIN)/ludus precompile
	@touch $@

.venv/dev: .venv/serve
	@echo 'Installing the environments and the developers’ tools, another 900 MB on disk'
	$(if $(LOCKED),$(INSTALL) --requirement requirements-dev.txt)
	$(INSTALL) --editable '.[envs,dev]'
	@touch $@

lock:  ## write requirements-dev.txt: the newest versions that pyproject.toml allows, with hashes; needs uv
	uv pip compile pyproject.toml --universal --python-version 3.11 --extra envs --extra train --extra dev --upgrade \
		--generate-hashes --no-emit-index-url --custom-compile-command 'make lock' --quiet --output-file requirements-dev.txt

hooks: setup  ## install the git hooks: format and lint on commit, types on push
	$(BIN)/pre-commit install --hook-type pre-commit --hook-type pre-push

serve: .venv/serve  ## serve at http://127.0.0.1:8000
	$(BIN)/ludus serve

test: setup  ## run all tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations 40 --durations-min 3

libraries: .venv-libraries/ready  ## test the environments with TorchRL, Tianshou, SB3, RLlib, SuperSuit, Shimmy, JAX, mctx
	.venv-libraries/bin/python -m pytest tests/envs/libraries

.venv-libraries/ready: pyproject.toml
	$(PYTHON) -m venv .venv-libraries
	.venv-libraries/bin/python -m pip install --upgrade pip
	.venv-libraries/bin/python -m pip install torch==2.13.0
	.venv-libraries/bin/python -m pip install torchrl 'tianshou>=2' sb3-contrib 'ray[rllib]' supersuit shimmy mctx pgx hypothesis pytest --editable '.[envs,jax,openspiel]'
	@touch $@

check: lint  ## lint, types and the fast tests, in under 90 seconds
	$(BIN)/python -m pytest -n auto -m 'not deep and not slow' tests/core tests/games tests/wire tests/service tests/bus tests/test_*.py

format: setup  ## format the code and fix what ruff can fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: setup  ## ruff, mypy, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: setup  ## build the documentation, which the server shows under /docs; a warning is an error
	$(BIN)/python docs/build.py

newcomer: setup  ## each kind of user's first ten minutes with the wheel, in a bare virtual environment
	$(BIN)/python -m tests.newcomer

chaos: setup  ## kill and break one server under load, then every part of a cluster: nothing may be lost
	$(BIN)/python -m tests.chaos
	$(BIN)/python -m tests.chaos.cluster

soak: setup  ## three minutes of broken connections, then half an hour on two processes; SOAK="--minutes 5" is shorter
	$(BIN)/python -m tests.arena.soak
	$(BIN)/python -m tests.soak $(SOAK)

fuzz: setup  ## 20,000 inputs for each parser; FUZZ="1000 token" chooses another number, and parsers by a word
	$(BIN)/python -m tests.fuzz $(FUZZ)

bench: setup  ## deep perft counts, then speed beside peers; needs gcc
	@command -v gcc >/dev/null || { echo "make bench needs gcc to build the C programs it compares with"; exit 2; }
	$(BIN)/python -m pytest -m deep tests
	$(BIN)/python -m benchmarks.rules
	$(BIN)/python -m benchmarks.envs
	$(BIN)/python -m benchmarks.rooms
	$(BIN)/python -m benchmarks.cluster
	$(BIN)/python -m benchmarks.cluster.capacity
	$(BIN)/python -m benchmarks.arena
	$(BIN)/python -m benchmarks.adversary
	$(BIN)/python -m benchmarks.ratings
	$(BIN)/python -m benchmarks.page
	$(BIN)/python -m benchmarks.engines.checkers
	$(BIN)/python -m benchmarks.engines.backgammon

clean:  ## remove everything the targets above created
	rm -rf .venv .venv-peers .venv-libraries .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist src/ludus/web/docs_site
	find src tests -name '*.nb[ic]' -delete
