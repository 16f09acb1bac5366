"""Static word vectors as an encoder: one vector per word, whatever the sentence."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.devices import checked_device
from elmo_tasks.encoders.sentences import TextOrTokens, checked_texts, tokenized
from elmo_tasks.errors import ConfigError, DataError, InputError, WeightsError
from elmo_tasks.files import given_name
from elmo_tasks.layers import Layers
from elmo_tasks.text.compressed import READ_ERRORS, open_binary
from elmo_tasks.text.vocabulary import open_text
from elmo_tasks.weights.folders import verify
from elmo_tasks.weights.safetensors_files import read_safetensors

DEFAULT_NAME = "static-joint"
WEIGHTS_NAME = "vectors"
WORDS_NAME = "words.txt.xz"
#: Description of the look-up, for cards.
LOOKUP = "the word as it is, else lower-cased with every digit written as 0"
_DIGITS = str.maketrans("123456789", "000000000")
# Words rarer than this weigh nearly 1, and "the" a thousandth (the ``a`` of Arora, Liang and Ma,
# 2017).
_RARE_FREQUENCY = 1e-4
Share = TypeVar("Share", NDArray[np.float64], Tensor)


def rarity(shares: Share) -> Share:
    """Compute SIF weights ``a / (a + share)`` from relative frequencies."""
    return _RARE_FREQUENCY / (_RARE_FREQUENCY + shares)


def normalized(text: str) -> str:
    """Normalize text for static vectors: lower-cased, every digit as 0."""
    return text.lower().translate(_DIGITS)


class StaticVectors:
    """One vector per word, looked up as written, else :func:`normalized`.

    An unknown word has the zero vector. The words stand most frequent first, with ``[words, D]``
    vectors, and counts of how often each came in the training text.
    """

    n_layers = 1
    layer_names = ("one vector for each word",)
    reads_sentence = False
    language_model = None

    def __init__(
        self,
        words: Sequence[str],
        vectors: Tensor,
        counts: Sequence[int] | None = None,
        *,
        name: str = "static",
    ) -> None:
        self.name = name
        self.folder: Path | None = None
        self.words = tuple(words)
        self.counts = tuple(counts) if counts is not None else (0,) * len(self.words)
        self._n_counted = max(1, sum(self.counts))
        if (
            vectors.dim() != 2
            or len(vectors) != len(self.words)
            or len(self.counts) != len(self.words)
        ):
            raise WeightsError(
                f"{name}: expected one vector per word and one count per word, found"
                f" {len(self.words)} words, {len(self.counts)} counts and vectors of shape"
                f" {tuple(vectors.shape)}"
            )
        self._rows = {word: k for k, word in enumerate(self.words)}
        if len(self._rows) != len(self.words):
            twice = next(word for k, word in enumerate(self.words) if self._rows[word] != k)
            raise WeightsError(f"{name}: the word '{twice}' is in the vocabulary twice")
        # The row after the last word is the vector of all unknown words.
        self.width = vectors.shape[1]
        self._table = torch.cat(
            [vectors.detach().float(), torch.zeros(1, self.width, device=vectors.device)]
        )

    @classmethod
    def load(
        cls, name_or_folder: str | Path | None = None, device: torch.device | str = "cpu"
    ) -> StaticVectors:
        """Load vectors written by ``elmo-tasks model vectors`` or another program.

        ``None`` is the bundled ones. Others are a name in ``checkpoints/`` or a folder; or a file
        of word2vec, GloVe or fastText (see
        :func:`~elmo_tasks.encoders.static_vectors.read_word_vectors`).

        Raises:
            ConfigError: there are no such vectors.
            WeightsError: a file is missing or broken, or the files do not fit each other.
        """
        if name_or_folder is not None and Path(name_or_folder).is_file():
            path = Path(name_or_folder)
            words, table = read_word_vectors(path)
            return cls(words, torch.from_numpy(table).to(device), name=vectors_name(str(path)))
        folder = static_folder(str(name_or_folder if name_or_folder is not None else DEFAULT_NAME))
        words, counts = _read_words(folder / WORDS_NAME)
        tensors = read_safetensors(folder, WEIGHTS_NAME)
        verify([folder / WORDS_NAME])
        try:
            vectors = tensors.get(WEIGHTS_NAME, torch.empty(0)).to(device)
            static = cls(words, vectors, counts, name=vectors_name(str(folder)))
        except WeightsError as error:
            raise WeightsError(f"{folder / WORDS_NAME}: {error}") from None
        static.folder = folder
        return static

    @property
    def device(self) -> torch.device:
        """Device of the vectors."""
        return self._table.device

    def to(self, device: torch.device | str, /) -> StaticVectors:
        """Move the vectors to a device, and return the encoder."""
        self._table = self._table.to(checked_device(device))
        self.__dict__.pop("_directions", None)
        return self

    @property
    def vectors(self) -> Tensor:
        """All vectors ``[words, D]``, in the order of the words."""
        return self._table[:-1]

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of the words and their vectors."""
        digest = hashlib.sha256("\n".join(self.words).encode("utf-8", "surrogatepass"))
        digest.update(f"\n\n{tuple(self.vectors.shape)}\n".encode())
        digest.update(self.vectors.cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return self._row(word) < len(self.words)

    def share_of(self, word: str) -> float:
        """Return the relative frequency of a word in the training text; 0 if unknown."""
        row = self._row(word)
        return self.counts[row] / self._n_counted if row < len(self.words) else 0.0

    def vectors_of(self, words: Iterable[str]) -> Tensor:
        """Return ``[len(words), D]`` vectors; zero for unknown words."""
        return self.vectors_at(self.rows_of(checked_texts(words, "word")))

    def vectors_at(self, rows: Tensor) -> Tensor:
        """Return the ``[len(rows), D]`` vectors at the positions that :meth:`rows_of` gives."""
        return self._table[rows]

    def rows_of(self, words: Iterable[str]) -> Tensor:
        """Return the ``[len(words)]`` positions in :attr:`words`; unknown: ``len(self)``."""
        return torch.tensor(
            [self._row(word) for word in words], dtype=torch.long, device=self.device
        )

    def encode(self, sentences: Iterable[TextOrTokens]) -> Layers:
        """Encode a batch to ``[1, B, T, D]`` vectors; see :meth:`Elmo.encode`."""
        tokens, offsets = tokenized(sentences)
        lengths = torch.tensor([len(sentence) for sentence in tokens])
        rows = torch.full((len(tokens), int(lengths.max())), len(self.words))
        for k, sentence in enumerate(tokens):
            rows[k, : len(sentence)] = torch.tensor(
                [self._row(token) for token in sentence], dtype=torch.long
            )
        mask = torch.arange(rows.shape[1]) < lengths.unsqueeze(1)
        return Layers(
            values=self._table[rows.to(self.device)].unsqueeze(0),
            mask=mask.to(self.device),
            tokens=tokens,
            offsets=offsets,
        )

    def nearest(self, word: str, n: int = 10) -> list[tuple[str, float]]:
        """Return the nearest other words by cosine, with their cosines, nearest first."""
        row = self._row(word)
        if row == len(self.words):
            raise InputError(
                f"'{word}' is not among the {len(self.words)} words of {self.name}", field="word"
            )
        cosines = self._directions @ self._directions[row]
        cosines[row] = -torch.inf
        best = cosines.topk(min(n, len(self.words) - 1))
        return [
            (self.words[k], value)
            for k, value in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]

    @cached_property
    def _directions(self) -> Tensor:  # [words, D], of length 1
        return torch.nn.functional.normalize(self.vectors, dim=1)

    def _row(self, word: str) -> int:
        row = self._rows.get(word)
        return row if row is not None else self._rows.get(normalized(word), len(self.words))


def bundled_vectors() -> list[str]:
    """Return the names of the static vectors in ``checkpoints/``."""
    return sorted(path.parent.name for path in CHECKPOINTS.glob(f"*/{WORDS_NAME}"))


def are_static_vectors(name_or_folder: str) -> bool:
    """Check if a name is one of static vectors, a folder with some, or a file."""
    path = Path(name_or_folder)
    return name_or_folder in bundled_vectors() or (path / WORDS_NAME).is_file() or path.is_file()


def vectors_name(name_or_folder: str) -> str:
    """Return the name of vectors: their folder, or the file name without ending."""
    name = given_name(name_or_folder)
    return (name.partition(".")[0] or name) if Path(name_or_folder).is_file() else name


def static_folder(name: str) -> Path:
    """Return the folder of static vectors: a name in ``checkpoints/`` or a path."""
    if (CHECKPOINTS / name / WORDS_NAME).exists() and Path(name).name == name:
        return CHECKPOINTS / name
    if Path(name).is_dir():
        return Path(name)
    raise ConfigError(
        f"there are no static vectors '{name}': expected a name in checkpoints/"
        f" ({', '.join(bundled_vectors()) or 'none there'}), a folder with {WORDS_NAME} and"
        f" {WEIGHTS_NAME}.safetensors, or a file of word2vec, GloVe or fastText"
    )


def _read_words(path: Path) -> tuple[list[str], list[int]]:
    words, counts = [], []
    try:
        for number, line in enumerate(open_text(path), 1):
            word, tab, count = line.rstrip("\n").partition("\t")
            if not (word and tab and count.isascii() and count.isdigit()):
                raise WeightsError(
                    f"{path}, line {number}: expected 'word<TAB>count', found {line!r:.80}"
                )
            words.append(word)
            counts.append(int(count))
    except DataError as error:
        raise WeightsError(
            f"{error}; expected the words of the vectors, 'word<TAB>count' on each line"
        ) from None
    return words, counts


# --- Files of word2vec (text and binary), GloVe and fastText (.vec). ---

_PICKLE = b"\x80"  # the first byte of what gensim's own `save` writes
_FASTTEXT = (793712314).to_bytes(4, "little")  # the first bytes of fastText's .bin
_MAX_WORD = 4096
_MAX_NUMBERS = 10_000
_UNREADABLE_MODELS = (
    "no word vectors that are read here: expected lines 'word number number …', or word2vec's"
    " binary format"
)


def read_word_vectors(path: Path) -> tuple[list[str], NDArray[np.float32]]:
    """Read a file of word vectors into its words and ``[words, D]`` values.

    The file is plain or compressed; its format is detected from its content. Text has a word and
    its numbers on each line, with spaces between; word2vec and fastText write the number of words
    and of dimensions on a line before, GloVe does not.
    """
    places: dict[str, str] = {}
    vectors = []
    try:
        with open_binary(path) as file:
            for place, word, vector in _word_rows(path, file):
                if word in places:
                    raise WeightsError(
                        f"{path}, {place}: the word '{word[:40]}' is already in {places[word]}"
                    )
                places[word] = place
                vectors.append(vector)
    except DataError as error:  # an archive or a document
        raise WeightsError(str(error)) from None
    except (OSError, *READ_ERRORS) as error:
        raise WeightsError(
            f"{path}: cannot be read ({str(error) or type(error).__name__})"
        ) from None
    return list(places), np.stack(vectors)


def _word_rows(path: Path, file: IO[bytes]) -> Iterator[tuple[str, str, NDArray[np.float32]]]:
    """Yield the place in the file, the word and the vector of each row."""
    line = file.readline(_MAX_WORD + 32 * _MAX_NUMBERS).removeprefix(codecs.BOM_UTF8)
    if line.startswith((_PICKLE, _FASTTEXT)):
        raise WeightsError(
            f"{path}: {_UNREADABLE_MODELS}. Files of gensim's save() may hold code: use"
            " save_word2vec_format(); of fastText use the .vec file"
        )
    fields = line.split()
    has_header = len(fields) == 2 and all(field.isdigit() for field in fields)
    n, width = map(int, fields) if has_header else (None, len(fields) - 1)
    if n == 0 or not 1 <= width <= _MAX_NUMBERS:
        found = repr(line.decode("utf-8", "replace"))[:80] if line else "nothing"
        raise WeightsError(f"{path}, line 1: {_UNREADABLE_MODELS}; found {found}")
    if n is not None and not _is_text(file.peek(1024)[:1024]):  # type: ignore[attr-defined]
        yield from _binary_rows(path, file, n, width)
        return
    n_rows = 0
    for number in itertools.count(1):
        if line.strip() and not (has_header and number == 1):
            # From the right: GloVe has words with spaces in them.
            start, *numbers = line.rstrip().rsplit(b" ", width)
            row = np.zeros(0, np.float32)
            with contextlib.suppress(ValueError):
                row = np.array(numbers, np.float32)
            if len(row) != width or not start or not np.isfinite(row).all():
                found = repr(line.decode("utf-8", "replace"))[:80]
                raise WeightsError(
                    f"{path}, line {number}: expected a word and {width} numbers, found {found}"
                )
            # Words that differ only in broken bytes stay different words.
            yield f"line {number}", start.decode("utf-8", "backslashreplace"), row
            n_rows += 1
        if not (line := file.readline(_MAX_WORD + 32 * width)):
            break
        if number == 1:  # some tools put the byte order mark after the header
            line = line.removeprefix(codecs.BOM_UTF8)
    if n not in (None, n_rows):
        raise WeightsError(f"{path}: expected {n:,} words as its first line says, found {n_rows:,}")


def _is_text(start: bytes) -> bool:
    """Check by the first bytes if the rows are text, a word and decimal numbers."""
    numbers = start.partition(b"\n")[0].split()[1:]
    return bool(numbers) and all(
        re.fullmatch(rb"[-+.\deE]+|[-+]?(nan|inf)", number) for number in numbers
    )


def _binary_rows(
    path: Path, file: IO[bytes], n: int, width: int
) -> Iterator[tuple[str, str, NDArray[np.float32]]]:
    for k in range(1, n + 1):
        raw = b""
        while (byte := file.read(1)) not in (b" ", b"") and len(raw) <= _MAX_WORD:
            # The original program ends a row with a line feed, gensim does not.
            raw += byte if byte != b"\n" or raw else b""
        content = file.read(4 * width) if byte == b" " else b""
        if len(content) < 4 * width:
            raise WeightsError(
                f"{path}, word {k:,} of {n:,}: expected a word and {width} numbers; the file ends"
                " there"
            )
        row, word = np.frombuffer(content, "<f4"), raw.decode("utf-8", "backslashreplace")
        if not np.isfinite(row).all():
            raise WeightsError(
                f"{path}, word {k:,} of {n:,}: '{word[:40]}' has numbers that are not finite"
            )
        yield f"word {k:,} of {n:,}", word, row
