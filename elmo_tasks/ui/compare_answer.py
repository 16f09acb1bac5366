"""Answers of the Compare tab: by one model, by several, and of whole sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import NamedTuple, TypeAlias

from elmo_tasks.api import (
    Comparison,
    ComparisonItem,
    LayerComparison,
    ModelInfo,
    SentenceComparison,
    SideBySide,
)
from elmo_tasks.messages.meanings import source_line
from elmo_tasks.messages.text import (
    READS_LETTERS,
    first_capital,
    listed,
    number,
    sentence_layer_title,
    slug,
    title_of,
    view_place,
    view_title,
)
from elmo_tasks.ui.compare_form import Form, query_of
from elmo_tasks.ui.page import csv_file, render, saved_page

#: An answer of Compare: by one model, by several, or of whole sentences.
Compared: TypeAlias = Comparison | SideBySide | Sequence[SentenceComparison]


def page(answer: Compared, form: Form, models: Sequence[ModelInfo] = (), *, saved: bool = False) -> str:
    """Render an answer, also for a ``saved`` page; its script shows one layer at a time."""
    if isinstance(answer, SideBySide):
        return _page_by_several(answer, form, models, saved=saved)
    if not isinstance(answer, Comparison):
        return _page_of_sentences(answer, form, saved=saved)
    names = [layer.name for layer in answer.layers]
    wanted = form.layer if form.layer in names else answer.verdict_layer
    return render(
        "compare.html",
        query=query_of(form, answer.model),
        names=names,
        titles=[view_title(layer.name, layer.sees) for layer in answer.layers],
        shown=wanted if wanted in names else names[0],
        verdict=verdict_section(answer, models),
        panels=[layer_panel(answer, layer) for layer in answer.layers],
        name=names_of(answer)[1],
        csv=csv_text(answer),
        saved=saved,
        rests_on_more=bool(answer.same_meaning),
    )


def saved(answer: Compared, form: Form, models: Sequence[ModelInfo] = ()) -> str:
    """Return the file of an answer; the layer of the ``form`` is shown first."""
    return saved_page(names_of(answer)[0], page(answer, form, models, saved=True))


def names_of(answer: Compared) -> tuple[str, str]:
    """Return the title of an answer's saved page, and the name of its files."""
    first = answer.comparisons[0] if isinstance(answer, SideBySide) else answer
    if not isinstance(first, Comparison):
        return f"{len(first[0].sentences)} whole sentences", "compare-sentences"
    about = f"“{first.word}”" if first.word else "The marked words"
    return f"{about} in {len(first.items)} sentences", f"compare-{slug(first.word)}"


# --- Of one model ---


def verdict_section(comparison: Comparison, models: Sequence[ModelInfo]) -> str:
    """Render a card for each meaning of the uses."""
    present = {meaning for meaning, _ in comparison.cards}
    return render(
        "verdict.html",
        comparison=comparison,
        rows=rows_of(comparison),
        title=title_of(comparison.model, models),
        source=source_line(comparison.source, comparison.n_words),
        others=[meaning for k, meaning in enumerate(comparison.meanings) if k not in present],
    )


class Rows(NamedTuple):
    """Uses or sentences as they stand in a heat map."""

    order: Sequence[int]
    groups: Sequence[int | None]
    snippets: Sequence[tuple[str, str, str]]  # each with its word in the middle
    edges: Sequence[int] = ()  # before which a new group begins


def rows_of(comparison: Comparison) -> Rows:
    """Return the uses with those of one meaning side by side."""
    order, groups = display_order(comparison), group_of(comparison)
    edges = [at for at in range(1, len(order)) if groups[order[at]] != groups[order[at - 1]]]
    return Rows(order, groups, [snippet(item) for item in comparison.items], edges)


def layer_panel(comparison: Comparison, layer: LayerComparison) -> str:
    """Render one layer: a sentence, a picture and tables."""
    return render(
        "layer.html",
        comparison=comparison,
        layer=layer,
        rows=rows_of(comparison),
        sentence=layer_sentence(comparison, layer),
        pairs=_pairs_of(layer),
        is_one_word=len({item.token for item in comparison.items}) == 1,
    )


def _pairs_of(layer: LayerComparison) -> list[tuple[int, int, float]]:
    """Return all pairs of uses with their cosine, the most similar first."""
    pairs = combinations(range(len(layer.cosine)), 2)
    return sorted(((a, b, layer.cosine[a][b]) for a, b in pairs), key=lambda pair: -pair[2])


def layer_sentence(comparison: Comparison, layer: LayerComparison) -> str:
    """Describe the picture of a layer in a sentence."""
    pairs = _pairs_of(layer)
    (a, b, high), (c, d, low) = pairs[0], pairs[-1]
    if layer.sees not in ("", READS_LETTERS):
        alone = f"This view reads no other word: it sees {layer.sees}."
        return f"{alone} Every use scores 1.00." if low > 0.995 else alone
    if layer.name == "0":
        start = "This is the view without context: it sees letters only, so the"
        if low > 0.995:
            return (
                f"{start} same spelling gives the same vector and every use scores 1.00. "
                "Move the slider to let the model read the sentences."
            )
        return f"{start} numbers say how alike the spellings are, whatever the sentences mean. One spelling scores 1.00 everywhere."
    where = first_capital(view_place(layer.name))
    if len(pairs) == 1:
        return f"{where} the two uses have a cosine of {number(high)}."
    highest, lowest = _with_cosine(pairs, high), _with_cosine(pairs, low)
    text = f"{where} alone, {highest} have the highest cosine ({number(high)}), {lowest} the lowest ({number(low)})."
    if not comparison.same_meaning:
        return text
    if not comparison.groups:  # the highest would be read as the answer that is not given
        return f"{text} That does not say which go together."
    group = {use: k for k, uses in enumerate(comparison.groups) for use in uses}
    if len(comparison.groups) > 1 and (group.get(a) != group.get(b) or (c in group and group[c] == group.get(d))):
        return f"{text} This layer alone would group them differently."
    return text


def _with_cosine(pairs: Sequence[tuple[int, int, float]], cosine: float) -> str:
    """Name the uses that have this cosine as written, or note that there are many."""
    found = [(a + 1, b + 1) for a, b, other in pairs if number(other) == number(cosine)]
    if len(found) == 1:
        return listed(found[0])
    return listed([f"{a} with {b}" for a, b in found]) if len(found) == 2 else "several pairs"


def snippet(item: ComparisonItem, width: int = 16) -> tuple[str, str, str]:
    """Return the compared word with a little text on either side, cut between words."""
    before, after = item.sentence[: item.start], item.sentence[item.end :]
    if len(before) > width:
        cut = before[-width:]
        before = "…" + (cut.partition(" ")[2] if " " in cut.rstrip() else cut)
    if len(after) > width:
        cut = after[:width]
        after = (cut.rpartition(" ")[0] if " " in cut.lstrip() else cut) + "…"
    return before, item.sentence[item.start : item.end], after


def group_of(comparison: Comparison) -> list[int | None]:
    """Return the group of each use; ``None`` where it is in none."""
    sets = [uses for _, uses in comparison.cards] or list(comparison.groups)
    groups = {use: at for at, uses in enumerate(sets) for use in uses}
    return [groups.get(use) for use in range(len(comparison.items))]


def display_order(comparison: Comparison) -> tuple[int, ...]:
    """Order the uses so that those of one meaning are adjacent."""
    groups = group_of(comparison)
    return tuple(sorted(range(len(groups)), key=lambda use: (groups[use] is None, groups[use] or 0, use)))


def csv_text(comparison: Comparison) -> str:
    """Format a row per layer and use, then the probabilities that two uses share a meaning."""
    uses = range(1, len(comparison.items) + 1)
    header = ["layer", "use", "word", "sentence", "norm", *(f"cosine with {n}" for n in uses), "two random words"]
    rows = [
        (layer.name, n, item.token, item.sentence, norm, *cosines, layer.random_pair_cosine)
        for layer in comparison.layers
        for n, item, norm, cosines in zip(uses, comparison.items, layer.norms, layer.cosine, strict=True)
    ]
    sure = [
        ("probability of the same meaning", n, item.token, item.sentence, "", *chances, "")
        for n, item, chances in zip(uses, comparison.items, comparison.same_meaning, strict=False)
    ]
    return csv_file(header, [*rows, *sure])


# --- By several models ---


def _page_by_several(answer: SideBySide, form: Form, models: Sequence[ModelInfo], *, saved: bool) -> str:
    titles = {m.name: m.title.removeprefix(f"{m.name}, ") for m in models if m.title != m.name}
    columns = []
    for comparison, right in zip(answer.comparisons, answer.right, strict=True):
        words = [("", item.token, "") for item in comparison.items]
        column = render(
            "several_model.html",
            comparison=comparison,
            title=titles.get(comparison.model, ""),
            right=right,
            layer=_verdict_layer(comparison),
            rows=Rows(range(len(words)), _numbered(group_of(comparison)), words),  # in one order in every column
            query="" if saved else query_of(form, comparison.model),
        )
        columns.append(column)
    first = answer.comparisons[0]
    return render(
        "several.html",
        found=answer,
        first=first,
        columns=columns,
        meanings=_numbered(answer.senses) if answer.senses else [None] * len(first.items),
        query=query_of(form, *(comparison.model for comparison in answer.comparisons)),
        name=names_of(first)[1],
        csv=csv_by_several(answer),
        saved=saved,
    )


def _verdict_layer(comparison: Comparison) -> LayerComparison:
    return next(layer for layer in comparison.layers if layer.name == comparison.verdict_layer)


def _numbered(labels: Sequence[str | int | None]) -> list[int | None]:
    """Number the groups by first appearance, so that equal groups share a colour."""
    order = list(dict.fromkeys(label for label in labels if label is not None))
    return [None if label is None else order.index(label) for label in labels]


def csv_by_several(answer: SideBySide) -> str:
    """Format a row per pair of uses and model."""
    rows = []
    for comparison in answer.comparisons:
        layer, groups = _verdict_layer(comparison), group_of(comparison)
        for a, b in combinations(range(len(comparison.items)), 2):
            together = None if None in (groups[a], groups[b]) else groups[a] == groups[b]
            known = answer.senses[a] == answer.senses[b] if answer.senses else None
            sure = comparison.same_meaning[a][b] if comparison.same_meaning else None
            uses = (a + 1, b + 1, comparison.items[a].sentence, comparison.items[b].sentence)
            numbers = (layer.name, layer.cosine[a][b], layer.random_pair_cosine, sure)
            rows.append((comparison.model, *uses, *numbers, together, known))
    header = ("model", "use", "other use", "sentence", "other sentence", "layer", "cosine", "two random words")
    return csv_file((*header, "probability of the same meaning", "in one group", "known to mean the same"), rows)


# --- Whole sentences ---


def _page_of_sentences(answers: Sequence[SentenceComparison], form: Form, *, saved: bool) -> str:
    first, query = answers[0], query_of(form, *(answer.model for answer in answers))
    names = [layer.name for layer in first.layers]
    starts = [(_cut(sentence), "", "") for sentence in first.sentences]
    rows = Rows(range(len(starts)), [None] * len(starts), starts)
    shared = {"query": query, "saved": saved, "name": names_of(answers)[1], "csv": csv_of_sentences(answers)}
    verdict = render("sentences.html", answers=answers, rows=rows, **shared)
    if len(answers) > 1:
        return verdict
    return render(
        "compare.html",
        **shared,
        names=names,
        titles=[sentence_layer_title(name) for name in names],
        shown=form.layer if form.layer in names else first.shown,
        verdict=verdict,
        panels=[render("sentences_layer.html", layer=layer, rows=rows) for layer in first.layers],
        rests_on_more=False,
    )


def _cut(sentence: str, width: int = 34) -> str:
    return sentence if len(sentence) <= width else f"{sentence[:width].rsplit(' ', 1)[0]}…"


def csv_of_sentences(answers: Sequence[SentenceComparison]) -> str:
    """Format a row per pair of sentences, layer and model."""
    rows = []
    for answer in answers:
        for layer, (a, b) in product(answer.layers, combinations(range(len(answer.sentences)), 2)):
            which = (a + 1, b + 1, answer.sentences[a], answer.sentences[b])
            rows.append((answer.model, layer.name, *which, layer.cosine[a][b], layer.unconnected))
    header = ("model", "layer", "number", "other number", "sentence", "other sentence", "cosine")
    return csv_file((*header, "two unconnected sentences"), rows)
