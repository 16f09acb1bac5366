"""The answers of the Two texts tab."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import ModelInfo, TwoTexts
from elmo_tasks.ui import map_picture
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.page import render
from elmo_tasks.wording.map_words import shown_words
from elmo_tasks.wording.models import title_of

_HEADER = ("word", "uses in the first", "uses in the second", "distance", "chance", "p", "score", "stands out")


def nothing(reason: str = "") -> str:
    """What is shown where there is no answer: before a question, or with the reason, which stands at the form as well."""
    return render("texts_none.html", reason=reason)


def page(answer: TwoTexts, models: Sequence[ModelInfo]) -> str:
    """A word on one map in the colours of its two texts, or the words that moved most."""
    rows = [
        (w.word, str(w.n_first), str(w.n_second), w.distance, w.chance, w.p, w.score, "yes" if w.stands_out else "no")
        for w in answer.words
    ]
    return render(
        "texts.html",
        answer=answer,
        model=title_of(answer.model, models),
        picture=map_picture.picture(answer.map) if answer.map else "",
        shape=map_picture.shape,
        shown=shown_words(answer.map) if answer.map else "",
        csv=csv_file(_HEADER, rows),
        data=answer.to_dict(),
    )
