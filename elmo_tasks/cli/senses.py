"""``senses``: the meanings of the words of a text, or an entry of the dictionary."""

from __future__ import annotations

import argparse
import json

from elmo_tasks.cli.arguments import (
    add_corpus,
    add_device,
    add_lexicon,
    add_model,
    batches_of,
    engine_of,
)
from elmo_tasks.errors import ConfigError, DataError, InputError

HELP = "meanings of the words of a text, or the entry of a word in the dictionary"
_LINES_AT_ONCE = 256


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input",
        nargs="?",
        metavar="FILE",
        help="text, each line read by itself; - for standard input",
    )
    text = (
        "JSON lines with the row of each, or .parquet with a row per word; a folder/ for Parquet in"
        " parts (default: print)"
    )
    parser.add_argument("output", nargs="?", metavar="OUT", help=text)
    parser.add_argument(
        "--column", help="column of the texts in a table, with OUT (default: detected)"
    )
    parser.add_argument(
        "--word", help="print the entry of this word instead, in the format of the dictionary"
    )
    add_lexicon(parser)
    add_model(parser)
    add_device(parser)
    add_corpus(parser)


def run(args: argparse.Namespace) -> int:
    """Print one JSON object for each line that is not empty, or the entry."""
    if (args.input is None) == (args.word is None):
        raise ConfigError("expected either a text file (- for standard input) or --word")
    if args.word is not None:
        print(_entry(args), end="")
        return 0
    if args.output is not None:
        _write(args)
        return 0
    if args.workers > 1 or args.ray is not None or args.skip_bad:
        raise ConfigError("with --workers, --ray or --skip-bad, name a file or a folder as OUT")
    from elmo_tasks.service.loaded_models import LoadedModels
    from elmo_tasks.service.own_meanings import lexicon_entries
    from elmo_tasks.service.text_senses import senses_of_texts

    entries = lexicon_entries(args.lexicon)
    loaded = LoadedModels(args.model, args.device).model()
    number = 0
    for batch in batches_of(args.input, _LINES_AT_ONCE):
        numbered = [(number + k, line) for k, line in enumerate(batch, 1) if line.strip()]
        number += len(batch)
        for (k, _), senses in zip(
            numbered, senses_of_texts([line for _, line in numbered], loaded, entries), strict=True
        ):
            if isinstance(senses, InputError):
                raise DataError(f"{args.input}, line {k}: {senses}") from None
            print(json.dumps(senses.to_dict(), ensure_ascii=False), flush=True)
    return 0


def _write(args: argparse.Namespace) -> None:
    """Write the meanings of a corpus to a file, block by block."""
    from elmo_tasks.corpus.output import Output, finished_blocks, join
    from elmo_tasks.corpus.reader import Input
    from elmo_tasks.service.corpus_senses import SensesJob, check_line

    output = Output(args.output)
    job = SensesJob(
        model=args.model,
        device=args.device,
        lexicon=args.lexicon,
        form="parquet" if output.suffix == ".parquet" else "jsonl",
    )
    job.key  # noqa: B018  (a missing model is rejected before anything is read)
    texts = Input([args.input], args.column, args.skip_bad, check_line)
    with finished_blocks(job, texts, output, engine_of(args), "senses") as blocks:
        join(job, blocks, output)


def _entry(args: argparse.Namespace) -> str:
    from elmo_tasks.senses.entries import format_entries
    from elmo_tasks.senses.lexicon import bundled_lexicon
    from elmo_tasks.service.own_meanings import lexicon_entries

    lexicon = bundled_lexicon().with_entries(lexicon_entries(args.lexicon))
    if own := lexicon.find(args.word):
        return format_entries(own)
    if lexicon.has_one_meaning(args.word):
        raise DataError(
            f"“{args.word}” is on the list of words with one everyday meaning, and has no entry"
        )
    raise DataError(
        f"“{args.word}” is not in the dictionary; give its meanings with --lexicon FILE"
    )
