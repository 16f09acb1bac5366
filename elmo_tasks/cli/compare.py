"""``compare``: a word in several sentences, on the command line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from elmo_tasks.cli.arguments import add_device, add_lexicon
from elmo_tasks.cli.calibrate import add_no_calibration

if TYPE_CHECKING:
    from elmo_tasks.api import Comparison
    from elmo_tasks.ui.compare_answer import Compared

HELP = "cosine similarities of a word across sentences"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--word", help="the word to look at")
    what.add_argument("--whole", action="store_true", help="compare whole sentences, not a word in them")
    parser.add_argument(
        "--sentence",
        action="append",
        required=True,
        dest="sentences",
        help="a sentence; [brackets] mark another word there",
    )
    parser.add_argument(
        "--model",
        action="append",
        dest="models",
        help="name or folder of a model (default: the bundled one); two or three are compared one after the other",
    )
    add_device(parser)
    parser.add_argument(
        "--html", type=Path, metavar="OUT.html", help="also write the page of Compare as one file that needs no server"
    )
    add_lexicon(parser)
    add_no_calibration(parser)
    parser.add_argument("--json", action="store_true", help="print what the /compare endpoint answers")


def run(args: argparse.Namespace) -> int:
    """Compare, print."""
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.service.library import compare, side_by_side

    device = str(checked_device(args.device))
    models = args.models or [None]
    if args.whole:
        return _compare_sentences(args, models, device)
    may_measure = not args.no_calibration
    if len(models) == 1:
        comparison = compare(args.word, args.sentences, models[0], device, may_measure, args.lexicon)
        _write_page(args, comparison)
        if args.json:
            print(json.dumps(comparison.to_dict(), ensure_ascii=False))
            return 0
        _print_answer(comparison)
        _print_sentences(comparison)
        return 0
    found = side_by_side(args.word, args.sentences, models, device, may_measure, args.lexicon)
    _write_page(args, found)
    if args.json:
        print(json.dumps(found.to_list(), ensure_ascii=False))
        return 0
    for comparison in found.comparisons:
        print(f"{comparison.model}: ", end="")
        _print_answer(comparison)
        print()
    _print_sentences(found.comparisons[0], found.senses)
    print(f"\n{found.agreement}")
    return 0


def _compare_sentences(args: argparse.Namespace, models: Sequence[str | None], device: str) -> int:
    from elmo_tasks.service.library import sentence_similarity

    found = [sentence_similarity(args.sentences, model, device) for model in models]
    _write_page(args, found)
    if args.json:
        told = [answer.to_dict() for answer in found]
        print(json.dumps(told if len(told) > 1 else told[0], ensure_ascii=False))
        return 0
    for answer in found:
        print(f"{answer.model}: {answer.answer}\n{answer.told}")
        for layer in answer.layers:
            print(f"\nlayer {layer.name} (two unconnected sentences: {layer.unconnected:.2f})")
            for k, row in enumerate(layer.cosine, start=1):
                print(f"{k:>3}  " + " ".join(f"{value:5.2f}" for value in row))
        print()
    for k, sentence in enumerate(args.sentences, start=1):
        print(f"{k:>3}  {sentence}")
    return 0


def _write_page(args: argparse.Namespace, found: Compared) -> None:
    if args.html is None:
        return
    from elmo_tasks.files import atomic_write
    from elmo_tasks.ui import saved_page
    from elmo_tasks.ui.compare_form import Form

    form = Form(args.word or "", tuple(args.sentences), whole=args.whole)
    atomic_write(args.html, saved_page.of_comparison(found, form))


def _print_answer(comparison: Comparison) -> None:
    print(comparison.verdict)
    for layer in comparison.layers:
        print(f"\nlayer {layer.name} (two random words: {layer.random_pair_cosine:.2f})")
        for k, row in enumerate(layer.cosine, start=1):
            print(f"{k:>3}  " + " ".join(f"{value:5.2f}" for value in row))
    print()


def _print_sentences(comparison: Comparison, senses: Sequence[str] = ()) -> None:
    for k, item in enumerate(comparison.items, start=1):
        meaning = f"  ({senses[k - 1]})" if senses else ""
        print(
            f"{k:>3}  {item.sentence[: item.start]}[{item.sentence[item.start : item.end]}]{item.sentence[item.end :]}{meaning}"
        )
