"""Answers of the Compare tab.

One model gives a verdict, the uses and one panel per layer; there are also answers by several models and for whole
sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from elmo_tasks.api import (
    Comparison,
    LayerComparison,
    Message,
    ModelInfo,
    SentenceComparison,
    SentenceLayer,
    SideBySide,
)
from elmo_tasks.messages.meanings import source_line
from elmo_tasks.messages.views import layer_title, sentence_layer_title, title_of
from elmo_tasks.ui import format
from elmo_tasks.ui.heat import CHANCES, COSINES, cell_style, cosine_style
from elmo_tasks.ui.page import csv_file, render


def how(models: Sequence[ModelInfo]) -> str:
    """Render the fold that explains the page and the models."""
    return render("compare_how.html", models=[model for model in models if model.about])


def page(comparison: Comparison, form: format.Form, models: Sequence[ModelInfo], *, saved: bool = False) -> str:
    """Render the whole answer, also for a ``saved`` page.

    The page's script shows one layer panel at a time.
    """
    names = [layer.name for layer in comparison.layers]
    wanted = form.layer if form.layer in names else comparison.verdict_layer
    return render(
        "compare.html",
        query=format.query_of(form, comparison.model),
        names=names,
        titles=[layer_title(layer.name, layer.sees) for layer in comparison.layers],
        shown=wanted if wanted in names else names[0],
        verdict=verdict_section(comparison, models),
        panels=[layer_panel(comparison, layer) for layer in comparison.layers],
        name=format.file_stem(comparison),
        csv=format.csv_text(comparison),
        saved=saved,
        rests_on_more=format.rests_on_more(comparison),
    )


def verdict_section(comparison: Comparison, models: Sequence[ModelInfo], *, saved: bool = False) -> str:
    """Render a card for each meaning of the uses; a saved page works without scripts."""
    groups = format.group_of(comparison)
    order = format.display_order(comparison)
    present = {meaning for meaning, _ in comparison.cards}
    return render(
        "verdict.html",
        comparison=comparison,
        saved=saved,
        title=title_of(comparison.model, models),
        source=source_line(comparison.source, comparison.n_words),
        others=[meaning for k, meaning in enumerate(comparison.meanings) if k not in present],
        groups=groups,
        order=order,
        edges=_edges(order, groups),
        snippets=[format.snippet(item) for item in comparison.items],
        style=cell_style,
        scale=CHANCES.style(),
    )


def _edges(order: Sequence[int], groups: Sequence[int | None]) -> set[int]:
    """Return the columns and rows before which a new group begins."""
    return {at for at in range(1, len(order)) if groups[order[at]] != groups[order[at - 1]]}


def layer_panel(comparison: Comparison, layer: LayerComparison) -> str:
    """Render one layer for one sentence, as a picture and tables.

    On the page, the slider selects the layer.
    """
    order = format.display_order(comparison)
    groups = format.group_of(comparison)
    return render(
        "layer.html",
        items=comparison.items,
        layer=layer,
        sentence=format.layer_sentence(comparison, layer),
        order=order,
        groups=groups,
        edges=_edges(order, groups),
        style=lambda cosine: cosine_style(cosine, layer.random_pair_cosine),
        snippets=[format.snippet(item) for item in comparison.items],
        pairs=format.pairs_of(layer),
        # The chance of one meaning stands beside the layer of the verdict.
        sure=comparison.same_meaning if layer.name == comparison.verdict_layer else (),
        is_one_word=len({item.token for item in comparison.items}) == 1,
        scale=COSINES.style(),
    )


def page_by_several(found: SideBySide, form: format.Form, models: Sequence[ModelInfo], *, saved: bool = False) -> str:
    """Render the whole answer of two or more comparisons."""
    first = found.comparisons[0]
    names = [comparison.model for comparison in found.comparisons]
    titles = {model.name: model.title for model in models}
    return render(
        "several.html",
        found=found,
        first=first,
        columns=[
            _column(
                comparison,
                right,
                titles.get(comparison.model, ""),
                "" if saved else format.query_of(form, comparison.model),
            )
            for comparison, right in zip(found.comparisons, found.right, strict=True)
        ],
        meanings=_numbered(found.senses) if found.senses else [None] * len(first.items),
        query=format.query_of(form, *names),
        name=format.file_stem(first),
        csv=csv_by_several(found),
        saved=saved,
    )


def _column(comparison: Comparison, right: bool | None, title: str, query: str) -> str:
    """Render the answer of one model, in words and for each pair of uses.

    The uses stand in the same order in every column.
    """
    shown = _verdict_layer(comparison)
    return render(
        "several_model.html",
        comparison=comparison,
        title=title.removeprefix(f"{comparison.model}, ") if title != comparison.model else "",
        right=right,
        layer=shown,
        order=range(len(comparison.items)),
        groups=_numbered(format.group_of(comparison)),
        snippets=[("", item.token, "") for item in comparison.items],
        sure_style=cell_style,
        cosine_style=lambda cosine: cosine_style(cosine, shown.random_pair_cosine),
        query=query,
    )


def _verdict_layer(comparison: Comparison) -> LayerComparison:
    return next(layer for layer in comparison.layers if layer.name == comparison.verdict_layer)


def _numbered(labels: Sequence[str | int | None]) -> list[int | None]:
    """Number the groups by first appearance, so that equal groups share a colour."""
    order = list(dict.fromkeys(label for label in labels if label is not None))
    return [None if label is None else order.index(label) for label in labels]


def csv_by_several(found: SideBySide) -> str:
    """Return every pair of uses for every model, as a spreadsheet."""
    rows = []
    for comparison in found.comparisons:
        layer, groups = _verdict_layer(comparison), format.group_of(comparison)
        for a, b in combinations(range(len(comparison.items)), 2):
            together = None if None in (groups[a], groups[b]) else groups[a] == groups[b]
            known = found.senses[a] == found.senses[b] if found.senses else None
            sure = comparison.same_meaning[a][b] if comparison.same_meaning else None
            uses = (a + 1, b + 1, comparison.items[a].sentence, comparison.items[b].sentence)
            numbers = (layer.name, layer.cosine[a][b], layer.random_pair_cosine, sure)
            rows.append((comparison.model, *uses, *numbers, together, known))
    header = ("model", "use", "other use", "sentence", "other sentence", "layer", "cosine", "two random words")
    return csv_file((*header, "probability of the same meaning", "in one group", "known to mean the same"), rows)


def page_of_sentences(found: Sequence[SentenceComparison], form: format.Form, *, saved: bool = False) -> str:
    """Render the whole answer for sentences, by one or more models."""
    query, name = format.query_of(form, *(answer.model for answer in found)), "compare-sentences"
    if len(found) > 1:
        columns = [(answer, _sentence_layer(answer, answer.layer(), in_column=True)) for answer in found]
        verdict = render(
            "sentences.html",
            sentences=found[0].sentences,
            said=Message(f"Whole sentences, by {len(found)} models"),
            told=[answer.limits for answer in found],
            columns=columns,
            files=None if saved else {"name": name, "csv": csv_of_sentences(found), "query": query},
        )
        return render("sentences_several.html", verdict=verdict, query=query)
    answer = found[0]
    said = {"sentences": answer.sentences, "said": answer.message, "told": [answer.limits]}
    names = [layer.name for layer in answer.layers]
    return render(
        "compare.html",
        query=query,
        names=names,
        titles=[sentence_layer_title(name) for name in names],
        shown=form.layer if form.layer in names else answer.shown,
        verdict=render("sentences.html", **said, columns=(), files=None),
        panels=[_sentence_layer(answer, layer) for layer in answer.layers],
        name=name,
        csv=csv_of_sentences(found),
        saved=saved,
        rests_on_more=False,
    )


def _sentence_layer(answer: SentenceComparison, layer: SentenceLayer, *, in_column: bool = False) -> str:
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


def csv_of_sentences(found: Sequence[SentenceComparison]) -> str:
    """Return every pair of sentences at every layer of every model, as a spreadsheet."""
    rows = []
    for answer in found:
        for layer, (a, b) in product(answer.layers, combinations(range(len(answer.sentences)), 2)):
            which = (a + 1, b + 1, answer.sentences[a], answer.sentences[b])
            rows.append((answer.model, layer.name, *which, layer.cosine[a][b], layer.unconnected))
    header = ("model", "layer", "number", "other number", "sentence", "other sentence", "cosine")
    return csv_file((*header, "two unconnected sentences"), rows)
