"""Files of an index of uses: blocks of vectors, and tables over all of them."""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.corpus.blocks import Block, TextRow, Work, cut, result_name, unfinished
from elmo_tasks.corpus.engines import Engine, run
from elmo_tasks.corpus.store import Store
from elmo_tasks.corpus.vectors import npy_bytes
from elmo_tasks.devices import checked_device
from elmo_tasks.encoders import Encoder, load
from elmo_tasks.encoders.batches import CorpusEncoding
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.files import (
    atomic_file,
    atomic_write,
    check_room,
    file_lock,
    read_json,
    write_json,
)
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.text.word_forms import folded

DESCRIPTION_NAME = "index.json"
SENTENCES_NAME = "sentences.txt"
WORDS_NAME = "words.txt"
TABLE_NAME = "words.parquet"
BLOCKS_FOLDER = "blocks"
VECTORS = ".vectors.npy"
NORMS = ".norms.npy"
WORDS = ".words.npz"
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
    say: Callable[[str], None] = lambda text: None,
) -> bool:
    """Write an index; return False if the folder has it already.

    An interrupted build resumes at the first unfinished block.

    Args:
        job: computes the vectors.
        sentences: of the corpus; read once, and never all held in memory.
        folder: output folder.
        title: one-line description.
        engine: where to compute; this process if ``None``.
        progress: called with the completed fraction.
        wait: wait for another process that writes the index, in place of raising.
        say: called with the expected size before anything is computed.

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
        if not blocks:
            raise ConfigError("there is nothing to index: expected text with at least one sentence")
        rest = unfinished(blocks, job, store)
        encoder = job.load()
        n_rows, n_characters = (
            sum(values)
            for values in zip(*((b.n_rows, b.n_characters) for b in blocks), strict=True)
        )
        n_tokens, n_bytes = size_of(n_characters, encoder.n_layers, encoder.width)
        say(
            f"{n_rows:,} sentences, about {n_tokens:,} words and signs: about"
            f" {n_bytes / 1e6:,.0f} MB"
        )
        check_room(folder, n_bytes * sum(b.n_characters for b in rest) // n_characters)
        if progress is None:
            run(job, blocks, store, engine or Engine(), "index")
        else:
            for n, _ in enumerate(Engine().run(job, rest, store), start=1):
                progress((len(blocks) - len(rest) + n) / len(blocks))
        names = [result_name(block, job, "") for block in blocks]
        _write_tables(folder, title, encoder, key, blocks, names, store)
    return True


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


def _write_tables(
    folder: Path,
    title: str,
    encoder: Encoder,
    key: str,
    blocks: Sequence[Block],
    names: Sequence[str],
    store: Store,
) -> None:
    """Write the search tables of all blocks, reading one block at a time."""
    words: dict[str, int] = {}
    sizes: list[list[Any]] = []
    lines, offsets = (
        _Appended(folder / "lines.npy", np.int64),
        _Appended(folder / "offsets.npy", np.int64),
    )
    forms = _Appended(folder / "forms.npy", np.int32)
    position = n = 0
    with (
        lines,
        offsets,
        forms,
        atomic_file(folder / SENTENCES_NAME) as partial,
        partial.open("wb") as text,
        _table(folder, encoder.n_layers) as table,
    ):
        lines.add([0])
        offsets.add([0])
        for block, name in zip(blocks, names, strict=True):
            rows = block.rows(store)
            encoded = [f"{row.text}\n".encode("utf-8", "surrogatepass") for row in rows]
            ends = position + np.cumsum([len(line) for line in encoded])
            text.writelines(encoded)
            lines.add(ends)
            position = int(ends[-1])
            with np.load(io.BytesIO(store.read(f"{name}{WORDS}"))) as part:
                ids = part["ids"]
                counts = part["counts"]
                joined = part["forms"].tobytes()
            here = joined.decode("utf-8", "surrogatepass").split("\n")
            if len(ids):
                forms.add(
                    np.array([words.setdefault(word, len(words)) for word in here], np.int32)[ids]
                )
            offsets.add(n + np.cumsum(counts))
            sizes.append([name, len(ids)])
            if table is not None:
                table([row.number for row in rows], counts, ids, here, store.read(f"{name}{NORMS}"))
            n += len(ids)
    if not n:
        raise ConfigError("there is nothing to index: expected text with at least one word")
    atomic_write(folder / WORDS_NAME, "\n".join(words).encode("utf-8", "surrogatepass"))
    _write_postings(folder, n, len(words))
    n_rows = sum(block.n_rows for block in blocks)
    description = IndexDescription(
        title=title,
        encoder=encoder.name,
        checksum=encoder.checksum,
        text=key,
        n_layers=encoder.n_layers,
        width=encoder.width,
        n_sentences=n_rows,
        n_tokens=n,
        n_forms=len(words),
        blocks=sizes,
    )
    # Written last: it marks the index as complete.
    write_json(folder / DESCRIPTION_NAME, asdict(description))


class _Appended:
    """A NumPy file of one dimension that grows: its header is written at the end."""

    def __init__(self, path: Path, dtype: Any) -> None:
        self._path = path
        self._dtype = np.dtype(dtype)
        self._n = 0

    def __enter__(self) -> _Appended:
        self._context = atomic_file(self._path)
        self._file = self._context.__enter__().open("wb")
        self._file.write(self._header(0))
        return self

    def __exit__(self, *error: Any) -> None:
        self._file.seek(0)
        self._file.write(self._header(self._n))
        self._file.close()
        self._context.__exit__(*error)

    def _header(self, n: int) -> bytes:
        sink = io.BytesIO()
        fields = {"descr": self._dtype.str, "fortran_order": False, "shape": (n,)}
        np.lib.format.write_array_header_1_0(sink, fields)  # padded to the same length for every n
        return sink.getvalue()

    def add(self, values: Any) -> None:
        """Append numbers."""
        self._file.write(np.asarray(values, self._dtype).tobytes())
        self._n += len(values)


def _write_postings(folder: Path, n_tokens: int, n_forms: int) -> None:
    """Write the rows of each form one after the other, and where those of a form begin.

    A counting sort, in parts: 100 million rows need no more memory than a few million.
    """
    forms = np.load(folder / "forms.npy", mmap_mode="r")
    counts = np.zeros(n_forms, np.int64)
    step = 4_000_000
    for start in range(0, n_tokens, step):
        counts += np.bincount(forms[start : start + step], minlength=n_forms)
    starts = np.concatenate([[0], np.cumsum(counts)])
    with atomic_file(folder / "starts.npy") as partial, partial.open("wb") as file:
        np.save(file, starts)
    with atomic_file(folder / "postings.npy") as partial:
        rows = np.lib.format.open_memmap(partial, "w+", np.int64, (n_tokens,))
        free = starts[:-1].copy()
        for start in range(0, n_tokens, step):
            part = np.asarray(forms[start : start + step])
            order = np.argsort(part, kind="stable")
            ids, first, n = np.unique(part[order], return_index=True, return_counts=True)
            within = np.arange(len(part)) - np.repeat(first, n)
            rows[np.repeat(free[ids], n) + within] = start + order
            free[ids] += n
        rows.flush()
        del rows


def _table(folder: Path, n_layers: int) -> Any:
    """Return a context whose value writes the words of a block to Parquet, for other programs.

    Without PyArrow, which searching does not need, the value is ``None``.
    """
    return (
        _Table(folder / TABLE_NAME, n_layers) if find_spec("pyarrow") else contextlib.nullcontext()
    )


class _Table:
    """Parquet file with a row per word: its sentence, position, form and norms."""

    def __init__(self, path: Path, n_layers: int) -> None:
        import pyarrow as pa

        self._path = path
        self._norms = [*(f"norm_{k}" for k in range(n_layers)), "norm_mean"]
        fields = [
            ("sentence", pa.int64()),
            ("position", pa.int32()),
            ("form", pa.dictionary(pa.int32(), pa.string())),
        ]
        self._schema = pa.schema([*fields, *((name, pa.float32()) for name in self._norms)])

    def __enter__(self) -> _Table:
        import pyarrow.parquet as pq

        self._context = atomic_file(self._path)
        self._writer = pq.ParquetWriter(self._context.__enter__(), self._schema)
        return self

    def __exit__(self, *error: Any) -> None:
        self._writer.close()
        self._context.__exit__(*error)

    def __call__(
        self,
        numbers: Sequence[int],
        counts: NDArray[np.int32],
        ids: NDArray[np.int32],
        forms: Sequence[str],
        norms: bytes,
    ) -> None:
        """Write the words of a block, in a row group of its own."""
        import pyarrow as pa

        positions = np.arange(len(ids)) - np.repeat(np.cumsum(counts) - counts, counts)
        columns = [
            pa.array(np.repeat(numbers, counts), pa.int64()),
            pa.array(positions, pa.int32()),
            pa.DictionaryArray.from_arrays(pa.array(ids), pa.array(forms, pa.string())),
            *(pa.array(norm) for norm in np.load(io.BytesIO(norms))),
        ]
        self._writer.write_table(pa.Table.from_arrays(columns, schema=self._schema))
