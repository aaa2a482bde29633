# Every target does its own set-up in .venv; nothing has to be activated or installed by hand.
# A step runs again only when a file that it depends on is newer than its stamp. Works with GNU make 3.81 (macOS).

SHELL := bash
VENV := .venv
BIN := $(VENV)/bin
CARGO_FLAGS := --manifest-path rust/Cargo.toml --workspace
SECONDS := 60
SHARE := 1
SAMPLES := examples/collection
CLASS := examples/class

# Nothing of the caller's Python may leak in. rustup's folder is not on every PATH.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV CONDA_PREFIX
export PATH := $(CURDIR)/$(BIN):$(PATH):$(HOME)/.cargo/bin
# Clippy and maturin build PyO3 for the same interpreter, so neither undoes the other's work.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

RUST_SOURCES := $(shell find rust/core/src rust/files/src rust/python/src rust/Cargo.* rust/*/Cargo.toml -type f 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint bench bench-large bench-rivals bench-pair accuracy experiments docs docs-check dist fuzz torture clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/.tools: pyproject.toml scripts/setup.sh
	scripts/setup.sh
	@touch $@

# Editable: Python sources are used where they are; only a change in rust/ builds again. They are compiled here as pip
# does it, because commands start in half the time, also where PYTHONDONTWRITEBYTECODE is set.
$(VENV)/.native: $(VENV)/.tools $(RUST_SOURCES)
	VIRTUAL_ENV=$(CURDIR)/$(VENV) PIP_QUIET=1 $(BIN)/maturin develop --release
	$(BIN)/python -m compileall -q src/lookalike
	@touch $@

setup: $(VENV)/.native ## Make .venv with the tools, the dependencies and lookalike itself

demo: setup ## Compare two documents, find the copies in a sample class, and write the report build/report.html
	$(BIN)/lookalike compare $(SAMPLES)/why-tides-rise.txt $(SAMPLES)/tides-homework.txt
	@mkdir -p build
	$(BIN)/lookalike scan $(CLASS)/essays --ignore $(CLASS)/assignment.docx --skip quotes,references \
	  --meta $(CLASS)/info.csv --group-by author --preset essays --report build/report.html

test: lint docs ## Check everything: lint, the site, the tests of the core, the tests of the package
	cargo test $(CARGO_FLAGS) --quiet
	$(BIN)/python -m pytest -n auto --dist loadgroup

lint: setup ## Check style and types, Python and Rust
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest lookalike._native --mypy-config-file pyproject.toml
	cargo fmt --manifest-path rust/Cargo.toml --all --check
	cargo clippy $(CARGO_FLAGS) --all-targets --quiet -- -D warnings

$(VENV)/.bench: $(VENV)/.tools
	$(BIN)/python -m pip install --quiet --group bench
	@touch $@

bench: setup $(VENV)/.bench ## Measure each stage and whole commands against their targets; QUICK=1 for less, FULL=1 for a million
	$(BIN)/python -m benchmarks.stages
	$(BIN)/python -m benchmarks.commands
	$(BIN)/python -m benchmarks.index
	$(BIN)/python -m benchmarks.spark
	$(BIN)/python -m benchmarks.readme_table

bench-large: setup ## Measure a scan of ten million documents with --memory 6GB; takes long, and 20 GB of disk
	$(BIN)/python -m benchmarks.commands --large
	$(BIN)/python -m benchmarks.readme_table

bench-rivals: setup $(VENV)/.bench ## Measure other engines beside lookalike, their answers checked; QUICK=1 for less
	$(BIN)/python -m benchmarks.rivals.run
	$(BIN)/python -m benchmarks.readme_table

bench-pair: setup ## Measure two wheels in turn: OLD=HEAD~ NEW= name a revision or a wheel; ROUNDS=21, QUICK=1 for less
	$(BIN)/python -m benchmarks.pair $(if $(OLD),--old $(OLD)) $(if $(NEW),--new $(NEW)) $(if $(ROUNDS),--rounds $(ROUNDS))

accuracy: setup ## Measure estimates and recall against their promises; DATA=DIR names labelled collections
	$(BIN)/python -m benchmarks.accuracy
	$(BIN)/python -m benchmarks.readme_table

experiments: setup ## Make every figure of the source reports, into experiments/; FULL=1 for the sizes of the reports
	$(BIN)/lookalike experiment run all $(if $(FULL),,--quick)

$(VENV)/.docs: $(VENV)/.tools
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

docs: setup $(VENV)/.docs ## Build the documentation site into build/site; a broken link fails
	$(BIN)/python -m sphinx -b html -c docs -W --keep-going --quiet . build/site
	@echo "build/site/docs/index.html"

$(VENV)/.dist: $(VENV)/.tools
	$(BIN)/python -m pip install --quiet --group dist
	@touch $@

dist: setup $(VENV)/.dist ## Build a wheel and an sdist into dist/, install each in an empty environment and run the demo
	scripts/dist.sh

docs-check: setup ## Run every example in README and docs
	$(BIN)/python -m pytest tests/docs

$(VENV)/.fuzz: $(VENV)/.tools
	$(BIN)/python -m pip install --quiet --group fuzz
	@touch $@

fuzz: setup $(VENV)/.fuzz ## Fuzz the core and all that reads files; SECONDS=60 for each target
	scripts/fuzz.sh $(SECONDS)

torture: setup ## Try for long to make an index or a server lose something; SHARE=0.1, PART="power loss" for less
	$(BIN)/python -m benchmarks.torture --share $(SHARE) $(if $(PART),--part "$(PART)")

clean: ## Remove all that the other targets made
	rm -rf $(VENV) .bench rust/target rust/fuzz/target build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks examples -name __pycache__ -prune -exec rm -rf {} +
	rm -f src/lookalike/_native*.so
