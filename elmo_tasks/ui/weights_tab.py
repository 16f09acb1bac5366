"""The Layer weights tab: what each trained head learned about the layers of its language model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlencode

from elmo_tasks.api import LayerWeights, Service
from elmo_tasks.ui.cards import distinct
from elmo_tasks.ui.charts import Line, full_tenth, line_chart, share_ticks
from elmo_tasks.ui.page import csv_file, render
from elmo_tasks.ui.parts import shown_later
from elmo_tasks.wording import layer_weights
from elmo_tasks.wording.task_kinds import TASK_WORDS
from elmo_tasks.wording.text import number, percent

AXIS = "Epoch (one pass over the training texts)"


def page(all_weights: Sequence[LayerWeights]) -> str:
    """The panels (the page's script shows one of them), all heads side by side, and the explanation."""
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
    """The heads whose weights were learned, each with a title of its own; what was set by hand says nothing."""
    kept = [entry for entry in all_weights if entry.learned and len(entry.layers) > 1]
    titles = distinct([(entry.head, entry.title) for entry in kept])
    return tuple(replace(entry, title=title) for entry, title in zip(kept, titles, strict=True))


def panel(entry: LayerWeights, at: int) -> str:
    """What one head draws from which layer, and how training got there."""
    ranges = layer_weights.ranges(entry)
    epochs = layer_weights.course(entry)
    return render(
        "weights_head.html",
        entry=entry,
        name=f"layer-weights-{at + 1}",
        sentence=layer_weights.sentence(entry),
        certainty=layer_weights.certainty(entry),
        ranges=ranges,
        top=full_tenth(max(high for _, high in ranges)),
        range_text=range_text,
        layer_words=layer_words,
        course=epochs,
        charts=charts(entry) if epochs else (),
        csv=csv_text(entry),
        data=entry.to_dict(),
        query=urlencode([("tab", "weights"), ("head", entry.head)]),
    )


def layer_words(at: int, name: str) -> str:
    """The name of a layer beside its bar."""
    return f"Layer {name}, without context" if at == 0 else f"Layer {name}"


def range_text(low: float, high: float) -> str:
    """From the smallest to the largest share; empty where they are the same."""
    return "" if percent(low) == percent(high) else f"{round(100 * low)}–{round(100 * high)}\u00a0%"


def charts(entry: LayerWeights) -> tuple[str, str]:
    """The weights over the epochs, and gamma on a scale of its own."""
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


def csv_text(entry: LayerWeights) -> str:
    """The loaded head, every run and every epoch, one row each."""
    header = ["head", "what", "seed", "epoch", *(f"weight of layer {name}" for name in entry.layers), "gamma"]
    header.append("validation score")
    rows = []
    for what, mixes in (("loaded head", (entry.final,)), ("run", entry.runs), ("epoch", entry.epochs)):
        for mix in mixes:
            epoch = mix.epoch if mix.epoch or what == "epoch" else None
            rows.append((entry.head, what, mix.seed, epoch, *mix.weights, mix.gamma, mix.score))
    return csv_file(header, rows)


def build(service: Service) -> None:
    """Put the tab's component into the open container; it asks for the weights when it is first shown."""
    shown_later("weights", "scripts/measured.js", "weights.html", lambda: page(service.heads.layer_weights()))
