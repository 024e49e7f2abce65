# make book       build the site into _build/html
# make pdf        build the site and print it into _build/private-bandits.pdf (needs Chromium, poppler-utils and qpdf)
# make notes      print two notes, to be read alone, into _build/notes (needs the same)
# make test       the gate: lint, types, unit tests, every chapter under nbval, every page on a phone
# make quick      the same without the notebooks and the pages
# make check      everything: all widths and themes, crashes, a cluster, 50,000 calls, planted faults, other seeds,
#                 Python 3.11 to 3.13 in another order of the tests, the newest of every dependency (three hours)
# make reproduce  run the committed chapters again, in place
# make bench      time the kernels against C, a plain Python loop and per-step NumPy, and write the page on speed
# make prove-gates  plant faults one at a time and see a test go red for each (an hour; it goes on where it stopped)
# make fuzz       50,000 generated calls and parameters, with the bounds of arrays checked (a quarter of an hour)
# make bench-peers, make bench-growth   the same against other libraries, and as the work grows
# make lock       resolve requirements.lock, requirements-book.lock and requirements-uv.lock anew
#
# Each sets up .venv first, with the uv on the path or with one that pip puts into .venv. Any Python from
# 3.11 to 3.13 will do; `make PY=...` names one.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PAGES := $(VENV)/.pages
UV := $(shell command -v uv 2>/dev/null || echo $(BIN)/uv)

FITS := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PY := $(shell for py in python3 python3.13 python3.12 python3.11 python; do \
	if $$py -c '$(FITS)' >/dev/null 2>&1; then echo $$py; break; fi; done)

ifeq ($(UV),$(BIN)/uv)
create := "$(PY)" -m venv --clear $(VENV) && \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.lock
else
create := $(UV) venv --quiet --clear --seed --python "$(PY)" $(VENV)
endif
install = $(UV) pip install --quiet $(COMPILE) --python $(BIN)/python

# uv ends with an error where its cache cannot be written, as where nobody is at home
ifeq ($(shell at="$${UV_CACHE_DIR:-$${XDG_CACHE_HOME:-$$HOME/.cache}}"; mkdir -p "$$at" 2>/dev/null && test -w "$$at" && echo kept),)
export UV_NO_CACHE := 1
endif

# Tests are compiled once, and not by every worker, whatever the environment says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: book pdf notes test quick check everything prove-gates fuzz seeds pythons newest
.PHONY: reproduce bench bench-peers bench-growth lock

# what the pages need, without browser and tests; an environment that has all serves as well
book: $(if $(wildcard $(READY)),$(READY),$(PAGES))
	$(BIN)/jupyter-book build . --all -W -n --keep-going

pdf: book
	$(BIN)/python publish/pdf.py

notes: $(if $(wildcard $(READY)),$(READY),$(PAGES))
	$(BIN)/python publish/notes.py _build/notes

# three workers on two cores, as much of the gate waits for a browser or for another process
PYTEST := pytest -n 3 --no-loadscope-reorder

test: CHOSEN := not check
newest: CHOSEN := not check or bits
quick: CHOSEN := not check and not notebook and not book
pythons: CHOSEN := not notebook and not book and (not check or bits)
test quick everything: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy src & types=$$!; $(BIN)/python -m $(PYTEST) -m "$(CHOSEN)" $(ORDER) && wait $$types

# the last two write tables that a page shows
check: everything newest pythons seeds fuzz prove-gates

fuzz prove-gates: $(READY)
	$(BIN)/python tests/$(subst -,_,$@).py
	$(BIN)/private-bandits reproduce own

seeds: $(READY)
	$(BIN)/private-bandits reproduce --seeds 5 --check

# uv finds a Python or brings it, and asks pyenv's shims, which name none before they are told a version; that of .venv
# has run everything. The order of the tests, which decides nothing, is another one each week.
pythons: $(READY)
	set -e; for version in 3.11 3.12 3.13; do \
		case "$$($(BIN)/python --version)" in *" $$version."*) continue;; esac; \
		find="env PYENV_VERSION=$$version $(UV) python find $$version"; \
		python=$$($$find || { $(UV) python install $$version && $$find; }); \
		$(MAKE) quick VENV=_build/python-$$version PY=$$python CHOSEN="$(CHOSEN)" ORDER="--shuffle $$(date +%G%V)"; \
	done

# without the lock, and without the lint, whose newest rules are no reader's trouble
newest: $(READY)
	rm -rf _build/newest
	$(UV) venv --quiet --python $(BIN)/python _build/newest
	$(UV) pip install --quiet --upgrade --python _build/newest/bin/python --editable '.[test]'
	_build/newest/bin/python -m $(PYTEST) -m "$(CHOSEN)"

reproduce: $(READY)
	$(BIN)/private-bandits reproduce

bench: RACE := run
bench-peers: RACE := peers
bench-growth: RACE := growth
bench bench-peers bench-growth: $(READY)
	$(BIN)/python benchmarks/$(RACE).py
	$(BIN)/python benchmarks/page.py

# The stamp comes last, and whatever ends the recipe before it takes the half-made environment away.
$(READY): LOCK := requirements.lock
$(READY): COMPILE := --compile-bytecode
$(PAGES): LOCK := requirements-book.lock
$(READY): requirements.lock pyproject.toml
$(PAGES): requirements-book.lock pyproject.toml
$(READY) $(PAGES):
	@"$(PY)" -c '$(FITS)' 2>/dev/null || \
		{ echo "Python 3.11, 3.12 or 3.13 is needed, and none was found; name one: make PY=..." >&2; exit 1; }
	@test ! -L $(VENV) || { echo "$(VENV) is a link, and is not set up anew: take it away first" >&2; exit 1; }
	@rm -f $@; set -e; \
	trap 'status=$$?; test -e $@ || rm -rf $(VENV); exit $$status' EXIT; \
	trap 'exit 130' INT HUP TERM; \
	echo "Setting up $(VENV)"; \
	$(create); \
	$(install) --require-hashes -r $(LOCK); \
	$(install) --no-deps --no-build-isolation --editable .; \
	touch $@

resolve := $(UV) pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header
lock: $(READY)
	echo hatchling | $(resolve) --extra test --output-file requirements.lock pyproject.toml -
	echo hatchling | $(subst --upgrade ,,$(resolve)) --extra book --constraint requirements.lock \
		--output-file requirements-book.lock pyproject.toml -
	echo uv | $(resolve) --output-file requirements-uv.lock -
