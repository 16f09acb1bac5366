"""The card and the file of an explanation."""

from __future__ import annotations

from collections.abc import Iterator

from elmo_tasks.api import Explanation, HiddenWord
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.page import render
from elmo_tasks.ui.spans import pieces
from elmo_tasks.ui.uses import group_of
from elmo_tasks.wording.text import first_capital, number, percent
from elmo_tasks.wording.views import view_place

TITLE = "Why?"
LEAD = "Which words make the difference between two of the uses: hide the words around them, one at a time."
# Shares of the way from two random words to identical; half of all words of the gallery stay below the first step.
STEPS = (0.01, 0.03, 0.08, 0.16)


def question(explanation: Explanation) -> str:
    """What is answered."""
    a, b = (use + 1 for use in explanation.pair)
    return f"What sets {a} and {b} apart?" if explanation.apart else f"What holds {a} and {b} together?"


def reason(explanation: Explanation) -> str:
    """The numbers behind the answer, and what keeps it from naming a word."""
    if explanation.layer == "verdict":
        return _reason_of_verdict(explanation)
    where = view_place(explanation.layer)
    now = number(explanation.cosine)
    stick = f"Two random words have {number(explanation.random_pair_cosine)}."
    if not explanation.words:
        return f"Their cosine {where} is {now}. {stick}"
    sign = 1 if explanation.apart else -1
    top = explanation.decisive or max(explanation.words, key=lambda word: sign * word.change)
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


def _reason_of_verdict(explanation: Explanation) -> str:
    """The same for the probability that the two mean the same, and how it goes with that among all sentences."""
    return f"{_reason_of_two(explanation)}{_among_all(explanation)}"


def _among_all(explanation: Explanation) -> str:
    """What the other sentences make of it: in the matrix another number stands."""
    together = explanation.comparison.same_meaning
    if len(explanation.comparison.items) < 3 or not together:
        return ""
    first, second = explanation.pair
    return (
        f" Among all the sentences it is {percent(together[first][second])}, as in the matrix above: what each of the two has in "
        "common with the others counts there, too."
    )


def _reason_of_two(explanation: Explanation) -> str:
    """What the two alone hang on."""
    now = percent(explanation.cosine)
    alone = "the two alone" if len(explanation.comparison.items) > 2 else "they"
    if not explanation.words:
        return f"The verdict gives {now} that {alone} mean the same."
    sign = 1 if explanation.apart else -1
    top = explanation.decisive or max(explanation.words, key=lambda word: sign * word.change)
    then = percent(explanation.cosine + top.change)
    if explanation.decisive is not None:
        return f"With it, the verdict gives {now} that {alone} mean the same; with it hidden, {then}."
    if sign * top.change <= 0 or now == then:
        return f"The verdict gives {now} that {alone} mean the same, and no one word, hidden, changes that much."
    name = f"“{top.token}” in sentence {top.use + 1}"
    return f"Hiding {name} moves it most: the verdict gives {now} that {alone} mean the same, with it hidden {then}."


def agreed(explanation: Explanation, top: HiddenWord) -> bool:
    """Whether every way of hiding moves the cosine most at this word."""
    sign = 1 if explanation.apart else -1
    return all(
        max(explanation.words, key=lambda word: sign * word.changes[way]) == top for way in range(len(explanation.ways))
    )


def step(explanation: Explanation, change: float) -> str:
    """The class of a word's tint: ``for1`` to ``for4`` (sets apart), ``against1`` to ``against4``, or empty."""
    share = abs(change) / max(1 - explanation.random_pair_cosine, 1e-6)
    reached = sum(share >= least for least in STEPS)
    return "" if not reached else f"{'for' if change > 0 else 'against'}{reached}"


def words(explanation: Explanation, use: int) -> list[tuple[str, HiddenWord | str | None]]:
    """A sentence as typed, in pieces: each hidden word with what hiding it does, the compared word with ``"word"``."""
    item = explanation.comparison.items[use]
    spans: list[tuple[int, int, HiddenWord | str]] = [(item.start, item.end, "word")]
    spans += [(word.start, word.end, word) for word in explanation.words if word.use == use]
    return pieces(item.sentence, spans)


def tip(explanation: Explanation, word: HiddenWord) -> str:
    """What would be if the word were hidden."""
    shown = percent if explanation.layer == "verdict" else number
    now, then = shown(explanation.cosine), shown(explanation.cosine + word.change)
    if explanation.layer == "verdict":
        return (
            f"With “{word.token}” hidden: same meaning {f'still {now}' if now == then else f'{then} instead of {now}'}."
        )
    return f"With “{word.token}” hidden: cosine {f'still {now}' if now == then else f'{then} instead of {now}'}."


def way_words(way: str) -> str:
    """A way of hiding."""
    return f"as “{way}”" if way else "left out"


def halves(explanation: Explanation) -> Iterator[tuple[str, bool, list[tuple[str, float, float]]]]:
    """The half-views: title, whether it reads what stands before the word, and layer, cosine and length of each bar."""

    def bar(layer: str, cosine: float, random: float) -> tuple[str, float, float]:
        return layer, cosine, min(1.0, max(0.0, (cosine - random) / max(1 - random, 1e-6)))

    sides = explanation.sides
    yield "Reading up to the word", True, [bar(s.layer, s.before, s.random_before) for s in sides]
    yield "Reading back to the word", False, [bar(s.layer, s.after, s.random_after) for s in sides]


def body(explanation: Explanation) -> str:
    """The whole answer, below the fold's title."""
    n = len(explanation.comparison.items)
    layers = [layer.name for layer in explanation.comparison.layers[1:]]
    return _render(
        explanation,
        in_report=False,
        pairs=[(a, b) for a in range(n) for b in range(a + 1, n)],
        layers=[
            *(["verdict"] if explanation.comparison.same_meaning else []),
            *(["words"] if "words" in explanation.comparison.read_from else []),
            *layers,
        ],
        csv=csv_text(explanation),
        data=explanation.to_dict(),
    )


def in_report(explanation: Explanation) -> str:
    """The same for a file that is read and not used."""
    return _render(explanation, in_report=True)


def _render(explanation: Explanation, **values: object) -> str:
    return render(
        "why.html",
        explanation=explanation,
        items=explanation.comparison.items,
        groups=group_of(explanation.comparison),
        question=question(explanation),
        reason=reason(explanation),
        words=lambda use: words(explanation, use),
        step=lambda change: step(explanation, change),
        tip=lambda word: tip(explanation, word),
        way_words=way_words,
        halves=list(halves(explanation)) if explanation.sides else (),
        **values,
    )


def csv_text(explanation: Explanation) -> str:
    """One row for each hidden word, then one for each half of a layer."""
    ways = [first_capital(way_words(way)) for way in explanation.ways]
    measure = "probability" if explanation.layer == "verdict" else "cosine"
    header = ["use", "word", "position", "layer", measure, "change when hidden", *ways, "sentence"]
    rows: list[list[str | float]] = []
    for word in explanation.words:
        first: list[str | float] = [str(word.use + 1), word.token, str(word.index + 1), explanation.layer]
        sentence = explanation.comparison.items[word.use].sentence
        rows.append([*first, explanation.cosine, word.change, *word.changes, sentence])
    blank: list[str | float] = [""] * len(ways)
    pair = " and ".join(str(use + 1) for use in explanation.pair)
    for layer in explanation.sides:
        for name, cosine in (("before the word", layer.before), ("after the word", layer.after)):
            rows.append([pair, f"half-view {name}", "", layer.layer, cosine, "", *blank, ""])
    return csv_file(header, rows)
