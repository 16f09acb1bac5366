"""The answer of the Compare tab: verdict, uses, one panel per layer."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import Comparison, LayerComparison, ModelInfo
from elmo_tasks.ui import format
from elmo_tasks.ui.format import group_of
from elmo_tasks.ui.heat import CHANCES, COSINES, cell_style, cosine_style
from elmo_tasks.ui.page import render
from elmo_tasks.wording.models import title_of
from elmo_tasks.wording.verdicts import read_by, read_where
from elmo_tasks.wording.views import layer_title


def how(models: Sequence[ModelInfo]) -> str:
    """The fold that explains the page and the models."""
    return render("compare_how.html", models=[model for model in models if model.about])


def page(comparison: Comparison, form: format.Form, models: Sequence[ModelInfo]) -> str:
    """The whole answer; of the panels, the page's script shows one."""
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
        has_report=True,
        rests_on_more=format.rests_on_more(comparison),
    )


def verdict_section(comparison: Comparison, models: Sequence[ModelInfo], *, in_report: bool = False) -> str:
    """The answer in words, and the sentences in their groups; a report is read without scripts."""
    title = title_of(comparison.model, models)
    groups = group_of(comparison)
    order = format.display_order(comparison)
    return render(
        "verdict.html",
        comparison=comparison,
        in_report=in_report,
        read_by=read_by(comparison.read_from, title, comparison.right_when_clear, is_named=comparison.voice == "named"),
        read_where=read_where(comparison.read_from),
        groups=groups,
        rest=[use for use, group in enumerate(groups) if group is None],
        order=order,
        edges=_edges(order, groups),
        snippets=[format.snippet(item) for item in comparison.items],
        style=cell_style,
        scale=CHANCES.style(),
    )


def _edges(order: Sequence[int], groups: Sequence[int | None]) -> set[int]:
    """Before which columns and rows a new group begins."""
    return {at for at in range(1, len(order)) if groups[order[at]] != groups[order[at - 1]]}


def layer_panel(comparison: Comparison, layer: LayerComparison, *, in_report: bool = False) -> str:
    """One layer in a sentence, as a picture and in tables; on the page the slider leads to it."""
    order = format.display_order(comparison)
    groups = group_of(comparison)
    return render(
        "layer.html",
        items=comparison.items,
        layer=layer,
        in_report=in_report,
        is_verdict=layer.name == comparison.verdict_layer,
        sentence=format.layer_sentence(comparison, layer, has_slider=not in_report),
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
