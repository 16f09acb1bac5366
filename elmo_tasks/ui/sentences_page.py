"""The answer of the Compare tab for whole sentences: by one model layer by layer, by several in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product

from elmo_tasks.api import Said, SentenceComparison, SentenceLayer
from elmo_tasks.ui import format
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.heat import COSINES, cosine_style
from elmo_tasks.ui.page import render
from elmo_tasks.wording.sentences import sentence_layer_title

_NAME = "compare-sentences"


def page(found: Sequence[SentenceComparison], form: format.Form) -> str:
    """The whole answer, by one model or more."""
    query = format.query_of(form, *(answer.model for answer in found))
    if len(found) > 1:
        columns = [(answer, _layer(answer, answer.layer(), in_column=True)) for answer in found]
        verdict = _verdict(
            found[0].sentences,
            Said(f"Whole sentences, by {len(found)} models"),
            [answer.told for answer in found],
            columns,
            {"name": _NAME, "csv": csv_text(found), "query": query},
        )
        return render("sentences_several.html", verdict=verdict, query=query)
    answer = found[0]
    names = [layer.name for layer in answer.layers]
    return render(
        "compare.html",
        query=query,
        names=names,
        titles=[sentence_layer_title(name) for name in names],
        shown=form.layer if form.layer in names else answer.shown,
        verdict=_verdict(answer.sentences, answer.said, [answer.told]),
        panels=[_layer(answer, layer) for layer in answer.layers],
        name=_NAME,
        csv=csv_text(found),
        has_report=False,
        rests_on_more=False,
    )


def _verdict(
    sentences: Sequence[str],
    said: Said,
    told: Sequence[str],
    columns: Sequence[tuple[SentenceComparison, str]] = (),
    files: Mapping[str, str] | None = None,
) -> str:
    return render("sentences.html", sentences=sentences, said=said, told=told, columns=columns, files=files)


def _layer(answer: SentenceComparison, layer: SentenceLayer, *, in_column: bool = False) -> str:
    order = range(len(answer.sentences))
    return render(
        "sentences_layer.html",
        model=answer.model,
        layer=layer,
        title=sentence_layer_title(layer.name),
        in_column=in_column,
        order=order,
        groups=[None] * len(answer.sentences),
        snippets=[(_cut(sentence), "", "") for sentence in answer.sentences],
        style=lambda cosine: cosine_style(cosine, layer.unconnected),
        scale=COSINES.style(),
    )


def _cut(sentence: str, width: int = 34) -> str:
    return sentence if len(sentence) <= width else f"{sentence[:width].rsplit(' ', 1)[0]}…"


def csv_text(found: Sequence[SentenceComparison]) -> str:
    """Every two sentences at every layer of every model, as a spreadsheet."""
    rows = []
    for answer in found:
        for layer, (a, b) in product(answer.layers, combinations(range(len(answer.sentences)), 2)):
            which = (a + 1, b + 1, answer.sentences[a], answer.sentences[b])
            rows.append((answer.model, layer.name, *which, layer.cosine[a][b], layer.unconnected))
    header = ("model", "layer", "number", "other number", "sentence", "other sentence", "cosine")
    return csv_file((*header, "two unconnected sentences"), rows)
