"""The answers of the Sense map tab."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import ModelInfo, PolysemyRanking, SenseMap
from elmo_tasks.ui import map_picture
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.page import render
from elmo_tasks.wording.map_words import measured, own_words, shown_words, typed_otherwise
from elmo_tasks.wording.models import title_of
from elmo_tasks.wording.text import slug


def nothing(reason: str = "") -> str:
    """What is shown where there is no answer: before a question, or with the reason, which stands at the form as well."""
    return render("map_none.html", reason=reason)


def page(answer: SenseMap, models: Sequence[ModelInfo], query: str = "", left_out: str = "", revision: int = 0) -> str:
    """A map: the answer in words, the picture, the uses, the explanation.

    Args:
        answer: the map.
        models: for the title of the model.
        query: of the link that draws it again.
        left_out: what that link does not hold.
        revision: of the question that it answers.
    """
    known = [view for view in answer.views if view.agreement is not None]
    last = len(answer.groups)
    return render(
        "map.html",
        answer=answer,
        reasons=" ".join(
            filter(None, (answer.said.reasons, typed_otherwise(answer), own_words(answer), measured(answer)))
        ),
        model=title_of(answer.model, models),
        picture=map_picture.picture(answer),
        shape=map_picture.shape,
        shown=shown_words(answer),
        # Uses that are in one group stand together, those in none at the end.
        order=sorted(
            range(len(answer.uses)),
            key=lambda k: (last if (group := answer.uses[k].group) is None else group, k),
        ),
        views=sorted(known, key=lambda view: -(view.agreement or 0.0)),
        name=f"sense-map-{slug(answer.word)}",
        csv=csv_text(answer),
        data=answer.to_dict(),
        query=query,
        left_out=left_out,
        revision=revision,
    )


def ranking_page(answer: PolysemyRanking, query: str = "", left_out: str = "") -> str:
    """The words of a text, those whose uses split most clearly first; each opens its map; the link as in :func:`page`."""
    rows = (
        (
            word.word,
            str(word.n_uses),
            "yes" if word.is_clear else "no",
            word.score,
            "; ".join(f"{group.letter}: {' '.join(group.words)}" for group in word.groups),
        )
        for word in answer.words
    )
    return render(
        "ranking.html",
        answer=answer,
        views=(),
        csv=csv_file(("word", "uses", "stands out", "score", "groups"), rows),
        data=answer.to_dict(),
        query=query,
        left_out=left_out,
    )


def csv_text(answer: SenseMap) -> str:
    """All uses as a spreadsheet."""
    header = ("use", "group", "sense in the gallery", "from", "word", "sentence", "x", "y", "nearest use", "cosine")
    rows = []
    for place, use in enumerate(answer.uses, 1):
        near = use.nearest[0] if use.nearest else None
        rows.append(
            (
                str(place),
                answer.groups[use.group].letter if use.group is not None else "",
                use.sense or "",
                "own text" if use.own else "gallery",
                use.sentence[use.start : use.end],
                use.sentence,
                use.x,
                use.y,
                str(near[0] + 1) if near else "",
                near[1] if near else "",
            )
        )
    return csv_file(header, rows)
