"""``two-texts``: a word in one text against another, or the words whose use moved most."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from elmo_tasks.commands.arguments import add_device

HELP = "how far the use of a word moved from one text to another, and the words that moved most"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("first", type=Path, help="a text file (UTF-8, at most 500,000 characters)")
    parser.add_argument("second", type=Path, help="another one")
    parser.add_argument("--word", default="", help="the word to look at (default: all content words that both use)")
    parser.add_argument("--model", help="name or folder of a model (default: the bundled one)")
    add_device(parser)
    parser.add_argument("--json", action="store_true", help="print what the /two_texts endpoint answers")


def run(args: argparse.Namespace) -> int:
    """Compare, print."""
    from elmo_tasks.errors import DataError
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.serving.session import Session

    texts = []
    for path in (args.first, args.second):
        try:
            texts.append(path.read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError as error:
            raise DataError(f"{path}: expected UTF-8 text ({error})") from None
    session = Session(args.model, str(checked_device(args.device)))
    found = session.texts.set_against(texts[0], texts[1], args.word, (args.first.stem, args.second.stem))
    if args.json:
        print(json.dumps(found.to_dict(), ensure_ascii=False))
        return 0
    print(found.verdict)
    print(f"\n{'word':<20} {'uses':>11}   distance   chance       p   score")
    for word in found.words:
        uses = f"{word.n_first} / {word.n_second}"
        mark = "  *" if word.stands_out else ""
        print(
            f"{word.word:<20} {uses:>11}   {word.distance:>8.3f}   {word.chance:>6.3f}   {word.p:>5.3f}   {word.score:>5.1f}{mark}"
        )
    if any(word.stands_out for word in found.words):
        print("* moved much more than the other words")
    return 0
