"""``index``: the vectors of all words of a corpus, for nearest uses and maps."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from elmo_tasks.cli.arguments import STANDARD, add_device, add_model, add_precision, lines_of
from elmo_tasks.errors import ConfigError

HELP = "vectors of every word of your own text, to search for the nearest uses"
HUB = "hub:"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    text = "text or tables (.csv, .jsonl, .parquet, ...), - for standard input, or hub:NAME on the Hugging Face hub"
    parser.add_argument("text", nargs="+", help=text)
    parser.add_argument("--out", type=Path, required=True, help="folder to write; an interrupted run is resumed")
    add_model(parser)
    add_device(parser)
    add_precision(parser, bf16=True)
    parser.add_argument("--title", help="what the app calls it (default: the name of the folder)")
    parser.add_argument("--column", help="column of the texts in a table or data set (default: detected)")
    hub = parser.add_argument_group("for hub:NAME")
    hub.add_argument("--split", default="train", help="train, test, train[:10%%], ... (default: train)")
    hub.add_argument("--config", help="where the data set has several")
    hub.add_argument("--rows", type=_count, help="read so many rows and download no more (default: all)")


def run(args: argparse.Namespace) -> int:
    """Read the text, print the expected size, and encode."""
    from elmo_tasks.encoders import load
    from elmo_tasks.layers import checked_device
    from elmo_tasks.senses.use_index import build_index, size_of
    from elmo_tasks.service.nearest_uses import DICTIONARY
    from elmo_tasks.text.tokens import tokenize

    title = args.title or args.out.resolve().name
    if title == DICTIONARY:
        raise ConfigError(
            f"the examples of the dictionary are called “{DICTIONARY}” already: give the index another --title"
        )
    sentences = list(_sentences(args))
    n_tokens = sum(len(tokenize(sentence)) for sentence in sentences)
    encoder = load(args.model, checked_device(args.device), "int8" if args.precision == "int8" else "float32")
    size = size_of(n_tokens, encoder.n_layers, encoder.width) / 1e6
    print(f"{len(sentences):,} sentences, {n_tokens:,} words and signs: about {size:,.0f} MB", flush=True)
    index = build_index(encoder, sentences, args.out, title, bf16=args.precision == "bf16")
    print(
        f"{args.out}: {len(index):,} vectors by {encoder.name}. Search it with the same --model: elmo-tasks app --index {args.out}"
    )
    return 0


def _sentences(args: argparse.Namespace) -> Iterator[str]:
    from elmo_tasks.data.labelled_texts import hub_texts
    from elmo_tasks.senses.uses import read_corpus, sentences_of

    for source in args.text:
        if source.startswith(HUB):
            for text in hub_texts(source.removeprefix(HUB), args.column, args.split, args.config, args.rows):
                yield from sentences_of(text, max_characters=None)[0]
        elif source == STANDARD:
            sentences, columns = sentences_of("\n".join(lines_of(source)), max_characters=None)
            print(f"{source}: {len(sentences):,} sentences; {columns}", flush=True)
            yield from sentences
        else:
            for sentences, columns in read_corpus([Path(source)], args.column):
                print(f"{source}: {len(sentences):,} sentences; {columns}", flush=True)
                yield from sentences


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, found {text!r}")
    return int(text)
