"""Layers tab: learned layer weights of each head, and probing tests per layer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from elmo_tasks.api import LayerScore, LayerWeights, ModelProbes, ProbeResult, Service, TaskWords
from elmo_tasks.charts import Line
from elmo_tasks.messages import layer_weights
from elmo_tasks.messages.views import MODEL_TITLES, dictionary_note
from elmo_tasks.ui.cards import distinct
from elmo_tasks.ui.charts import round_chart, shares
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.parts import PRIVATE, choice, markup
from elmo_tasks.ui.rendering import CONTENT, nothing, render
from elmo_tasks.wording import first_capital, listed, number, slug

EPOCH_AXIS = "Epoch (one pass over the training texts)"
#: Scores that differ by less count as equal: the spread of a probe over random starts.
_EQUAL_SCORES = 0.005


#: Title of each probing test, its question, and the unit of its number, after "of 100".
TESTS = CONTENT["probes"]


def build(service: Service, tab: gr.Tab) -> None:
    """Put the tab's components into the open container and wire their events."""
    with gr.Column(elem_classes="card components") as chooser:
        head = choice(
            [],
            label="Trained head",
            info="A small network for one task, which reads the layers of the language model.",
        )
    weights = markup(nothing("weights"), "scripts/remembered.js")
    probes = markup(nothing("probes"), "scripts/remembered.js")

    def show_weights(name: str | None, request: gr.Request) -> dict[Any, Any]:
        entries = learned(service.layer_weights())
        choices = [(entry.title, entry.head) for entry in entries]
        names = [entry.head for entry in entries]
        wanted = name or request.query_params.get("head")
        chosen = wanted if wanted in names else next(iter(names), None)
        return {
            chooser: gr.update(visible=len(entries) > 1),
            head: gr.update(choices=choices, value=chosen),
            weights: weights_page(entries, service.tasks(), chosen),
        }

    gr.on([tab.select, head.input], show_weights, head, [chooser, head, weights], **PRIVATE)

    def show_probes() -> str:
        note = " ".join(map(dictionary_note, service.models()[0].dictionary_layers))
        return probes_page(service.probes(), note)

    tab.select(show_probes, None, probes, **PRIVATE)


def weights_page(
    all_weights: Sequence[LayerWeights], tasks: Mapping[str, TaskWords], head: str | None = None
) -> str:
    """Render the panel of a head (or the first), all heads side by side, and the explanation."""
    entries = learned(all_weights)
    chosen = next(
        (entry for entry in entries if entry.head == head), entries[0] if entries else None
    )
    longest = max((entry.layers for entry in entries), key=len, default=())
    return render(
        "weights.html",
        entries=entries,
        panel=panel(chosen) if chosen else "",
        longest=longest,
        tasks=tasks,
    )


def learned(all_weights: Sequence[LayerWeights]) -> tuple[LayerWeights, ...]:
    """Return the heads with learned weights, each with a distinct title."""
    kept = [entry for entry in all_weights if entry.learned and len(entry.layers) > 1]
    titles = distinct([(entry.head, entry.title) for entry in kept])
    return tuple(replace(entry, title=title) for entry, title in zip(kept, titles, strict=True))


def panel(entry: LayerWeights) -> str:
    """Render the layer weights of one head, and their course over training."""
    ranges = layer_weights.ranges(entry)
    return render(
        "weights_head.html",
        entry=entry,
        name=f"layer-weights-{slug(entry.head)}",
        ranges=ranges,
        charts=charts(entry) if layer_weights.course(entry) else (),
        csv=weights_csv(entry),
        data=entry.to_dict(),
        query=urlencode([("tab", "layers"), ("head", entry.head)]),
    )


def charts(entry: LayerWeights) -> tuple[str, str]:
    """Draw the weights over the epochs, and gamma on a scale of its own."""
    mixes = entry.epochs
    rounds = (mixes[0].epoch, mixes[-1].epoch)
    low = math.floor(min(mix.gamma for mix in mixes) * 5) / 5
    high = max(math.ceil(max(mix.gamma for mix in mixes) * 5) / 5, low + 0.2)
    ticks = [(value, number(value)) for value in (low, (low + high) / 2, high)]
    gamma = Line([(mix.epoch, mix.gamma) for mix in mixes])
    return (
        shares(entry.layers, [(mix.epoch, mix.weights) for mix in mixes], rounds, EPOCH_AXIS),
        round_chart("Gamma", [gamma], ticks, rounds, EPOCH_AXIS),
    )


def weights_csv(entry: LayerWeights) -> str:
    """Return a row for the loaded head, each run and each epoch."""
    weights = (f"weight of layer {name}" for name in entry.layers)
    header = ("head", "what", "seed", "epoch", *weights, "gamma", "validation score")
    rows = []
    for what, mixes in (
        ("loaded head", (entry.final,)),
        ("run", entry.runs),
        ("epoch", entry.epochs),
    ):
        for mix in mixes:
            epoch = mix.epoch if mix.epoch or what == "epoch" else None
            rows.append((entry.head, what, mix.seed, epoch, *mix.weights, mix.gamma, mix.score))
    return csv_file(header, rows)


def probes_page(models: Sequence[ModelProbes], note: str = "") -> str:
    """Render the tests of the first measured model in one picture, and all others in words.

    The ``note`` says what else a layer was trained on.
    """
    measured = [model for model in models if model.results]
    tasks = [
        task
        for task in TESTS
        if any(result.task == task for model in measured for result in model.results)
    ]
    first = next(
        (model for model in measured if len(model.layers) > 1), measured[0] if measured else None
    )
    results = {result.task: result for result in first.results} if first else {}
    return render(
        "probes.html",
        note=note,
        picture=[(results[task], TESTS[task]) for task in tasks if task in results],
        numbers=[str(k) for k in range(len(first.layers))] if first else [],
        headline=headline(first) if first else "",
        models=[MODEL_TITLES.get(model.model, model.model) for model in measured],
        best=ahead,
        tests=[
            (
                task,
                TESTS[task],
                [(m, result) for m in measured for result in m.results if result.task == task],
            )
            for task in tasks
        ],
        shown=shown,
        reading=reading,
        csv=probes_csv(measured),
        data=[model.to_dict() for model in measured],
    )


def ahead(result: ProbeResult) -> list[LayerScore]:
    """Return the layers that do best in a test, within the precision of the scores."""
    scores = [score for score in result.scores if score.layer.isdecimal()]
    best = max(score.score for score in scores)
    return [score for score in scores if best - score.score < _EQUAL_SCORES]


def headline(model: ModelProbes) -> str:
    """Count the tests in which each layer does best."""
    if len(model.layers) == 1:
        return f"“{model.model}” in {len(model.results)} tests."
    alone = Counter(found[0].layer for result in model.results if len(found := ahead(result)) == 1)
    n = len(model.results)
    parts = [
        f"layer {name} in {count}"
        for name, count in sorted(alone.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    shared = n - sum(alone.values())
    if not parts:
        return f"No layer does best by itself in any of {n} tests."
    first, *rest = parts
    best_in = ", ".join(
        [f"{first_capital(first).replace(' in ', ' does best in ')} of {n} tests", *rest]
    )
    return f"{best_in}{f'; in {shared} no layer is ahead' if shared else ''}."


def shown(result: ProbeResult, score: float) -> str:
    """Format a score beside its bar."""
    return f"{100 * score:.1f}" if result.unit == "percent" else number(score)


def reading(model: ModelProbes, result: ProbeResult) -> str:
    """Describe the test result of one model, within the precision of the scores."""
    scores = [score for score in result.scores if score.layer.isdecimal()]
    first_ones = ahead(result)
    best = max(score.score for score in scores)
    is_percent, unit = result.unit == "percent", TESTS[result.task]["counted"]
    counted = f" of 100 {unit}" if is_percent else ", where 1 is full agreement with people"
    if len(scores) == 1:
        sentence = f"{model.model}: {shown(result, best)}{counted}"
    else:
        names = listed([score.layer for score in first_ones])
        values = listed([shown(result, score.score) for score in first_ones])
        sentence = (
            f"{model.model}: layer{'s' if len(first_ones) > 1 else ''} {names} best, with"
            f" {values}{counted}"
        )
        if (first := scores[0]) not in first_ones:
            sentence += f"; layer 0, {shown(result, first.score)}"
    if result.without:
        sentence += f". Without a model: {shown(result, result.without)} ({result.without_name})"
    return f"{first_capital(sentence)}."


def probes_csv(models: Sequence[ModelProbes]) -> str:
    """Return every number in a row of its own, with those of the paper."""
    rows: list[Sequence[object]] = []
    for model in models:
        for result in model.results:
            rows += [
                [model.model, result.task, result.title, score.layer, score.score]
                for score in result.scores
            ]
            if result.without is not None:
                rows.append([result.without_name, result.task, result.title, "", result.without])
    papers = {
        result.task: result.paper
        for model in models
        for result in model.results
        if result.paper is not None
    }
    for task, paper in papers.items():
        rows += [
            [f"the paper’s ELMo ({paper.source})", task, paper.data, s.layer, s.score]
            for s in paper.scores
        ]
    return csv_file(["model", "test", "title", "layer", "score"], rows)
