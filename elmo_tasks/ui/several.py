"""The answer of the Compare tab by several models: what they agree on, the sentences once, and a column for each model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from elmo_tasks.api import Comparison, LayerComparison, ModelInfo, SideBySide
from elmo_tasks.ui import format
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.format import group_of
from elmo_tasks.ui.heat import cell_style, cosine_style
from elmo_tasks.ui.page import render


def page(found: SideBySide, form: format.Form, models: Sequence[ModelInfo]) -> str:
    """The whole answer of two comparisons or more."""
    first = found.comparisons[0]
    names = [comparison.model for comparison in found.comparisons]
    titles = {model.name: model.title for model in models}
    return render(
        "several.html",
        found=found,
        first=first,
        columns=[
            _column(comparison, right, titles.get(comparison.model, ""), format.query_of(form, comparison.model))
            for comparison, right in zip(found.comparisons, found.right, strict=True)
        ],
        meanings=_numbered(found.senses) if found.senses else [None] * len(first.items),
        query=format.query_of(form, *names),
        name=format.file_stem(first),
        csv=csv_text(found),
    )


def _column(comparison: Comparison, right: bool | None, title: str, query: str) -> str:
    """What one model says: in words, and of every two uses. The uses stand in the same order in every column."""
    shown = _verdict_layer(comparison)
    return render(
        "several_model.html",
        comparison=comparison,
        title=title.removeprefix(f"{comparison.model}, ") if title != comparison.model else "",
        right=right,
        layer=shown,
        order=range(len(comparison.items)),
        groups=_numbered(group_of(comparison)),
        snippets=[("", item.token, "") for item in comparison.items],
        sure_style=cell_style,
        cosine_style=lambda cosine: cosine_style(cosine, shown.random_pair_cosine),
        query=query,
    )


def _verdict_layer(comparison: Comparison) -> LayerComparison:
    return next(layer for layer in comparison.layers if layer.name == comparison.verdict_layer)


def _numbered(labels: Sequence[str | int | None]) -> list[int | None]:
    """Groups by their place in the order in which they first come, so that the same groups have the same colour in every column."""
    order = list(dict.fromkeys(label for label in labels if label is not None))
    return [None if label is None else order.index(label) for label in labels]


def csv_text(found: SideBySide) -> str:
    """Every two uses by every model, as a spreadsheet."""
    rows = []
    for comparison in found.comparisons:
        layer, groups = _verdict_layer(comparison), group_of(comparison)
        for a, b in combinations(range(len(comparison.items)), 2):
            together = None if None in (groups[a], groups[b]) else groups[a] == groups[b]
            known = found.senses[a] == found.senses[b] if found.senses else None
            sure = comparison.same_meaning[a][b] if comparison.same_meaning else None
            uses = (a + 1, b + 1, comparison.items[a].sentence, comparison.items[b].sentence)
            numbers = (layer.name, layer.cosine[a][b], layer.random_pair_cosine, sure)
            rows.append((comparison.model, *uses, *numbers, together, known))
    header = ("model", "use", "other use", "sentence", "other sentence", "layer", "cosine", "two random words")
    return csv_file((*header, "probability of the same meaning", "in one group", "known to mean the same"), rows)
