"""What a language model would have written in the place of a word, as one static vector: a word is known by its substitutes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import linear, normalize

from elmo_tasks.encoders.cloze import Cloze, gaps_at
from elmo_tasks.encoders.cloze_files import load_cloze
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors, rarity
from elmo_tasks.senses.substitutes import log_frequencies, told_by_both
from elmo_tasks.uses import Use, UseVectors

#: The words that the model would have written there, as static vectors.
EXPECTED = "expected"
# The most frequent words of the vocabulary are enough: see `python -m benchmarks.selected_view`.
_WORDS = 10_000


class WordsInPlaces(Protocol):
    """What says how probable each of some words is in places."""

    @property
    def words(self) -> Sequence[str]:
        """The ``V`` words."""
        ...

    @property
    def checksum(self) -> str:
        """SHA-256 of the words and of what makes them probable."""
        ...

    def __call__(self, uses: Sequence[Use], before: Tensor, after: Tensor) -> Tensor:
        """``[n, V]`` log-probabilities in the places of ``n`` uses.

        Args:
            uses: the words that stand there are not read.
            before: ``[K, n, P]`` what :attr:`UseVectors.before` holds.
            after: ``[K, n, P]`` what :attr:`UseVectors.after` holds.
        """
        ...


class TwoAnswers:
    """Each direction answers by the output layer of the language model; the answers are joined afterwards.

    Args:
        weight: ``[V, P]`` of the output layer.
        bias: ``[V]`` of the output layer.
        words: the ``V`` words, most frequent first, the special ones before them.
        most: so many of the words are asked for.
    """

    def __init__(self, weight: Tensor, bias: Tensor, words: Sequence[str], most: int = _WORDS) -> None:
        self.words: Sequence[str] = words[:most]
        self._weight, self._bias = weight.detach()[:most].cpu(), bias.detach()[:most].cpu()
        self._log_frequency = log_frequencies(len(self.words))
        self.checksum = _checksum(self.words, (self._weight, self._bias))

    def __call__(self, uses: Sequence[Use], before: Tensor, after: Tensor) -> Tensor:
        """See :class:`WordsInPlaces`; joined as in :func:`~elmo_tasks.senses.substitutes.told_by_both`."""
        told, told_after = (linear(side[-1].float().cpu(), self._weight, self._bias) for side in (before, after))
        return told_by_both(told, told_after, self._log_frequency)


class OneAnswer:
    """A cloze head reads both sides before it answers.

    Args:
        cloze: the head.
        static: the static vectors that it reads.
    """

    def __init__(self, cloze: Cloze, static: StaticVectors) -> None:
        self.words: Sequence[str] = static.words[: cloze.options.n_words]
        self._cloze, self._static = cloze.cpu().eval(), static
        self.checksum = _checksum(self.words, cloze.state_dict().values())

    def __call__(self, uses: Sequence[Use], before: Tensor, after: Tensor) -> Tensor:
        """See :class:`WordsInPlaces`."""
        places = [(use.tokens, use.start, use.end) for use in uses]
        gaps = gaps_at(self._static, places, before.float().cpu(), after.float().cpu())
        scores: Tensor = self._cloze(gaps)
        return scores.log_softmax(dim=-1)


class ExpectedWords:
    """The mean static vector of the words that a model expects in a place, by how probable and how rare they are.

    The word that stands there is not read. To tell uses apart by substitutes is an old idea (Yatbaz, Sert and Yuret, 2012;
    Melamud, Goldberger and Dagan, 2016).

    Args:
        told: says how probable the words are.
        static: one vector per word.
    """

    def __init__(self, told: WordsInPlaces, static: StaticVectors) -> None:
        vectors = normalize(static.vectors_of(told.words).cpu(), dim=-1)
        known = vectors.any(dim=-1) & torch.tensor([word[:1].isalnum() for word in told.words], dtype=torch.bool)
        self._kept, self._told = known.nonzero().flatten(), told
        weights = rarity(np.array([static.share_of(told.words[k]) for k in self._kept.tolist()]))
        self._table = vectors[self._kept] * torch.from_numpy(weights).float().unsqueeze(1)

    @property
    def checksum(self) -> str:
        """Of what says how probable the words are, as given: what is computed of it may differ by machine."""
        return self._told.checksum

    @classmethod
    def load(cls, encoder: Encoder, static: StaticVectors, most: int = _WORDS) -> ExpectedWords | None:
        """Those of a cloze head beside a language model, else of its output layer; ``None`` where there is neither, as with the
        published models.

        Raises:
            WeightsError: the files are broken.
        """
        model = encoder.language_model
        if model is None:
            return None
        if (cloze := load_cloze(encoder, static)) is not None:
            return cls(OneAnswer(cloze, static), static)
        if (output := model.predictions()) is None:
            return None
        softmax, vocabulary = output
        return cls(TwoAnswers(softmax.weight, softmax.bias, vocabulary.words, most), static)

    @torch.no_grad()
    def __call__(self, uses: Sequence[Use], read: UseVectors) -> NDArray[np.float32]:
        """``[n, S]`` of length 1: what is expected in the places of ``n`` uses.

        Args:
            uses: where.
            read: what a language model read of them.
        """
        assert read.before is not None  # a language model reads in two directions
        assert read.after is not None
        told = self._told(uses, read.before, read.after)[:, self._kept].softmax(dim=-1)
        return np.asarray(normalize(told @ self._table, dim=-1).numpy(), np.float32)


def _checksum(words: Sequence[str], numbers: Iterable[Tensor]) -> str:
    digest = hashlib.sha256("\n".join(words).encode())
    for value in numbers:
        digest.update(value.float().contiguous().numpy().tobytes())
    return digest.hexdigest()
