# Bare `make` lists what can be made.
PYTHON ?= python3
PY := .venv/bin/python
PYTEST := $(PY) -m pytest -n logical --maxprocesses 4
READY := .venv/ready
READY_CLASS := .venv/ready-class

.DEFAULT_GOAL := help
.PHONY: help read book pdf slides-pdf lab test test-all data exercises mutants fuzz versions bench assignment grade

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

read: book  ## set up, build the book and serve it on 127.0.0.1 (Ctrl-C stops)
	@$(PY) tools/serve.py _build/html

book: $(READY)  ## build the book, its decks, its live pages and notebooks and the file for reading offline into _build/html
	@$(PY) tools/vendor.py
	@.venv/bin/jupyter-book build . -W -n --keep-going -q >/dev/null
	@$(PY) tools/make_slides.py
	@$(PY) tools/make_live.py
	@$(PY) tools/make_lite.py
	@$(PY) tools/make_archive.py

pdf: $(READY)  ## print the whole book to _build/pdf (needs XeLaTeX; says what to install)
	@$(PY) tools/make_pdf.py

slides-pdf: book  ## print each deck to _build/slides_pdf (needs Chromium)
	@$(PY) tools/slides_pdf.py

lab: $(READY)  ## open the chapters in JupyterLab, where every control reruns its experiment
	@$(PY) -m jupyterlab book

test: $(READY)  ## set up what is missing and run the tests (under 10 minutes on two cores)
	@$(PY) tools/vendor.py
	@$(PYTEST) -m "not long"

test-all: $(READY)  ## the tests and their long parts, then make fuzz and make mutants (hours)
	@$(PY) tools/vendor.py
	@$(PYTEST)
	@$(MAKE) --no-print-directory fuzz mutants

data: $(READY)  ## make every synthetic table in data/ anew (git shows whether one changed)
	@$(PY) tools/make_data.py

exercises: $(READY)  ## write the exercises' pages and lists from their sources
	@$(PY) tools/make_exercises.py

mutants: $(READY)  ## change code one place at a time, something must notice; WHAT=rules: that alone
	@$(PY) tools/mutants.py $(WHAT)

fuzz: $(READY)  ## try 10,000 hostile inputs on each public function; SEED=7 repeats a run, ONLY=icc takes one
	@seed=$${SEED:-$$(date +%s)}; echo "fuzz: seed $$seed"; \
	SIGBOOK_HYPOTHESIS=fuzz $(PYTEST) -m "not long" --hypothesis-seed=$$seed -k "$(ONLY)" --durations=0 tests/test_fuzz.py

versions: .venv-oldest/ready .venv-newest/ready  ## run every chapter on the oldest and the newest libraries allowed
	@$(PY) tools/versions.py oldest newest

bench: $(READY)  ## print the engine's times beside those of sacreBLEU and SciPy
	@$(PY) tools/bench.py

assignment: $(READY_CLASS)  ## for a class: CHAPTER=two_pictures OUT=folder SEED=7
	@$(PY) tools/make_assignment.py "$(CHAPTER)" "$(OUT)" --seed "$(SEED)"

grade: $(READY_CLASS)  ## for a class: SUBMISSIONS=folder AUTOGRADER=folder/autograder/autograder.zip
	@$(PY) tools/grade.py "$(SUBMISSIONS)" "$(AUTOGRADER)"

$(READY): requirements.txt tools/constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, but $(PYTHON) is $$($(PYTHON) --version 2>&1)."; \
	  echo "Name another one: make read PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
	  echo "Python's venv module is incomplete; on Debian: apt-get install python3-venv"; exit 1; }
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@echo "Setting up .venv (a few minutes the first time)"
	@$(PY) -m pip install -qq --disable-pip-version-check pip==26.3  # older ones misread new packages
	@$(PY) -m pip install -qq --disable-pip-version-check -r requirements.txt
	@$(PY) -m pip install -qq --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

$(READY_CLASS): tools/requirements-class.txt tools/constraints.txt $(READY)
	@echo "Adding otter-grader to .venv"
	@$(PY) -m pip install -qq --disable-pip-version-check -r tools/requirements-class.txt
	@touch $@

# Says so and goes on where no interpreter can hold it; PYTHON_OLDEST and PYTHON_NEWEST name one.
.venv-%/ready: tools/versions/%.txt tools/versions/tests.txt tools/constraints.txt pyproject.toml | $(READY)
	@$(PY) tools/versions.py set-up $*
