"""Substitutes: the words that a language model predicts in the place of a word.

Their mean is one static vector.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import linear, normalize

from elmo_tasks.encoders.cloze import Cloze, gaps_at, load_cloze
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors, rarity
from elmo_tasks.encoders.use_vectors import UseVectors
from elmo_tasks.text.uses import Use

#: Number of predicted words to show for a place.
N_CANDIDATES = 8
# The most frequent words of the vocabulary are enough.
_N_WORDS = 10_000
# Zipf's law as Mandelbrot (1953) corrected it: the word of rank r comes in proportion to 1 / (r +
# 2.7).
_ZIPF_OFFSET = 2.7


class BidirectionalScorer:
    """Output layer of a language model, applied to each direction by itself.

    The layer is ``[V, P]`` and ``[V]``, for the most frequent words, which follow the special ones
    in the vocabulary. The two predictions are combined afterwards.
    """

    def __init__(
        self, weight: Tensor, bias: Tensor, words: Sequence[str], *, max_words: int = _N_WORDS
    ) -> None:
        self.words: Sequence[str] = words[:max_words]
        self._weight, self._bias = (
            weight.detach()[:max_words].cpu(),
            bias.detach()[:max_words].cpu(),
        )
        self._log_frequency = log_frequencies(len(self.words))
        self.checksum = _checksum(self.words, (self._weight, self._bias))

    def __call__(self, uses: Sequence[Use], before: Tensor, after: Tensor) -> Tensor:
        """Return ``[n, V]`` log-probabilities at ``n`` positions, without reading the words there.

        ``before`` and ``after`` are ``[K, n, P]``, from :attr:`UseVectors.before` and
        :attr:`UseVectors.after`.
        """
        ahead, back = (
            linear(side[-1].float().cpu(), self._weight, self._bias) for side in (before, after)
        )
        return combine_directions(ahead, back, self._log_frequency)


class ClozeScorer:
    """Cloze head, which combines both sides and the static vectors before it predicts."""

    def __init__(self, cloze: Cloze, static: StaticVectors) -> None:
        self.words: Sequence[str] = static.words[: cloze.options.n_words]
        self._cloze, self._static = cloze.cpu().eval(), static
        self.checksum = _checksum(self.words, cloze.state_dict().values())

    def __call__(self, uses: Sequence[Use], before: Tensor, after: Tensor) -> Tensor:
        """See :meth:`BidirectionalScorer.__call__`."""
        places = [(use.tokens, use.token_start, use.token_end) for use in uses]
        gaps = gaps_at(self._static, places, before.float().cpu(), after.float().cpu())
        scores: Tensor = self._cloze(gaps)
        return scores.log_softmax(dim=-1)


class ExpectedWords:
    """Mean static vector of the predicted words, weighted by probability and rarity.

    The word at the position is not read. Separating uses by their substitutes is an old idea
    (Yatbaz, Sert and Yuret, 2012; Melamud, Goldberger and Dagan, 2016).
    """

    def __init__(self, scorer: BidirectionalScorer | ClozeScorer, static: StaticVectors) -> None:
        vectors = normalize(static.vectors_of(scorer.words).cpu(), dim=-1)
        is_kept = vectors.any(dim=-1) & torch.tensor(
            [word[:1].isalnum() for word in scorer.words], dtype=torch.bool
        )
        self._kept, self._scorer = is_kept.nonzero().flatten(), scorer
        weights = rarity(np.array([static.share_of(scorer.words[k]) for k in self._kept.tolist()]))
        self._table = vectors[self._kept] * torch.from_numpy(weights).float().unsqueeze(1)

    @property
    def checksum(self) -> str:
        """Checksum of the given weights; values computed from them may differ by machine."""
        return self._scorer.checksum

    @classmethod
    def load(cls, encoder: Encoder, static: StaticVectors) -> ExpectedWords | None:
        """Load the cloze head beside a language model, else its output layer.

        Return ``None`` if there is neither, as with the published models.

        Raises:
            WeightsError: the files are broken.
        """
        model = encoder.language_model
        if model is None:
            return None
        if (cloze := load_cloze(encoder, static)) is not None:
            return cls(ClozeScorer(cloze, static), static)
        if (output := model.predictions()) is None:
            return None
        softmax, vocabulary = output
        return cls(BidirectionalScorer(softmax.weight, softmax.bias, vocabulary.words), static)

    @torch.no_grad()
    def candidates(self, uses: Sequence[Use], read: UseVectors) -> list[list[tuple[str, float]]]:
        """Return the :data:`N_CANDIDATES` most probable words for each place.

        Each comes with its probability, the most probable one first. Punctuation is left out and
        keeps its share of the probability.
        """
        assert read.before is not None  # a language model reads in two directions
        assert read.after is not None
        probable = self._scorer(uses, read.before, read.after)[:, self._kept]
        best = probable.topk(min(N_CANDIDATES, len(self._kept)))
        words = [self._scorer.words[k] for k in self._kept.tolist()]
        return [
            [(words[k], probability) for k, probability in zip(places, probabilities, strict=True)]
            for places, probabilities in zip(
                best.indices.tolist(), best.values.exp().tolist(), strict=True
            )
        ]

    @torch.no_grad()
    def __call__(self, uses: Sequence[Use], read: UseVectors) -> NDArray[np.float32]:
        """Return unit vectors ``[n, S]`` of the predicted words in the places of ``n`` uses."""
        assert read.before is not None  # a language model reads in two directions
        assert read.after is not None
        probable = self._scorer(uses, read.before, read.after)[:, self._kept].softmax(dim=-1)
        return np.asarray(normalize(probable @ self._table, dim=-1).numpy(), np.float32)


def _checksum(words: Sequence[str], numbers: Iterable[Tensor]) -> str:
    digest = hashlib.sha256("\n".join(words).encode())
    for value in numbers:
        digest.update(value.float().contiguous().numpy().tobytes())
    return digest.hexdigest()


def log_frequencies(n_words: int) -> Tensor:
    """Return ``[V]`` log-probabilities of the words by rank alone.

    A vocabulary is sorted by frequency.
    """
    return (-(torch.arange(n_words) + _ZIPF_OFFSET).log()).log_softmax(dim=-1)


def combine_directions(ahead: Tensor, back: Tensor, log_frequency: Tensor) -> Tensor:
    """Combine log-probabilities ``[N, V]`` of the two directions.

    The unconditional ones are ``[V]``.

    If the two sides are independent given the word, ``p(w | before, after)`` is proportional to
    ``p(w | before) p(w | after) / p(w)`` (Bayes): without the division, a word's frequency counts
    twice.
    """
    return (ahead + back - log_frequency).log_softmax(dim=-1)
