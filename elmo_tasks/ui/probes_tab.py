"""The tab What each layer knows: what tests found in each layer of the models that are here, beside the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from elmo_tasks.api import LayerScore, ModelProbes, ProbeResult, Service
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.page import csv_file, render
from elmo_tasks.ui.parts import shown_later
from elmo_tasks.wording.text import first_capital, listed, number

#: Scores that differ by less than this are called the same: so much another start of a probe brings.
_SAME = 0.005


@dataclass(frozen=True)
class ProbeText:
    """A test in plain words."""

    title: str
    question: str  # what it asks of each layer
    counted: str  # what the number counts, after "of 100"


TESTS = {
    "pos": ProbeText("Kinds of words", "Is this word here a noun, a verb, an adjective or something else?", "words"),
    "chunks": ProbeText("Phrases", "Which words belong together, as in “the old mill / was sold / in May”?", "phrases"),
    "ner": ProbeText("Names", "Which words name a person, a place, an organisation?", "names"),
    "sentiment": ProbeText("Feeling", "Is this sentence from a film review for or against the film?", "sentences"),
    "wsd": ProbeText(
        "Senses of a dictionary", "Which of the senses that a dictionary lists has this word here?", "words"
    ),
    "wic": ProbeText("One meaning or two", "Has the word the same meaning in both of these sentences?", "pairs"),
    "coarsewsd": ProbeText(
        "Clearly different senses", "Is this “spring” the season, the coil or the water? Asked of twenty nouns.", "uses"
    ),
    "cosimlex": ProbeText(
        "Likeness in a text", "How alike do people find two words, once they have read the text around them?", ""
    ),
}


def build(service: Service) -> None:
    """Put the tab's component into the open container; it asks for the numbers when it is first shown."""

    def what_layers_know() -> list[dict[str, Any]]:
        """What was measured of each layer of the models that are here.

        Example: ``predict(api_name="/what_layers_know")``.
        """
        return [model.to_dict() for model in service.probes.measured()]

    shown_later("probes", "scripts/measured.js", "probes.html", lambda: page(service.probes.measured()))
    endpoint(what_layers_know)


def page(models: Sequence[ModelProbes]) -> str:
    """One card for each test, with bars for the layers of all models."""
    measured = [model for model in models if model.results]
    tasks = dict.fromkeys(result.task for model in measured for result in model.results)
    return render(
        "probes.html",
        is_waiting=False,
        models=models,
        tests=[(task, TESTS[task], _of_task(measured, task)) for task in tasks],
        bar_name=bar_name,
        shown=shown,
        reading=reading,
        csv=csv_text(measured),
        data=[model.to_dict() for model in measured],
    )


def _of_task(models: Sequence[ModelProbes], task: str) -> list[tuple[ModelProbes, ProbeResult]]:
    return [(model, result) for model in models for result in model.results if result.task == task]


def bar_name(model: ModelProbes, score: LayerScore) -> str:
    """What stands beside a bar: the layer and what it is."""
    if not score.layer.isdecimal():
        return "mean of the layers"
    name = model.layers[int(score.layer)]
    return name if len(model.layers) == 1 else f"layer {score.layer}: {name}"


def shown(result: ProbeResult, score: float) -> str:
    """A score as it stands beside its bar."""
    return f"{100 * score:.1f}" if result.unit == "percent" else number(score)


def reading(model: ModelProbes, result: ProbeResult) -> str:
    """What a test found in one model, in a sentence that claims no more than the numbers carry."""
    scores = [score for score in result.scores if score.layer.isdecimal()]
    best = max(score.score for score in scores)
    ahead = [score for score in scores if best - score.score < _SAME]
    counted = (
        f" of 100 {TESTS[result.task].counted}" if result.unit == "percent" else ", where 1 would be as people say"
    )
    if len(scores) == 1:
        said = f"{model.model}: {shown(result, best)}{counted}"
    else:
        names = listed([score.layer for score in ahead])
        found = listed([shown(result, score.score) for score in ahead])
        said = f"{model.model}: layer{'s' if len(ahead) > 1 else ''} {names} best, with {found}{counted}"
        if (first := scores[0]) not in ahead:
            said += f"; layer 0, {model.layers[0]}, {shown(result, first.score)}"
    if result.without:
        said += f". Without a model: {shown(result, result.without)} ({result.without_name})"
    return f"{first_capital(said)}."


def csv_text(models: Sequence[ModelProbes]) -> str:
    """Every number, one a row, the paper's among them."""
    rows: list[Sequence[object]] = []
    for model in models:
        for result in model.results:
            rows += [[model.model, result.task, result.title, score.layer, score.score] for score in result.scores]
            if result.without is not None:
                rows.append([result.without_name, result.task, result.title, "", result.without])
    papers = {result.task: result.paper for model in models for result in model.results if result.paper is not None}
    for task, paper in papers.items():
        rows += [[f"the paper’s ELMo ({paper.source})", task, paper.data, s.layer, s.score] for s in paper.scores]
    return csv_file(["model", "test", "title", "layer", "score"], rows)
