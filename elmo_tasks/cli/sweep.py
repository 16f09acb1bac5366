"""``sweep``: train over encoders, seeds, data shares and settings; print a table."""

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import io
import itertools
import json
import re
import statistics
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from types import MappingProxyType
from typing import Any

from elmo_tasks.cli import fit
from elmo_tasks.cli.arguments import add_device
from elmo_tasks.cli.run_settings import apply_device, check_config
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import atomic_write, write_json

HELP = "train configurations over encoders, seeds, shares of the data and settings; print mean and spread"
_SPLITS = ("validation", "test")
_DATA = "data.init_args"
#: Settings of output paths, which do not affect results.
_WRITTEN = ("default_root_dir", "logger", "callbacks", "layer_store", "cache_dir")
_ENCODER = re.compile(r"(?P<encoder>.+?)(:(?P<input>mix|mean|layer-(?P<layer>\d+)))?")
_EPOCHS, _STATIC = "trainer.max_epochs", "model.init_args.static"
_WEIGHTS = "model.init_args.head.init_args.fixed_weights"


@dataclass(frozen=True)
class EncoderInput:
    """An encoder, and which of its layers a head reads."""

    name: str  #: as requested
    encoder: str  #: name or folder
    weights: tuple[float, ...] | None  #: of its layers; ``None`` where the head learns them
    checksum: str  #: of the encoder's weights


@dataclass(frozen=True)
class Line:
    """One line of the table: the same settings over all seeds."""

    task: str  #: name of the configuration
    encoder: str | None  #: as requested; ``None`` where the configuration's own is read
    settings: dict[str, Any]  #: changed settings, by key
    fraction: float  #: share of the training rows
    n: int  #: runs
    #: split -> name, mean and standard deviation (``None`` of one run) of its main score, from 0 to 1
    scores: dict[str, dict[str, Any]]
    layer_weights: list[float]  #: mean share of each layer in the mix; as many as the encoder has layers
    seconds: float  #: mean time of training


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add = parser.add_argument
    add("--config", nargs="+", required=True, help="configurations of heads: YAML files or names")
    add(
        "--encoders",
        nargs="+",
        metavar="NAME[:INPUT]",
        help="train each configuration on each of these encoders, with nothing beside it unless --set names it; INPUT is mix "
        "(learned, the default), mean or layer-K",
    )
    add("--seeds", type=int, nargs="+", default=[1], help="one run each (default 1)")
    add("--fractions", type=float, nargs="+", default=[1.0], help="shares of the training rows (default 1.0)")
    add("--set", action="append", default=[], metavar="KEY=VALUE,VALUE", help="a setting and its values")
    add("--out", type=Path, help="folder of the runs (default runs/sweep-NAME); finished ones are kept")
    add_device(parser)
    add("--json", type=Path, help="write the table as JSON")
    add("--csv", type=Path, help="write the table as CSV")
    add("--plot", type=Path, help="write scores over shares to this SVG file, one for each configuration")


@dataclass(frozen=True)
class _Point:
    """Settings shared by the runs of one table row."""

    config: str
    encoder: EncoderInput | None
    settings: dict[str, Any]
    fraction: float
    digest: str  #: of the configuration with these settings
    folder: Path  #: of all runs of the configuration


def run(args: argparse.Namespace) -> int:
    """Do the runs that are not done yet, and print the table."""
    axes = [axis(text) for text in args.set]
    if len({key for key, _ in axes}) < len(axes):
        raise ConfigError("--set: a key is given twice; give all its values at once, as KEY=VALUE,VALUE")
    names = {config: Path(config).stem for config in args.config}
    if len(set(names.values())) < len(args.config):
        raise ConfigError(
            "--config: two configurations have the same name, by which their runs and lines are told apart"
        )
    if not all(0 < fraction <= 1 for fraction in args.fractions):
        raise ConfigError(f"--fractions: expected shares above 0, up to 1, found {' '.join(map(str, args.fractions))}")
    if args.device is not None:
        apply_device(["--device", args.device])  # refused before the first run
    encoders: list[EncoderInput | None] = [encoder_input(text) for text in dict.fromkeys(args.encoders or [])] or [None]
    grid = [
        dict(zip([key for key, _ in axes], values, strict=True)) for values in itertools.product(*[v for _, v in axes])
    ]
    points = []
    for config, settings in itertools.product(args.config, grid):
        digest, folder = config_digest(config, settings), _folder(args.out, names, config)
        if args.encoders:
            _epochs(config, settings)  # refused before the first run
        for encoder, fraction in itertools.product(encoders, dict.fromkeys(args.fractions)):
            points.append(_Point(config, encoder, settings, fraction, digest, folder))
    seeds = list(dict.fromkeys(args.seeds))
    lines: list[Line] = []
    for number, point in enumerate(points):
        cards = [
            _card(point, seed, args.device, f"{number * len(seeds) + k} of {len(points) * len(seeds)}")
            for k, seed in enumerate(seeds, start=1)
        ]
        name = None if point.encoder is None else point.encoder.name
        lines.append(line_of(names[point.config], name, point.settings, point.fraction, cards))
    print(table(lines))
    if args.json:
        write_json(args.json, {"config": args.config, "seeds": seeds, "lines": [asdict(line) for line in lines]})
    if args.csv:
        atomic_write(args.csv, as_csv(lines))
    if args.plot:
        _plots(args.plot, lines)
    return 0


def _folder(out: Path | None, names: Mapping[str, str], config: str) -> Path:
    if out is None:
        return Path("runs") / f"sweep-{names[config]}"
    return out if len(names) == 1 else out / names[config]


def _card(point: _Point, seed: int, device: str | None, number: str) -> dict[str, Any]:
    """Return the card of one run of a point."""
    digest, settings, shown = point.digest, point.settings, point.settings
    if point.encoder is not None:
        digest, shown = f"{digest} {point.encoder.checksum}", {"encoder": point.encoder.name, **settings}
        settings = _encoder_settings(point.encoder, point.fraction, _epochs(point.config, settings), settings)
    name = run_name(shown, point.fraction, seed, digest)
    print(f"{number}: {point.folder.name}, {name}", file=sys.stderr, flush=True)
    return card_of_run(point.config, point.folder / name, settings, point.fraction, seed, device)


def encoder_input(text: str) -> EncoderInput:
    """``elmo-mini:layer-0`` -> the encoder, and which of its layers is read.

    Raises:
        ConfigError: there is no such encoder or layer.
        WeightsError: it cannot be read.
    """
    from elmo_tasks.encoders import load

    match = _ENCODER.fullmatch(text)
    if match is None:
        raise ConfigError(f"--encoders {text!r}: expected the name or folder of an encoder")
    name, kind = match["encoder"], match["input"] or "mix"
    encoder = load(name)
    n_layers, checksum = encoder.n_layers, encoder.checksum
    if kind == "mix":
        return EncoderInput(text, name, None, checksum)
    if kind == "mean":
        return EncoderInput(text, name, (1 / n_layers,) * n_layers, checksum)
    layer = int(match["layer"])
    if layer >= n_layers:
        raise ConfigError(f"--encoders {text}: expected layer-0 to layer-{n_layers - 1}, the layers that {name} has")
    return EncoderInput(text, name, tuple(float(k == layer) for k in range(n_layers)), checksum)


def _epochs(config: str, settings: Mapping[str, Any]) -> int:
    import yaml  # installed with Lightning, not with the core

    from elmo_tasks import bundled

    path = Path(bundled.find_config(config))
    try:
        return int(settings.get(_EPOCHS) or yaml.safe_load(path.read_text(encoding="utf-8"))["trainer"]["max_epochs"])
    except (KeyError, TypeError, ValueError):
        raise ConfigError(f"--config {config}: expected trainer.max_epochs, which few examples multiply") from None


def _encoder_settings(
    encoder: EncoderInput, fraction: float, epochs: int, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Scale epochs by 1/√fraction, and validate as often as with all rows."""
    times = ceil(fraction**-0.5 - 1e-9)
    more = {_EPOCHS: times * epochs, "trainer.check_val_every_n_epoch": times}
    weights = {} if encoder.weights is None else {_WEIGHTS: list(encoder.weights)}
    return {_STATIC: None, **settings, "encoder": encoder.encoder, **weights, **more}


def axis(text: str) -> tuple[str, list[Any]]:
    """``KEY=VALUE,VALUE`` -> the key and its values.

    Raises:
        ConfigError: it is something else.
    """
    import yaml  # installed with Lightning, not with the core

    key, equals, values = text.partition("=")
    try:
        found = yaml.safe_load(f"[{values}]")
    except yaml.YAMLError:
        found = None
    if not equals or not re.fullmatch(r"[\w.]+", key) or not isinstance(found, list) or not found:
        raise ConfigError(
            f"--set {text}: expected KEY=VALUE,VALUE, such as model.init_args.head.init_args.dropout=0.3,0.5"
        )
    return key, found


def config_digest(config: str, settings: Mapping[str, Any] = MappingProxyType({})) -> str:
    """Hash a configuration with its settings, data and models.

    A run with other contents of any of them is another run.
    """
    import yaml  # installed with Lightning, not with the core

    from elmo_tasks import bundled
    from elmo_tasks.bilm.weight_checksums import sha256

    path = Path(bundled.find_config(config))
    check_config(path)
    digest = hashlib.sha256(path.read_bytes())
    values = [*_texts(yaml.safe_load(path.read_text(encoding="utf-8"))), *_texts(dict(settings))]
    for value in sorted(set(values)):
        for file in _files_of(value):
            digest.update(f"{value} {file.name} {sha256([file])}".encode())
    return digest.hexdigest()


def _texts(value: Any) -> Iterator[str]:
    """All texts in settings, but the folder that a run writes."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for key, part in value.items() if key not in _WRITTEN for text in _texts(part))
    elif isinstance(value, list):
        yield from (text for part in value for text in _texts(part))


def _files_of(value: str) -> list[Path]:
    """The file that a setting names, or those of a model that it names."""
    from elmo_tasks import bundled

    if not value or len(value) > 1000:
        return []
    with contextlib.suppress(OSError, ValueError):
        path = Path(bundled.find(value))
        folder = next((f for f in (path, bundled.CHECKPOINTS / value) if f.is_dir()), None)
        if path.is_file():
            return [path]
        if folder is not None and (folder / "card.json").is_file():
            return sorted(folder.glob("*.safetensors"))
    return []


def run_name(settings: dict[str, Any], fraction: float, seed: int, made_of: str) -> str:
    """Build a readable, unique folder name for a run.

    It holds the changed settings, the share, the seed and a digest of the configuration and the encoder's weights.
    """
    parts = [f"{key.rpartition('.')[2]}={value}" for key, value in settings.items()]
    words = re.sub(r"[^\w.=-]+", "-", "_".join([*parts, f"share={fraction:g}", f"seed={seed}"]))
    key = hashlib.sha256(json.dumps([settings, fraction, seed, made_of], sort_keys=True).encode()).hexdigest()[:8]
    return f"{words[:120]}_{key}"


def card_of_run(
    config: str, folder: Path, settings: dict[str, Any], fraction: float, seed: int, device: str | None = None
) -> dict[str, Any]:
    """Return the card of a run, training it first if it is incomplete."""
    path = folder / "head" / "card.json"
    with contextlib.suppress(OSError, ValueError):
        card = dict(json.loads(path.read_text(encoding="utf-8")))
        if card.get("scores"):
            return card
    values = {"seed_everything": seed, f"{_DATA}.seed": seed, f"{_DATA}.train_share": fraction, **settings}
    arguments = ["fit", f"--config={config}", f"--run_dir={folder}", "--trainer.enable_progress_bar=false"]
    arguments += [f"--{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in values.items()]
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
    card = dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}
    if not card.get("scores"):
        raise ConfigError(
            f"{folder}: the run ended without scores: a sweep needs ExportHead and rows to validate or test on"
        )
    return card


def line_of(
    task: str, encoder: str | None, settings: dict[str, Any], fraction: float, cards: list[dict[str, Any]]
) -> Line:
    """Summarize the runs with the same settings over all seeds."""
    scores = {}
    for split in _SPLITS:
        found = [card["scores"][split] for card in cards if split in card["scores"]]
        if found:
            values = [one[one["main"]] for one in found]
            spread = statistics.stdev(values) if len(values) > 1 else None
            scores[split] = {
                "name": found[0]["main"],
                "mean": statistics.fmean(values),
                "spread": spread,
                "values": values,
            }
    mixes = [_weights(card) for card in cards]
    layers = [statistics.fmean(shares) for shares in zip(*mixes, strict=True)]
    seconds = statistics.fmean(card["training"]["seconds"] for card in cards)
    return Line(task, encoder, settings, fraction, len(cards), scores, layers, seconds)


def _weights(card: dict[str, Any]) -> list[float]:
    """The mix of the epoch that was kept."""
    best, rows = card["training"].get("best_epoch"), card["layer_weights"]["epochs"]
    return next((row["weights"] for row in rows if row["epoch"] == best), rows[-1]["weights"])


def in_percent(score: Mapping[str, Any]) -> tuple[str, str]:
    """Format a mean as ``87.31`` and a deviation over seeds as `` ± 0.12``."""
    return f"{100 * score['mean']:.2f}", "" if score["spread"] is None else f" ± {100 * score['spread']:.2f}"


def _places(lines: list[Line]) -> list[tuple[str, list[Any]]]:
    """Choose the columns that distinguish the rows, and their cells."""
    columns: list[tuple[str, list[Any]]] = []
    if len({line.task for line in lines}) > 1:
        columns.append(("task", [line.task for line in lines]))
    if lines[0].encoder is not None:
        columns.append(("encoder", [line.encoder for line in lines]))
    return [*columns, *((key, [line.settings[key] for line in lines]) for key in lines[0].settings)]


def _splits(lines: list[Line]) -> list[str]:
    return [split for split in _SPLITS if any(split in line.scores for line in lines)]


def table(lines: list[Line]) -> str:
    """Format the lines as aligned text; scores in percent, mean ± standard deviation."""
    columns = [
        (key.removeprefix("model.init_args.").removeprefix("head.init_args."), list(map(str, cells)))
        for key, cells in _places(lines)
    ]
    columns += [("share", [f"{line.fraction:g}" for line in lines]), ("runs", [str(line.n) for line in lines])]
    for split in _splits(lines):
        found = [line.scores.get(split) for line in lines]
        names = {score["name"] for score in found if score is not None}
        shown = ["-" if score is None else "".join(in_percent(score)) for score in found]
        if len(names) > 1:  # tasks with different scores
            shown = [f"{score['name']} {text}" if score else text for score, text in zip(found, shown, strict=True)]
        columns.append((split if len(names) > 1 else f"{split} {names.pop()}", shown))
    columns.append(("layers", [" ".join(f"{weight:.2f}" for weight in line.layer_weights) for line in lines]))
    columns.append(("seconds", [f"{line.seconds:.0f}" for line in lines]))
    padded = []
    for title, cells in columns:
        width = max(map(len, [title, *cells]))
        padded.append([cell.ljust(width) for cell in (title, *cells)])
    return "\n".join("  ".join(row).rstrip() for row in zip(*padded, strict=True))


def as_csv(lines: list[Line]) -> str:
    """Format the lines with one column for each number, scores from 0 to 1."""
    text = io.StringIO(newline="")
    places, splits = _places(lines), _splits(lines)
    n_layers = max(len(line.layer_weights) for line in lines)
    titles = [f"{split}_{what}" for split in splits for what in ("mean", "spread")]
    writer = csv.writer(text)
    writer.writerow(
        [
            *(title for title, _ in places),
            "fraction",
            "runs",
            *titles,
            *(f"layer_{k}" for k in range(n_layers)),
            "seconds",
        ]
    )
    for k, line in enumerate(lines):
        numbers = [line.scores.get(split, {}).get(what) for split in splits for what in ("mean", "spread")]
        layers = [*line.layer_weights, *[None] * (n_layers - len(line.layer_weights))]
        writer.writerow([*(cells[k] for _, cells in places), line.fraction, line.n, *numbers, *layers, line.seconds])
    return text.getvalue()


def _plots(path: Path, lines: list[Line]) -> None:
    from elmo_tasks.evaluation.plots import share_chart

    tasks = list(dict.fromkeys(line.task for line in lines))
    for task in tasks:
        curves: dict[str, list[tuple[float, float]]] = {}
        of_task = [line for line in lines if line.task == task]
        split = _splits(of_task)[-1]
        for line in sorted(of_task, key=lambda line: line.fraction):
            name = ", ".join(map(str, [*([] if line.encoder is None else [line.encoder]), *line.settings.values()]))
            curves.setdefault(name or task, []).append((line.fraction, line.scores[split]["mean"]))
        target = path if len(tasks) == 1 else path.with_name(f"{path.stem}-{task}{path.suffix}")
        chart = share_chart(task, f"{split} {of_task[0].scores[split]['name']}, %", curves)
        atomic_write(target, chart)
