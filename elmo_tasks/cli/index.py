"""``index``: the vectors of all words of a corpus, for nearest uses and maps."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from elmo_tasks.cli.arguments import add_corpus, add_device, add_model, add_precision, engine_of
from elmo_tasks.errors import ConfigError

if TYPE_CHECKING:
    from elmo_tasks.senses.use_index import UseIndex

HELP = "vectors of every word of your own text, to search for the nearest uses"
HUB = "hub:"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    text = (
        "text or tables (.csv, .jsonl, .parquet, ...), folders or addresses of them, - for standard"
        " input, or hub:NAME on the Hugging Face hub"
    )
    parser.add_argument("text", nargs="+", help=text)
    parser.add_argument(
        "--out", type=Path, required=True, help="folder to write; an interrupted run is resumed"
    )
    add_model(parser)
    add_device(parser)
    add_precision(parser, bf16=True)
    parser.add_argument("--title", help="title in the app (default: the name of the folder)")
    parser.add_argument(
        "--column", help="column of the texts in a table or data set (default: detected)"
    )
    text = (
        "number of a layer to index with FAISS if the index is large; may be repeated"
        " (default: the top one)"
    )
    parser.add_argument("--fast-layer", type=int, action="append", metavar="LAYER", help=text)
    add_corpus(parser)
    hub = parser.add_argument_group("for hub:NAME")
    hub.add_argument(
        "--split", default="train", help="train, test, train[:10%%], ... (default: train)"
    )
    hub.add_argument("--config", help="configuration, if the data set has several")
    hub.add_argument(
        "--rows", type=_count, help="maximum number of rows to read and to download (default: all)"
    )


def run(args: argparse.Namespace) -> int:
    """Read the text, print the expected size, and encode."""
    from elmo_tasks.corpus.reader import files_of
    from elmo_tasks.senses.index_files import IndexJob, build_files
    from elmo_tasks.senses.use_index import UseIndex
    from elmo_tasks.service.nearest_uses import DICTIONARY

    title = args.title or args.out.resolve().name
    if title == DICTIONARY:
        raise ConfigError(
            f"the examples of the dictionary are called “{DICTIONARY}” already: give the index"
            " another --title"
        )
    job = IndexJob(args.model, args.device, args.precision)
    encoder = job.load()  # a missing model is rejected before anything is read
    for source in args.text:
        if not source.startswith(HUB):
            files_of(source)
    report = partial(print, flush=True)
    build_files(job, _sentences(args), args.out, title, engine_of(args), report=report)
    index = UseIndex(args.out)
    _write_fast(index, args.fast_layer or [encoder.n_layers - 1])
    print(
        f"{args.out}: {len(index):,} vectors by {encoder.name}. Search it with the same --model:"
        f" elmo-tasks app --index {args.out}"
    )
    return 0


def _write_fast(index: UseIndex, layers: Sequence[int]) -> None:
    """Build the fast search of some layers, if the index is large enough to benefit."""
    from elmo_tasks.senses.fast_search import MIN_WORDS, write_fast_search

    if len(index) < MIN_WORDS:
        return
    if find_spec("faiss") is None:
        print(
            'To search so large an index fast: pip install "elmo-tasks[index]", then give the same'
            " command again."
        )
        return
    for layer in layers:
        if layer not in index.fast:
            print(f"making layer {layer} fast to search", flush=True)
            write_fast_search(index.folder, layer, len(index), partial(index.word_vectors, layer))


def _sentences(args: argparse.Namespace) -> Iterator[str]:
    from elmo_tasks.corpus.reader import BadRows, read_rows
    from elmo_tasks.data.labelled_texts import hub_texts
    from elmo_tasks.data.tables import form_of
    from elmo_tasks.senses.use_sources import MAX_TOKENS, sentences_of_rows
    from elmo_tasks.text.sentences import split_sentences

    bad = BadRows(args.skip_bad)
    for source in args.text:
        if source.startswith(HUB):
            for text in hub_texts(
                source.removeprefix(HUB), args.column, args.split, args.config, args.rows
            ):
                yield from split_sentences(text, MAX_TOKENS)
        else:
            # A text has no columns: --column is for the tables beside it.
            is_text = (
                len(args.text) > 1 and form_of(Path(source)) == "txt" and not Path(source).is_dir()
            )
            rows = read_rows(
                [source], None if is_text else args.column, bad, report=partial(print, flush=True)
            )
            yield from sentences_of_rows(rows)
    if bad.rows:
        source, place, reason = bad.rows[0]
        print(
            f"{len(bad.rows):,} rows were left out, the first: {source}, line {place}: {reason}",
            flush=True,
        )


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, found {text!r}")
    return int(text)
