"""The answer of the Nearest uses tab by several models: a column for each, and one for the vectors of words alone."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import NearestUses
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.page import render
from elmo_tasks.wording.answers import nearest_by_several
from elmo_tasks.wording.text import slug


def page(answers: Sequence[NearestUses], sense: str = "", query: str = "") -> str:
    """The whole answer.

    Args:
        answers: of two models or more, to one question.
        sense: what the word means in the sentence asked about, if that is known.
        query: what opens it again.
    """
    first = answers[0]
    reading = [answer for answer in answers if answer.reads_sentence]
    # Vectors of words alone stand beside: those that were asked for, or those that come with the program.
    words = [answer for answer in answers if not answer.reads_sentence] or [first]
    return render(
        "nearest_several.html",
        first=first,
        headline=nearest_by_several(first.word, reading, sense),
        sense=sense,
        reading=reading,
        words=words,
        name=f"nearest-{slug(first.word)}",
        csv=csv_text(reading, words),
        query=query,
    )


def csv_text(reading: Sequence[NearestUses], words: Sequence[NearestUses]) -> str:
    """What is in the columns, as a spreadsheet."""
    rows: list[tuple[str | float, ...]] = [
        (answer.model, "in this sentence", use.token, use.cosine, use.sentence, use.sense)
        for answer in reading
        for use in answer.uses
    ]
    rows += [
        (answer.vectors, "in any sentence", near.word, near.cosine, "", "")
        for answer in words
        for near in answer.static
    ]
    return csv_file(("model", "near", "word", "cosine", "sentence", "meaning"), rows)
