"""The talk over twenty words: whatever its steps and their notes say of an answer is worked out once more from the numbers."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from elmo_tasks.api import Comparison, MapRequest
from elmo_tasks.senses.gallery import gallery, gallery_words
from elmo_tasks.serving.session import Session
from elmo_tasks.ui import present_parts, present_steps, present_tab, quiz
from elmo_tasks.ui.present_examples import FORMING_CANDIDATES
from elmo_tasks.wording.views import view_place

pytestmark = [pytest.mark.long, pytest.mark.slow]
WORDS = gallery_words()[5::10]  # others than those that test_offered_examples asks
FORMS = list({pair.word: pair for pair in FORMING_CANDIDATES}.values())[:20]
NUMBER = r"(−?\d\.\d\d)"


@pytest.fixture(scope="module")
def session():
    return Session()


@pytest.fixture(scope="module", params=WORDS)
def answer(session, request) -> tuple[Comparison, list[str], str, list[str]]:
    """Six ready sentences of a word with their meanings, and the first two of each meaning, which are harder."""
    ready = present_tab.ready_sentences(session, request.param)
    sentences, meant = [sentence for sentence, _ in ready.sentences], [sense for _, sense in ready.sentences]
    return session.compare(ready.word, sentences), meant, ready.word, sentences


def as_number(text: str) -> float:
    return float(text.replace("−", "-"))


def together(groups) -> set[frozenset[int]]:
    return {frozenset(group) for group in groups}


def meant_groups(meant) -> set[frozenset[int]]:
    return {frozenset(k for k, other in enumerate(meant) if other == name) for name in set(meant)}


def true_of(said: str, comparison: Comparison, meant: list[str]) -> bool:
    """Whether a sentence about the outcome is true."""
    right = together(comparison.groups) == meant_groups(meant)
    pair = re.search(r"surest that (\d+) and (\d+) mean (the same|different things) \((\d+)", said)
    if pair:
        a, b = int(pair[1]) - 1, int(pair[2]) - 1
        same = comparison.same_meaning[a][b]
        surest = max(
            max(p, 1 - p)
            for p in (comparison.same_meaning[i][j] for i, j in itertools.combinations(range(len(meant)), 2))
        )
        is_right = (pair[3] == "the same") == (meant[a] == meant[b])
        return (
            max(same, 1 - same) == surest
            and ("rightly." in said) == is_right
            and (same >= 0.5) == (pair[3] == "the same")
        )
    claims = {
        "as they were meant, and is sure": comparison.voice == "named" and right,
        "is sure here, and wrong": comparison.voice == "named" and bool(comparison.groups) and not right,
        "leans to what was meant": comparison.voice == "leaning" and right,
        "leans to another grouping": comparison.voice == "leaning" and bool(comparison.groups) and not right,
        "if they have several meanings": bool(comparison.groups_if_several),
        "cannot tell how these group": comparison.voice == "silent" and not comparison.groups,
        "were not asked": comparison.spellings_differ,
        "was not asked to sort": comparison.spellings_differ,
    }
    found = [holds for claim, holds in claims.items() if claim in said]
    return len(found) == 1 and found[0]


def test_the_answer_of_a_story_a_failure_and_an_own_word(answer):
    comparison, meant, _, _ = answer
    for said in (
        present_steps.story(comparison, meant),
        present_steps.failure(comparison, meant),
        present_steps.own(comparison, meant, by_rule=True),
    ):
        assert true_of(said, comparison, meant), said
        listed = re.search(r"Meant were (.*?)\.(?: |$)", said)[1]
        told = {
            frozenset(int(k) - 1 for k in re.findall(r"\d+", part.rpartition(":")[2])) for part in listed.split(";")
        }
        assert told == meant_groups(meant)


def test_shorter_sets_of_the_same_words(session, answer):
    """Two sentences of each meaning, as people type them: more of them are leanings, pairs and silence."""
    _, meant, word, sentences = answer
    comparison = session.compare(word, sentences[:4])
    for said in (present_steps.failure(comparison, meant[:4]), present_steps.own(comparison, meant[:4])):
        assert true_of(said, comparison, meant[:4]), said


def test_what_the_notes_say_of_the_layers(answer):
    comparison, _, _, _ = answer
    said = present_steps.layers(comparison)
    first = np.array(comparison.layers[0].cosine)
    off = ~np.eye(len(first), dtype=bool)
    if "every pair scores 1.00" in said:
        assert first[off].min() > 0.995
    else:
        low, high = map(as_number, re.search(rf"go from {NUMBER} to {NUMBER}", said).groups())
        assert (low, high) == (pytest.approx(first[off].min(), abs=0.006), pytest.approx(first[off].max(), abs=0.006))
    closer = re.search(rf"uses of one group are {NUMBER} closer on average", said)
    gaps = {}
    if len(comparison.groups) > 1:
        group = {use: k for k, uses in enumerate(comparison.groups) for use in uses}
        alike = np.array([[group[a] == group[b] for b in range(len(first))] for a in range(len(first))])
        for layer in comparison.layers:
            cosine = np.array(layer.cosine)
            if (alike & off).any():
                gaps[layer.name] = cosine[alike & off].mean() - cosine[~alike].mean()
    if closer is None:
        assert len(comparison.groups) < 2 or max(gaps.values(), default=0) < 0.02
        return
    best = max(gaps, key=lambda name: gaps[name])
    assert as_number(closer[1]) == pytest.approx(gaps[best], abs=0.006)
    assert view_place(best).lower() in said.lower()
    second = sorted(gaps.values())[-2]
    assert ("more than anywhere else" in said) == (gaps[best] - second >= 0.02)


def test_the_words_that_lie_nearest(session):
    """The cosine and the order, from the vectors themselves."""
    vectors = session.loaded.static()
    directions = np.asarray(vectors.vectors, dtype=np.float64)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    for word in WORDS:
        found = session.present.neighbours(word, 7)
        nearest = found.neighbours[0]
        assert f"“{nearest.word}” for “{found.word}”" in present_steps.static([found])
        own, other = (int(vectors.rows_of([one])[0]) for one in (word, nearest.word))
        cosines = directions @ directions[own]
        assert nearest.cosine == pytest.approx(cosines[other], abs=1e-3)
        assert nearest.cosine >= np.sort(cosines)[-2] - 1e-3  # itself is the nearest


def test_how_many_meanings_the_gallery_keeps(session):
    for word in WORDS:
        n = len({entry.sense for entry in gallery() if entry.word == word})
        assert f"keeps {n} of its meanings" in present_steps.guess(len(session.present.senses(word)))


@pytest.mark.parametrize("pair", FORMS, ids=lambda pair: pair.word)
def test_a_meaning_that_turns(session, pair):
    one, other = answers = tuple(session.present.forms(pair.word, sentence, pair.senses) for sentence in pair.sentences)
    said = present_parts.forming_said(answers)
    at = present_parts.deciding_word(answers)
    assert one.tokens[:at] == other.tokens[:at]
    side = [sum(d > one.middle for d in one.known[0]), sum(d < one.middle for d in one.known[1])]
    assert one.right == sum(side)
    assert f": {one.right} of them lie on their own side" in said
    for number, answer in enumerate(answers, 1):
        names = [step.nearer for step in answer.steps if step.words > at]
        always = re.search(rf"From “[^”]*” on, {number} is nearer to “([^”]*)”", said)
        ends = re.search(rf"With “[^”]*” {number} ends nearer to “([^”]*)”", said)
        if always:
            assert set(names) == {always[1]}
        elif ends:
            assert names[-1] == ends[1]
            assert set(names) != {ends[1]}
        else:
            assert names[-1] is None or not one.can_tell
    notes = present_steps.forming(answers)
    alone = re.search(r"alone (\d+) of the (\d+) known uses .* by all together (\d+)\.", notes)
    assert alone is None or tuple(map(int, alone.groups())) == (
        one.right_by_layer,
        sum(map(len, one.known)),
        one.right,
    )


def test_where_a_sentence_lands(session):
    """A group is named only where it is the nearest one, and the uses that are shown as nearest are."""
    for word in WORDS:
        (sentence, _), *_ = present_tab.ready_sentences(session, word).sentences
        found = session.maps.land(f"Yesterday she said: {sentence}", MapRequest(word, by_meaning=True))
        cosines = [near.cosine for near in found.nearest]
        assert cosines == sorted(cosines, reverse=True)
        if found.group is not None:
            assert found.nearness[found.group] == max(found.nearness)
        elif found.groups:
            assert "between" in found.verdict


def test_the_pairs_of_the_quiz(session):
    for at, pair in enumerate(quiz.quiz_pairs()):
        comparison = session.compare(pair.word, pair.sentences)
        shown = quiz.reveal(at, "same", None, lambda at, found=comparison: found)
        same = pair.senses[0] == pair.senses[1]
        assert shown["told"].startswith("Both mean the same" if same else "They mean different things")
        assert shown["room"] is same
        model = None if not comparison.groups else len(comparison.groups) == 1
        assert shown["model"] is (None if model is None else model == same)
