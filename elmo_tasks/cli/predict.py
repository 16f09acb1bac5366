"""``predict``: entities or sentiment of each line, one JSON object per line."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from elmo_tasks.cli.arguments import (
    STANDARD,
    add_corpus,
    add_device,
    add_precision,
    batches_of,
    engine_of,
)
from elmo_tasks.corpus.blocks import OneFileJob, parquet_content
from elmo_tasks.errors import ConfigError

if TYPE_CHECKING:
    from elmo_tasks.corpus.blocks import TextRow, Work
    from elmo_tasks.prediction import Predictor, ReadRow

HELP = "sentiment or entities of the lines of a file"
_LINES_AT_ONCE = 256


def add_arguments(parser: argparse.ArgumentParser) -> None:
    text = (
        "text, one sentence per line, or a table; a folder, a pattern or an address of such files;"
        " - for standard input"
    )
    parser.add_argument("input", metavar="IN", help=text)
    text = (
        "JSON lines, one for each line of IN, or .parquet; a folder/ for Parquet in parts; - for"
        " standard output"
    )
    parser.add_argument("output", metavar="OUT", help=text)
    parser.add_argument("--column", help="column of the texts in a table (default: detected)")
    parser.add_argument(
        "--head", help="name or folder of a head (default: the bundled one for entities)"
    )
    parser.add_argument(
        "--encoder", help="name or folder of the head's encoder (default: found by its checksum)"
    )
    parser.add_argument(
        "--tokens", action="store_true", help="lines are tokens with spaces between them"
    )
    add_device(parser)
    add_precision(parser)
    add_corpus(parser)


def run(args: argparse.Namespace) -> int:
    """Read, predict, write; output to a file is resumed after an interruption."""
    from elmo_tasks.corpus.output import Output, finished_blocks, join
    from elmo_tasks.corpus.reader import Input
    from elmo_tasks.devices import checked_device
    from elmo_tasks.heads.head_files import default_head

    output = Output(args.output)
    engine = engine_of(args)
    if args.ray is None:
        checked_device(args.device)
    head = args.head or default_head("tagging")
    is_stream = output.is_stream
    form = "parquet" if not is_stream and output.suffix == ".parquet" else "jsonl"
    job = PredictJob(
        head=head,
        encoder=args.encoder,
        device=args.device,
        precision=args.precision,
        tokens=args.tokens,
        form=form,
    )
    job.key  # noqa: B018  (a missing head is rejected before anything is read)
    if is_stream:
        if args.workers > 1 or args.ray is not None:
            raise ConfigError(
                f"{args.output}: with --workers or --ray, name a file or a folder as OUT"
            )
        _stream(job, args.input, args.column, args.output)
        return 0
    texts = Input([args.input], args.column, args.skip_bad)
    with finished_blocks(job, texts, output, engine, "predict") as blocks:
        join(job, blocks, output)
    return 0


@dataclass(frozen=True)
class PredictJob(OneFileJob):
    """Predictions of one head."""

    head: str  #: name or folder
    encoder: str | None  #: name or folder; found by its checksum if None
    device: str | None  #: where to compute; by default a GPU if there is one
    precision: str  #: of the encoder's products
    tokens: bool  #: lines are tokens with spaces between them
    form: str  #: of the results: ``jsonl`` or ``parquet``

    block_characters = 50_000  # half a minute of one core

    @cached_property
    def key(self) -> str:
        """Key of the head's files and of the settings."""
        from elmo_tasks.heads.head_files import find_head

        digest = hashlib.sha256(json.dumps([self.precision, self.tokens]).encode())
        for path in sorted(find_head(self.head).folder.iterdir()):
            if path.is_file():
                digest.update(path.read_bytes())
        return digest.hexdigest()

    def load(self) -> Predictor:
        """Load the head and its encoder."""
        from elmo_tasks.devices import checked_device
        from elmo_tasks.heads.head_files import find_head
        from elmo_tasks.prediction import Predictor

        device = checked_device(self.device)
        return Predictor.load(find_head(self.head), self.encoder, device, precision=self.precision)

    def records(
        self, predictor: Predictor, texts: Sequence[str | Sequence[str]]
    ) -> Iterator[dict[str, Any]]:
        """Yield the object of each text, or of the words of each tagged sentence."""
        for start in range(0, len(texts), _LINES_AT_ONCE):
            read = [_row(line, self.tokens) for line in texts[start : start + _LINES_AT_ONCE]]
            for result in predictor.predict_rows(read):
                values = result.to_dict()
                yield {key: values[key] for key in ("tokens", *predictor.task.output_fields)}

    def open(self) -> Work:
        """Load the models; return the work on a block."""
        predictor = self.load()

        def work(rows: Sequence[TextRow]) -> Mapping[str, bytes]:
            records = self.records(predictor, [row.tokens or row.text for row in rows])
            if self.form == "parquet":
                lines = [
                    {"row": row.number, "source": row.source, "line": row.place, "text": row.text}
                    | record
                    for row, record in zip(rows, records, strict=True)
                ]
                return {".parquet": _parquet(lines)}
            return {".jsonl": "".join(map(_line, records)).encode()}

        return work


def _line(record: Mapping[str, Any]) -> str:
    return f"{json.dumps(record, ensure_ascii=False)}\n"


def _parquet(records: list[dict[str, Any]]) -> bytes:
    """Write records in columns of the same types in every block."""
    import pyarrow as pa

    words = pa.list_(pa.string())
    place = [(name, pa.int32()) for name in ("start", "end", "start_char", "end_char")]
    span = pa.struct(
        [("text", pa.string()), ("type", pa.string()), *place, ("confidence", pa.float64())]
    )
    types = {
        **dict.fromkeys(("row", "line"), pa.int64()),
        **dict.fromkeys(("source", "text", "label"), pa.string()),
        **dict.fromkeys(("tokens", "tags"), words),
        "spans": pa.list_(span),
        "is_sure": pa.bool_(),
        "probabilities": pa.map_(pa.string(), pa.float64()),
    }
    columns = {}
    for name in records[0]:
        values = [record[name] for record in records]
        if name == "probabilities":
            values = [list(value.items()) for value in values]
        elif name not in types:  # of another kind of task
            values = [json.dumps(value, ensure_ascii=False) for value in values]
        columns[name] = pa.array(values, types.get(name, pa.string()))
    return parquet_content(columns)


def _stream(job: PredictJob, source: str, column: str | None, output: str) -> None:
    """Predict lines as they arrive."""
    predictor = job.load()
    out = sys.stdout if output == STANDARD else open(output, "w", encoding="utf-8")  # noqa: SIM115
    with contextlib.nullcontext() if output == STANDARD else out:
        for batch in _batches(source, column):
            out.writelines(map(_line, job.records(predictor, batch)))
            out.flush()


def _batches(source: str, column: str | None) -> Iterator[list[str | Sequence[str]]]:
    """Yield the lines of standard input as they arrive, or the texts of files."""
    from elmo_tasks.corpus.reader import read_rows

    if source == STANDARD and column is None:
        for lines in batches_of(source, _LINES_AT_ONCE):
            yield list(lines)
        return
    texts = (row.tokens or row.text for row in read_rows([source], column))
    while batch := list(islice(texts, _LINES_AT_ONCE)):
        yield batch


def _row(line: str | Sequence[str], pretokenized: bool) -> ReadRow:
    from elmo_tasks.prediction import ReadRow
    from elmo_tasks.text.tokens import Token

    if not pretokenized or not isinstance(line, str):
        return ReadRow.of(line)
    words = re.finditer(r"[^ ]+", line)
    return ReadRow.of_tokens(
        line, (Token(word.group(), word.start(), word.end()) for word in words)
    )
