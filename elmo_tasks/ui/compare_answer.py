"""Answers of the Compare tab: by one model, by several, and of whole sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import NamedTuple, TypeAlias

from elmo_tasks.api import (
    Comparison,
    JudgedUse,
    LayerComparison,
    MeaningSource,
    ModelInfo,
    SentenceComparison,
    SideBySide,
    UseMeaning,
)
from elmo_tasks.messages.answers import (
    letters_sentence,
    mix_sentence,
    one_vector_sentence,
    own_mix_sentence,
)
from elmo_tasks.messages.meanings import heading, source_line
from elmo_tasks.messages.views import (
    OWN_MIX,
    READS_LETTERS,
    dictionary_note,
    sentence_layer_title,
    title_of,
    view_place,
    view_title,
)
from elmo_tasks.text.uses import Use
from elmo_tasks.ui.compare_form import Form, query_of
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.rendering import render
from elmo_tasks.ui.saved_page import saved_page
from elmo_tasks.wording import first_capital, listed, number, slug

#: Pairs with one cosine, where they are more than two.
SEVERAL = "several pairs"
#: An answer of Compare: by one model, by several, or of whole sentences.
Compared: TypeAlias = Comparison | SideBySide | Sequence[SentenceComparison]


def page(
    answer: Compared, form: Form, models: Sequence[ModelInfo] = (), *, saved: bool = False
) -> str:
    """Render an answer, also for a ``saved`` page; its script shows one layer at a time."""
    if isinstance(answer, SideBySide):
        return _page_by_several(answer, form, models, saved=saved)
    if not isinstance(answer, Comparison):
        return _page_of_sentences(answer, form, saved=saved)
    names, views = [layer.name for layer in answer.layers], answer.views
    mixed = sorted(
        ((mix.view.name, view_title(mix.view.name)) for mix in views.mixes), reverse=True
    )
    panels = [(layer.name, layer_panel(answer, layer, models)) for layer in answer.layers]
    if views.one_vector:
        panels.append(("static", layer_panel(answer, views.one_vector)))
    panels += [
        (mix.view.name, layer_panel(answer, mix.view, weights=mix.weights)) for mix in views.mixes
    ]
    if views.products:
        panels.append(
            (OWN_MIX, layer_panel(answer, replace(answer.layers[-2], name=OWN_MIX), own_mix=True))
        )
        mixed.append((OWN_MIX, view_title(OWN_MIX)))
    if views.features:
        panels.append((views.features.name, layer_panel(answer, views.features)))
        mixed.append((views.features.name, "the answer’s features"))
    wanted = form.layer if form.layer in dict(panels) else answer.verdict_layer
    first = answer.verdict_layer if answer.verdict_layer in names else names[0]
    return render(
        "compare.html",
        query=query_of(form, answer.model),
        names=names,
        titles=[view_title(layer.name, layer.sees) for layer in answer.layers],
        shown=wanted if wanted in dict(panels) else names[0],
        first=first,
        certainty=answer.certainty.value,
        one_vector=views.one_vector is not None,
        reader="ELMo" if answer.layers[0].sees == READS_LETTERS else answer.model,
        mixed=mixed,
        summary=render("comparison_summary.html", comparison=answer, saved=saved),
        named=render(
            "comparison_named.html",
            comparison=answer,
            rows=rows_of(answer),
            uses_of=_judged(answer),
        ),
        meanings_card=meanings_card(answer, models, saved=saved),
        panels=panels,
        file=names_of(answer)[1],
        # A work sheet asks for meanings; where none are told, there is no solution to it.
        worksheet=names_of(answer)[0] if answer.cards else "",
        csv=csv_text(answer),
        saved=saved,
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
    return f"{about} in {len(first.uses)} sentences", f"compare-{slug(first.word)}"


# --- Of one model ---


def meanings_card(
    comparison: Comparison, models: Sequence[ModelInfo], *, saved: bool = False
) -> str:
    """Render the uses by meaning, and how sure each is."""
    present = {meaning for meaning, _ in comparison.cards}
    return render(
        "verdict.html",
        comparison=comparison,
        rows=rows_of(comparison),
        title=title_of(comparison.model, models),
        source=source_line(comparison.source, comparison.n_words),
        uses_of=_judged(comparison),
        # Without those that are not in the dictionary: words meant as usual, an everyday meaning.
        # A word with one meaning has no cards, and no others.
        others=[
            meaning
            for k, meaning in enumerate(comparison.meanings)
            if comparison.cards
            and k not in present
            and (meaning.part_of_speech or comparison.source is not MeaningSource.DICTIONARY)
        ],
        saved=saved,
    )


def _judged(comparison: Comparison) -> Callable[[Sequence[int]], list[UseMeaning]]:
    """Return what finds the meanings of the uses with these numbers."""
    return lambda numbers: [comparison.uses[k].meant for k in numbers]


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
    return Rows(
        order=order,
        groups=groups,
        snippets=[snippet(judged.use) for judged in comparison.uses],
        edges=edges,
    )


def layer_panel(
    comparison: Comparison,
    layer: LayerComparison,
    models: Sequence[ModelInfo] = (),
    *,
    weights: Sequence[float] = (),
    own_mix: bool = False,
) -> str:
    """Render one view of the uses: a sentence, a picture and tables."""
    model = next((model for model in models if model.name == comparison.model), None)
    sentence = (
        own_mix_sentence()
        if own_mix
        else mix_sentence(weights)
        if weights
        else layer_sentence(comparison, layer)
    )
    if model and layer.name in model.dictionary_layers:
        sentence = f"{sentence} {dictionary_note(layer.name)}"
    return render(
        "layer.html",
        comparison=comparison,
        layer=layer,
        rows=rows_of(comparison),
        sentence=sentence,
        pairs=_pairs_of(layer),
        is_one_word=len({judged.use.token for judged in comparison.uses}) == 1,
        norms_of=comparison.layers if layer in comparison.layers else [layer],
        own_mix=own_mix,
    )


def _pairs_of(layer: LayerComparison) -> list[tuple[int, int, float]]:
    """Return all pairs of uses with their cosine, the most similar first."""
    pairs = combinations(range(len(layer.cosine)), 2)
    return sorted(((a, b, layer.cosine[a][b]) for a, b in pairs), key=lambda pair: -pair[2])


def layer_sentence(comparison: Comparison, layer: LayerComparison) -> str:
    """Describe the picture of a view in a sentence."""
    pairs = _pairs_of(layer)
    (_, _, high), (_, _, low) = pairs[0], pairs[-1]
    if layer.name == "static":
        return one_vector_sentence(comparison.word, is_same=low > 0.995)
    if layer.sees not in ("", READS_LETTERS):
        alone = f"This view reads no other word: it sees {layer.sees}."
        return f"{alone} Every use scores 1.00." if low > 0.995 else alone
    if layer.name == "0":
        return letters_sentence(is_same=low > 0.995)
    where = first_capital(view_place(layer.name))
    if len(pairs) == 1:
        return f"{where} the two uses have a cosine of {number(high)}."
    highest, lowest = _with_cosine(pairs, high), _with_cosine(pairs, low)
    sentences = "" if highest == SEVERAL else "sentences "
    text = (
        f"{where}, {sentences}{highest} are most alike (cosine {number(high)}), {lowest} least"
        f" ({number(low)})."
    )
    # Otherwise a reader might take the highest for the answer, though none is given.
    return (
        text
        if comparison.groups or not comparison.same_meaning
        else f"{text} That does not say which go together."
    )


def _with_cosine(pairs: Sequence[tuple[int, int, float]], cosine: float) -> str:
    """Name the uses that have this cosine as written, or note that there are many."""
    found = [(a + 1, b + 1) for a, b, other in pairs if number(other) == number(cosine)]
    if len(found) == 1:
        return listed(found[0])
    return listed([f"{a} with {b}" for a, b in found]) if len(found) == 2 else SEVERAL


def snippet(use: Use) -> tuple[str, str, str]:
    """Return the compared word with a little text on either side, cut between words."""
    before, word, after = use.parts
    width = 16
    if len(before) > width:
        cut = before[-width:]
        before = "…" + (cut.partition(" ")[2] if " " in cut.rstrip() else cut)
    if len(after) > width:
        cut = after[:width]
        after = (cut.rpartition(" ")[0] if " " in cut.lstrip() else cut) + "…"
    return before, word, after


def group_of(comparison: Comparison) -> list[int | None]:
    """Return the group of each use; ``None`` where it is in none."""
    sets = [uses for _, uses in comparison.cards] or list(comparison.groups)
    groups = {use: at for at, uses in enumerate(sets) for use in uses}
    return [groups.get(use) for use in range(len(comparison.uses))]


def display_order(comparison: Comparison) -> tuple[int, ...]:
    """Order the uses so that those of one meaning are adjacent."""
    groups = group_of(comparison)
    return tuple(
        sorted(range(len(groups)), key=lambda use: (groups[use] is None, groups[use] or 0, use))
    )


def csv_text(comparison: Comparison) -> str:
    """Format a row per layer and use, then the probabilities that two uses share a meaning."""
    uses = range(1, len(comparison.uses) + 1)
    header = ["layer", "use", "word", "sentence", "meaning", "probability of the meaning", "norm"]
    header += [*(f"cosine with {n}" for n in uses), "two random words"]
    firsts = [
        (n, judged.use.token, judged.use.sentence, *_meaning_cells(comparison, judged))
        for n, judged in zip(uses, comparison.uses, strict=True)
    ]
    views = comparison.views
    further = (views.one_vector, *(mix.view for mix in views.mixes), views.features)
    rows = [
        (layer.name, *first, norm, *cosines, layer.random_pair_cosine)
        for layer in (*comparison.layers, *filter(None, further))
        for first, norm, cosines in zip(firsts, layer.norms, layer.cosine, strict=True)
    ]
    sure = [
        ("probability of the same meaning", *first, "", *chances, "")
        for first, chances in zip(firsts, comparison.same_meaning, strict=False)
    ]
    return csv_file(header, [*rows, *sure])


def _meaning_cells(comparison: Comparison, judged: JudgedUse) -> tuple[str, float | None]:
    """Return the meaning of a use and how likely it is, if meanings are known."""
    if not judged.is_judged:
        return "", None
    meant = judged.meant
    named = heading(judged.meaning, comparison.source, [meant], comparison.word)
    return named, meant.probability


# --- By several models ---


def _page_by_several(
    answer: SideBySide, form: Form, models: Sequence[ModelInfo], *, saved: bool
) -> str:
    titles = {m.name: m.title.removeprefix(f"{m.name}, ") for m in models if m.title != m.name}
    columns = []
    for comparison, right in zip(answer.comparisons, answer.right, strict=True):
        words = [("", judged.use.token, "") for judged in comparison.uses]
        column = render(
            "several_model.html",
            comparison=comparison,
            title=titles.get(comparison.model, ""),
            right=right,
            layer=_verdict_layer(comparison),
            rows=Rows(
                range(len(words)), _numbered(group_of(comparison)), words
            ),  # in one order in every column
            query="" if saved else query_of(form, comparison.model),
        )
        columns.append(column)
    first = answer.comparisons[0]
    return render(
        "several.html",
        found=answer,
        first=first,
        columns=columns,
        meanings=_numbered(answer.senses) if answer.senses else [None] * len(first.uses),
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
        for a, b in combinations(range(len(comparison.uses)), 2):
            together = None if None in (groups[a], groups[b]) else groups[a] == groups[b]
            known = answer.senses[a] == answer.senses[b] if answer.senses else None
            sure = comparison.same_meaning[a][b] if comparison.same_meaning else None
            sentences = [comparison.uses[k].use.sentence for k in (a, b)]
            uses = (a + 1, b + 1, *sentences)
            numbers = (layer.name, layer.cosine[a][b], layer.random_pair_cosine, sure)
            rows.append((comparison.model, *uses, *numbers, together, known))
    header = (
        "model",
        "use",
        "other use",
        "sentence",
        "other sentence",
        "layer",
        "cosine",
        "two random words",
    )
    return csv_file(
        (*header, "probability of the same meaning", "in one group", "known to mean the same"), rows
    )


# --- Whole sentences ---


def _page_of_sentences(answers: Sequence[SentenceComparison], form: Form, *, saved: bool) -> str:
    first, query = answers[0], query_of(form, *(answer.model for answer in answers))
    names = [layer.name for layer in first.layers]
    starts = [(_cut(sentence), "", "") for sentence in first.sentences]
    rows = Rows(range(len(starts)), [None] * len(starts), starts)
    shared = {
        "query": query,
        "saved": saved,
        "name": names_of(answers)[1],
        "csv": csv_of_sentences(answers),
    }
    verdict = render("sentences.html", answers=answers, rows=rows, **shared)
    if len(answers) > 1:
        return verdict
    return render(
        "compare_sentences.html",
        **shared,
        names=names,
        titles=[sentence_layer_title(name) for name in names],
        shown=form.layer if form.layer in names else first.shown,
        verdict=verdict,
        panels=[render("sentences_layer.html", layer=layer, rows=rows) for layer in first.layers],
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
