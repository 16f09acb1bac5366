"""What another spelling does to a word: the sentence, the picture and the numbers."""

from __future__ import annotations

import re

from elmo_tasks.api import RespelledLayer, Respelling
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.page import render
from elmo_tasks.wording.text import number, slug
from elmo_tasks.wording.views import view_place

# From here on the vector is the same for all a person could tell.
_SAME = 0.995
_BRACKETED = re.compile(r"\[([^\[\]]*)\]")


def mean(layer: RespelledLayer) -> float:
    """The mean cosine over the sentences."""
    return sum(layer.cosine) / len(layer.cosine)


def share_kept(layer: RespelledLayer) -> float:
    """Where the mean lies between two random words (0) and the same vector (1); what lies outside is cut off."""
    room = max(1.0 - layer.random_pair_cosine, 1e-6)
    return min(1.0, max(0.0, (mean(layer) - layer.random_pair_cosine) / room))


def headline(result: Respelling) -> str:
    """How far the word moved, without more than the numbers carry."""
    first, top = result.layers[0], _top(result)
    pair = f"“{result.word}” and “{result.spelling}”"
    if all(mean(layer) >= _SAME for layer in result.layers):
        return f"To the model {pair} are the same."
    return (
        f"By its letters alone “{result.spelling}” keeps a cosine of {number(mean(first))} with “{result.word}”; "
        f"{view_place(top.name)}, with the sentence around it, {number(mean(top))}."
    )


def reasons(result: Respelling) -> str:
    """Whether the sentence brings the two together."""
    first, top = result.layers[0], _top(result)
    if all(mean(layer) >= _SAME for layer in result.layers):
        return ""
    low, high = share_kept(first), share_kept(top)
    if low == 0.0:
        start = "Their spellings look no more alike to the model than two random words."
    else:
        start = f"Two random words score {number(first.random_pair_cosine)} there."
    if high > low + 0.1:
        return f"{start} Measured against two random words of each layer, the sentence around it brings them closer."
    if high < low - 0.1:
        return f"{start} Measured against two random words of each layer, the sentence around it does not bring them closer."
    return f"{start} Measured against two random words of each layer, the sentence around it changes little."


def _top(result: Respelling) -> RespelledLayer:
    """The highest layer that is no mean."""
    return next(layer for layer in reversed(result.layers) if layer.name != "mean")


def waiting() -> str:
    """What is shown before anything was typed."""
    return render("respelling.html", result=None, message="")


def nothing(message: str) -> str:
    """What is shown when it cannot be answered."""
    return render("respelling.html", result=None, message=message)


def page(result: Respelling) -> str:
    """The answer."""
    return render(
        "respelling.html",
        result=result,
        headline=headline(result),
        reasons=reasons(result),
        mean=mean,
        marked=marked,
        name=f"spelling-{slug(f'{result.word}-{result.spelling}')}",
        csv=csv_text(result),
        data=result.to_dict(),
    )


def marked(sentence: str) -> tuple[str, str, str]:
    """A sentence before its bracketed word, that word, and what follows; brackets without a partner, which a person typed, stay."""
    found = _BRACKETED.search(sentence)
    return (sentence[: found.start()], found[1], sentence[found.end() :]) if found else (sentence, "", "")


def csv_text(result: Respelling) -> str:
    """One row per layer and sentence."""
    rows: list[list[str | float]] = [
        [layer.name, sentence, result.word, result.spelling, layer.cosine[at], layer.random_pair_cosine]
        for layer in result.layers
        for at, sentence in enumerate(result.sentences)
    ]
    return csv_file(["layer", "sentence", "word", "spelling", "cosine", "two random words"], rows)
