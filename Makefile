# Two commands: `make app` and `make test`. Everything they need is installed into .venv by themselves.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
TEST_OPTIONS ?=

.PHONY: app test check bench bench-inex fuzz docs shots clean help

help:
	@echo "make app     open the dashboard on the demo study"
	@echo "make test    run every test, in a real browser too"
	@echo "make check   lint and types"
	@echo "make bench   benchmarks, side by side with pytrec_eval and ranx"
	@echo "make fuzz    long property tests"
	@echo "make docs    write the generated pages of docs/"
	@echo "make shots   screenshots of the app for docs/"

# A stamp file per set of tools: a second run finds nothing to do and starts at once.
.venv/.made: requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "Python is needed: install Python 3.11 or later" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed; try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "preparing .venv (once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(PIP) install --constraint requirements.lock --editable .
	@touch $@

.venv/.tested: .venv/.made
	@echo "installing test tools (once)"
	@$(PIP) install --constraint requirements.lock --editable '.[test,lint]'
	@touch $@

.venv/.benched: .venv/.made
	@echo "installing the peers to compare with (once)"
	@$(PIP) install --constraint requirements.lock --editable '.[bench]'
	@touch $@

app: .venv/.made
	@$(BIN)/esr app

test: .venv/.tested
	@$(BIN)/python tests/browser/find_browser.py
	@$(BIN)/python -m pytest $(TEST_OPTIONS)

check: .venv/.tested
	@$(BIN)/ruff check .
	@$(BIN)/mypy

bench: .venv/.benched
	@$(BIN)/python benchmarks/trec.py
	@$(BIN)/python benchmarks/inex.py
	@$(BIN)/python benchmarks/structural.py

fuzz: .venv/.tested
	@$(BIN)/python -m pytest --hypothesis-profile=long tests/measures tests/readers tests/test_spans.py tests/test_trec_eval.py

docs: .venv/.made
	@$(BIN)/esr measures --format markdown -o docs/measures.md

shots: .venv/.tested
	@$(BIN)/python -m pytest tests/browser -q
	@cp tests/browser/shots/overview_light_1440.png docs/screenshots/overview_light.png
	@cp tests/browser/shots/overview_dark_1440.png docs/screenshots/overview_dark.png

clean:
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
