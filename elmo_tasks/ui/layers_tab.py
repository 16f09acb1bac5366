"""Layers tab: learned layer weights of each head, and probing tests per layer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from elmo_tasks.api import LayerScore, LayerWeights, ModelProbes, ProbeResult, Service
from elmo_tasks.messages import layer_weights
from elmo_tasks.messages.task_kinds import TASK_WORDS
from elmo_tasks.messages.text import first_capital, listed, number, percent
from elmo_tasks.ui.cards import distinct
from elmo_tasks.ui.charts import Line, full_tenth, line_chart, share_ticks
from elmo_tasks.ui.endpoints import endpoint
from elmo_tasks.ui.page import csv_file, render
from elmo_tasks.ui.parts import shown_later

AXIS = "Epoch (one pass over the training texts)"
#: Scores that differ by less than this are called the same: so much another start of a probe brings.
_SAME = 0.005


@dataclass(frozen=True)
class ProbeText:
    """Description of a probing test in plain words."""

    title: str
    question: str  # what it asks of each layer
    counted: str  # what the number counts, after "of 100"


TESTS = {
    "pos": ProbeText("Kinds of words", "Is this word here a noun, a verb, an adjective or something else?", "words"),
    "chunks": ProbeText("Phrases", "Which words belong together, as in “the old mill / was sold / in May”?", "phrases"),
    "ner": ProbeText("Entities", "Which words name a person, a place, an organisation?", "names"),
    "sentiment": ProbeText("Sentiment", "Is this sentence from a film review for or against the film?", "sentences"),
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
    """Add the tab's two parts and its endpoint.

    Each part requests its numbers when it is first shown.
    """

    def what_layers_know() -> list[dict[str, Any]]:
        """What was measured of each layer of the models that are here.

        Example: ``predict(api_name="/what_layers_know")``.
        """
        return [model.to_dict() for model in service.probes()]

    shown_later("weights", "scripts/measured.js", "weights.html", lambda: weights_page(service.layer_weights()))
    shown_later("probes", "scripts/measured.js", "probes.html", lambda: probes_page(service.probes()))
    endpoint(what_layers_know)


def weights_page(all_weights: Sequence[LayerWeights]) -> str:
    """Render the panels, all heads side by side, and the explanation.

    The page's script shows one panel.
    """
    entries = learned(all_weights)
    return render(
        "weights.html",
        is_waiting=False,
        kinds=TASK_WORDS.values(),
        entries=entries,
        panels=[panel(entry, at) for at, entry in enumerate(entries)],
        longest=max((entry.layers for entry in entries), key=len, default=()),
        overview=layer_weights.overview_sentence(entries) if len(entries) > 1 else "",
        layer_words=layer_words,
    )


def learned(all_weights: Sequence[LayerWeights]) -> tuple[LayerWeights, ...]:
    """Return the heads with learned weights, each with a distinct title."""
    kept = [entry for entry in all_weights if entry.learned and len(entry.layers) > 1]
    titles = distinct([(entry.head, entry.title) for entry in kept])
    return tuple(replace(entry, title=title) for entry, title in zip(kept, titles, strict=True))


def panel(entry: LayerWeights, at: int) -> str:
    """Render the layer weights of one head, and their course over training."""
    ranges = layer_weights.ranges(entry)
    epochs = layer_weights.course(entry)
    return render(
        "weights_head.html",
        entry=entry,
        name=f"layer-weights-{at + 1}",
        sentence=layer_weights.sentence(entry),
        certainty=layer_weights.certainty(entry),
        ranges=ranges,
        spread=layer_weights.mean_and_spread(entry),
        top=full_tenth(max(high for _, high in ranges)),
        range_text=range_text,
        layer_words=layer_words,
        course=epochs,
        charts=charts(entry) if epochs else (),
        csv=weights_csv(entry),
        data=entry.to_dict(),
        query=urlencode([("tab", "layers"), ("head", entry.head)]),
    )


def layer_words(at: int, name: str) -> str:
    """Return the name of a layer beside its bar."""
    return f"Layer {name}, without context" if at == 0 else f"Layer {name}"


def range_text(low: float, high: float) -> str:
    """Return the range of a share; empty where both ends are the same."""
    return "" if percent(low) == percent(high) else f"{round(100 * low)}–{round(100 * high)}\u00a0%"


def charts(entry: LayerWeights) -> tuple[str, str]:
    """Draw the weights over the epochs, and gamma on a scale of its own."""
    epochs = [mix.epoch for mix in entry.epochs]
    gammas = [mix.gamma for mix in entry.epochs]
    lines = [
        Line(at, [(mix.epoch, mix.weights[at]) for mix in entry.epochs], layer=name)
        for at, name in enumerate(entry.layers)
    ]
    top = full_tenth(max(weight for mix in entry.epochs for weight in mix.weights))
    low, high = math.floor(min(gammas) * 5) / 5, math.ceil(max(gammas) * 5) / 5
    high = max(high, low + 0.2)
    ticks = [(value, number(value)) for value in (low, (low + high) / 2, high)]
    rounds = (epochs[0], epochs[-1])
    gamma = Line(0, list(zip(epochs, gammas, strict=True)))
    return (
        line_chart("Share of each layer", lines, share_ticks(top), rounds, AXIS),
        line_chart("Gamma", [gamma], ticks, rounds, AXIS),
    )


def weights_csv(entry: LayerWeights) -> str:
    """Return a row for the loaded head, each run and each epoch."""
    header = ["head", "what", "seed", "epoch", *(f"weight of layer {name}" for name in entry.layers), "gamma"]
    header.append("validation score")
    rows = []
    for what, mixes in (("loaded head", (entry.final,)), ("run", entry.runs), ("epoch", entry.epochs)):
        for mix in mixes:
            epoch = mix.epoch if mix.epoch or what == "epoch" else None
            rows.append((entry.head, what, mix.seed, epoch, *mix.weights, mix.gamma, mix.score))
    return csv_file(header, rows)


def probes_page(models: Sequence[ModelProbes]) -> str:
    """Render one card per test, with bars for the layers of all models."""
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
        csv=probes_csv(measured),
        data=[model.to_dict() for model in measured],
    )


def _of_task(models: Sequence[ModelProbes], task: str) -> list[tuple[ModelProbes, ProbeResult]]:
    return [(model, result) for model in models for result in model.results if result.task == task]


def bar_name(model: ModelProbes, score: LayerScore) -> str:
    """Return the name beside a bar: the layer and its kind."""
    if not score.layer.isdecimal():
        return "mean of the layers"
    name = model.layers[int(score.layer)]
    return name if len(model.layers) == 1 else f"layer {score.layer}: {name}"


def shown(result: ProbeResult, score: float) -> str:
    """Format a score beside its bar."""
    return f"{100 * score:.1f}" if result.unit == "percent" else number(score)


def reading(model: ModelProbes, result: ProbeResult) -> str:
    """Describe the test result of one model, within the precision of the scores."""
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


def probes_csv(models: Sequence[ModelProbes]) -> str:
    """Return every number in a row of its own, with those of the paper."""
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
