# make demo   train on the built-in corpus, score, draw a tree
# make test   lint, types and the whole suite
# make chaos  N=100 SEED=1: kill fit, reproduce and parse at random moments; DGLSENT_STANZA names Stanza's models
# make fuzz   N=100000 SEED=1 JOBS=1: damaged files into every reader, each failure with its smallest input
# make numbers  train three cheap rows anew; fails where one lies too low (DGLSENT_DATA, DGLSENT_PARSES;
#               NUMBERS=--allow-skipped where data is missing)
# make results  write what docs/results has measured into docs/results.md
# make lowest   the fast part of the suite with the lowest versions that pyproject.toml declares (but for torch)
# make .venv  install alone

PYTHON ?= python3
WORKERS ?= $(shell $(PYTHON) -c "import os; print(min(4, len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()))")

export MPLBACKEND = Agg

# of each room something that uses the libraries it stands on
FAST = tests/graphs tests/dglsent/passing/test_batch.py tests/dglsent/tasks tests/dglsent/training/test_assemble.py \
  tests/dglsent/training/test_recipe.py tests/dglsent/training/test_resume.py tests/dglsent/inference tests/dglsent/analysis

.PHONY: demo test types suite lowest fuzz chaos clean numbers results

.venv: .venv/installed

.venv/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c "import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 10) <= v < (3, 13) else f'dglsent needs Python 3.10, 3.11 or 3.12 (DGL has no other builds); this is {v[0]}.{v[1]}: make PYTHON=python3.11')"
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch .venv/installed

# no dev tools: their lowest versions are nobody's concern
.lowest/installed: pyproject.toml constraints-lowest.txt
	$(PYTHON) -m venv --clear .lowest
	.lowest/bin/pip install --quiet --disable-pip-version-check -c constraints-lowest.txt -e . pytest hypothesis nltk
	@touch .lowest/installed

# Stanza's models are of its version; those at hand are of a later one, so tests that need them are left out
lowest: .lowest/installed
	OMP_NUM_THREADS=1 DGLSENT_STANZA=.lowest .lowest/bin/pytest $(FAST)

demo: .venv
	.venv/bin/dglsent demo --out demo

# types beside the suite: while its workers import, a core is idle
test: .venv
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	$(MAKE) --jobs 2 types suite

# Python 3.10 has an older NumPy, whose stubs call some of these types others
types: .venv
	@if .venv/bin/python -c "import sys; sys.exit(sys.version_info < (3, 11))"; then echo .venv/bin/mypy; .venv/bin/mypy; \
	else echo "types are not checked on Python 3.10"; fi

suite: .venv
	OMP_NUM_THREADS=1 .venv/bin/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=10

chaos: N ?= 100
chaos: SEED ?= 1
chaos: .venv
	.venv/bin/python tests/dglsent/chaos.py --trials $(N) --seed $(SEED)

fuzz: N ?= 100000
fuzz: SEED ?= 1
fuzz: JOBS ?= 1
fuzz: .venv
	OMP_NUM_THREADS=1 .venv/bin/python tests/fuzz --n $(N) --seed $(SEED) --jobs $(JOBS)

numbers: .venv
	OMP_NUM_THREADS=1 .venv/bin/python -m dglsent.reproduction.numbers $(NUMBERS)

results: .venv
	.venv/bin/python -m dglsent.reproduction.results_page

clean:
	rm -rf .venv .lowest demo runs
