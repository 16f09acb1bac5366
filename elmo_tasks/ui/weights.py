"""What learned layer weights say, in sentences that claim no more than the numbers carry, and as a spreadsheet."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import LayerWeights, MixWeights
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.format import number_text
from elmo_tasks.ui.plain_words import listed, percent


def learned(all_weights: Sequence[LayerWeights]) -> tuple[LayerWeights, ...]:
    """The heads whose weights were learned; what was set by hand says nothing."""
    return tuple(entry for entry in all_weights if entry.learned and len(entry.layers) > 1)


def ranges(entry: LayerWeights) -> list[tuple[float, float]]:
    """The smallest and the largest weight of each layer over all runs."""
    runs = entry.runs or (entry.final,)
    return [
        (min(run.weights[at] for run in runs), max(run.weights[at] for run in runs)) for at in range(len(entry.layers))
    ]


def order(entry: LayerWeights) -> list[int]:
    """The layers, the one the loaded head draws most from first."""
    return sorted(range(len(entry.layers)), key=lambda at: -entry.final.weights[at])


def unclear(entry: LayerWeights) -> list[list[int]]:
    """Groups of layers whose ranges over the runs overlap, so that their order is not clear."""
    spans = ranges(entry)
    groups: list[list[int]] = []
    top = 0.0
    # From the smallest up: a layer joins the group below it if it begins before that one ends.
    for at in sorted(range(len(spans)), key=lambda layer: spans[layer]):
        low, high = spans[at]
        if groups and low <= top:
            groups[-1].append(at)
            top = max(top, high)
        else:
            groups.append([at])
            top = high
    return [sorted(group) for group in reversed(groups) if len(group) > 1]


def sentence(entry: LayerWeights) -> str:
    """What the loaded head draws from which layer."""
    first, *rest = order(entry)
    names = [f"{percent(entry.final.weights[at])} from layer {entry.layers[at]}" for at in rest]
    start = f"The head “{entry.title}” draws {percent(entry.final.weights[first])} from layer {entry.layers[first]}"
    return f"{start}, {listed(names)}."


def certainty(entry: LayerWeights) -> str:
    """How far the order of the layers can be trusted."""
    count = len(entry.runs)
    if count < 2:
        return "This is one run: another one, begun from other random numbers, may give other shares."
    groups = unclear(entry)
    if not groups:
        return f"All {count} runs, which differ in their random numbers only, put the layers in this order."
    runs = f"over {count} runs that differ in their random numbers only"
    if len(groups[0]) == len(entry.layers):
        return f"The shares overlap {runs}, so the order of the layers is not clear."
    names = listed([f"layers {listed([entry.layers[at] for at in group])}" for group in groups])
    return f"The shares of {names} overlap {runs}, so their order is not clear."


def course(entry: LayerWeights) -> str:
    """How the weights came about; empty if that was not recorded."""
    if len(entry.epochs) < 2:
        return ""
    first, last = entry.epochs[0], entry.epochs[-1]
    moved = max(range(len(entry.layers)), key=lambda at: abs(last.weights[at] - first.weights[at]))
    start = "at the start" if first.epoch == 0 else f"after epoch {first.epoch}"
    gamma = f"gamma went from {number_text(first.gamma)} to {number_text(last.gamma)}"
    if percent(first.weights[moved]) == percent(last.weights[moved]):
        began = "the start" if first.epoch == 0 else f"epoch {first.epoch}"
        return f"The shares hardly moved from {began} to epoch {last.epoch}; {gamma}."
    return (
        f"Layer {entry.layers[moved]} moved most: from {percent(first.weights[moved])} {start} to "
        f"{percent(last.weights[moved])} after epoch {last.epoch}; {gamma}."
    )


def overview_sentence(entries: Sequence[LayerWeights]) -> str:
    """What the heads side by side have in common, counted and not interpreted."""
    tops = [entry.layers[order(entry)[0]] for entry in entries]
    if len(set(tops)) == 1:
        return f"All {len(entries)} heads draw most from layer {tops[0]}."
    parts: list[str] = []
    for name in sorted(set(tops), key=lambda name: (-tops.count(name), name)):
        number = tops.count(name)
        verb = "" if parts else " draws most" if number == 1 else " draw most"
        parts.append(f"{number}{verb} from layer {name}")
    return f"Of {len(entries)} heads, {listed(parts)}."


def csv_text(entry: LayerWeights) -> str:
    """The loaded head, every run and every epoch, one row each."""
    header = ["head", "what", "seed", "epoch", *(f"weight of layer {name}" for name in entry.layers), "gamma"]
    header.append("validation score")

    def row(what: str, mix: MixWeights) -> list[str | float]:
        score: str | float = "" if mix.score is None else mix.score
        return [
            entry.head,
            what,
            str(mix.seed),
            str(mix.epoch) if mix.epoch or what == "epoch" else "",
            *mix.weights,
            mix.gamma,
            score,
        ]

    rows = [row("loaded head", entry.final)]
    rows += [row("run", run) for run in entry.runs]
    rows += [row("epoch", epoch) for epoch in entry.epochs]
    return csv_file(header, rows)
