# Each target installs what it needs first, into .venv, once. What comes as source only (seqeval) is built by PEP 517: an older pip
# would run its setup.py, which since setuptools_scm 10 finds no longer what it asks for.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# A worker for each core, four at most; the tests of one file stay together, since they share what took long to make.
PYTEST := $(BIN)/python -m pytest -n logical --maxprocesses 4 --dist loadfile --no-loadscope-reorder

.PHONY: help install app test test-fast test-ci test-nightly test-weights train-ner train-sentiment bench bundled constraints lint
.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

$(VENV)/.app: requirements.txt constraints.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --use-pep517 -r requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.app
	$(BIN)/pip install --quiet --disable-pip-version-check --use-pep517 -r requirements-dev.txt
	@touch $@

install: $(VENV)/.app  ## only install, into .venv: then `. .venv/bin/activate`, and elmo-tasks is a command

app: $(VENV)/.app  ## open the app with the bundled models (ARGS="--port 7861" for its options)
	$(BIN)/elmo-tasks app $(ARGS)

test: $(VENV)/.dev  ## run the tests of a change, in the browser too: four minutes on two cores (ARGS="-k compare" for pytest's options)
	$(PYTEST) -m "not ci and not nightly" $(ARGS)

test-fast: $(VENV)/.dev  ## run the units alone: no browser, no training, no bundled model from its command
	$(PYTEST) -m "not smoke and not ci and not nightly" $(ARGS)

test-ci: $(VENV)/.dev  ## run what the CI runs: what is long, too, and every tab in the browser
	$(PYTEST) -m "not nightly" $(ARGS)

test-nightly: $(VENV)/.dev  ## run what takes minutes a test, before a release: fifty people, twenty kills, 20,000 inputs, the documents
	$(PYTEST) -m nightly $(ARGS)

test-weights: $(VENV)/.dev  ## judge the bundled weights by what the app offers and says: when a checkpoint or an example changes
	$(PYTEST) benchmarks/weights $(ARGS)

train-ner: $(VENV)/.app  ## train an entity tagger on a small sample, in a minute (ARGS="--encoder NAME" and the like)
	$(BIN)/elmo-tasks fit --config ner_sample $(ARGS)

train-sentiment: $(VENV)/.app  ## train a sentiment classifier on a small sample, in a minute
	$(BIN)/elmo-tasks fit --config sentiment_sample $(ARGS)

bench: $(VENV)/.app  ## measure the speed of the app, of pretraining and of training heads
	$(BIN)/python -m benchmarks.app_speed
	$(BIN)/python -m benchmarks.pretraining_speed
	$(BIN)/python -m benchmarks.head_training

bundled: $(VENV)/.app  ## name the bundled models that no longer fit what they were made from (ARGS=--run makes them again: hours)
	$(BIN)/python -m elmo_tasks.recipes.bundled_models $(ARGS)

constraints: $(VENV)/.dev  ## write the versions that are installed here to constraints.txt, which every install keeps to
	$(BIN)/python .ci/constraints.py requirements.txt requirements-dev.txt > constraints.new
	@mv constraints.new constraints.txt

lint: $(VENV)/.dev  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
