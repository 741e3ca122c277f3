# Every target sets up what it needs by itself; all it asks of the machine is Python and make.
PYTHON ?= python3
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
INSTALLED := $(VENV)/installed
TEST_INSTALLED := $(VENV)/test-installed
COMPILED := $(VENV)/compiled
UV := $(BIN)/uv

.DEFAULT_GOAL := help
.PHONY: help demo test test-deps lint proto translations soak chaos bench bench-ladder bench-site bench-peers screenshots build lock wheels

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1|/p' $(MAKEFILE_LIST) | column -t -s '|'

demo: $(INSTALLED) $(COMPILED)  ## play a tournament of the sample bots and open the ladder site (ARGS=--once ends it)
	$(BIN)/santiago demo $(ARGS)

# Tests wait for processes and browsers half of their time: two processes more than there are processors.
# Each more takes ten CPU seconds to import, collect and prepare what its tests share.
test: $(TEST_INSTALLED)  ## run the test suite in several processes (ARGS go to pytest)
	$(BIN)/python -m pytest --numprocesses=$$(($$(getconf _NPROCESSORS_ONLN) + 2)) --maxprocesses=6 \
		--dist=loadfile --no-loadscope-reorder $(ARGS)

test-deps: $(TEST_INSTALLED)  ## only install what tests and linters need

lint: $(TEST_INSTALLED)  ## style, types, layers, and whether the generated code is up to date
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python proto/generate.py --check

proto: $(TEST_INSTALLED)  ## regenerate referee/wire from proto/
	$(BIN)/python proto/generate.py

translations: $(INSTALLED)  ## gather the site's sentences for translators and compile what they wrote (ARGS=--check only looks)
	$(BIN)/python -m web.catalogues $(ARGS)

soak: $(TEST_INSTALLED)  ## play 100,000 random games and check every moment (ARGS="--games 2000" for fewer)
	$(BIN)/python -m tests.rules.soak $(ARGS)

chaos: $(TEST_INSTALLED)  ## kill and stop workers, bots and Redis, swallow connections, and check the results of 200 matches (ARGS="--matches 50" for fewer)
	$(BIN)/python -m tests.chaos $(ARGS)

bench: $(TEST_INSTALLED)  ## run the benchmarks (ARGS go to them)
	$(BIN)/python -m benchmarks $(ARGS)

bench-ladder: $(TEST_INSTALLED)  ## what the whole ladder costs beside the games themselves
	$(BIN)/python -m benchmarks ladder

bench-site: $(TEST_INSTALLED)  ## how long each page takes on a ladder of 1,000,000 matches (ARGS=--anew makes the data again)
	$(BIN)/python -m benchmarks.site $(ARGS)

bench-peers: build  ## random play here and in other libraries of games, which it installs apart
	$(PYTHON) -m venv build/peers
	build/peers/bin/pip --disable-pip-version-check install --quiet catanatron open_spiel
	$(BIN)/python -m benchmarks._peers build/peers/bin/python

screenshots: $(TEST_INSTALLED)  ## take the README's pictures anew (needs chromium)
	$(BIN)/python -m tests.e2e.screenshots

build: $(TEST_INSTALLED)  ## make a wheel with the compiled rules in dist/ (needs gcc)
	@command -v gcc >/dev/null || { echo "gcc is needed to compile the rules (Debian, Ubuntu: apt install gcc python3-dev)"; exit 1; }
	SANTIAGO_COMPILE=1 $(PIP) wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

# uv takes a tenth of pip's time; where it finds no index, such as one that only pip was told of, pip does it.
INSTALL = $(UV) pip install --quiet --system-certs --python $(BIN)/python $(1) $(2) || $(PIP) install --quiet $(1)
INSTALL_LOCK = $(call INSTALL,--require-hashes -r $(1),--compile-bytecode)
INSTALL_OURS = $(call INSTALL,--no-deps --no-build-isolation -e .)

$(UV): requirements-uv.lock | $(VENV)
	$(PIP) install --quiet --require-hashes -r $< || echo "pip has to do without uv, which takes a minute longer."

$(INSTALLED): pyproject.toml requirements.lock | $(UV)
	$(call INSTALL_LOCK,requirements.lock)
	$(INSTALL_OURS)
	@touch $@

# The core as the bots of `demo` and `up` play with it, if a C compiler is there. It is a copy of
# both packages, and does not count if one of their files differs. One that was broken off is begun anew.
$(COMPILED): $(INSTALLED) setup.py $(shell find referee sample_bots -name '*.py' -o -name '*.bin')
	@rm -rf $@ $@.part && mkdir $@.part
	@if command -v gcc >/dev/null; then echo "Compiling the rules and the searches, for a minute or two"; \
		{ SANTIAGO_COMPILE=1 $(PIP) wheel --quiet --no-deps --no-build-isolation --wheel-dir $@.part . && \
			$(BIN)/python -m zipfile -e $@.part/*.whl $@.part; } || echo "They play uncompiled: that failed."; fi
	@mv $@.part $@

# It has all that the plain environment has, so it satisfies `demo` as well.
$(TEST_INSTALLED): pyproject.toml requirements-test.lock | $(UV)
	$(call INSTALL_LOCK,requirements-test.lock)
	$(INSTALL_OURS)
	@touch $(INSTALLED) $@

$(VENV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "Python 3.11 or newer is needed: install it, or name it with make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) cannot make virtual environments: install its venv module (Debian, Ubuntu: apt install python3-venv)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

COMPILE = $(UV) --no-config pip compile --quiet --system-certs --universal --python-version 3.11 \
	--generate-hashes --no-header --no-emit-index-url --no-emit-find-links $(LOCK_ARGS)
COMPILE_OURS = $(COMPILE) --extra ladder --group build pyproject.toml

lock: | $(UV)  ## resolve the dependencies anew (LOCK_ARGS=--upgrade for newer ones)
	$(COMPILE) --group installer --output-file requirements-uv.lock
	$(COMPILE_OURS) --output-file requirements.lock
	$(COMPILE_OURS) --constraint requirements.lock --extra test --extra lint --output-file requirements-test.lock

wheels: $(TEST_INSTALLED)  ## check that the locks have wheels for every Python and machine that the README names
	$(BIN)/python .ci/wheels.py
