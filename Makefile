# Two commands do everything: `make demo` and `make test`. Each makes what it needs in .venv, from the lock files.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One word for all: quiet, no questions, every package checked against its hash.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --require-hashes --no-deps
PYTEST := $(BIN)/python -m pytest
# What is set for other programs: it would change what Python, pip and pytest do here.
unexport PYTHONBREAKPOINT PYTHONDEVMODE PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONHOME PYTHONINSPECT PYTHONIOENCODING
unexport PYTHONOPTIMIZE
unexport PYTHONPATH PYTHONSAFEPATH PYTHONSTARTUP PYTHONUTF8 PYTHONWARNINGS PYTEST_ADDOPTS PYTEST_PLUGINS
unexport PYTEST_DISABLE_PLUGIN_AUTOLOAD PYTEST_TIMEOUT FORCE_COLOR LAB_SUBSTITUTE PIP_PREFIX PIP_TARGET PIP_USER
.PHONY: demo test test-all test-browser lab grader bank check build soak bench bench-timeline bench-grading lock clean help
.DEFAULT_GOAL := help

help:
	@echo "make demo    the refund story: blocked, killed, resumed, one refund"
	@echo "make test    the 14 tests on the reference, then the tests of the lab itself (of the long ones a sample)"
	@echo "make test-all  the same, with all of the long ones: hostile submissions, the bank of engines"
	@echo "make lab     JupyterLab on the first notebook; ARGS=\"--no-browser --port 9999\" passes options on"
	@echo "make test-browser    the notebooks in JupyterLab, driven in Chromium (Debian: apt install chromium)"
	@echo "make grader  what an instructor needs: the command lab-grader (see grader/README.md)"
	@echo "make bank    how well wrong engines are rejected, and the belief behind each is named"
	@echo "make soak    the reference crashed at every point of random workflows, real kills too: 10 minutes, or SECONDS=60"
	@echo "make check   drift of generated files, lint, types, which folder may use which"
	@echo "make build   make lab/ and notebooks/ from solution/"
	@echo "make bench   what a durable step costs, beside a bare INSERT and COMMIT"
	@echo "make bench-timeline  first paint and a scrub step of the timeline, on a page and in JupyterLab"
	@echo "make bench-grading   a class graded, beside a plain nbgrader autograde (some minutes)"

demo: $(VENV)/base.done
	@$(BIN)/python -P -m durable_lab demo

test test-all: $(VENV)/dev.done $(VENV)/lab.done
	LAB_MODULE=$${LAB_MODULE:-solution} $(PYTEST) tests/lab
	env -u LAB_MODULE -u LAB_WORKSPACE $(PYTEST) tests --ignore tests/lab --ignore tests/browser -n 2 --dist worksteal $(SAMPLE)

test: SAMPLE = --sample

test-browser: $(VENV)/dev.done $(VENV)/lab.done
	env -u LAB_MODULE -u LAB_WORKSPACE $(PYTEST) tests/browser

lab: $(VENV)/lab.done
	@case "$$(id -u) $(ARGS)" in "0 "*--allow-root*) ;; "0 "*) \
	    echo "You are root, and JupyterLab would let its pages do anything here. If that is what you want: make lab ARGS=--allow-root"; \
	    exit 2;; esac
	PATH="$(CURDIR)/$(BIN):$$PATH" JUPYTER_CONFIG_PATH="$(CURDIR)/$(VENV)/etc/student" $(BIN)/python -m jupyterlab --ServerApp.root_dir=. $(ARGS) \
	    notebooks/00_why_a_for_loop_agent_dies.ipynb

grader: $(VENV)/lab.done
	@command -v bwrap >/dev/null || echo "There is no bubblewrap here, so no sandbox: see grader/README.md, Set up."
	@echo "ready: $(BIN)/lab-grader --help"

bank: $(VENV)/dev.done $(VENV)/lab.done
	$(BIN)/python -m grader.dev.bank

SECONDS ?= 600
soak: $(VENV)/dev.done
	$(BIN)/python -m grader.dev.soak --seconds $(SECONDS)

check: $(VENV)/dev.done $(VENV)/lab.done
	$(BIN)/python -m grader.dev.build --check
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache >$(VENV)/arrows 2>&1 || { cat $(VENV)/arrows; exit 1; }

build: $(VENV)/dev.done $(VENV)/lab.done
	$(BIN)/python -m grader.dev.build

bench: $(VENV)/dev.done
	$(BIN)/python -m grader.dev.bench

bench-timeline: $(VENV)/dev.done $(VENV)/lab.done
	$(BIN)/python -m grader.dev.bench_timeline

bench-grading: $(VENV)/dev.done $(VENV)/lab.done
	$(BIN)/python -m grader.dev.bench_grading

# Names, versions and hashes only; `uv` reads pyproject.toml and keeps the three files in step.
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --group build
lock: $(VENV)/dev.done
	$(COMPILE) --upgrade --extra dev pyproject.toml -o requirements-dev.lock
	$(COMPILE) -c requirements-dev.lock --extra lab pyproject.toml -o requirements-lab.lock
	$(COMPILE) -c requirements-dev.lock pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV)

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try: make PYTHON=python3.12 demo")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/base.done: $(BIN)/python requirements.lock pyproject.toml
	@echo "setting up $(VENV) ..."
	@$(PIP) -r requirements.lock
	@$(MAKE) --no-print-directory package
	@touch $@

# `make lab` is a student's: without nbgrader's panels, which are for courses. An instructor starts `jupyter lab`.
NBGRADER := $(foreach name,formgrader validate_assignment assignment_list,"nbgrader.server_extensions.$(name)": false,) \
    "nbgrader.server_extensions.course_list": false
$(VENV)/lab.done: $(VENV)/base.done requirements-lab.lock Makefile
	@echo "adding JupyterLab (some 100 packages, a minute or two) ..."
	@$(PIP) -r requirements-lab.lock
	@mkdir -p $(VENV)/share/jupyter/lab/settings
	@echo '{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}' \
	    > $(VENV)/share/jupyter/lab/settings/overrides.json
	@mkdir -p $(VENV)/etc/student/labconfig $(VENV)/etc/student/jupyter_server_config.d
	@echo '{"disabledExtensions": {"@jupyter/nbgrader": true}}' > $(VENV)/etc/student/labconfig/page_config.json
	@echo '{"ServerApp": {"jpserver_extensions": {$(NBGRADER)}}}' > $(VENV)/etc/student/jupyter_server_config.d/nbgrader.json
	@touch $@

$(VENV)/dev.done: $(VENV)/base.done requirements-dev.lock
	@echo "adding what the tests need ..."
	@$(PIP) -r requirements-dev.lock
	@touch $@

# Where LC_ALL is C, Python reads this file as ASCII, and would not start in a folder `ü`.
ASCII := 'import os, sys; lines = open(sys.argv[1], "rb").read().splitlines(); \
    made = [line if line.startswith(b"import ") else b"import os, sys; sys.path.append(os.fsdecode(%a))" % line for line in lines]; \
    open(sys.argv[1], "wb").write(b"\n".join(made))'
.PHONY: package
package:
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet --no-build-isolation --no-deps --editable .
	@$(BIN)/python -S -c $(ASCII) $(VENV)/lib/python*/site-packages/_durable_workflow_lab.pth
