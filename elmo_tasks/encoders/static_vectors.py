"""Static word vectors as an encoder: one vector per word, whatever the sentence."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from elmo_tasks.bilm.folders import verify
from elmo_tasks.bilm.safetensors_files import read_safetensors
from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.encoders.sentences import Sentence, checked_texts, tokenized
from elmo_tasks.encoders.word_vector_files import read_word_vectors
from elmo_tasks.errors import ConfigError, DataError, InputError, WeightsError
from elmo_tasks.files import given_name
from elmo_tasks.layers import Layers, checked_device
from elmo_tasks.text.vocabulary import open_text

DEFAULT_NAME = "static-joint"
WEIGHTS_NAME, WORDS_NAME = "vectors", "words.txt.xz"
#: What :func:`normalized` and the look-up do, in words, for cards.
LOOKUP = "the word as it is, else lower-cased with every digit written as 0"
_DIGITS = str.maketrans("123456789", "000000000")
# Words rarer than this count fully; "the" counts a thousandth (Arora, Liang and Ma, 2017, call it a).
_RARE = 1e-4
Share = TypeVar("Share", NDArray[np.float64], Tensor)


def rarity(shares: Share) -> Share:
    """Compute SIF weights ``a / (a + share)`` from relative frequencies."""
    return _RARE / (_RARE + shares)


def normalized(text: str) -> str:
    """Normalize text for static vectors: lower-cased, every digit as 0."""
    return text.lower().translate(_DIGITS)


class StaticVectors:
    """One vector per word, looked up as written, else :func:`normalized`.

    An unknown word has the zero vector. The words stand most frequent first, with ``[words, D]`` vectors, and counts of how
    often each came in the training text.

    Raises:
        WeightsError: words, vectors and counts do not fit each other, or a word comes twice.
    """

    n_layers = 1
    layer_names = ("one vector for each word",)
    reads_sentence = False
    language_model = None

    def __init__(
        self, words: Sequence[str], vectors: Tensor, counts: Sequence[int] | None = None, name: str = "static"
    ) -> None:
        self.name = name
        self.folder: Path | None = None
        self.words = tuple(words)
        self.counts = tuple(counts) if counts is not None else (0,) * len(self.words)
        if vectors.dim() != 2 or len(vectors) != len(self.words) or len(self.counts) != len(self.words):
            raise WeightsError(
                f"{name}: expected one vector per word and one count per word, found {len(self.words)} words, "
                f"{len(self.counts)} counts and vectors of shape {tuple(vectors.shape)}"
            )
        self._rows = {word: k for k, word in enumerate(self.words)}
        if len(self._rows) != len(self.words):
            twice = next(word for k, word in enumerate(self.words) if self._rows[word] != k)
            raise WeightsError(f"{name}: the word '{twice}' is in the vocabulary twice")
        # The row after the last word is the vector of all words that are not there.
        self.width = vectors.shape[1]
        self._table = torch.cat([vectors.detach().float(), torch.zeros(1, self.width, device=vectors.device)])

    @classmethod
    def load(cls, name_or_folder: str | Path | None = None, device: torch.device | str = "cpu") -> StaticVectors:
        """Load vectors written by ``elmo-tasks model vectors`` or another program.

        ``None`` is the bundled ones. Others are a name in ``checkpoints/`` or a folder; or a file of word2vec, GloVe or
        fastText (see :func:`~elmo_tasks.encoders.word_vector_files.read_word_vectors`).

        Raises:
            ConfigError: there are no such vectors.
            WeightsError: a file is missing or broken, or the files do not fit each other.
        """
        if name_or_folder is not None and Path(name_or_folder).is_file():
            path = Path(name_or_folder)
            words, table = read_word_vectors(path)
            return cls(words, torch.from_numpy(table).to(device), None, vectors_name(str(path)))
        folder = static_folder(str(name_or_folder if name_or_folder is not None else DEFAULT_NAME))
        words, counts = _read_words(folder / WORDS_NAME)
        tensors = read_safetensors(folder, WEIGHTS_NAME)
        verify([folder / WORDS_NAME])
        shapes = {key: tuple(value.shape) for key, value in tensors.items()}
        vectors = tensors.get(WEIGHTS_NAME)
        if vectors is None or vectors.dim() != 2 or len(vectors) != len(words):
            raise WeightsError(
                f"{folder}: expected '{WEIGHTS_NAME}' of shape ({len(words)}, D), a vector for each word of {WORDS_NAME}; "
                f"found {shapes or 'nothing'}"
            )
        try:
            static = cls(words, vectors.to(device), counts, vectors_name(str(folder)))
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

    @cached_property
    def _n_counted(self) -> int:
        return max(1, sum(self.counts))

    def vectors_of(self, words: Iterable[str]) -> Tensor:
        """Return ``[len(words), D]`` vectors; zero for unknown words."""
        return self._table[self.rows_of(checked_texts(words, "word"))]

    def rows_of(self, words: Iterable[str]) -> Tensor:
        """Return the ``[len(words)]`` positions in :attr:`words`; unknown: ``len(self)``."""
        return torch.tensor([self._row(word) for word in words], dtype=torch.long, device=self.device)

    def encode(self, sentences: Iterable[Sentence]) -> Layers:
        """Encode a batch to ``[1, B, T, D]`` vectors; see :meth:`Elmo.encode`.

        Raises:
            InputError: there is no sentence, or something that is neither text nor tokens.
        """
        tokens, offsets = tokenized(sentences)
        lengths = torch.tensor([len(sentence) for sentence in tokens])
        rows = torch.full((len(tokens), int(lengths.max())), len(self.words))
        for k, sentence in enumerate(tokens):
            rows[k, : len(sentence)] = torch.tensor([self._row(token) for token in sentence], dtype=torch.long)
        mask = torch.arange(rows.shape[1]) < lengths.unsqueeze(1)
        return Layers(self._table[rows.to(self.device)].unsqueeze(0), mask.to(self.device), tokens, offsets)

    def nearest(self, word: str, n: int = 10) -> list[tuple[str, float]]:
        """Return the nearest other words by cosine, with their cosines, nearest first.

        Raises:
            InputError: the word has no vector.
        """
        row = self._row(word)
        if row == len(self.words):
            raise InputError(f"'{word}' is not among the {len(self.words)} words of {self.name}", field="word")
        cosines = self._directions @ self._directions[row]
        cosines[row] = -torch.inf
        best = cosines.topk(min(n, len(self.words) - 1))
        return [(self.words[k], value) for k, value in zip(best.indices.tolist(), best.values.tolist(), strict=True)]

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
    """Return the folder of static vectors: a name in ``checkpoints/`` or a path.

    Raises:
        ConfigError: there are none.
    """
    if (CHECKPOINTS / name / WORDS_NAME).exists() and Path(name).name == name:
        return CHECKPOINTS / name
    if Path(name).is_dir():
        return Path(name)
    raise ConfigError(
        f"there are no static vectors '{name}': expected a name in checkpoints/ ({', '.join(bundled_vectors()) or 'none there'}), "
        f"a folder with {WORDS_NAME} and {WEIGHTS_NAME}.safetensors, or a file of word2vec, GloVe or fastText"
    )


def _read_words(path: Path) -> tuple[list[str], list[int]]:
    words, counts = [], []
    try:
        for number, line in enumerate(open_text(path), 1):
            word, tab, count = line.rstrip("\n").partition("\t")
            if not (word and tab and count.isascii() and count.isdigit()):
                raise WeightsError(f"{path}, line {number}: expected 'word<TAB>count', found {line!r:.80}")
            words.append(word)
            counts.append(int(count))
    except DataError as error:
        raise WeightsError(f"{error}; expected the words of the vectors, 'word<TAB>count' on each line") from None
    return words, counts
