# Rulewright's own chores. `make help` lists them; .ci/setup makes the environment that they run in.

SCENARIO = rules/t9a-2/scenarios/heavy-losses.scenario
PYTEST_ARGS = -n auto --dist loadgroup
PYTHON ?=
VENV = .venv

# What the caller's own environment would otherwise slip in.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV

bin = "$(VENV)"/bin
setup = @PYTHON='$(PYTHON)' VENV='$(VENV)' sh .ci/setup

.PHONY: help run test check bench clean run-ready dev-ready

help:
	@echo 'make run      plays a scenario and explains what happened; another one with'
	@echo '              make run SCENARIO=path/to/file.scenario'
	@echo 'make test     lint, types, layers and all tests; some of them with PYTEST_ARGS="-k word"'
	@echo 'make check    the part of make test that runs no tests'
	@echo 'make bench    measures what many rules and many facts cost, in some minutes'
	@echo 'make clean    takes away all that these commands made, the environment $(VENV) too'
	@echo
	@echo 'The first run sets up $(VENV), with the newest Python found, or with yours:'
	@echo '              make run PYTHON=/path/to/python3'

run: run-ready
	@$(bin)/python -m rulewright run "$(SCENARIO)"

test: check
	$(bin)/python -m pytest $(PYTEST_ARGS)

check: dev-ready
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy
	$(bin)/lint-imports --no-logo

bench: dev-ready
	$(bin)/python tests/benchmarks/scale.py

run-ready:
	$(setup) run

dev-ready:
	$(setup) dev

clean:
	@if [ -f "$(VENV)/made-by-make" ]; then rm -rf "$(VENV)"; fi
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find engine tests -name __pycache__ -type d -prune -exec rm -rf {} +
