"""Files of an index of uses: blocks of vectors, and tables over all of them."""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.corpus.blocks import Block, TextRow, Work, cut, unfinished
from elmo_tasks.corpus.engines import Engine, run
from elmo_tasks.corpus.store import Store
from elmo_tasks.corpus.vectors import npy_bytes
from elmo_tasks.devices import checked_device
from elmo_tasks.encoders import Encoder, load
from elmo_tasks.encoders.batches import CorpusEncoding
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import (
    check_room,
    file_lock,
    read_json,
    write_json,
)
from elmo_tasks.senses.index_tables import NORMS, WORDS, write_tables
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.word_forms import folded

DESCRIPTION_NAME = "index.json"
BLOCKS_FOLDER = "blocks"
VECTORS = ".vectors.npy"
VERSION = 2
_BLOCK_CHARACTERS = 200_000
_SMALL_BLOCK = 40_000
#: English text: a word or punctuation mark with the space after it.
_CHARACTERS_PER_TOKEN = 5.0
_BYTES_PER_TOKEN = 24  # beside the vectors


@dataclass(frozen=True)
class IndexDescription:
    """Description of an index."""

    title: str  #: one-line description
    encoder: str  #: name of the model
    checksum: str  #: checksum of its weights
    text: str  #: key of the sentences
    n_layers: int  #: of the model
    width: int  #: of its vectors
    n_sentences: int  #: number of sentences
    n_tokens: int  #: words and punctuation of all sentences
    n_forms: int  #: different words
    blocks: list[list[Any]]  #: name and number of tokens of each block of vectors
    version: int = VERSION  #: version of the file format


@dataclass(frozen=True)
class IndexJob:
    """Vectors of every token of a block, with the words and the norms."""

    model: str | None = None  #: name or folder of the encoder
    device: str | None = None  #: where to compute; a GPU if there is one and None is given
    precision: str = "float32"  #: of the encoder's products
    encoder: Encoder | None = None  #: one that is loaded already, for this process alone
    endings: tuple[str, ...] = (VECTORS, NORMS, WORDS)

    @cached_property
    def key(self) -> str:
        """Key of the weights and the precision."""
        return f"{self.load().checksum} {self.precision} {VERSION}"

    @property
    def block_characters(self) -> int:
        """Number of characters per block; smaller in the app, which shows progress."""
        return _BLOCK_CHARACTERS if self.encoder is None else _SMALL_BLOCK

    def load(self) -> Encoder:
        """Load the encoder."""
        precision = "int8" if self.precision == "int8" else "float32"
        return self.encoder or load(self.model, checked_device(self.device), precision)

    def open(self) -> Work:
        """Load the encoder; return the work on a block."""
        encoder = self.load()

        def work(rows: Sequence[TextRow]) -> Mapping[str, bytes]:
            tokens = [[token.text for token in tokenize(row.text)] for row in rows]
            encoding = CorpusEncoding(
                encoder,
                tokens,
                dtype="float16",
                bf16=self.precision == "bf16",
                first=rows[0].number,
            )
            # [L, tokens, D]
            vectors = np.ascontiguousarray(encoding.block(0, len(tokens)).transpose(1, 0, 2))
            return {
                VECTORS: npy_bytes(vectors),
                NORMS: npy_bytes(norms_of(vectors)),
                WORDS: _words(tokens),
            }

        return work


def norms_of(vectors: NDArray[np.float16]) -> NDArray[np.float32]:
    """Return ``[L + 1, tokens]`` lengths of ``[L, tokens, D]``; the last ones are of the mean."""
    layers = [np.linalg.norm(layer.astype(np.float32), axis=1) for layer in vectors]
    mean = vectors.astype(np.float32).mean(axis=0)
    return np.stack([*layers, np.linalg.norm(mean, axis=1)]).astype(np.float32)


def _words(tokens: Sequence[Sequence[str]]) -> bytes:
    words: dict[str, int] = {}
    ids = np.array(
        [words.setdefault(folded(w), len(words)) for row in tokens for w in row], np.int32
    )
    sink = io.BytesIO()
    # A word may hold no line break: a token has none.
    forms = np.frombuffer("\n".join(words).encode("utf-8", "surrogatepass"), np.uint8)
    np.savez(sink, ids=ids, counts=np.array([len(row) for row in tokens], np.int32), forms=forms)
    return sink.getvalue()


def size_of(n_characters: int, n_layers: int, width: int) -> tuple[int, int]:
    """Estimate the tokens of a text, and the bytes of its index on disk."""
    n_tokens = round(n_characters / _CHARACTERS_PER_TOKEN)
    return n_tokens, n_tokens * (2 * n_layers * width + 4 * (n_layers + 1) + _BYTES_PER_TOKEN)


def one_line(sentence: str) -> str:
    """Normalize a sentence to the single line that an index stores."""
    return " ".join(sentence.split())


def build_files(
    job: IndexJob,
    sentences: Iterable[str],
    folder: Path,
    title: str,
    engine: Engine | None = None,
    progress: Callable[[float], None] | None = None,
    wait: bool = False,
    report: Callable[[str], None] = lambda text: None,
) -> bool:
    """Write an index, or resume its build; return False if the folder has it already.

    Args:
        job: computes the vectors.
        sentences: of the corpus; read once, and never all held in memory.
        folder: output folder.
        title: one-line description.
        engine: where to compute; this process if ``None``.
        progress: called with the completed fraction.
        wait: wait for another process that writes the index, in place of raising.
        report: called with the expected size before anything is computed.

    Raises:
        ConfigError: there are no sentences, too little room, the folder holds another index, or
            another process writes it.
        DataError: the folder holds an index of an earlier or later program.
    """
    if (folder / DESCRIPTION_NAME).exists():
        read_description(folder)  # refuses an old one before anything is written
    store, digest = Store(str(folder / BLOCKS_FOLDER)), hashlib.sha256(job.key.encode())
    with _empty_folder_removed(folder), file_lock(folder / ".lock", f"the index {folder}", wait):
        blocks = cut(_rows(sentences, digest), store, job.block_characters)
        key = digest.hexdigest()[:32]
        if (folder / DESCRIPTION_NAME).exists():
            _check_same(folder, key)
            return False
        rest, encoder = unfinished(blocks, job, store), job.load()
        _check_size(blocks, rest, encoder, folder, report)
        if progress is None:
            run(job, blocks, store, engine or Engine(), "index")
        else:
            for n, _ in enumerate(Engine().run(job, rest, store), start=1):
                progress((len(blocks) - len(rest) + n) / len(blocks))
        sizes, n_forms = write_tables(folder, encoder.n_layers, blocks, job, store)
        description = IndexDescription(
            title=title,
            encoder=encoder.name,
            checksum=encoder.checksum,
            text=key,
            n_layers=encoder.n_layers,
            width=encoder.width,
            n_sentences=sum(block.n_rows for block in blocks),
            n_tokens=sum(size for _, size in sizes),
            n_forms=n_forms,
            blocks=sizes,
        )
        # Written last: it marks the index as complete.
        write_json(folder / DESCRIPTION_NAME, asdict(description))
    return True


def _check_size(
    blocks: Sequence[Block],
    rest: Sequence[Block],
    encoder: Encoder,
    folder: Path,
    report: Callable[[str], None],
) -> None:
    """Report the expected size of an index; raise if the disk has no room for the ``rest``."""
    if not blocks:
        raise ConfigError("there is nothing to index: expected text with at least one sentence")
    n_characters = sum(block.n_characters for block in blocks)
    n_tokens, n_bytes = size_of(n_characters, encoder.n_layers, encoder.width)
    report(
        f"{sum(block.n_rows for block in blocks):,} sentences, about {n_tokens:,} words and signs:"
        f" about {n_bytes / 1e6:,.0f} MB"
    )
    check_room(folder, n_bytes * sum(block.n_characters for block in rest) // n_characters)


@contextlib.contextmanager
def _empty_folder_removed(folder: Path) -> Iterator[None]:
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # it holds what an interrupted build has computed
            folder.rmdir()


def _rows(sentences: Iterable[str], digest: Any) -> Iterator[TextRow]:
    number = 0
    for sentence in sentences:
        if line := one_line(sentence):
            digest.update(f"{line}\n".encode("utf-8", "surrogatepass"))
            yield TextRow(number=number, text=line, source="", place=number + 1)
            number += 1


def read_description(folder: Path) -> dict[str, Any]:
    """Read the description of an index.

    Raises:
        DataError: it is broken, or of an earlier or later program.
        OSError: it cannot be read.
    """
    path = folder / DESCRIPTION_NAME
    try:
        raw = read_json(path)
        version = raw.get("version")
    except (ValueError, AttributeError) as error:
        raise DataError(
            f"{path}: expected an index written by `elmo-tasks index` ({type(error).__name__}:"
            f" {error})"
        ) from None
    if version != VERSION:
        raise DataError(
            f"{path}: an index of an earlier or later program (version {version}, expected"
            f" {VERSION}); delete its folder and build it again with `elmo-tasks index`"
        )
    return dict(raw)


def _check_same(folder: Path, key: str) -> None:
    if read_description(folder).get("text") != key:
        raise ConfigError(
            f"{folder}: holds an index of other text or of another model; choose another folder"
        )
