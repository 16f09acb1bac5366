"""Card and file of an explanation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from elmo_tasks.api import Explanation, HiddenWord
from elmo_tasks.messages.text import first_capital, number, percent
from elmo_tasks.messages.views import view_place
from elmo_tasks.ui.format import group_of
from elmo_tasks.ui.heat import tint
from elmo_tasks.ui.page import csv_file, pieces, render

TITLE = "Why?"
LEAD = "Which words make the difference between two of the uses: hide the words around them, one at a time."
# Shares of the way from two random words to identical; half of all words of the gallery stay below the first step.
STEPS = (0.01, 0.03, 0.08, 0.16)


def question(explanation: Explanation) -> str:
    """State the question that the card answers."""
    a, b = (use + 1 for use in explanation.pair)
    return f"What sets {a} and {b} apart?" if explanation.apart else f"What holds {a} and {b} together?"


def reason(explanation: Explanation) -> str:
    """Describe the numbers behind the answer, and any reason for naming no word."""
    if explanation.layer == "verdict":
        return _reason_of_two(explanation)
    where = view_place(explanation.layer)
    now = number(explanation.cosine)
    stick = f"Two random words have {number(explanation.random_pair_cosine)}."
    if not explanation.words:
        return f"Their cosine {where} is {now}. {stick}"
    sign, top = _moves_most(explanation)
    then = number(explanation.cosine + top.change)
    if explanation.decisive is not None:
        return f"With it, their cosine {where} is {now}; with it hidden, {then}. {stick}"
    if sign * top.change <= 0:
        more = "more" if explanation.apart else "less"
        return f"Their cosine {where} is {now}, and hiding any one word makes them no {more} alike. {stick}"
    name = f"“{top.token}” in sentence {top.use + 1}"
    if now == then:
        return f"Their cosine {where} is {now}; hiding {name} moves it most, and hardly at all. {stick}"
    if not any(c.isalnum() for c in top.token):
        because = "which is no word"
    elif agreed(explanation, top):
        because = "less than all other words together"
    else:
        because = "but the three ways of hiding do not agree on the word"
    return f"Hiding {name} moves their cosine {where} most, from {now} to {then}, {because}. {stick}"


def _reason_of_two(explanation: Explanation) -> str:
    """Describe the words on which the cosine of the two uses depends."""
    now = percent(explanation.cosine)
    if not explanation.words:
        return f"The verdict gives {now} that they mean the same."
    sign, top = _moves_most(explanation)
    then = percent(explanation.cosine + top.change)
    if explanation.decisive is not None:
        return f"With it, the verdict gives {now} that they mean the same; with it hidden, {then}."
    if sign * top.change <= 0 or now == then:
        return f"The verdict gives {now} that they mean the same, and no one word, hidden, changes that much."
    name = f"“{top.token}” in sentence {top.use + 1}"
    return f"Hiding {name} moves it most: the verdict gives {now} that they mean the same, with it hidden {then}."


def _moves_most(explanation: Explanation) -> tuple[int, HiddenWord]:
    """Return the direction of the effect (1 is up), and the word with the largest."""
    sign = 1 if explanation.apart else -1
    return sign, explanation.decisive or max(explanation.words, key=lambda word: sign * word.change)


def agreed(explanation: Explanation, top: HiddenWord) -> bool:
    """Check that every way of hiding moves the cosine most at this word."""
    sign = 1 if explanation.apart else -1
    return all(
        max(explanation.words, key=lambda word: sign * word.changes[way]) == top for way in range(len(explanation.ways))
    )


def words(explanation: Explanation, use: int) -> list[tuple[str, HiddenWord | str | None]]:
    """Split a sentence into pieces, each hidden word with its effect.

    The compared word has the mark ``"word"``.
    """
    item = explanation.comparison.items[use]
    spans: list[tuple[int, int, HiddenWord | str]] = [(item.start, item.end, "word")]
    spans += [(word.start, word.end, word) for word in explanation.words if word.use == use]
    return pieces(item.sentence, spans)


def tip(explanation: Explanation, word: HiddenWord) -> str:
    """Describe the cosine if the word were hidden."""
    shown = percent if explanation.layer == "verdict" else number
    now, then = shown(explanation.cosine), shown(explanation.cosine + word.change)
    measure = "same meaning" if explanation.layer == "verdict" else "cosine"
    return f"With “{word.token}” hidden: {measure} {f'still {now}' if now == then else f'{then} instead of {now}'}."


def way_words(way: str) -> str:
    """Name a way of hiding."""
    return f"as “{way}”" if way else "left out"


def halves(explanation: Explanation) -> Iterator[tuple[str, bool, list[tuple[str, float, float]]]]:
    """Return the half-views: title, side before the word or not, and bars.

    A bar has a layer, a cosine and a length.
    """

    def bar(layer: str, cosine: float, random: float) -> tuple[str, float, float]:
        return layer, cosine, min(1.0, max(0.0, (cosine - random) / max(1 - random, 1e-6)))

    sides = explanation.sides
    yield "TagSequence up to the word", True, [bar(s.layer, s.before, s.random_before) for s in sides]
    yield "TagSequence back to the word", False, [bar(s.layer, s.after, s.random_after) for s in sides]


def body(explanation: Explanation) -> str:
    """Render the whole answer, below the fold's title."""
    comparison = explanation.comparison
    views = [("verdict", comparison.same_meaning), ("words", comparison.same_meaning)]
    return render(
        "why.html",
        explanation=explanation,
        items=comparison.items,
        groups=group_of(comparison),
        pairs=list(combinations(range(len(comparison.items)), 2)),
        layers=[*(name for name, is_there in views if is_there), *(layer.name for layer in comparison.layers[1:])],
        question=question(explanation),
        reason=reason(explanation),
        words=lambda use: words(explanation, use),
        step=lambda change: tint(change / max(1 - explanation.random_pair_cosine, 1e-6), STEPS),
        tip=lambda word: tip(explanation, word),
        way_words=way_words,
        halves=list(halves(explanation)) if explanation.sides else (),
        csv=csv_text(explanation),
        data=explanation.to_dict(),
    )


def csv_text(explanation: Explanation) -> str:
    """Return one row per hidden word, then one per half of each layer."""
    ways = [first_capital(way_words(way)) for way in explanation.ways]
    measure = "probability" if explanation.layer == "verdict" else "cosine"
    header = ["use", "word", "position", "layer", measure, "change when hidden", *ways, "sentence"]
    rows: list[tuple[object, ...]] = []
    for word in explanation.words:
        first = (word.use + 1, word.token, word.index + 1, explanation.layer, explanation.cosine)
        sentence = explanation.comparison.items[word.use].sentence
        rows.append((*first, word.change, *word.changes, sentence))
    blank = ("",) * len(ways)
    pair = " and ".join(str(use + 1) for use in explanation.pair)
    for layer in explanation.sides:
        for name, cosine in (("before the word", layer.before), ("after the word", layer.after)):
            rows.append((pair, f"half-view {name}", "", layer.layer, cosine, "", *blank, ""))
    return csv_file(header, rows)
