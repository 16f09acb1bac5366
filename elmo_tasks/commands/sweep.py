"""``sweep``: one configuration over seeds, shares of the training rows and settings; a table with mean and spread."""

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
from pathlib import Path
from types import MappingProxyType
from typing import Any

from elmo_tasks.commands import fit
from elmo_tasks.commands.arguments import add_device
from elmo_tasks.commands.run_settings import check_config, on_device
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import write_json, write_whole

HELP = "train one configuration over seeds, shares of the data and settings; print mean and spread"
_SPLITS = ("validation", "test")
_DATA = "data.init_args"
#: Settings that name what a run writes, which it need not hang on.
_WRITTEN = ("default_root_dir", "logger", "callbacks", "layer_store", "cache_dir")


@dataclass(frozen=True)
class Line:
    """One line of the table: the same settings over all seeds."""

    settings: dict[str, Any]  #: what was set, by key
    fraction: float  #: share of the training rows
    n: int  #: runs
    #: split -> name, mean and standard deviation (``None`` of one run) of its main score, from 0 to 1
    scores: dict[str, dict[str, Any]]
    layer_weights: list[float]  #: mean share of each layer in the mix; as many as the encoder has layers
    seconds: float  #: mean time of training


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add = parser.add_argument
    add("--config", required=True, help="the configuration of a head: a YAML file or the name of one")
    add("--seeds", type=int, nargs="+", default=[1], help="one run each (default 1)")
    add("--fractions", type=float, nargs="+", default=[1.0], help="shares of the training rows (default 1.0)")
    add("--set", action="append", default=[], metavar="KEY=VALUE,VALUE", help="a setting and its values")
    add("--out", type=Path, help="folder of the runs (default runs/sweep-NAME); finished ones are kept")
    add_device(parser)
    add("--json", type=Path, help="write the table as JSON")
    add("--csv", type=Path, help="write the table as CSV")


def run(args: argparse.Namespace) -> int:
    """Do the runs that are not done yet, and print the table."""
    axes = [axis(text) for text in args.set]
    if len({key for key, _ in axes}) < len(axes):
        raise ConfigError("--set: a key is given twice; give all its values at once, as KEY=VALUE,VALUE")
    out = args.out or Path("runs") / f"sweep-{Path(args.config).stem}"
    seeds = list(dict.fromkeys(args.seeds))
    grid = [
        dict(zip([key for key, _ in axes], values, strict=True)) for values in itertools.product(*[v for _, v in axes])
    ]
    if not all(0 < fraction <= 1 for fraction in args.fractions):
        raise ConfigError(f"--fractions: expected shares above 0, up to 1, found {' '.join(map(str, args.fractions))}")
    if args.device is not None:
        on_device(["--device", args.device])  # refused before the first run
    made_of = {json.dumps(settings): config_digest(args.config, settings) for settings in grid}
    points = list(itertools.product(grid, dict.fromkeys(args.fractions)))
    total, lines, done = len(points) * len(seeds), [], 0
    for settings, fraction in points:
        cards = []
        for seed in seeds:
            done += 1
            name = run_name(settings, fraction, seed, made_of[json.dumps(settings)])
            print(f"{done} of {total}: {name}", file=sys.stderr, flush=True)
            cards.append(card_of_run(args.config, out / name, settings, fraction, seed, args.device))
        lines.append(line_of(settings, fraction, cards))
    print(table(lines))
    if args.json:
        write_json(args.json, {"config": args.config, "seeds": seeds, "lines": [asdict(line) for line in lines]})
    if args.csv:
        write_whole(args.csv, as_csv(lines))
    return 0


def axis(text: str) -> tuple[str, list[Any]]:
    """``KEY=VALUE,VALUE`` -> the key and its values.

    Raises:
        ConfigError: it is something else.
    """
    import yaml  # comes with Lightning; the core does without both

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
    """What changes when a configuration (a YAML file, or the name of one, some of it replaced by settings), its data or its models
    do: a run of another content of them is another run.
    """
    import yaml  # comes with Lightning; the core does without both

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
    """A folder's name that people can read, and that no other run has: settings that differ from the configuration's, the share of
    the training rows, the seed, and the digest of everything else that it hangs on, the configuration and the weights of the
    encoder.
    """
    parts = [f"{key.rpartition('.')[2]}={value}" for key, value in settings.items()]
    words = re.sub(r"[^\w.=-]+", "-", "_".join([*parts, f"share={fraction:g}", f"seed={seed}"]))
    key = hashlib.sha256(json.dumps([settings, fraction, seed, made_of], sort_keys=True).encode()).hexdigest()[:8]
    return f"{words[:120]}_{key}"


def card_of_run(
    config: str, folder: Path, settings: dict[str, Any], fraction: float, seed: int, device: str | None = None
) -> dict[str, Any]:
    """The card of a run: of one that is done as it is, else after it has been begun or gone on with."""
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


def line_of(settings: dict[str, Any], fraction: float, cards: list[dict[str, Any]]) -> Line:
    """The same settings over all seeds."""
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
    return Line(settings, fraction, len(cards), scores, layers, seconds)


def _weights(card: dict[str, Any]) -> list[float]:
    """The mix of the epoch that was kept."""
    best, rows = card["training"].get("best_epoch"), card["layer_weights"]["epochs"]
    return next((row["weights"] for row in rows if row["epoch"] == best), rows[-1]["weights"])


def in_percent(score: Mapping[str, Any]) -> tuple[str, str]:
    """``87.31`` and `` ± 0.12``, the standard deviation over seeds, of which one has none."""
    return f"{100 * score['mean']:.2f}", "" if score["spread"] is None else f" ± {100 * score['spread']:.2f}"


def _columns(lines: list[Line]) -> list[str]:
    keys = [key.removeprefix("model.init_args.").removeprefix("head.init_args.") for key in lines[0].settings]
    names = [f"{split} {lines[0].scores[split]['name']}" for split in _SPLITS if split in lines[0].scores]
    return [*keys, "share", "runs", *names, "layers", "seconds"]


def table(lines: list[Line]) -> str:
    """The lines as aligned text; scores in percent, mean ± standard deviation."""
    rows = [_columns(lines)]
    for line in lines:
        scores = ["".join(in_percent(score)) for score in line.scores.values()]
        mix = " ".join(f"{weight:.2f}" for weight in line.layer_weights)
        rows.append(
            [*map(str, line.settings.values()), f"{line.fraction:g}", str(line.n), *scores, mix, f"{line.seconds:.0f}"]
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def as_csv(lines: list[Line]) -> str:
    """The lines with one column for each number, scores from 0 to 1."""
    text = io.StringIO(newline="")
    splits = list(lines[0].scores)
    scores = [f"{split}_{what}" for split in splits for what in ("mean", "spread")]
    layers = [f"layer_{k}" for k in range(len(lines[0].layer_weights))]
    writer = csv.writer(text)
    writer.writerow([*lines[0].settings, "fraction", "runs", *scores, *layers, "seconds"])
    for line in lines:
        numbers = [line.scores[split][what] for split in splits for what in ("mean", "spread")]
        writer.writerow([*line.settings.values(), line.fraction, line.n, *numbers, *line.layer_weights, line.seconds])
    return text.getvalue()
