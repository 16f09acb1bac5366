"""What the screen offers shows what it says, with the model that is shipped. Where another is, choose anew:

``python -m benchmarks.choose_examples``.
"""

from __future__ import annotations

from collections import Counter

import pytest
from benchmarks.choose_examples import is_near, is_said, sentences_of, turns
from elmo_tasks.senses.gallery import gallery_words
from elmo_tasks.ui.present_examples import FORMING_CANDIDATES, FORMINGS

from elmo_tasks.api import MapRequest
from elmo_tasks.serving.session import Session
from elmo_tasks.ui import (
    examples,
    map_tab,
    maps,
    nearest_tab,
    present_examples,
    present_parts,
)
from elmo_tasks.ui.examples import Outcome, outcome, shows_what_was_meant
from elmo_tasks.ui.try_examples import TRY_EXAMPLES


@pytest.fixture(scope="module")
def session():
    return Session()


@pytest.mark.parametrize("example", examples.EXAMPLES, ids=lambda e: e.title)
def test_an_example_of_compare_is_sorted_as_it_was_meant(session, example):
    assert shows_what_was_meant(session.compare(example.word, example.sentences), example.meant)


@pytest.mark.parametrize("story", present_examples.STORIES, ids=lambda s: s.word)
def test_a_story_is_sorted_rightly(session, story):
    comparison = session.compare(story.word, story.sentences)
    assert outcome(comparison, story.meant) is Outcome.RIGHT


@pytest.mark.parametrize("story", present_examples.FAILURES, ids=lambda s: s.word)
def test_a_failure_is_one(session, story):
    assert not outcome(session.compare(story.word, story.sentences), story.meant).is_right


@pytest.mark.parametrize("example", TRY_EXAMPLES, ids=lambda e: e.title)
def test_the_heads_say_of_an_example_what_was_meant(session, example):
    assert is_said(session, example)


def test_context_decides_some_of_the_examples(session):
    assert sum(not is_said(session, example, with_context=False) for example in TRY_EXAMPLES) >= 3
    assert not is_said(session, TRY_EXAMPLES[0], with_context=False)


@pytest.mark.parametrize("word", map_tab.FIRST)
def test_a_word_to_start_a_map_with_falls_into_its_meanings(session, word):
    found = session.maps.sense_map(MapRequest(word))
    assert len(found.groups) > 1
    assert found.agreement > 0.99


def test_the_map_that_sentences_land_on_is_clean_and_the_ready_ones_land_where_they_belong(session):
    on = MapRequest(maps.WORD, by_meaning=True)
    assert session.maps.sense_map(MapRequest(maps.WORD)).agreement == 1
    said = [session.maps.land(sentence, on).verdict for sentence in maps.READY]
    assert said[0].endswith("(legal).")
    assert said[1].endswith("(illness).")
    assert said[2].startswith("It lands between the groups.")


@pytest.mark.parametrize("candidate", nearest_tab.EXAMPLES, ids=lambda c: c[0])
def test_the_nearest_uses_have_the_sense_that_the_button_names(session, candidate):
    """Every sentence of the gallery is read, once."""
    assert is_near(session, *candidate[1:])


def compared(session, words):
    """What becomes of the ready sentences of words."""
    ready = {word: examples.ready_uses(word) for word in words}
    return {
        word: outcome(session.compare(word, sentences_of(word, uses)), [sense for sense, _ in uses])
        for word, uses in ready.items()
        if uses
    }


def test_ready_words_come_out_right(session):
    """1,200 sentences are read."""
    found = compared(session, gallery_words())
    count = Counter(found.values())
    assert len(found) == len(gallery_words())
    assert count[Outcome.WRONG] + count[Outcome.LEANS_WRONG] <= 0.05 * len(found)
    assert count[Outcome.RIGHT] + count[Outcome.LEANS_RIGHT] >= 0.70 * len(found)


def test_every_tenth_ready_word_and_all_that_are_offered_come_out_right(session):
    found = compared(session, gallery_words()[::10])
    assert sum(o.is_right for o in found.values()) >= 0.70 * len(found)
    assert sum(o.is_wrong for o in found.values()) <= 0.05 * len(found)
    assert set(compared(session, examples.words("own")).values()) == {Outcome.RIGHT}


@pytest.mark.parametrize("pair", FORMINGS, ids=lambda p: p.title)
def test_a_pair_turns_at_the_word_that_decides_and_the_page_says_so(session, pair):
    assert all(turns(session, pair, which) for which in (0, 1))
    one, other = (session.present.forms(pair.word, sentence, pair.senses) for sentence in pair.sentences)
    said = present_parts.forming_said((one, other))
    for number, word, sense in zip((1, 2), pair.deciding, pair.senses, strict=True):
        assert f"From “{word}” on, {number} is nearer to “{sense}”." in said
    assert one.steps[0].cosines == pytest.approx(other.steps[0].cosines, abs=1e-5)


def test_pairs_that_are_not_shown_turn_at_the_word_that_decides_too(session):
    """Sentences of sixty words, read word by word."""
    rest = [pair for pair in FORMING_CANDIDATES if pair not in FORMINGS]
    assert len({pair.word for pair in rest}) >= 20
    on_own_side = named_right = named_wrong = 0
    for pair in rest:
        answers = tuple(session.present.forms(pair.word, sentence, pair.senses) for sentence in pair.sentences)
        at = present_parts.deciding_word(answers)
        for which, answer in enumerate(answers):
            step = next(step for step in answer.steps if step.words == at + 1)
            difference = step.cosines[0] - step.cosines[1]
            on_own_side += (difference < answer.middle) == bool(which)
            named_right += step.nearer == pair.senses[which]
            named_wrong += step.nearer == pair.senses[1 - which]
    assert on_own_side >= 0.9 * 2 * len(rest)
    assert named_right >= 0.5 * 2 * len(rest)
    assert named_wrong <= 0.05 * (named_right + named_wrong)
