"""Sentences about compared sentences."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import Message
from elmo_tasks.messages.text import first_capital, number
from elmo_tasks.messages.views import view_place, view_title


def sentence_layer_title(name: str) -> str:
    """Return the title of a layer for whole sentences.

    Even a layer that reads no other word represents all words of a sentence.
    """
    return "Words alone" if name == "0" else view_title(name)


def closest(cosine: Sequence[Sequence[float]], unconnected: float, layer: str) -> Message:
    """Name the closest and the most distant sentences.

    The cosine of unrelated sentences is given for comparison.
    """
    n = len(cosine)
    pairs = sorted((cosine[a][b], a + 1, b + 1) for b in range(n) for a in range(b))
    (low, a, b), (high, c, d) = pairs[0], pairs[-1]
    beside = f"{first_capital(view_place(layer))}, two unconnected sentences have {number(unconnected)}."
    if len(pairs) == 1:
        return Message(f"The two sentences have a cosine of {number(high)}.", beside)
    said = f"{c} and {d} are the closest ({number(high)}), {a} and {b} the furthest apart ({number(low)})."
    return Message(said, beside)


def limits_of(model: str, reworded: int, related: int, tests: int) -> str:
    """State the capabilities and limits of these cosines.

    They are measured on test sentences (:class:`elmo_tasks.api.SentenceLayer`).
    """
    return (
        f"In a test with {tests} sentences, “{model}” found the same said in other words nearer than each of sixty unconnected "
        f"sentences in {related}. It found it nearer than something else said in nearly the same words (“was good”, “was not "
        f"good”) in {reworded}."
    )
