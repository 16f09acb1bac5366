"""Perplexity of a biLM in each direction, over the whole vocabulary."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass

import torch
from torch import Tensor

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.softmax import LMSoftmax


@dataclass(frozen=True)
class Perplexity:
    """Sums over a text, and the perplexities derived from them."""

    forward_loss: float = 0.0  # negative log-likelihood of all targets, in nats, left to right
    backward_loss: float = 0.0  # the same, right to left
    n_targets: int = 0  # predicted words, the sentence's far boundary included
    n_unknown: int = 0  # those of them that the vocabulary does not have, which are predicted as <UNK>

    def __add__(self, other: Perplexity) -> Perplexity:
        return Perplexity(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def forward(self) -> float:
        """Perplexity from left to right."""
        return math.exp(self.forward_loss / self.n_targets)

    @property
    def backward(self) -> float:
        """Perplexity from right to left."""
        return math.exp(self.backward_loss / self.n_targets)

    @property
    def unknown_rate(self) -> float:
        """Share of targets outside the vocabulary."""
        return self.n_unknown / self.n_targets

    def scores(self) -> dict[str, float]:
        """Return all scores by name; ``perplexity`` is the geometric mean."""
        return {
            "forward_perplexity": self.forward,
            "backward_perplexity": self.backward,
            "perplexity": (self.forward * self.backward) ** 0.5,
            "unknown_rate": self.unknown_rate,
        }


@torch.no_grad()
def sentence_losses(
    bilm: BiLM, softmax: LMSoftmax, characters: Tensor, words: Tensor, lengths: Tensor, targets: Tensor, unknown_id: int
) -> Perplexity:
    """Compute the losses of whole sentences, each from the constant start state.

    Every word is predicted from what is before it (forward) or after it (backward), and then the far boundary. The near boundary
    is given. For ``characters``, ``words`` and ``lengths`` see :meth:`BiLM.forward`; ``targets`` are the ``[B, T]`` vocabulary ids
    of ``words``, and ``unknown_id`` is that of ``<UNK>``.
    """
    output = bilm(characters, words, lengths)
    ahead, back = output.layers[-1].chunk(2, dim=-1)  # [B, T, P]
    is_pair = output.mask[:, 1:]  # positions t, t + 1 both real
    loss_f = _summed_loss(softmax, ahead[:, :-1][is_pair], targets[:, 1:][is_pair])
    loss_b = _summed_loss(softmax, back[:, 1:][is_pair], targets[:, :-1][is_pair])
    unknown = int((targets[:, 1:][is_pair] == unknown_id).sum())
    return Perplexity(loss_f, loss_b, int(is_pair.sum()), unknown)


def _summed_loss(softmax: LMSoftmax, hidden: Tensor, targets: Tensor, chunk: int = 256) -> float:
    # In pieces, because 50,000 scores for each of thousands of words do not fit comfortably.
    total = 0.0
    for h, y in zip(hidden.split(chunk), targets.split(chunk), strict=True):
        scores = softmax(h).float()
        right = scores.gather(1, y.unsqueeze(1)).squeeze(1)
        total += float((scores.logsumexp(dim=-1) - right).double().sum())
    return total
