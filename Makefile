# Everything runs in .venv, which the first target makes. PYTHON may name another interpreter (3.11 or newer).
PYTHON ?= python3
BIN := .venv/bin
NPM := --no-audit --no-fund --no-package-lock --loglevel=error

.PHONY: site docs test check golden bench bench-retrieval bench-bridge peers clean

site: .venv/installed ## install, and build the sample vault into site/
	$(BIN)/llmwiki build templates/sample-vault --out site
	@echo "Open site/index.html in your browser."

docs: .venv/installed ## build the documentation with itself into build/docs/
	$(BIN)/llmwiki build docs --strict

test: .venv/tested ## run the tests
	$(BIN)/python -m pytest -n auto

check: .venv/tested ## format, lint and types
	$(BIN)/ruff format --check generator mcp_bridge tests
	$(BIN)/ruff check generator mcp_bridge tests
	$(BIN)/mypy

golden: .venv/tested ## rewrite expected pages, transcripts and examples; read the difference before you commit it
	LLMWIKI_UPDATE_GOLDEN=1 $(BIN)/python -m pytest -q tests/test_golden.py tests/test_cli.py tests/test_docs.py tests/test_skills.py tests/test_mcp_transcript.py

bench: .venv/tested ## figures: build, incremental build and search
	$(BIN)/python -m tests.benchmarks.build

bench-retrieval: .venv/tested ## how well we find, on query sets of others beside the checkout; VECTORS=1 with the local model
	$(if $(VECTORS),$(BIN)/python -m pip install --quiet --editable '.[vectors]')
	$(BIN)/python -m tests.benchmarks.retrieval $(if $(VECTORS),--vectors)

bench-bridge: .venv/tested ## figures: start, tools, transports and memory of the MCP server
	$(BIN)/python -m tests.benchmarks.bridge

peers: .node/installed ## install the programs of others that the MCP server is tried with (npm); CLAUDE=1 with Claude Code
	$(if $(CLAUDE),cd .node && npm install $(NPM) --no-save @anthropic-ai/claude-code)

clean: ## remove the environment and all caches
	rm -rf .venv .node .pytest_cache .mypy_cache .ruff_cache dist

.node/installed: tests/conformance/package.json
	@command -v npm >/dev/null || { echo "npm is needed: install Node.js 22.19 or newer"; exit 2; }
	mkdir -p .node && cp tests/conformance/package.json .node/
	cd .node && npm install $(NPM)
	@touch $@

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 …"; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/tested: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch .venv/installed $@
