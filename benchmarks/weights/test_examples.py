"""Judge the bundled weights by the examples that the pages offer, and by labelled sets that nothing
was fitted on."""

from pathlib import Path

import pytest

from elmo_tasks.api import group_by, partition
from elmo_tasks.evaluation.dictionary import score_sets
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.service.loaded_models import LoadedModels
from elmo_tasks.service.session import Session
from elmo_tasks.ui.compare_form import EXAMPLES
from elmo_tasks.ui.try_tab import TRY_EXAMPLES

SETS = Path(__file__).parents[2] / "tests" / "senses" / "fresh_sets.jsonl"


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    return Session(LoadedModels(device="cpu"), runs_dir=tmp_path_factory.mktemp("runs"))


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.is_one_word], ids=lambda e: e.title)
def test_a_comparison_is_sorted_as_its_sentences_were_meant(session, example):
    found = session.compare(example.word, example.sentences)
    assert partition(found.groups) == partition(group_by(example.meant).values())


def test_the_first_text_of_try_shows_what_context_adds(session):
    """With context both are right; without it, the person is taken for a place."""
    lines = TRY_EXAMPLES[0].lines
    types = {
        head: [found.best.entities[0].type for found in session.tag(lines, head)]
        for head in ("ner", "ner-layer0")
    }
    assert types == {"ner": ["PER", "LOC"], "ner-layer0": ["LOC", "LOC"]}


def test_labelled_sets_are_named_and_right(session):
    """Floors a little below what docs/meanings.md states."""
    scores = score_sets(session.loaded.model().sense_model, bundled_lexicon(), SETS)
    assert scores.named >= 0.6
    assert scores.right >= 0.9
    assert scores.one_split <= 0.03
