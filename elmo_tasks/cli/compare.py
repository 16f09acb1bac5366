"""``compare``: a word in several sentences, on the command line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from elmo_tasks.cli.arguments import add_device, add_lexicon, add_no_calibration
from elmo_tasks.messages.meanings import heading
from elmo_tasks.wording import percent

if TYPE_CHECKING:
    from elmo_tasks.api import Comparison
    from elmo_tasks.ui.compare_answer import Compared

HELP = "meanings and cosine similarities of a word across sentences"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    subject = parser.add_mutually_exclusive_group(required=True)
    subject.add_argument("--word", help="the word to look at")
    subject.add_argument(
        "--whole", action="store_true", help="compare whole sentences, not a word in them"
    )
    text = "a sentence; [brackets] mark another word there"
    parser.add_argument("--sentence", action="append", required=True, dest="sentences", help=text)
    text = (
        "name or folder of a model (default: the bundled one); two or three are compared one after"
        " the other"
    )
    parser.add_argument("--model", action="append", dest="models", help=text)
    add_device(parser)
    text = "also write the page of Compare as one file that needs no server"
    parser.add_argument("--html", type=Path, metavar="OUT.html", help=text)
    add_lexicon(parser)
    add_no_calibration(parser)
    parser.add_argument(
        "--json", action="store_true", help="print the answer of the /compare endpoint"
    )


def run(args: argparse.Namespace) -> int:
    """Compare the uses or the sentences, and print the answer."""
    from elmo_tasks.service.library import compare, side_by_side

    models = args.models or [None]
    if args.whole:
        return _compare_sentences(args, models)
    settings = args.device, not args.no_calibration, args.lexicon
    if len(models) == 1:
        comparison = compare(args.word, args.sentences, models[0], *settings)
        _write_page(args, comparison)
        if args.json:
            print(json.dumps(comparison.to_dict(), ensure_ascii=False))
        else:
            _print_answer(comparison)
            _print_sentences(comparison)
        return 0
    several = side_by_side(args.word, args.sentences, models, *settings)
    _write_page(args, several)
    if args.json:
        print(json.dumps(several.to_list(), ensure_ascii=False))
        return 0
    for comparison in several.comparisons:
        print(f"{comparison.model}: ", end="")
        _print_answer(comparison)
        print()
    _print_sentences(several.comparisons[0], several.senses)
    print(f"\n{several.message}")
    return 0


def _compare_sentences(args: argparse.Namespace, models: Sequence[str | None]) -> int:
    from elmo_tasks.service.library import sentence_similarity

    comparisons = [sentence_similarity(args.sentences, model, args.device) for model in models]
    _write_page(args, comparisons)
    if args.json:
        answers = [comparison.to_dict() for comparison in comparisons]
        print(json.dumps(answers if len(answers) > 1 else answers[0], ensure_ascii=False))
        return 0
    for comparison in comparisons:
        print(f"{comparison.model}: {comparison.message.headline}\n{comparison.message.details}")
        for layer in comparison.layers:
            print(f"\nlayer {layer.name} (two unconnected sentences: {layer.unconnected:.2f})")
            _print_matrix(layer.cosine)
        print()
    for k, sentence in enumerate(args.sentences, start=1):
        print(f"{k:>3}  {sentence}")
    return 0


def _write_page(args: argparse.Namespace, answer: Compared) -> None:
    if args.html is None:
        return
    from elmo_tasks.files import atomic_write
    from elmo_tasks.ui import compare_answer
    from elmo_tasks.ui.compare_form import Form

    form = Form(args.word or "", tuple(args.sentences), whole=args.whole)
    atomic_write(args.html, compare_answer.saved(answer, form))


def _print_answer(comparison: Comparison) -> None:
    print(comparison.message)
    for k, use in enumerate(comparison.uses, start=1):
        if not use.is_judged:
            continue
        name = heading(use.meaning, comparison.source, [use.meant], comparison.word)
        name = f"{use.meaning.key}, {name}" if use.meaning else name
        print(f"{k:>3}  {name} ({percent(use.meant.probability)})")
    for layer in comparison.layers:
        print(f"\nlayer {layer.name} (two random words: {layer.random_pair_cosine:.2f})")
        _print_matrix(layer.cosine)
    print()


def _print_matrix(cosines: Sequence[Sequence[float]]) -> None:
    for k, row in enumerate(cosines, start=1):
        print(f"{k:>3}  " + " ".join(f"{value:5.2f}" for value in row))


def _print_sentences(comparison: Comparison, senses: Sequence[str] = ()) -> None:
    for k, judged in enumerate(comparison.uses, start=1):
        meaning = f"  ({senses[k - 1]})" if senses else ""
        before, word, after = judged.use.parts
        print(f"{k:>3}  {before}[{word}]{after}{meaning}")
