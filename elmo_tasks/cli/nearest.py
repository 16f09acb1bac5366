"""``nearest``: the nearest uses of a word in a sentence; static neighbours."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from elmo_tasks.cli.arguments import add_device, add_model
from elmo_tasks.errors import ConfigError
from elmo_tasks.messages.views import view_place

HELP = "nearest uses of a word in its sentence, and its nearest words by static vectors"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--word", required=True, help="the word to look at")
    text = "a sentence with it; [brackets] mark another word; needed unless --meaning is given"
    parser.add_argument("--sentence", default="", help=text)
    text = (
        "short name of a meaning in the dictionary, such as river: only uses of the word in this"
        " meaning"
    )
    parser.add_argument("--meaning", default="", help=text)
    add_model(parser)
    parser.add_argument(
        "--index", type=Path, help="folder that `index` wrote (default: the dictionary)"
    )
    text = (
        "static word vectors: a name, a folder, or a word2vec, GloVe or fastText file (default:"
        " the bundled ones)"
    )
    parser.add_argument("--static", help=text)
    parser.add_argument(
        "--layer",
        help="name of a layer, mean, or meanings: the features that predict them (default)",
    )
    text = "uses of this word, or of other words"
    parser.add_argument("--only", choices=("all", "same", "other"), default="all", help=text)
    parser.add_argument("-n", type=int, default=10, help="how many uses (default: 10)")
    add_device(parser)
    parser.add_argument(
        "--json", action="store_true", help="print the answer of the /nearest endpoint"
    )


def run(args: argparse.Namespace) -> int:
    """Search the uses, and print the nearest ones."""
    from elmo_tasks.service.library import nearest

    if not args.sentence and not args.meaning:
        raise ConfigError("give --sentence, --meaning or both")
    answer = nearest(
        args.word,
        args.sentence,
        args.index,
        args.n,
        args.layer,
        args.only,
        args.model,
        args.device,
        args.static,
        args.meaning,
    )
    if args.json:
        print(json.dumps(answer.to_dict(), ensure_ascii=False))
        return 0
    print(answer.message)
    if answer.reads_sentence:
        where = f"in the meaning {answer.meaning}" if answer.meaning else "in this sentence"
        print(f"\n{where} ({answer.model}, {view_place(answer.layer)})")
        for use in answer.uses:
            meaning = f"  ({use.sense})" if use.sense else ""
            before, word, after = use.use.parts
            print(f"{use.cosine:6.2f}  {before}[{word}]{after}{meaning}")
    if answer.meaning:
        return 0
    print(f"\nin any sentence ({answer.vectors})")
    for near in answer.static:
        print(f"{near.cosine:6.2f}  {near.word}")
    if not answer.static:
        print(f"        “{answer.word}” has no vector")
    return 0
