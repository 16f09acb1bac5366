"""Substitutes: the words that a language model predicts in the place of a word.

Their mean is one static vector.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import linear, normalize

from elmo_tasks.encoders.cloze import Cloze, gaps_at, load_cloze
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors, rarity
from elmo_tasks.uses import Use, UseVectors

#: Name of the view of the predicted words, as static vectors.
EXPECTED = "expected"
#: Number of predicted words to show for a place.
N_CANDIDATES = 8
# The most frequent words of the vocabulary are enough: see `python -m benchmarks.selected_view`.
_WORDS = 10_000
# Zipf's law as Mandelbrot (1953) corrected it: the word of rank r comes in proportion to 1 / (r + 2.7).
_OFFSET = 2.7


class SlotScorer(Protocol):
    """Predictor of words in places."""

    @property
    def words(self) -> Sequence[str]:
        """The ``V`` words."""
        ...

    @property
    def checksum(self) -> str:
        """SHA-256 of the words and of the weights that predict them."""
        ...

    def __call__(self, uses: Sequence[Use], before: Tensor, after: Tensor) -> Tensor:
        """Return ``[n, V]`` log-probabilities in ``n`` places, without reading their words.

        ``before`` and ``after`` are ``[K, n, P]``, from :attr:`UseVectors.before` and :attr:`UseVectors.after`.
        """
        ...


class BidirectionalScorer:
    """Output layer of a language model, applied to each direction by itself.

    The layer is ``[V, P]`` and ``[V]``, for the most frequent words, which follow the special ones in the vocabulary.
    The two predictions are combined afterwards.
    """

    def __init__(self, weight: Tensor, bias: Tensor, words: Sequence[str], most: int = _WORDS) -> None:
        self.words: Sequence[str] = words[:most]
        self._weight, self._bias = weight.detach()[:most].cpu(), bias.detach()[:most].cpu()
        self._log_frequency = log_frequencies(len(self.words))
        self.checksum = _checksum(self.words, (self._weight, self._bias))

    def __call__(self, uses: Sequence[Use], before: Tensor, after: Tensor) -> Tensor:
        """See :class:`SlotScorer`; combined by :func:`told_by_all`."""
        told, told_after = (linear(side[-1].float().cpu(), self._weight, self._bias) for side in (before, after))
        return told_by_all((told, told_after), self._log_frequency)


class ClozeScorer:
    """Cloze head, which combines both sides and the static vectors before it predicts."""

    def __init__(self, cloze: Cloze, static: StaticVectors) -> None:
        self.words: Sequence[str] = static.words[: cloze.options.n_words]
        self._cloze, self._static = cloze.cpu().eval(), static
        self.checksum = _checksum(self.words, cloze.state_dict().values())

    def __call__(self, uses: Sequence[Use], before: Tensor, after: Tensor) -> Tensor:
        """See :class:`SlotScorer`."""
        places = [(use.tokens, use.token_start, use.token_end) for use in uses]
        gaps = gaps_at(self._static, places, before.float().cpu(), after.float().cpu())
        scores: Tensor = self._cloze(gaps)
        return scores.log_softmax(dim=-1)


class ExpectedWords:
    """Mean static vector of the predicted words, weighted by probability and rarity.

    The word in the place itself is not read. To separate uses by substitutes is an old idea (Yatbaz, Sert and Yuret,
    2012; Melamud, Goldberger and Dagan, 2016).
    """

    def __init__(self, told: SlotScorer, static: StaticVectors) -> None:
        vectors = normalize(static.vectors_of(told.words).cpu(), dim=-1)
        known = vectors.any(dim=-1) & torch.tensor([word[:1].isalnum() for word in told.words], dtype=torch.bool)
        self._kept, self._told = known.nonzero().flatten(), told
        weights = rarity(np.array([static.share_of(told.words[k]) for k in self._kept.tolist()]))
        self._table = vectors[self._kept] * torch.from_numpy(weights).float().unsqueeze(1)

    @property
    def checksum(self) -> str:
        """Checksum of the given weights; values computed from them may differ by machine."""
        return self._told.checksum

    @classmethod
    def load(cls, encoder: Encoder, static: StaticVectors, most: int = _WORDS) -> ExpectedWords | None:
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
        return cls(BidirectionalScorer(softmax.weight, softmax.bias, vocabulary.words, most), static)

    @torch.no_grad()
    def candidates(self, uses: Sequence[Use], read: UseVectors) -> list[list[tuple[str, float]]]:
        """Return the :data:`N_CANDIDATES` most probable words for each place.

        Each comes with its probability, the most probable one first. Punctuation is left out and keeps its
        share of the probability.
        """
        assert read.before is not None  # a language model reads in two directions
        assert read.after is not None
        probable = self._told(uses, read.before, read.after)[:, self._kept]
        best = probable.topk(min(N_CANDIDATES, len(self._kept)))
        words = [self._told.words[k] for k in self._kept.tolist()]
        return [
            [(words[k], probability) for k, probability in zip(places, probabilities, strict=True)]
            for places, probabilities in zip(best.indices.tolist(), best.values.exp().tolist(), strict=True)
        ]

    @torch.no_grad()
    def __call__(self, uses: Sequence[Use], read: UseVectors) -> NDArray[np.float32]:
        """Return unit vectors ``[n, S]`` of the predicted words in the places of ``n`` uses."""
        assert read.before is not None  # a language model reads in two directions
        assert read.after is not None
        told = self._told(uses, read.before, read.after)[:, self._kept].softmax(dim=-1)
        return np.asarray(normalize(told @ self._table, dim=-1).numpy(), np.float32)


def _checksum(words: Sequence[str], numbers: Iterable[Tensor]) -> str:
    digest = hashlib.sha256("\n".join(words).encode())
    for value in numbers:
        digest.update(value.float().contiguous().numpy().tobytes())
    return digest.hexdigest()


def states_around(top: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
    """Return the states that predict a place before they have read its word.

    From the top layer ``[B, T, 2 P]`` of :class:`elmo_tasks.bilm.bilm.BiLMOutput`, boundaries included, and the step
    ``[B]`` of the word in each row (1 for the first word of a sentence), select the forward states ``[B, P]`` and the
    backward states ``[B, P]``.

    The forward state one step earlier predicts the word, and so does the backward state one step later; these are the
    states that :func:`elmo_tasks.bilm.perplexity.sentence_losses` scores.
    """
    rows = torch.arange(len(top), device=top.device)
    ahead, back = top.chunk(2, dim=-1)
    return ahead[rows, places - 1], back[rows, places + 1]


def log_frequencies(n_words: int) -> Tensor:
    """Return ``[V]`` log-probabilities of the words by rank alone.

    A vocabulary is sorted by frequency.
    """
    return (-(torch.arange(n_words) + _OFFSET).log()).log_softmax(dim=-1)


def told_by_all(told: Sequence[Tensor], log_frequency: Tensor) -> Tensor:
    """Combine the predictions of the sides of a place.

    From the log-probabilities ``[N, V]`` of each side, and ``[V]`` unconditional ones (:func:`log_frequencies`),
    compute ``[N, V]``.

    If the two sides are independent given the word, ``p(w | before, after)`` is proportional to ``p(w | before) p(w | after) /
    p(w)`` (Bayes): without the division, a word's frequency counts twice. On the 4,758 gallery words that the vocabulary of
    elmo-mini has, the division takes the mean negative log-probability of the actual word
    from 12.39 to 8.89 (one side alone: 8.89 before, 9.51 after), and the share of words among the first 8 guesses from 1.7 % to 3.9
    % (1.9 % and 0.4 %).
    """
    return (torch.stack(list(told)).sum(dim=0) - (len(told) - 1) * log_frequency).log_softmax(dim=-1)
