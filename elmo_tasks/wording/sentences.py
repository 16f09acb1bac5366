"""What is said of whole sentences that were compared."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import Said
from elmo_tasks.wording.text import first_capital, number
from elmo_tasks.wording.views import view_place, view_title


def sentence_layer_title(name: str) -> str:
    """A layer where whole sentences are compared by it: what reads no other word still knows which words there are."""
    return "Words alone" if name == "0" else view_title(name)


def closest(cosine: Sequence[Sequence[float]], unconnected: float, layer: str) -> Said:
    """Which sentences are the closest and which the furthest apart, beside what unconnected ones have."""
    n = len(cosine)
    pairs = sorted((cosine[a][b], a + 1, b + 1) for b in range(n) for a in range(b))
    (low, a, b), (high, c, d) = pairs[0], pairs[-1]
    beside = f"{first_capital(view_place(layer))}, two unconnected sentences have {number(unconnected)}."
    if len(pairs) == 1:
        return Said(f"The two sentences have a cosine of {number(high)}.", beside)
    said = f"{c} and {d} are the closest ({number(high)}), {a} and {b} the furthest apart ({number(low)})."
    return Said(said, beside)


def limits_of(model: str, reworded: int, related: int, tests: int) -> str:
    """What these cosines can tell and what they cannot, as measured (:class:`elmo_tasks.api.SentenceLayer`) with some sentences."""
    return (
        f"In a test with {tests} sentences, “{model}” found the same said in other words nearer than each of sixty unconnected "
        f"sentences in {related}. It found it nearer than something else said in nearly the same words (“was good”, “was not "
        f"good”) in {reworded}."
    )
