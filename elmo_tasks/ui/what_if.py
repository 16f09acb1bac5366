"""What another spelling does to a word: the sentence, the picture and the numbers."""

from __future__ import annotations

import re

from elmo_tasks.api import RespelledLayer, Respelling
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.page import render
from elmo_tasks.wording.text import first_capital, listed, number, slug
from elmo_tasks.wording.views import READS_LETTERS, view_place

# From here on the vector is the same for all a person could tell.
_SAME = 0.995
# Two cosines that differ by less are not told apart.
_CLEAR = 0.02
_BRACKETED = re.compile(r"\[([^\[\]]*)\]")


def mean(layer: RespelledLayer) -> float:
    """The mean cosine over the sentences."""
    return sum(layer.cosine) / len(layer.cosine)


def headline(result: Respelling) -> str:
    """How far the word moved, without more than the numbers carry."""
    first, top = result.layers[0], _top(result)
    pair = f"“{result.word}” and “{result.spelling}”"
    if all(mean(layer) >= _SAME for layer in result.layers):
        return f"To the model {pair} are the same."
    return (
        f"By its {_parts(first)} alone “{result.spelling}” keeps a cosine of {number(mean(first))} with “{result.word}”; "
        f"{view_place(top.name)}, with the sentence around it, {number(mean(top))}."
    )


def reasons(result: Respelling) -> str:
    """What comes from the letters, and what from the sentence: an unrelated word in the same place is the measuring stick."""
    first, top = result.layers[0], _top(result)
    if all(mean(layer) >= _SAME for layer in result.layers):
        return ""
    parts = _parts(first)
    letters, more = mean(first) - first.unrelated_cosine, mean(top) - top.unrelated_cosine
    place, names = view_place(top.name), listed([f"“{word}”" for word in result.unrelated])
    baseline = (
        f"Unrelated words in its place ({names}) keep {number(first.unrelated_cosine)} by their {parts} and "
        f"{number(top.unrelated_cosine)} {place}, on average."
    )
    knows = ": that is what the character layer knows" if parts == "letters" else ""
    by_letters = (
        f"By its {parts} the new spelling is no closer than these."
        if letters <= _CLEAR
        else f"By its {parts} the new spelling is closer than these{knows}."
    )
    in_place = (
        "it is no closer: there the sentence counts, whatever word stands in it."
        if more <= _CLEAR
        else f"it is still closer by {number(more)}."
    )
    return f"{baseline} {by_letters} {first_capital(place)} {in_place}"


def _parts(lowest: RespelledLayer) -> str:
    """What the lowest layer sees of a word."""
    return "letters" if lowest.sees in ("", READS_LETTERS) else "word pieces"


def _top(result: Respelling) -> RespelledLayer:
    """The highest layer that is no mean."""
    return next(layer for layer in reversed(result.layers) if layer.name != "mean")


def nothing(message: str = "") -> str:
    """What is shown where there is no answer: before a question, or with the reason, which stands at the form as well."""
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
        [
            layer.name,
            sentence,
            result.word,
            result.spelling,
            layer.cosine[at],
            layer.unrelated_cosine,
            layer.random_pair_cosine,
        ]
        for layer in result.layers
        for at, sentence in enumerate(result.sentences)
    ]
    return csv_file(
        ["layer", "sentence", "word", "spelling", "cosine", "unrelated words in its place", "two random words"], rows
    )
