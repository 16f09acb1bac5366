"""The answer of the Nearest uses tab, and its file."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import ModelInfo, NearestUses
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.page import render
from elmo_tasks.wording.models import title_of
from elmo_tasks.wording.text import slug


def nothing(reason: str = "") -> str:
    """What is shown where there is no answer: before a question, or with the reason, which stands at the form as well."""
    return render("nearest_none.html", reason=reason)


def source_title(name: str) -> str:
    """What is searched, as people read it."""
    return "the example sentences" if name == "gallery" else f"your index “{name}”"


def page(answer: NearestUses, models: Sequence[ModelInfo], query: str = "") -> str:
    """The answer in words, the uses beside the words that are near without context, the explanation."""
    floor = min(answer.random_pair_cosine, *(use.cosine for use in answer.uses), 1.0)
    return render(
        "nearest.html",
        answer=answer,
        model=title_of(answer.model, models),
        source=source_title(answer.source),
        share=lambda cosine: max(0.0, (cosine - floor) / max(1.0 - floor, 1e-6)),
        is_mixed=len({use.same_word for use in answer.uses}) > 1,
        name=f"nearest-{slug(answer.word)}",
        csv=csv_text(answer),
        data=answer.to_dict(),
        query=query,
    )


def csv_text(answer: NearestUses) -> str:
    """The uses, then the words without context, as a spreadsheet."""
    rows: list[tuple[str | float, ...]] = [
        ("in this sentence", u.token, u.cosine, "yes" if u.same_word else "no", u.sentence) for u in answer.uses
    ]
    rows += [("in any sentence", n.word, n.cosine, "", "") for n in answer.static]
    return csv_file(("near", "word", "cosine", "same word", "sentence"), rows)
