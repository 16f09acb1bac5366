"""What the layers are worth to a task: ``python -m benchmarks.layer_comparison lightning_configs/ner_conll2003.yaml``.

Trains the head of a configuration on the learned mix, on each layer alone and on the plain mean, with each seed, one after
another, and prints a table. What a run has finished is not run again, and what was interrupted goes on, so the same command
prints the table of finished runs at once. Arguments after ``--`` go to ``fit``; give such a series a name of its own.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

N_LAYERS = 3
VARIANTS: dict[str, list[float] | None] = {
    "mix": None,
    **{f"layer-{k}": [float(k == j) for j in range(N_LAYERS)] for k in range(N_LAYERS)},
    "mean": [1 / N_LAYERS] * N_LAYERS,
}
TITLES = {"mix": "learned mix", "layer-0": "layer 0 only (no context)", "mean": "plain mean of the layers"}


def card_of(folder: Path) -> dict[str, Any] | None:
    """The card of a finished run."""
    path = folder / "head" / "card.json"
    card = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return card if "scores" in card else None


def fit(config: Path, folder: Path, variant: str, seed: int, more: list[str]) -> None:
    """Run one training, or go on with it."""
    command = [sys.executable, "-m", "elmo_tasks", "fit", "--config", str(config), "--run_dir", str(folder)]
    command += ["--seed_everything", str(seed), "--data.init_args.seed", str(seed), *more]
    if (weights := VARIANTS[variant]) is not None:
        command += ["--model.init_args.head.init_args.fixed_weights", json.dumps(weights)]
    if (folder / "last.ckpt").is_file():
        command += ["--ckpt_path", str(folder / "last.ckpt")]
    print(f"{folder.name} …", file=sys.stderr, flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "log.txt").open("a", encoding="utf-8") as log:
        subprocess.run(command, stdout=log, stderr=log, check=True)


def percent(values: list[float]) -> str:
    """``87.31``, or ``87.31 ± 0.12`` with the standard deviation over seeds."""
    shown = f"{100 * statistics.mean(values):.2f}"
    return shown if len(values) == 1 else f"{shown} ± {100 * statistics.stdev(values):.2f}"


def row(variant: str, cards: list[dict[str, Any]]) -> str:
    """A line of the table."""
    name = TITLES.get(variant, f"{variant.replace('-', ' ')} only")
    cells = []
    for split in ("validation", "test"):
        found = [card["scores"][split] for card in cards if split in card["scores"]]
        cells.append(percent([scores[scores["main"]] for scores in found]) if found else "–")
    minutes = statistics.mean(card["training"]["seconds"] for card in cards) / 60
    weights = ""
    if variant == "mix":
        best = [
            next(e for e in c["layer_weights"]["epochs"] if e["epoch"] == c["training"]["best_epoch"]) for c in cards
        ]
        shares = [statistics.mean(values) for values in zip(*(e["weights"] for e in best), strict=True)]
        weights = " / ".join(f"{share:.2f}" for share in shares)
    return f"| {name} | {cells[0]} | {cells[1]} | {len(cards)} | {minutes:.1f} min | {weights} |"


def ship(series: Path, seeds: list[int], target: Path, title: str | None) -> None:
    """Copy the heads of the first seed, on the mix and on layer 0; the card of the first tells the mixes of all seeds."""
    runs = []
    for seed in seeds:
        if card := card_of(series / f"mix-seed{seed}"):
            last = next(e for e in card["layer_weights"]["epochs"] if e["epoch"] == card["training"]["best_epoch"])
            runs.append({"seed": seed, **{key: last[key] for key in ("weights", "gamma", "score")}})
    for variant, name in (("mix", target.name), ("layer-0", f"{target.name}-layer0")):
        source, folder = series / f"{variant}-seed{seeds[0]}", target.with_name(name)
        card = card_of(source)
        if card is None:
            raise SystemExit(f"{source}: not finished")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source / "head", folder)
        card["title"] = title or card["title"]
        if variant == "mix":
            card["layer_weights"]["runs"] = runs
        else:
            card["title"] += ", without context"
        (folder / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Run what is missing and print the table."""
    arguments = sys.argv[1:]
    more = arguments[arguments.index("--") + 1 :] if "--" in arguments else []
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--name", help="of the series (default: that of the configuration)")
    parser.add_argument("--runs", type=Path, default=Path("runs/compared"), help="folder of the runs")
    parser.add_argument("--print", action="store_true", help="train nothing, print what is finished")
    parser.add_argument(
        "--ship", type=Path, help="copy the head of the first seed, and its baseline on layer 0, to here"
    )
    parser.add_argument("--title", help="what to call what is shipped (default: the title in the configuration)")
    args = parser.parse_args(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    series = args.runs / (args.name or args.config.stem)
    rows = []
    for variant in args.variants:
        cards = []
        for seed in args.seeds:
            folder = series / f"{variant}-seed{seed}"
            if card_of(folder) is None and not args.print:
                fit(args.config, folder, variant, seed, more)
            if card := card_of(folder):
                cards.append(card)
        if cards:
            rows.append(row(variant, cards))
    print("| input of the head | dev | test | seeds | training | weights of layers 0 / 1 / 2 |")
    print("|---|---|---|---|---|---|", *rows, sep="\n")
    if args.ship:
        ship(series, args.seeds, args.ship, args.title)


if __name__ == "__main__":
    main()
