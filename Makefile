# Everything that people and CI do with a checkout; `make help` lists it.
# Needs make and a Python from 3.11 on. PYTHON=/path/to/python chooses one; DEMO_REPEATS=3 shortens
# the demo; PYTEST_OPTIONS="-k ledger" reaches pytest.

SHELL := /bin/sh
.SHELLFLAGS := -eu -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PYTHON ?=
DEMO_REPEATS ?= 10
PYTEST_OPTIONS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input -qq
MODELS := .cache/models
MODEL := $(MODELS)/smollm2-135m-instruct.gguf
READY := $(VENV)/.ready
READY_TO_DEVELOP := $(VENV)/.ready-to-develop

# $(call timed,NAME,COMMAND): run one step of a longer target and say how long it took.
timed = @echo "== $(1)"; start=$$(date +%s); $(2) && echo "== $(1): $$(($$(date +%s) - start)) s"

.PHONY: help
help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

.PHONY: setup
setup: $(READY) $(MODEL) ## make .venv/bin/runner work, local model included
	@echo "ready: $(BIN)/runner --help"

.PHONY: demo
demo: setup ## run the shipped suite with a real model on this machine
	$(BIN)/runner launch tasks/warmup/suite.yaml --repeats $(DEMO_REPEATS) --ledger demo.db
	$(BIN)/runner sql "SELECT sweep, task, c, n FROM task_scores ORDER BY 1, 3, 2 LIMIT 8" --ledger demo.db
	@echo 'what was said in a trial: $(BIN)/runner show 1 --ledger demo.db'

.PHONY: fmt
fmt: $(READY_TO_DEVELOP) ## format the code
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix-only .

.PHONY: lint
lint: $(READY_TO_DEVELOP) ## check format, style and which room imports which
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@said=$$($(BIN)/lint-imports --no-logo) || { echo "$$said"; exit 1; }

.PHONY: types
types: $(READY_TO_DEVELOP) ## check the types
	@$(BIN)/mypy

.PHONY: test
test: setup $(READY_TO_DEVELOP) ## set up, then run all that CI runs
	$(call timed,lint,$(MAKE) lint)
	$(call timed,types,$(MAKE) types)
	$(call timed,tests,$(BIN)/pytest --durations=10 $(PYTEST_OPTIONS))

.PHONY: docs
docs: $(READY_TO_DEVELOP) ## make the pages that come from the code
	@$(BIN)/python -m runner.ledger.schema.reference > docs/ledger.md
	@$(BIN)/python -m runner.cli.reference > docs/cli.md

.PHONY: test-quick
test-quick: $(READY_TO_DEVELOP) ## run the tests that need no server, no sandbox and no model
	@$(BIN)/pytest -q -m "not crash and not postgres and not bubblewrap and not control_groups and not local_model and not packaging" $(PYTEST_OPTIONS)

.PHONY: check
check: lint types test-quick ## what to run before a commit

.PHONY: bench
bench: $(READY) ## measure the cost of a trial that does nothing
	$(BIN)/python benchmarks/trivial.py --trials 1000

.PHONY: clean
clean: ## delete the environment, caches and the demo's ledger; the model stays
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache demo.db demo.db-*

# The first interpreter that is new enough and can make an environment; a name may stand for an
# interpreter that is not there, so each is run.
$(BIN)/python:
	@for python in $(if $(PYTHON),'$(PYTHON)',python3.12 python3.13 python3.11 python3.14 python3 python); do \
	  "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	  "$$python" -c 'import ensurepip, venv' 2>/dev/null || { bare="$$python"; continue; }; \
	  echo "making $(VENV) with $$("$$python" --version)"; \
	  exec "$$python" -m venv --clear $(VENV); \
	done; \
	if [ -n "$${bare:-}" ]; then \
	  echo "error: $$bare cannot make virtual environments: it has no venv or ensurepip module" >&2; \
	  echo "hint: install them (on Debian and Ubuntu the package python3-venv), then run make again" >&2; \
	else \
	  echo "error: $(if $(PYTHON),$(PYTHON) is no,there is no) Python from 3.11 on" >&2; \
	  echo "hint: install one, or name one: make $(MAKECMDGOALS) PYTHON=/path/to/python3.12" >&2; \
	fi; \
	exit 1

$(READY): pyproject.toml setup.py constraints.txt | $(BIN)/python
	@echo "installing runner into $(VENV)"
	@$(PIP) install --constraint constraints.txt setuptools
	@$(PIP) install --constraint constraints.txt --no-build-isolation --editable '.[local]'
	@touch $@

$(READY_TO_DEVELOP): $(READY)
	@echo "installing the tools of development into $(VENV)"
	@$(PIP) install --constraint constraints.txt --no-build-isolation --editable '.[local,dev]'
	@touch $@

$(MODEL): | $(READY)
	@echo "fetching a small language model (93 MB)"
	@$(BIN)/python -m runner.models.fetch_local_model $(MODELS)
