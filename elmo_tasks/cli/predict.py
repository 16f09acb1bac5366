"""``predict``: entities or sentiment of each line, one JSON object per line."""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from elmo_tasks.cli.arguments import STANDARD, add_device, add_precision, batches_of, check_output
from elmo_tasks.files import atomic_file, file_lock, lock_of

if TYPE_CHECKING:
    from elmo_tasks.tasks.predictor import ReadRow

HELP = "sentiment or entities of the lines of a file"
_LINES_AT_ONCE = 256


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument(
        "input", metavar="IN", help="text, one sentence per line, a table, or tagged sentences; - for standard input"
    )
    parser.add_argument("output", metavar="OUT", help="JSON lines, one for each line of IN; - for standard output")
    parser.add_argument("--column", help="column of the texts in a table (default: detected)")
    parser.add_argument("--head", help="name or folder of a head (default: the bundled one for entities)")
    parser.add_argument("--encoder", help="name or folder of the head's encoder (default: found by its checksum)")
    parser.add_argument("--tokens", action="store_true", help="lines are tokens with spaces between them")
    add_device(parser)
    add_precision(parser)


def run(args: argparse.Namespace) -> int:
    """Read, predict, write."""
    from tqdm import tqdm

    from elmo_tasks.heads.head_files import default_head, find_head
    from elmo_tasks.layers import checked_device
    from elmo_tasks.tasks.predictor import Predictor

    files = find_head(args.head or default_head("tagging"))
    predictor = Predictor.load(files, args.encoder, checked_device(args.device), precision=args.precision)
    # No progress bar on a pipe, where lines arrive one by one.
    quiet = True if STANDARD in (args.input, args.output) else None
    with _writer(args.output, args.input) as out, tqdm(unit="line", disable=quiet) as bar:
        for batch in _batches(args.input, args.column):
            for result in predictor.predict_rows([_row(line, args.tokens) for line in batch]):
                values = result.to_dict()
                record = {key: values[key] for key in ("tokens", *predictor.task.output_fields)}
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
            out.flush()
            bar.update(len(batch))
    return 0


def _batches(source: str, column: str | None) -> Iterator[list[str | Sequence[str]]]:
    """Yield texts, or words of tagged sentences; how a file is read is printed on stderr."""
    from elmo_tasks.data.inputs import read_inputs

    if source == STANDARD:
        for lines in batches_of(source, _LINES_AT_ONCE):
            yield list(lines)
        return
    inputs = read_inputs(Path(source), column)
    if inputs.description:
        print(f"{source}: {inputs.description}", file=sys.stderr)
    rows = iter(inputs.rows)
    while batch := list(islice(rows, _LINES_AT_ONCE)):
        yield [row.text if row.tokens is None else row.tokens for row in batch]


def _row(line: str | Sequence[str], pretokenized: bool) -> ReadRow:
    from elmo_tasks.tasks.predictor import ReadRow
    from elmo_tasks.text.tokens import Token

    if not pretokenized or not isinstance(line, str):
        return ReadRow.of(line)
    words = re.finditer(r"[^ ]+", line)
    return ReadRow.of_tokens(line, (Token(word.group(), word.start(), word.end()) for word in words))


@contextlib.contextmanager
def _writer(path: str, source: str) -> Iterator[TextIO]:
    """Open standard output, or a locked file that appears only when it is complete."""
    if path == STANDARD:
        yield sys.stdout
        return
    target = Path(path)
    check_output(target, source)
    # A device such as /dev/null needs no lock.
    lock = contextlib.nullcontext() if target.exists() and not target.is_file() else file_lock(lock_of(target), path)
    with lock, atomic_file(target) as partial, partial.open("w", encoding="utf-8") as file:
        yield file
