"""``predict``: entities or sentiment of the lines of a file, one JSON object a line."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from elmo_tasks.commands.lines import STANDARD, lines_of
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import whole_file

if TYPE_CHECKING:
    from elmo_tasks.text.tokens import Token
    from elmo_tasks.training.predictor import Predictor

HELP = "sentiment or entities of the lines of a file"
_LINES_AT_ONCE = 256


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("input", metavar="IN", help="text, one sentence a line; - for standard input")
    parser.add_argument("output", metavar="OUT", help="JSON lines, one for each line of IN; - for standard output")
    parser.add_argument("--head", help="name or folder of a head (default: the bundled one for entities)")
    parser.add_argument("--tokens", action="store_true", help="lines are tokens with spaces between them")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, ... (default: cpu)")


def run(args: argparse.Namespace) -> int:
    """Read, predict, write."""
    from tqdm import tqdm

    from elmo_tasks.heads.head_files import default_head, find_head
    from elmo_tasks.layers.device import checked_device
    from elmo_tasks.training.predictor import Predictor

    predictor = Predictor.load(find_head(args.head or default_head("tagging")), device=checked_device(args.device))
    # Nothing is shown on a pipe, where lines come one by one.
    quiet = True if STANDARD in (args.input, args.output) else None
    with _writer(args.output, args.input) as out, tqdm(unit="line", disable=quiet) as bar:
        for batch in _batches(lines_of(args.input), 1 if args.input == STANDARD else _LINES_AT_ONCE):
            for record in _predicted(predictor, batch, args.tokens):
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
            out.flush()
            bar.update(len(batch))
    return 0


def _predicted(predictor: Predictor, lines: list[str], pretokenized: bool) -> list[dict[str, Any]]:
    from elmo_tasks.text.penn_tokens import plain_token

    rows = [_tokens(line, pretokenized) for line in lines]
    words = [[token.text for token in row] for row in rows]
    read = [[plain_token(word) for word in row] for row in words] if pretokenized else words
    # By length: little padding.
    order = sorted(range(len(rows)), key=lambda k: len(rows[k]))
    found: dict[int, dict[str, Any]] = {}
    for at in range(0, len(order), 32):
        chosen = order[at : at + 32]
        batch = [read[k] for k in chosen]
        for k, said in zip(chosen, predictor.predict(batch), strict=True):
            found[k] = {"tokens": words[k], **predictor.kind.record(rows[k], said)}
    return [found[k] for k in range(len(rows))]


def _tokens(line: str, pretokenized: bool) -> list[Token]:
    from elmo_tasks.text.tokens import Token, tokenize

    if not pretokenized:
        return tokenize(line)
    return [Token(match.group(), match.start(), match.end()) for match in re.finditer(r"[^ ]+", line)]


def _batches(lines: Iterator[str], size: int) -> Iterator[list[str]]:
    batch: list[str] = []
    for line in lines:
        batch.append(line)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


@contextmanager
def _writer(path: str, source: str) -> Iterator[TextIO]:
    """Standard output, or a file that appears only when it is whole."""
    if path == STANDARD:
        yield sys.stdout
        return
    target = Path(path)
    if target.is_dir() or (target.exists() and source != STANDARD and target.samefile(source)):
        raise ConfigError(f"{path}: this is a folder or the input itself; name a new file")
    if not target.parent.is_dir():
        raise ConfigError(f"{path}: the folder {target.parent} does not exist")
    with whole_file(target) as partial, partial.open("w", encoding="utf-8") as file:
        yield file
