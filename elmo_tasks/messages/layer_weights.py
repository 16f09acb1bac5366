"""Sentences about learned layer weights that claim no more than the numbers support."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

from elmo_tasks.api import LayerWeights
from elmo_tasks.wording import listed, number, percent

# Least difference of shares at which a layer counts as ahead of another one.
_MIN_DIFFERENCE = 0.02


def ranges(entry: LayerWeights) -> list[tuple[float, float]]:
    """Return the smallest and the largest weight of each layer over all runs."""
    columns = zip(*(run.weights for run in entry.runs or (entry.final,)), strict=True)
    return [(min(column), max(column)) for column in columns]


def mean_and_spread(entry: LayerWeights) -> list[tuple[float, float]]:
    """Return the mean and the standard deviation of each layer's weight over two runs or more."""
    columns = list(zip(*(run.weights for run in entry.runs), strict=True))
    return [(fmean(column), stdev(column)) for column in columns] if len(entry.runs) > 1 else []


def order(entry: LayerWeights) -> list[int]:
    """Return the layers by weight in the loaded head, the largest first."""
    return sorted(range(len(entry.layers)), key=lambda at: -entry.final.weights[at])


def unclear(entry: LayerWeights) -> list[list[int]]:
    """Return groups of layers whose ranges over the runs overlap: their order is unclear."""
    groups: list[list[int]] = []
    top = -1.0
    # In ascending order: a layer joins the group below it if it begins before that one ends.
    for (low, high), at in sorted(zip(ranges(entry), range(len(entry.layers)), strict=True)):
        if low <= top:
            groups[-1].append(at)
        else:
            groups.append([at])
        top = max(top, high)
    return [sorted(group) for group in reversed(groups) if len(group) > 1]


def sentence(entry: LayerWeights) -> str:
    """Describe the weights of the loaded head."""
    first, *rest = order(entry)
    if _is_even(entry):
        share = percent(1 / len(entry.layers))
        return (
            f"The head “{entry.title}” draws about equally from all {len(entry.layers)} layers,"
            f" {share} from each."
        )
    names = [f"{percent(entry.final.weights[at])} from layer {entry.layers[at]}" for at in rest]
    start = (
        f"The head “{entry.title}” draws {percent(entry.final.weights[first])} from layer"
        f" {entry.layers[first]}"
    )
    return f"{start}, {listed(names)}."


def _is_even(entry: LayerWeights) -> bool:
    return max(entry.final.weights) - min(entry.final.weights) < _MIN_DIFFERENCE


def certainty(entry: LayerWeights) -> str:
    """Describe the reliability of the order of the layers."""
    count = len(entry.runs)
    if count < 2:
        return (
            "This head was trained once: from another random start it might draw on the layers"
            " in other shares."
        )
    if _is_even(entry):
        return (
            f"This is one of {count} runs that differ only in their random seeds; the table has"
            " them all."
        )
    groups = unclear(entry)
    if not groups:
        return (
            f"All {count} runs, which differ only in their random seeds, put the layers in this"
            " order."
        )
    runs = f"over {count} runs that differ only in their random seeds"
    if len(groups[0]) == len(entry.layers):
        return f"The shares overlap {runs}, so the order of the layers is not clear."
    names = listed([f"layers {listed([entry.layers[at] for at in group])}" for group in groups])
    return f"The shares of {names} overlap {runs}, so their order is not clear."


def course(entry: LayerWeights) -> str:
    """Describe the weights during training; empty without a record."""
    if len(entry.epochs) < 2:
        return ""
    first = entry.epochs[0]
    last = entry.epochs[-1]
    moved = max(range(len(entry.layers)), key=lambda at: abs(last.weights[at] - first.weights[at]))
    start = "at the start" if first.epoch == 0 else f"after epoch {first.epoch}"
    began_at = number(first.gamma)
    ended_at = number(last.gamma)
    gamma = (
        f"gamma stayed at {ended_at}"
        if began_at == ended_at
        else f"gamma went from {began_at} to {ended_at}"
    )
    if percent(first.weights[moved]) == percent(last.weights[moved]):
        began = "the start" if first.epoch == 0 else f"epoch {first.epoch}"
        return f"The shares hardly moved from {began} to epoch {last.epoch}; {gamma}."
    return (
        f"Layer {entry.layers[moved]} moved most: from {percent(first.weights[moved])} {start} to "
        f"{percent(last.weights[moved])} after epoch {last.epoch}; {gamma}."
    )


def overview_sentence(entries: Sequence[LayerWeights]) -> str:
    """Describe properties that the heads share, by counting them."""
    ahead = []
    for entry in entries:
        *_, second, first = sorted(entry.final.weights)
        if first - second >= _MIN_DIFFERENCE:
            ahead.append(entry)
    if not ahead:
        return f"In none of the {len(entries)} heads is one layer ahead of the others."
    tops = [entry.layers[order(entry)[0]] for entry in ahead]
    # Sure: in every run, the same layer is on top, by a margin.
    chance = sum(
        len(entry.runs) < 2 or any(order(entry)[0] in group for group in unclear(entry))
        for entry in ahead
    )
    whose = "For one of them" if chance == 1 else f"For {chance} of them"
    doubt = (
        f" {whose} this may be chance: the runs overlap there, or there is one run only."
        if chance
        else ""
    )
    if len(set(tops)) == 1 and len(ahead) == len(entries):
        return (
            f"{'Both' if len(entries) == 2 else f'All {len(entries)}'} heads draw most from layer"
            f" {tops[0]}.{doubt}"
        )
    parts: list[str] = []
    for name in sorted(set(tops), key=lambda name: (-tops.count(name), name)):
        heads = tops.count(name)
        verb = " draws most" if heads == 1 else " draw most"
        parts.append(f"{heads}{'' if parts else verb} from layer {name}")
    even = len(entries) - len(ahead)
    if even:
        parts.append(f"in {even} no layer is ahead of the others")
    return f"Of {len(entries)} heads, {listed(parts)}.{doubt}"
