"""``compare``: a word in several sentences, on the command line."""

from __future__ import annotations

import argparse
import json

from elmo_tasks.commands.device import add_device

HELP = "cosine similarities of a word across sentences"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("--word", required=True, help="the word to look at")
    parser.add_argument(
        "--sentence",
        action="append",
        required=True,
        dest="sentences",
        help="a sentence; [brackets] mark another word there",
    )
    parser.add_argument("--model", help="name or folder of a model (default: the bundled one)")
    add_device(parser)
    parser.add_argument("--json", action="store_true", help="print what the /compare endpoint answers")


def run(args: argparse.Namespace) -> int:
    """Compare, print."""
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.serving.library import compare

    device = str(checked_device(args.device))
    comparison = compare(args.word, args.sentences, args.model, device)
    if args.json:
        print(json.dumps(comparison.to_dict(), ensure_ascii=False))
        return 0
    print(comparison.verdict)
    for layer in comparison.layers:
        print(f"\nlayer {layer.name} (two random words: {layer.random_pair_cosine:.2f})")
        for k, row in enumerate(layer.cosine, start=1):
            print(f"{k:>3}  " + " ".join(f"{value:5.2f}" for value in row))
    print()
    for k, item in enumerate(comparison.items, start=1):
        print(
            f"{k:>3}  {item.sentence[: item.start]}[{item.sentence[item.start : item.end]}]{item.sentence[item.end :]}"
        )
    return 0
