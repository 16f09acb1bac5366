"""``sweep``: train over encoders, seeds, data shares and settings; print a table."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import itertools
import json
import re
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from typing import Any

from elmo_tasks import bundled
from elmo_tasks.cli import fit
from elmo_tasks.cli.arguments import add_device
from elmo_tasks.cli.settings import apply_device, as_arguments, read_config
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import atomic_write, read_json, write_json

HELP = (
    "train configurations over encoders, seeds, shares of the data and settings; print mean and"
    " spread"
)
_SPLITS = ("validation", "test")
_ENCODER = re.compile(r"(?P<encoder>.+?)(:(?P<input>mix|mean|layer-(?P<layer>\d+)))?")
_EPOCHS = "trainer.max_epochs"


@dataclass(frozen=True)
class EncoderInput:
    """An encoder, and which of its layers a head reads."""

    name: str  #: as requested
    encoder: str  #: name or folder
    weights: tuple[float, ...] | None  #: of its layers; ``None`` where the head learns them
    checksum: str  #: of the encoder's weights


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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add = parser.add_argument
    add("--config", nargs="+", required=True, help="configurations of heads: YAML files or names")
    text = (
        "encoders to train on, with nothing beside them; INPUT is mix (learned, the default), mean"
        " or layer-K"
    )
    add("--encoders", nargs="+", metavar="NAME[:INPUT]", help=text)
    add("--seeds", type=int, nargs="+", default=[1], help="one run each (default 1)")
    add(
        "--fractions",
        type=float,
        nargs="+",
        default=[1.0],
        help="shares of the training rows (default 1.0)",
    )
    add(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE,VALUE",
        help="a setting and its values",
    )
    add(
        "--out",
        type=Path,
        help="folder of the runs (default runs/sweep-NAME); finished ones are kept",
    )
    add_device(parser)
    add("--json", type=Path, help="write the table as JSON")
    add("--csv", type=Path, help="write the table as CSV")
    add(
        "--plot",
        type=Path,
        help="write scores over shares to this SVG file, one for each configuration",
    )


def run(args: argparse.Namespace) -> int:
    """Do the runs that are not done yet, and print the table."""
    axes = dict(parse_setting(text) for text in args.set)
    if len(axes) < len(args.set):
        raise ConfigError(
            "--set: a key is given twice; give all its values at once, as KEY=VALUE,VALUE"
        )
    names = {config: Path(config).stem for config in args.config}
    if len(set(names.values())) < len(args.config):
        raise ConfigError(
            "--config: two configurations have the same name, which names their runs and lines"
        )
    if not all(0 < fraction <= 1 for fraction in args.fractions):
        raise ConfigError(
            "--fractions: expected shares above 0, up to 1, found"
            f" {' '.join(map(str, args.fractions))}"
        )
    if args.device is not None:
        apply_device(["--device", args.device])  # refused before the first run
    encoders: list[EncoderInput | None] = [
        encoder_input(text) for text in dict.fromkeys(args.encoders or [])
    ] or [None]
    grid = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    points = []
    for config, settings in itertools.product(args.config, grid):
        # Both refuse a bad configuration before the first run.
        epochs = _epochs(config, settings) if args.encoders else 0
        points.append((config, settings, epochs, config_digest(config, settings)))
    seeds, fractions = list(dict.fromkeys(args.seeds)), list(dict.fromkeys(args.fractions))
    n_runs = len(points) * len(encoders) * len(fractions) * len(seeds)
    counter = itertools.count(1)
    lines: list[SweepLine] = []
    for config, settings, epochs, digest in points:
        task = names[config]
        folder = args.out or Path("runs") / f"sweep-{task}"
        folder = folder / task if args.out and len(names) > 1 else folder
        for encoder, fraction in itertools.product(encoders, fractions):
            shown, changes = settings, settings
            if encoder is not None:
                shown = {"encoder": encoder.name, **settings}
                changes = _encoder_settings(encoder, fraction, epochs, settings)
            cards = []
            for seed in seeds:
                made_of = digest if encoder is None else f"{digest} {encoder.checksum}"
                name = run_name(shown, fraction, seed, made_of)
                print(
                    f"{next(counter)} of {n_runs}: {folder.name}, {name}",
                    file=sys.stderr,
                    flush=True,
                )
                cards.append(
                    card_of_run(config, folder / name, changes, fraction, seed, args.device)
                )
            lines.append(
                line_of(task, encoder.name if encoder else None, settings, fraction, cards)
            )
    print(table(lines))
    if args.json:
        write_json(
            args.json,
            {"config": args.config, "seeds": seeds, "lines": [asdict(line) for line in lines]},
        )
    if args.csv:
        atomic_write(args.csv, as_csv(lines))
    if args.plot:
        _plots(args.plot, lines)
    return 0


def encoder_input(text: str) -> EncoderInput:
    """Parse ``elmo-mini:layer-0`` into the encoder, and which of its layers is read."""
    from elmo_tasks.encoders import load

    match = _ENCODER.fullmatch(text)
    if match is None:
        raise ConfigError(f"--encoders {text!r}: expected the name or folder of an encoder")
    name = match["encoder"]
    encoder = load(name)
    n, weights = encoder.n_layers, None
    if match["input"] == "mean":
        weights = (1 / n,) * n
    elif match["layer"]:
        if int(match["layer"]) >= n:
            raise ConfigError(
                f"--encoders {text}: expected layer-0 to layer-{n - 1}, the layers that {name} has"
            )
        weights = tuple(float(k == int(match["layer"])) for k in range(n))
    return EncoderInput(name=text, encoder=name, weights=weights, checksum=encoder.checksum)


def _epochs(config: str, settings: Mapping[str, Any]) -> int:
    try:
        return int(
            settings.get(_EPOCHS)
            or read_config(Path(bundled.find_config(config)))["trainer"]["max_epochs"]
        )
    except (KeyError, TypeError, ValueError):
        raise ConfigError(
            f"--config {config}: expected trainer.max_epochs, which few examples multiply"
        ) from None


def _encoder_settings(
    encoder: EncoderInput, fraction: float, epochs: int, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Scale epochs by 1/√fraction, and validate as often as with all rows."""
    times = ceil(fraction**-0.5 - 1e-9)
    changes = {"model.init_args.static": None, **settings, "encoder": encoder.encoder}
    if encoder.weights is not None:
        changes["model.init_args.head.init_args.fixed_weights"] = list(encoder.weights)
    return {**changes, _EPOCHS: times * epochs, "trainer.check_val_every_n_epoch": times}


def parse_setting(text: str) -> tuple[str, list[Any]]:
    """Parse ``KEY=VALUE,VALUE`` into the key and its values."""
    import yaml  # installed with Lightning, not with the core

    key, equals, content = text.partition("=")
    try:
        values = yaml.safe_load(f"[{content}]")
    except yaml.YAMLError:
        values = None
    if not equals or not re.fullmatch(r"[\w.]+", key) or not isinstance(values, list) or not values:
        raise ConfigError(
            f"--set {text}: expected KEY=VALUE,VALUE, as in"
            " model.init_args.head.init_args.dropout=0.3,0.5"
        )
    return key, values


def config_digest(config: str, settings: Mapping[str, Any]) -> str:
    """Hash a configuration with its settings, data and models."""
    from elmo_tasks.weights.folders import sha256

    path = Path(bundled.find_config(config))
    values = _texts([read_config(path), dict(settings)])
    digest = hashlib.sha256(path.read_bytes())
    for value in sorted(values):
        for file in _files_of(value):
            digest.update(f"{value} {file.name} {sha256([file])}".encode())
    return digest.hexdigest()


def _texts(value: Any) -> set[str]:
    """Return all texts in nested settings."""
    if isinstance(value, str):
        return {value}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {text for part in parts for text in _texts(part)}


def _files_of(value: str) -> list[Path]:
    """Return the file that a setting names, or those of a model that it names."""
    with contextlib.suppress(OSError, ValueError):  # other texts, which may be no path at all
        path = Path(bundled.find(value))
        if path.is_file():
            return [path]
        for folder in (path, bundled.CHECKPOINTS / value):
            if value and (folder / "card.json").is_file():
                return sorted(folder.glob("*.safetensors"))
    return []


def run_name(settings: dict[str, Any], fraction: float, seed: int, made_of: str) -> str:
    """Build a readable folder name, with a digest of all that makes the run another one."""
    parts = [f"{key.rpartition('.')[2]}={value}" for key, value in settings.items()]
    words = re.sub(r"[^\w.=-]+", "-", "_".join([*parts, f"share={fraction:g}", f"seed={seed}"]))
    key = hashlib.sha256(
        json.dumps([settings, fraction, seed, made_of], sort_keys=True).encode()
    ).hexdigest()[:8]
    return f"{words[:120]}_{key}"


def card_of_run(
    config: str,
    folder: Path,
    settings: dict[str, Any],
    fraction: float,
    seed: int,
    device: str | None = None,
) -> dict[str, Any]:
    """Return the card of a run, training it first if it is incomplete."""
    path = folder / "head" / "card.json"
    with contextlib.suppress(OSError, ValueError):
        card = read_json(path)
        if card.get("scores"):
            return dict(card)
    data = {"data.init_args.seed": seed, "data.init_args.train_share": fraction}
    arguments = [
        "fit",
        f"--config={config}",
        f"--run_dir={folder}",
        "--trainer.enable_progress_bar=false",
    ]
    arguments += as_arguments({"seed_everything": seed, **data, **settings})
    if device is not None:
        arguments.append(f"--device={device}")
    if (folder / "last.ckpt").is_file():
        arguments.append(f"--ckpt_path={folder / 'last.ckpt'}")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "log.txt").open("a", encoding="utf-8") as log, contextlib.redirect_stdout(log):
        try:
            fit.run(arguments)
        except (ConfigError, DataError) as error:
            raise type(error)(f"{folder.name}: {error}") from error
    card = read_json(path) if path.is_file() else {}
    if not card.get("scores"):
        raise ConfigError(
            f"{folder}: no scores: a sweep needs ExportHead and rows to validate or test on"
        )
    return dict(card)


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
    best, rows = card["training"].get("best_epoch"), card["layer_weights"]["epochs"]
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
        if not differing_only or any(v != values[0] for v in values)
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


def _plots(path: Path, lines: Sequence[SweepLine]) -> None:
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
