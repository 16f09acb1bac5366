"""The talk over twenty words: whatever its steps say of an answer is worked out once more from the numbers."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from elmo_tasks.senses.gallery import everyday_uses, gallery_words
from elmo_tasks.ui.present_examples import FORMING_CANDIDATES

from elmo_tasks.api import Comparison, MapRequest
from elmo_tasks.serving.session import Session
from elmo_tasks.ui import present_parts, present_tab, quiz
from elmo_tasks.ui.examples import Outcome, outcome, told
from elmo_tasks.wording.text import listed, percent
from tests.ui.reader import parsed

WORDS = gallery_words()[5::10]  # others than those that test_offered_examples asks
FORMS = list({pair.word: pair for pair in FORMING_CANDIDATES}.values())[:20]


def typed_sets() -> list[tuple[str, list[str], list[str]]]:
    """Words in two short sentences of each of two meanings, by turns, as people type them."""
    by_word: dict[str, dict[str, list[str]]] = {}
    for use in everyday_uses():
        by_word.setdefault(use.word, {}).setdefault(use.sense, []).append(use.sentence)
    found = []
    for word, by_sense in by_word.items():
        two = [(name, sentences) for name, sentences in by_sense.items() if len(sentences) > 1][:2]
        if len(two) == 2:
            places = list(itertools.product(range(2), two))
            found.append((word, [sentences[k] for k, (_, sentences) in places], [name for _, (name, _) in places]))
    return found


TYPED = typed_sets()[2::4]


@pytest.fixture(scope="module")
def session():
    return Session()


@pytest.fixture(scope="module")
def typed(session) -> list[tuple[Comparison, list[str]]]:
    return [(session.compare(word, sentences), meant) for word, sentences, meant in TYPED]


@pytest.fixture(scope="module", params=WORDS)
def answer(session, request) -> tuple[Comparison, list[str]]:
    """Six ready sentences of a word with their meanings."""
    ready = present_tab.ready_sentences(session, request.param)
    sentences, meant = [sentence for sentence, _ in ready.sentences], [sense for _, sense in ready.sentences]
    return session.compare(ready.word, sentences), meant


def together(groups) -> set[frozenset[int]]:
    return {frozenset(group) for group in groups}


def meant_groups(meant) -> set[frozenset[int]]:
    return {frozenset(k for k, other in enumerate(meant) if other == name) for name in set(meant)}


def true_of(said: str, comparison: Comparison, meant: list[str]) -> bool:
    """Whether a sentence about the outcome is true."""
    right = together(comparison.groups) == meant_groups(meant)
    pair = re.search(
        r"surest that (\d+) and (\d+) mean (the same|different things) \((.*?)\), (rightly|wrongly)\.", said
    )
    if pair:
        a, b = int(pair[1]) - 1, int(pair[2]) - 1
        same = comparison.same_meaning[a][b]
        surest = max(
            max(p, 1 - p)
            for p in (comparison.same_meaning[i][j] for i, j in itertools.combinations(range(len(meant)), 2))
        )
        is_right = (pair[3] == "the same") == (meant[a] == meant[b])
        return (
            not comparison.groups
            and max(same, 1 - same) == surest
            and pair[4] == percent(surest)
            and (pair[5] == "rightly") == is_right
            and (same >= 0.5) == (pair[3] == "the same")
        )
    claims = {
        "as they were meant, and is sure": comparison.voice == "named" and right,
        "is sure here, and wrong": comparison.voice == "named" and bool(comparison.groups) and not right,
        "leans to what was meant": comparison.voice == "leaning" and right,
        "leans to another grouping": comparison.voice == "leaning" and bool(comparison.groups) and not right,
        "if they have several meanings": bool(comparison.groups_if_several),
        "cannot tell how these group": comparison.voice == "silent" and not comparison.groups,
        "was not asked to sort": comparison.spellings_differ,
    }
    found = [holds for claim, holds in claims.items() if claim in said]
    return len(found) == 1 and found[0]


def check_answer(comparison: Comparison, meant: list[str]) -> None:
    """What the steps of an own word and of a failure say of one answer."""
    assert true_of(told(comparison, meant), comparison, meant)
    groups = {name: [k for k, other in enumerate(meant, 1) if other == name] for name in meant}
    by_rule, own = (parsed(present_parts.own(comparison, "", meant, by_rule=chosen)).text for chosen in (True, False))
    listing = "Meant: " + "; ".join(f"{name}: {listed(uses)}" for name, uses in groups.items())
    for said in (by_rule, own):
        assert told(comparison, meant) in said
        assert listing in said
    assert present_parts.EASIEST not in own
    assert (present_parts.EASIEST in by_rule) != comparison.spellings_differ


def test_the_answer_of_a_story_a_failure_and_an_own_word(answer):
    check_answer(*answer)


def test_short_sentences_as_people_type_them(typed):
    """Of these the answers are of all kinds: right, wrong, leanings, a pair, and what would be so if."""
    for comparison, meant in typed:
        check_answer(comparison, meant)
    found = {outcome(comparison, meant) for comparison, meant in typed}
    assert found >= {Outcome.RIGHT, Outcome.WRONG, Outcome.LEANS_RIGHT, Outcome.LEANS_WRONG}
    assert found >= {Outcome.PAIR, Outcome.IF_SEVERAL}


def test_the_words_that_lie_nearest(session):
    """The cosine and the order, from the vectors themselves."""
    vectors = session.loaded.static()
    directions = np.asarray(vectors.vectors, dtype=np.float64)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    for word in WORDS:
        found = session.present.neighbours(word, 7)
        nearest = found.neighbours[0]
        first = parsed(present_parts.part("neighbours", [found])).text.split("1.00 is")[0]
        assert first.index(nearest.word) == min(first.index(near.word) for near in found.neighbours)
        own, other = (int(vectors.rows_of([one])[0]) for one in (word, nearest.word))
        cosines = directions @ directions[own]
        assert nearest.cosine == pytest.approx(cosines[other], abs=1e-3)
        assert nearest.cosine >= np.sort(cosines)[-2] - 1e-3  # itself is the nearest


@pytest.mark.parametrize("pair", FORMS, ids=lambda pair: pair.word)
def test_a_meaning_that_turns(session, pair):
    one, other = answers = tuple(session.present.forms(pair.word, sentence, pair.senses) for sentence in pair.sentences)
    said = present_parts.forming_said(answers)
    at = present_parts.deciding_word(answers)
    assert one.tokens[:at] == other.tokens[:at]
    side = [sum(d > one.middle for d in one.known[0]), sum(d < one.middle for d in one.known[1])]
    assert one.right == sum(side)
    total = sum(map(len, one.known))
    assert f"The small marks are {total} known uses: {one.right} of them lie on their own side" in said
    assert ("cannot tell these two senses apart" in said) == (not one.can_tell)
    assert ("but the spelling alone" in said) == (one.can_tell and one.right_by_spelling >= one.right)
    assert (f"Up to “{one.tokens[at - 1]}” the two sentences are the same" in said) == one.can_tell
    for number, answer in enumerate(answers, 1):
        names = [step.nearer for step in answer.steps if step.words > at]
        word = f"“{answer.tokens[at]}”"
        always = re.search(rf"From {word} on, {number} is nearer to “([^”]*)”", said)
        ends = re.search(rf"With {word} {number} ends nearer to “([^”]*)”", said)
        if always:
            assert set(names) == {always[1]}
        elif ends:
            assert names[-1] == ends[1]
            assert set(names) != {ends[1]}
        elif one.can_tell:
            assert f"With {word} in {number} it cannot be told in the end." in said
            assert names[-1] is None


def test_where_a_sentence_lands(session):
    """A group is named only where it is the nearest one, and the uses that are shown as nearest are."""
    for word in WORDS:
        (sentence, _), *_ = present_tab.ready_sentences(session, word).sentences
        found = session.maps.land(f"Yesterday she said: {sentence}", MapRequest(word, by_meaning=True))
        cosines = [near.cosine for near in found.nearest]
        assert cosines == sorted(cosines, reverse=True)
        names = [f"{group.letter} ({group.meant})" if group.meant else f"{group.letter} (" for group in found.groups]
        order = sorted(range(len(names)), key=lambda k: -found.nearness[k])
        if found.group is not None:
            assert found.group == order[0]
            assert found.verdict.startswith(f"It lands in group {names[found.group]}")
        elif len(names) > 1:
            assert found.verdict.startswith(f"It lands between the groups. {names[order[0]]}")
            assert f"is nearest, then {names[order[1]]}" in found.verdict


def listed_in_turn(pair: quiz.QuizPair) -> str:
    return ", then ".join(pair.senses)


def test_the_pairs_of_the_quiz(session):
    for at, pair in enumerate(quiz.quiz_pairs()):
        comparison = session.compare(pair.word, pair.sentences)
        shown = quiz.reveal(at, "same", lambda at, found=comparison: found)
        same = pair.senses[0] == pair.senses[1]
        meant = (
            f"Both mean the same: {pair.senses[0]}." if same else f"They mean different things: {listed_in_turn(pair)}."
        )
        likely = comparison.same_meaning[0][1]
        says = f"{'the same' if likely >= 0.5 else 'different'}, {percent(max(likely, 1 - likely))} likely."
        if max(likely, 1 - likely) < quiz.LEAST:
            says = f"cannot tell: “the same” gets {percent(likely)}."
        page = parsed(shown["markup"]).text
        assert meant in page
        assert says in page
        assert shown["room"] is same
        model = None if not comparison.groups else len(comparison.groups) == 1
        assert shown["model"] is (None if model is None else model == same)
