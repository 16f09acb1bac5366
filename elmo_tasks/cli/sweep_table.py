"""Table of a sweep: one line for the same settings over all seeds, as text, CSV or charts."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elmo_tasks.files import atomic_write

_SPLITS = ("validation", "test")


@dataclass(frozen=True)
class SweepLine:
    """One line of the table: the same settings over all seeds."""

    task: str  #: name of the configuration
    encoder: str | None  #: as requested; ``None`` where the configuration's own is read
    settings: dict[str, Any]  #: changed settings, by key
    fraction: float  #: share of the training rows
    n: int  #: runs
    #: split -> name, mean and standard deviation (``None`` of one run) of its main score, from 0 to
    #: 1
    scores: dict[str, dict[str, Any]]
    #: mean share of each layer in the mix; as many as the encoder has layers
    layer_weights: list[float]
    seconds: float  #: mean time of training


def line_of(
    task: str,
    encoder: str | None,
    settings: dict[str, Any],
    fraction: float,
    cards: list[dict[str, Any]],
) -> SweepLine:
    """Summarize the runs with the same settings over all seeds."""
    scores = {}
    for split in _SPLITS:
        results = [card["scores"][split] for card in cards if split in card["scores"]]
        if results:
            values = [result[result["main"]] for result in results]
            spread = statistics.stdev(values) if len(values) > 1 else None
            mean = statistics.fmean(values)
            scores[split] = {
                "name": results[0]["main"],
                "mean": mean,
                "spread": spread,
                "values": values,
            }
    layers = [statistics.fmean(shares) for shares in zip(*map(_layer_weights, cards), strict=True)]
    seconds = statistics.fmean(card["training"]["seconds"] for card in cards)
    return SweepLine(
        task=task,
        encoder=encoder,
        settings=settings,
        fraction=fraction,
        n=len(cards),
        scores=scores,
        layer_weights=layers,
        seconds=seconds,
    )


def _layer_weights(card: dict[str, Any]) -> list[float]:
    """Return the mix of the epoch that was kept."""
    best = card["training"].get("best_epoch")
    rows = card["layer_weights"]["epochs"]
    return next((row["weights"] for row in rows if row["epoch"] == best), rows[-1]["weights"])


def _places(lines: Sequence[SweepLine], differing_only: bool = True) -> dict[str, list[Any]]:
    """Return the columns of the rows by title; by default, only settings that differ."""
    columns: dict[str, list[Any]] = {}
    if len({line.task for line in lines}) > 1:
        columns["task"] = [line.task for line in lines]
    if lines[0].encoder is not None:
        columns["encoder"] = [line.encoder for line in lines]
    settings = {key: [line.settings[key] for line in lines] for key in lines[0].settings}
    # A setting with a single value distinguishes nothing.
    return columns | {
        key: values
        for key, values in settings.items()
        if not differing_only or any(value != values[0] for value in values)
    }


def _splits(lines: Sequence[SweepLine]) -> list[str]:
    return [split for split in _SPLITS if any(split in line.scores for line in lines)]


def _percent(score: Mapping[str, Any] | None, with_name: bool) -> str:
    """Format the mean, and any deviation over seeds, in percent: ``87.31 ± 0.12``."""
    if score is None:
        return "-"
    spread = "" if score["spread"] is None else f" ± {100 * score['spread']:.2f}"
    return f"{score['name'] + ' ' if with_name else ''}{100 * score['mean']:.2f}{spread}"


def table(lines: Sequence[SweepLine]) -> str:
    """Format the lines as aligned text; scores in percent, mean ± standard deviation."""
    columns = [
        (
            key.removeprefix("model.init_args.").removeprefix("head.init_args."),
            list(map(str, cells)),
        )
        for key, cells in _places(lines).items()
    ]
    columns += [
        ("share", [f"{line.fraction:g}" for line in lines]),
        ("runs", [str(line.n) for line in lines]),
    ]
    for split in _splits(lines):
        scores = [line.scores.get(split) for line in lines]
        names = {score["name"] for score in scores if score is not None}
        # tasks may have different scores
        title = split if len(names) > 1 else f"{split} {min(names)}"
        columns.append((title, [_percent(score, len(names) > 1) for score in scores]))
    columns.append(
        ("layers", [" ".join(f"{weight:.2f}" for weight in line.layer_weights) for line in lines])
    )
    columns.append(("seconds", [f"{line.seconds:.0f}" for line in lines]))
    padded = []
    for title, cells in columns:
        width = max(map(len, [title, *cells]))
        padded.append([cell.ljust(width) for cell in (title, *cells)])
    return "\n".join("  ".join(row).rstrip() for row in zip(*padded, strict=True))


def as_csv(lines: Sequence[SweepLine]) -> str:
    """Format the lines with one column for each number, scores from 0 to 1."""
    import pandas as pd  # installed with Lightning, not with the core

    frame = pd.DataFrame(_places(lines, differing_only=False), index=range(len(lines)))
    frame["fraction"] = [line.fraction for line in lines]
    frame["runs"] = [line.n for line in lines]
    for split, value in itertools.product(_splits(lines), ("mean", "spread")):
        frame[f"{split}_{value}"] = [line.scores.get(split, {}).get(value) for line in lines]
    layers = pd.DataFrame([line.layer_weights for line in lines]).add_prefix("layer_")
    frame = frame.join(layers)
    frame["seconds"] = [line.seconds for line in lines]
    return str(frame.to_csv(index=False))


def write_plots(path: Path, lines: Sequence[SweepLine]) -> None:
    """Draw the last split's score over the shares, one chart for each task."""
    from elmo_tasks.charts import share_chart

    tasks = {line.task: [other for other in lines if other.task == line.task] for line in lines}
    for task, of_task in tasks.items():
        curves: dict[str, list[tuple[float, float]]] = {}
        split = _splits(of_task)[-1]
        differing = [key for key in _places(of_task) if key in of_task[0].settings]
        for line in sorted(of_task, key=lambda line: line.fraction):
            named = [] if line.encoder is None else [line.encoder]
            name = ", ".join([*named, *(str(line.settings[key]) for key in differing)])
            curves.setdefault(name or task, []).append((line.fraction, line.scores[split]["mean"]))
        target = path if len(tasks) == 1 else path.with_name(f"{path.stem}-{task}{path.suffix}")
        chart = share_chart(task, f"{split} {of_task[0].scores[split]['name']}, %", curves)
        atomic_write(target, chart)
