"""What a language model would have written in the place of a word, as one static vector: a word is known by its substitutes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import linear, normalize

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors, rarity
from elmo_tasks.senses.substitutes import log_frequencies, told_by_both

#: The words that the model would have written there, as static vectors.
EXPECTED = "expected"
# The most frequent words of the vocabulary are enough: see `python -m benchmarks.selected_view`.
_WORDS = 10_000


class ExpectedWords:
    """The mean static vector of the words that a model expects in a place, by how probable and how rare they are.

    What the two sides say is joined as in :func:`~elmo_tasks.senses.substitutes.told_by_both`; the word that stands there is
    not read. To tell uses apart by substitutes is an old idea (Yatbaz, Sert and Yuret, 2012; Melamud, Goldberger and Dagan, 2016).

    Args:
        weight: ``[V, P]`` of the output layer.
        bias: ``[V]`` of the output layer.
        words: the ``V`` words, most frequent first, the special ones before them.
        static: one vector per word.
        most: so many of the words are asked for.
    """

    def __init__(
        self, weight: Tensor, bias: Tensor, words: Sequence[str], static: StaticVectors, most: int = _WORDS
    ) -> None:
        words, weight, bias = words[:most], weight.detach()[:most].cpu(), bias.detach()[:most].cpu()
        #: SHA-256 of the words and of what makes them probable, as given: what is computed of them may differ by machine.
        self.checksum = _checksum(words, weight, bias)
        vectors = normalize(static.vectors_of(words).cpu(), dim=-1)
        known = vectors.any(dim=-1) & torch.tensor([word[:1].isalnum() for word in words], dtype=torch.bool)
        kept = known.nonzero().flatten()
        self._weight, self._bias = weight[kept], bias[kept]
        self._log_frequency = log_frequencies(len(words))[kept]
        weights = rarity(np.array([static.share_of(words[k]) for k in kept.tolist()]))
        self._table = vectors[kept] * torch.from_numpy(weights).float().unsqueeze(1)

    @classmethod
    def load(cls, encoder: Encoder, static: StaticVectors, most: int = _WORDS) -> ExpectedWords | None:
        """Those of a language model that has its output layer; ``None`` for one that has none, as the published ones.

        Raises:
            WeightsError: the files of the output layer are broken.
        """
        output = None if encoder.language_model is None else encoder.language_model.predictions()
        if output is None:
            return None
        softmax, vocabulary = output
        return cls(softmax.weight, softmax.bias, vocabulary.words, static, most)

    @torch.no_grad()
    def __call__(self, before: Tensor, after: Tensor) -> NDArray[np.float32]:
        """What is expected in ``n`` places.

        Args:
            before: ``[n, P]`` the top forward states before them.
            after: ``[n, P]`` the top backward states behind them; see :func:`~elmo_tasks.senses.substitutes.states_around`.

        Returns:
            ``[n, S]`` of length 1.
        """
        told, told_after = (linear(side.float().cpu(), self._weight, self._bias) for side in (before, after))
        probable = told_by_both(told, told_after, self._log_frequency).exp()
        return np.asarray(normalize(probable @ self._table, dim=-1).numpy(), np.float32)


def _checksum(words: Sequence[str], weight: Tensor, bias: Tensor) -> str:
    digest = hashlib.sha256("\n".join(words).encode())
    for value in (weight, bias):
        digest.update(value.float().contiguous().numpy().tobytes())
    return digest.hexdigest()
