"""``benchmark tasks``: the same heads on the same data over several encoders, with all examples and with few."""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sys
from dataclasses import asdict, dataclass
from itertools import product
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elmo_tasks.commands.arguments import add_device
from elmo_tasks.commands.run_settings import on_device
from elmo_tasks.commands.sweep import Line, axis, card_of_run, config_digest, in_percent, line_of, run_name
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import write_json, write_whole

if TYPE_CHECKING:
    from elmo_tasks.training.head_cost import Cost

HELP = "compare encoders as trained heads use them: score, time, memory, and with how few examples"
DEFAULT_SYSTEMS = ("elmo-mini", "elmo-mini:layer-0", "static-mini")
_SYSTEM = re.compile(r"(?P<encoder>.+?)(:(?P<input>mix|mean|layer-(?P<layer>\d+)))?")
_WEIGHTS, _STATIC, _EPOCHS = (
    "model.init_args.head.init_args.fixed_weights",
    "model.init_args.static",
    "trainer.max_epochs",
)


@dataclass(frozen=True)
class System:
    """What a head reads."""

    name: str  #: as it was asked for
    encoder: str  #: name or folder
    weights: tuple[float, ...] | None  #: of its layers; ``None`` where the head learns them
    checksum: str  #: of the encoder's weights


@dataclass(frozen=True)
class Result:
    """One line of the table."""

    config: str  #: the experiment
    system: str  #: what the head read
    line: Line  #: the scores over all seeds
    cost: Cost  #: of the head that was trained on most examples with the first seed; the same for every share


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    tasks = parser.add_subparsers(dest="what", required=True, metavar="WHAT").add_parser("tasks", help=HELP)
    add = tasks.add_argument
    add(
        "--config",
        nargs="+",
        default=["ner_conll2003", "sentiment_sst2"],
        help="configurations of heads: YAML files or names (default: ner_conll2003 sentiment_sst2)",
    )
    add(
        "--model",
        action="append",
        default=[],
        metavar="NAME[:INPUT]",
        help="name or folder of any encoder; INPUT is mix (learned, the default), mean or layer-K; repeat it for several (default: "
        f"{', '.join(DEFAULT_SYSTEMS)})",
    )
    add("--shares", type=float, nargs="+", default=[1.0], help="of the training rows (default 1.0)")
    add("--seeds", type=int, nargs="+", default=[1], help="one run each (default 1)")
    add("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of every run")
    add("--out", type=Path, default=Path("runs/benchmark"), help="folder of the runs; finished ones are kept")
    add_device(tasks)
    add("--json", type=Path, help="write the table as JSON")
    add("--plot", type=Path, help="write scores over shares to this SVG file, one for each configuration")


def run(args: argparse.Namespace) -> int:
    """Do the runs that are not done yet, and print the table."""
    fixed = _fixed(args.set)
    if args.device is not None:
        on_device(["--device", args.device])  # refused before the first run
    shares, seeds = sorted(dict.fromkeys(args.shares)), list(dict.fromkeys(args.seeds))
    if not all(0 < share <= 1 for share in shares):
        raise ConfigError(f"--shares: expected shares above 0, up to 1, found {' '.join(map(str, args.shares))}")
    epochs = {config: _epochs(config, fixed) for config in args.config}
    if len({Path(config).stem for config in args.config}) < len(args.config):
        raise ConfigError(
            "--config: two configurations have the same name, which their runs and the table are told apart by"
        )
    systems = [system_of(name) for name in dict.fromkeys(args.model or DEFAULT_SYSTEMS)]
    results, done, total = [], 0, len(args.config) * len(systems) * len(shares) * len(seeds)
    for config, system in product(args.config, systems):
        stem = Path(config).stem
        lines, costly, made_of = [], Path(), f"{config_digest(config, fixed)} {system.checksum}"
        for share in shares:
            cards = []
            settings = _settings(system, share, epochs[config], fixed)
            for seed in seeds:
                done += 1
                folder = args.out / stem / run_name({"system": system.name, **fixed}, share, seed, made_of)
                print(f"{done} of {total}: {stem}, {folder.name}", file=sys.stderr, flush=True)
                cards.append(card_of_run(config, folder, settings, share, seed, args.device))
                costly = folder if seed == seeds[0] else costly
            lines.append(line_of({}, share, cards))
        cost = _cost(costly)
        results += [Result(stem, system.name, line, cost) for line in lines]
    print(table(results))
    if args.json:
        about = {"seeds": seeds, "settings": fixed, "lines": [asdict(result) for result in results]}
        write_json(args.json, about)
    if args.plot:
        _plots(args.plot, results)
    return 0


def system_of(text: str) -> System:
    """``elmo-mini:layer-0`` -> an encoder, and what of it is read.

    Raises:
        ConfigError: there is no such encoder or layer.
        WeightsError: it cannot be read.
    """
    from elmo_tasks.encoders import load

    match = _SYSTEM.fullmatch(text)
    if match is None:
        raise ConfigError(f"--model {text!r}: expected the name or folder of an encoder")
    encoder, kind = match["encoder"], match["input"] or "mix"
    loaded = load(encoder)
    n_layers, checksum = loaded.n_layers, loaded.checksum
    if kind == "mix":
        return System(text, encoder, None, checksum)
    if kind == "mean":
        return System(text, encoder, (1 / n_layers,) * n_layers, checksum)
    layer = int(match["layer"])
    if layer >= n_layers:
        raise ConfigError(f"--model {text}: expected layer-0 to layer-{n_layers - 1}, the layers that {encoder} has")
    return System(text, encoder, tuple(float(k == layer) for k in range(n_layers)), checksum)


def _fixed(texts: list[str]) -> dict[str, Any]:
    """Settings of every run; the head reads the encoder alone unless they say otherwise."""
    found: dict[str, Any] = {_STATIC: None}
    for text in texts:
        key, values = axis(text)
        if len(values) != 1:
            raise ConfigError(f"--set {text}: expected one value; several are for elmo-tasks sweep")
        found[key] = values[0]
    return found


def _epochs(config: str, fixed: dict[str, Any]) -> int:
    import yaml  # comes with Lightning; the core does without both

    from elmo_tasks import bundled
    from elmo_tasks.commands.run_settings import check_config

    path = Path(bundled.find_config(config))
    check_config(path)
    try:
        return int(fixed.get(_EPOCHS) or yaml.safe_load(path.read_text(encoding="utf-8"))["trainer"]["max_epochs"])
    except (KeyError, TypeError, ValueError):
        raise ConfigError(f"--config {config}: expected trainer.max_epochs, which few examples multiply") from None


def _settings(system: System, share: float, epochs: int, fixed: dict[str, Any]) -> dict[str, Any]:
    """Fewer rows are read oftener, 1/√share times, as a tenth of the steps is too few to learn from; validated as often as ever."""
    times = ceil(share**-0.5 - 1e-9)
    more = {_EPOCHS: times * epochs, "trainer.check_val_every_n_epoch": times}
    weights = {} if system.weights is None else {_WEIGHTS: list(system.weights)}
    return {**fixed, "encoder": system.encoder, **weights, **more}


def _cost(run: Path) -> Cost:
    """What the head of a run costs in use, measured once."""
    from elmo_tasks.training.head_cost import Cost, cost_of, run_sentences

    path = run / "cost.json"
    with contextlib.suppress(OSError, ValueError, TypeError):
        return Cost(**json.loads(path.read_text(encoding="utf-8")))
    found = cost_of(run / "head", run_sentences(run))
    write_json(path, asdict(found))
    return found


def table(results: list[Result]) -> str:
    """Markdown, a line for each system at each share; the best score of each share in bold, nobody left out."""
    lines = [
        "| data | read by the head | share | runs | score | training | 1,000 sentences | memory | weights of the layers |",
        "|---|---|---:|---:|---:|---:|---:|---:|---|",
    ]
    for config, share in dict.fromkeys((result.config, result.line.fraction) for result in results):
        group = [result for result in results if (result.config, result.line.fraction) == (config, share)]
        best = max(f"{100 * _score(result)['mean']:08.2f}" for result in group)
        for result in group:
            score = _score(result)
            mean, spread = in_percent(score)
            shown = f"**{mean}**" if f"{100 * score['mean']:08.2f}" == best else mean
            memory = "-" if result.cost.memory is None else f"{result.cost.memory / 2**20:,.0f} MiB"
            weights = " ".join(f"{weight:.2f}" for weight in result.line.layer_weights)
            what = f"{score['split']} {score['name']} {shown}{spread}"
            cells = [config, result.system, f"{100 * share:g} %", str(result.line.n), what]
            cells += [f"{result.line.seconds:.0f} s", f"{result.cost.seconds:.1f} s", memory, weights]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _score(result: Result) -> dict[str, Any]:
    """The score on the test rows, or where there are none on those of the validation."""
    split = "test" if "test" in result.line.scores else "validation"
    return {"split": split, **result.line.scores[split]}


def _plots(path: Path, results: list[Result]) -> None:
    from elmo_tasks.evaluation.plots import share_chart

    configs = list(dict.fromkeys(result.config for result in results))
    for config in configs:
        mine = [result for result in results if result.config == config]
        lines: dict[str, list[tuple[float, float]]] = {}
        for result in mine:
            lines.setdefault(result.system, []).append((result.line.fraction, _score(result)["mean"]))
        target = path if len(configs) == 1 else path.with_name(f"{path.stem}-{config}{path.suffix}")
        write_whole(target, share_chart(config, f"{_score(mine[0])['split']} {_score(mine[0])['name']}, %", lines))
