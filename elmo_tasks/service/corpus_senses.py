"""Meanings of the words of a corpus, as a job on its blocks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from elmo_tasks.corpus.blocks import OneFileJob, TextRow, Work, parquet_content
from elmo_tasks.errors import DataError, InputError
from elmo_tasks.senses.calibration_files import models_checksum
from elmo_tasks.senses.entries import Entry
from elmo_tasks.service.loaded_models import LoadedModel, LoadedModels
from elmo_tasks.service.own_meanings import lexicon_entries
from elmo_tasks.service.text_senses import senses_of_texts
from elmo_tasks.text.tokens import tokenize

# as in `text_senses`
_MAX_CHARACTERS = 20_000
_MAX_TOKENS = 2_000
#: Columns of the words of a text.
_OF_WORD = (
    "token",
    "start",
    "end",
    "word",
    "meaning",
    "part_of_speech",
    "probability",
    "certainty",
)


def check_line(text: str) -> str | None:
    """Return why a line cannot be read, before any line is read."""
    if len(text) > _MAX_CHARACTERS:
        return (
            f"expected at most {_MAX_CHARACTERS:,} characters in a line, found {len(text):,};"
            " split it"
        )
    # A token has at least one character.
    if len(text) > _MAX_TOKENS and (n := len(tokenize(text))) > _MAX_TOKENS:
        return f"expected at most {_MAX_TOKENS:,} words and signs in a line, found {n:,}; split it"
    return None


@dataclass(frozen=True)
class SensesJob(OneFileJob):
    """Meanings by one model and dictionary."""

    model: str | None  #: name or folder
    device: str | None  #: where to compute; by default a GPU if there is one
    lexicon: Path | None  #: dictionary of the user
    form: Literal["jsonl", "parquet"]  #: an object per line, or a row per word

    block_characters = 20_000  # half a minute of one core

    @cached_property
    def key(self) -> str:
        """Key of the models and the dictionary."""
        loaded = LoadedModels(self.model, "cpu").model()
        digest = hashlib.sha256(
            models_checksum(loaded.encoder, loaded.static, loaded.expected).encode()
        )
        digest.update(repr(lexicon_entries(self.lexicon)).encode())
        return digest.hexdigest()

    def open(self) -> Work:
        """Load the models; return the work on a block."""
        entries = lexicon_entries(self.lexicon)
        loaded = LoadedModels(self.model, self.device).model()

        def work(rows: Sequence[TextRow]) -> Mapping[str, bytes]:
            records = list(_answers(rows, loaded, entries))
            if self.form == "parquet":
                return {".parquet": _parquet(records)}
            lines = (f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
            return {".jsonl": "".join(lines).encode()}

        return work


def _answers(
    rows: Sequence[TextRow], loaded: LoadedModel, entries: Sequence[Entry]
) -> Iterator[dict[str, Any]]:
    """Yield the object of each line that is not empty."""
    read = [row for row in rows if row.text.strip()]
    for row, senses in zip(
        read, senses_of_texts([row.text for row in read], loaded, entries), strict=True
    ):
        if isinstance(senses, InputError):
            raise DataError(f"{row.source}, line {row.place}: {senses}") from None
        yield {"row": row.number, "source": row.source, "line": row.place, **senses.to_dict()}


def _parquet(records: Sequence[Mapping[str, Any]]) -> bytes:
    """Write a row for each word."""
    import pyarrow as pa

    types = {
        **dict.fromkeys(("row", "line"), pa.int64()),
        **dict.fromkeys(("start", "end"), pa.int32()),
        "probability": pa.float64(),
    }
    of_text = ("row", "source", "line", "text")
    words = [
        {**{name: record[name] for name in of_text}, **word}
        for record in records
        for word in record["words"]
    ]
    columns = {
        name: pa.array([word.get(name) for word in words], types.get(name, pa.string()))
        for name in (*of_text, *_OF_WORD)
    }
    return parquet_content(columns)
