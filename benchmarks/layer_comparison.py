"""What the layers are worth to a task: ``python -m benchmarks.layer_comparison lightning_configs/ner_conll2003.yaml``.

Trains the head of a configuration on the learned mix, on each layer alone and on the plain mean, with each seed, one after
another, and prints a table. What a run has finished is not run again, and what was interrupted goes on, so the same command
prints the table of finished runs at once. Arguments after ``--`` go to ``fit``; give such a series a name of its own.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

from elmo_tasks.commands.sweep import card_of_run, in_percent, line_of

N_LAYERS = 3
_FIXED = "model.init_args.head.init_args.fixed_weights"
WEIGHTS: dict[str, dict[str, Any]] = {
    "mix": {},
    **{f"layer-{k}": {_FIXED: [float(k == j) for j in range(N_LAYERS)]} for k in range(N_LAYERS)},
    "mean": {_FIXED: [1 / N_LAYERS] * N_LAYERS},
}
TITLES = {"mix": "learned mix", "layer-0": "layer 0 only (no context)", "mean": "plain mean of the layers"}


def card_of(folder: Path) -> dict[str, Any] | None:
    """The card of a finished run."""
    path = folder / "head" / "card.json"
    card = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return card if "scores" in card else None


def row(variant: str, cards: list[dict[str, Any]]) -> str:
    """A line of the table."""
    line = line_of({}, 1.0, cards)
    name = TITLES.get(variant, f"{variant.replace('-', ' ')} only")
    cells = ["".join(in_percent(found)) if (found := line.scores.get(s)) else "–" for s in ("validation", "test")]
    weights = " / ".join(f"{share:.2f}" for share in line.layer_weights) if variant == "mix" else ""
    return f"| {name} | {cells[0]} | {cells[1]} | {len(cards)} | {line.seconds / 60:.1f} min | {weights} |"


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
    words = [word for argument in more for word in argument.split("=", 1)]
    fixed = {key.removeprefix("--"): value for key, value in zip(words[::2], words[1::2], strict=True)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--variants", nargs="+", choices=WEIGHTS, default=list(WEIGHTS))
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
            card = card_of(folder)
            if card is None and not args.print:
                print(f"{folder.name} …", file=sys.stderr, flush=True)
                card = card_of_run(str(args.config), folder, fixed | WEIGHTS[variant], 1.0, seed)
            if card:
                cards.append(card)
        if cards:
            rows.append(row(variant, cards))
    print("| input of the head | dev | test | seeds | training | weights of layers 0 / 1 / 2 |")
    print("|---|---|---|---|---|---|", *rows, sep="\n")
    if args.ship:
        ship(series, args.seeds, args.ship, args.title)


if __name__ == "__main__":
    main()
