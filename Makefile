# make app   set up and start the app        make test  set up and run every check and test
# make bench print the benchmarks            make setup only set up
PYTHON ?= python3
BIN := .venv/bin
export STREAMLIT_BROWSER_GATHER_USAGE_STATS := false

.PHONY: app assets test lint bench setup clean

app: .venv/app.done assets
	$(BIN)/python -m core serve

# The language model of the page Steer generations, 93 MB, once. Without it everything else works.
assets: .venv/app.done
	@$(BIN)/python -m core assets get || true

# Two test processes share the machine; a test that failed beside another one gets one more try alone.
test: .venv/test.done lint assets
	$(BIN)/python -m pytest -n 2 --dist loadfile || $(BIN)/python -m pytest --last-failed --last-failed-no-failures none

lint: .venv/test.done
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache

bench: .venv/test.done
	$(BIN)/python -m benchmarks

setup: .venv/app.done

.venv/app.done: requirements.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

.venv/test.done: .venv/app.done tests/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	touch $@

clean:
	rm -rf .venv
