"""``sweep``: train over encoders, seeds, data shares and settings; print a table."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import itertools
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from typing import Any

from elmo_tasks import bundled
from elmo_tasks.cli import fit
from elmo_tasks.cli.arguments import add_device
from elmo_tasks.cli.settings import apply_device, as_arguments, read_config
from elmo_tasks.cli.sweep_table import SweepLine, as_csv, line_of, table, write_plots
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import atomic_write, read_json, write_json

HELP = (
    "train configurations over encoders, seeds, shares of the data and settings; print mean and"
    " spread"
)
_ENCODER = re.compile(r"(?P<encoder>.+?)(:(?P<input>mix|mean|layer-(?P<layer>\d+)))?")
_EPOCHS = "trainer.max_epochs"


@dataclass(frozen=True)
class EncoderInput:
    """An encoder, and which of its layers a head reads."""

    name: str  #: as requested
    encoder: str  #: name or folder
    weights: tuple[float, ...] | None  #: of its layers; ``None`` where the head learns them
    checksum: str  #: of the encoder's weights


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--config", nargs="+", required=True, help="configurations of heads: YAML files or names")
    text = (
        "encoders to train on, without static vectors; INPUT is mix (learned, the default), mean or"
        " layer-K"
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


@dataclass(frozen=True)
class _Point:
    """A configuration with the values of its changed settings."""

    config: str  #: as requested
    settings: dict[str, Any]
    epochs: int  #: of the configuration; read only where encoders are compared
    digest: str  #: of the configuration, its data and models


def run(args: argparse.Namespace) -> int:
    """Do the runs that are not done yet, and print the table."""
    names = _checked_names(args)
    axes = dict(parse_setting(text) for text in args.set)
    encoders: list[EncoderInput | None] = [
        encoder_input(text) for text in dict.fromkeys(args.encoders or [])
    ] or [None]
    points = _points(args, axes)
    seeds = list(dict.fromkeys(args.seeds))
    fractions = list(dict.fromkeys(args.fractions))
    n_runs = len(points) * len(encoders) * len(fractions) * len(seeds)
    counter = itertools.count(1)
    lines: list[SweepLine] = []
    for point, encoder, fraction in itertools.product(points, encoders, fractions):
        task = names[point.config]
        folder = args.out or Path("runs") / f"sweep-{task}"
        folder = folder / task if args.out and len(names) > 1 else folder
        shown = point.settings
        changes = point.settings
        made_of = point.digest
        if encoder is not None:
            shown = {"encoder": encoder.name, **point.settings}
            changes = _encoder_settings(encoder, fraction, point.epochs, point.settings)
            made_of = f"{point.digest} {encoder.checksum}"
        cards = []
        for seed in seeds:
            name = run_name(shown, fraction, seed, made_of)
            text = f"{next(counter)} of {n_runs}: {folder.name}, {name}"
            print(text, file=sys.stderr, flush=True)
            cards.append(
                card_of_run(point.config, folder / name, changes, fraction, seed, args.device)
            )
        encoder_name = encoder.name if encoder else None
        lines.append(line_of(task, encoder_name, point.settings, fraction, cards))
    print(table(lines))
    if args.json:
        rows = [asdict(line) for line in lines]
        write_json(args.json, {"config": args.config, "seeds": seeds, "lines": rows})
    if args.csv:
        atomic_write(args.csv, as_csv(lines))
    if args.plot:
        write_plots(args.plot, lines)
    return 0


def _checked_names(args: argparse.Namespace) -> dict[str, str]:
    """Return the name of each configuration; refuse bad arguments before the first run."""
    keys = [text.partition("=")[0] for text in args.set]
    if len(set(keys)) < len(keys):
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
        apply_device(["--device", args.device])
    return names


def _points(args: argparse.Namespace, axes: Mapping[str, list[Any]]) -> list[_Point]:
    """Read the configurations, each with every combination of the changed settings."""
    grid = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    return [
        _Point(
            config=config,
            settings=settings,
            epochs=_epochs(config, settings) if args.encoders else 0,
            digest=config_digest(config, settings),
        )
        for config, settings in itertools.product(args.config, grid)
    ]


def encoder_input(text: str) -> EncoderInput:
    """Parse ``elmo-mini:layer-0`` into the encoder, and which of its layers is read."""
    from elmo_tasks.encoders import load

    match = _ENCODER.fullmatch(text)
    if match is None:
        raise ConfigError(f"--encoders {text!r}: expected the name or folder of an encoder")
    name = match["encoder"]
    encoder = load(name)
    n = encoder.n_layers
    weights = None
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
            f"--config {config}: expected trainer.max_epochs, which is raised for few examples"
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
    if isinstance(value, dict):
        value = list(value.values())
    return {text for part in value for text in _texts(part)} if isinstance(value, list) else set()


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
    """Build a readable folder name, with a digest of everything that distinguishes the run."""
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
