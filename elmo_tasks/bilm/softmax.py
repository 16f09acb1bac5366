"""Output layer of the language model: full and sampled softmax, and perplexity."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from elmo_tasks.bilm.bilm import BiLM


class LMSoftmax(nn.Module):
    """Map from a direction's top layer to scores of ``V`` words, for both directions.

    Word ids are ranks: the lower, the more frequent. The sampler relies on it.
    """

    def __init__(self, n_words: int, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_words, dim) / math.sqrt(dim))
        self.bias = nn.Parameter(torch.zeros(n_words))

    def forward(self, hidden: Tensor) -> Tensor:
        """Map ``[N, P]`` vectors to ``[N, V]`` scores."""
        return nn.functional.linear(hidden, self.weight, self.bias)

    def sampled_loss(self, hidden: Tensor, targets: Tensor, n_draws: int) -> Tensor:
        """Compute the mean sampled-softmax cross entropy of ``[N, P]`` vectors.

        See Jean et al. (2015). Words are drawn log-uniformly over their ranks, with replacement,
        and each is used once; a word's expected count after ``n_draws`` draws of probability ``p``
        is ``1 - (1 - p)^n_draws``. With all words drawn, the loss nears the full one. All rows
        share the draws.
        """
        n_words = len(self.weight)
        uniform = torch.rand(n_draws, device=hidden.device, dtype=torch.float64)
        # [S], sorted
        drawn = (
            (uniform * math.log(n_words + 1)).exp().long().sub_(1).clamp_(0, n_words - 1).unique()
        )
        n = len(drawn)
        rows = torch.cat([drawn, targets])
        weight, bias = self.weight[rows], self.bias[rows] - self._log_expected_count(rows, n_draws)
        right = (hidden.float() * weight[n:]).sum(-1) + bias[n:]  # [N]
        # A target that was drawn as well counts once, as the target.
        place = torch.searchsorted(drawn, targets).clamp_(max=len(drawn) - 1)
        place = torch.where(drawn[place] == targets, place, -1)
        return _SampledCrossEntropy.apply(hidden, weight[:n], bias[:n], right, place)

    def _log_expected_count(self, words: Tensor, n_draws: int) -> Tensor:
        rank = words.double() + 1
        p = torch.log1p(1 / rank) / math.log(len(self.weight) + 1)
        return torch.log(-torch.expm1(n_draws * torch.log1p(-p))).float()


class _SampledCrossEntropy(torch.autograd.Function):
    """Cross entropy of a target score against shared samples, with its gradient.

    A block of rows is scored, normalised and turned into gradients while it is in the cache; the
    ``[N, S]`` scores are never stored. On two cores this is three times as fast as autograd.
    """

    @staticmethod
    def forward(ctx, hidden, weight, bias, right, place):  # type: ignore[no-untyped-def]
        """Compute the mean loss; ``place`` is the column a row must not count, or -1."""
        kind = hidden.device.type
        dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else hidden.dtype
        with torch.autocast(kind, enabled=False):
            x = hidden.to(dtype)
            w = weight.to(dtype)
            b = bias.float()
            losses, p_right = torch.empty_like(right), torch.empty_like(right)
            share = hidden.new_empty(hidden.shape, dtype=dtype)  # sum over the others of p * weight
            grad_w, grad_b = torch.zeros_like(weight), torch.zeros_like(bias)
            ones = torch.ones(len(x), dtype=dtype, device=x.device)
            block = _ROWS_ON_CPU if kind == "cpu" else max(1, len(x))
            for start in range(0, len(x), block):
                rows = slice(start, start + block)
                scores = (x[rows] @ w.t()).float().add_(b)
                hit = (place[rows] >= 0).nonzero(as_tuple=True)[0]
                scores[hit, place[rows][hit]] = -math.inf
                top = torch.maximum(scores.amax(dim=-1), right[rows])
                e = scores.sub_(top.unsqueeze(1)).exp_()
                e_right = (right[rows] - top).exp()
                total = e.sum(dim=-1) + e_right
                losses[rows] = total.log() - (right[rows] - top)
                p_right[rows] = e_right / total
                p = e.div_(total.unsqueeze(1)).to(dtype)
                share[rows] = p @ w
                if ctx.needs_input_grad[1]:
                    grad_b += p.t() @ ones[: len(p)]
                    grad_w += p.t() @ x[rows]
        ctx.save_for_backward(share, grad_w, grad_b, p_right)
        ctx.hidden_dtype = hidden.dtype
        return losses.mean()

    @staticmethod
    def backward(ctx, grad):  # type: ignore[no-untyped-def]
        """Scale the gradients of the forward pass."""
        share, grad_w, grad_b, p_right = ctx.saved_tensors
        scale = grad / len(p_right)
        return (
            share.to(ctx.hidden_dtype) * scale,
            grad_w * scale,
            grad_b * scale,
            (p_right - 1) * scale,
            None,
        )


_ROWS_ON_CPU = 256


@dataclass(frozen=True)
class Perplexity:
    """Sums over a text, and the perplexities derived from them."""

    forward_loss: float = 0.0  # negative log-likelihood of all targets, in nats, left to right
    backward_loss: float = 0.0  # the same, right to left
    n_targets: int = 0  # predicted words, the sentence's far boundary included
    n_unknown: int = 0  # targets outside the vocabulary, which are predicted as <UNK>

    def __add__(self, other: Perplexity) -> Perplexity:
        return Perplexity(
            forward_loss=self.forward_loss + other.forward_loss,
            backward_loss=self.backward_loss + other.backward_loss,
            n_targets=self.n_targets + other.n_targets,
            n_unknown=self.n_unknown + other.n_unknown,
        )

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
    bilm: BiLM,
    softmax: LMSoftmax,
    characters: Tensor,
    words: Tensor,
    lengths: Tensor,
    targets: Tensor,
    unknown_id: int,
) -> Perplexity:
    """Compute the losses of whole sentences, each from the constant start state.

    Every word is predicted from the words before it (forward) or after it (backward), and so is the
    far boundary; the near boundary is given. For ``characters``, ``words`` and ``lengths`` see
    :meth:`BiLM.forward`; ``targets`` are the ``[B, T]`` vocabulary ids of ``words``, and
    ``unknown_id`` is that of ``<UNK>``.
    """
    output = bilm(characters, words, lengths)
    ahead, back = output.layers[-1].chunk(2, dim=-1)  # [B, T, P]
    is_pair = output.mask[:, 1:]  # positions t, t + 1 both real
    loss_f = _summed_loss(softmax, ahead[:, :-1][is_pair], targets[:, 1:][is_pair])
    loss_b = _summed_loss(softmax, back[:, 1:][is_pair], targets[:, :-1][is_pair])
    unknown = int((targets[:, 1:][is_pair] == unknown_id).sum())
    return Perplexity(
        forward_loss=loss_f, backward_loss=loss_b, n_targets=int(is_pair.sum()), n_unknown=unknown
    )


_ROWS_AT_ONCE = 256


def _summed_loss(softmax: LMSoftmax, hidden: Tensor, targets: Tensor) -> float:
    # In pieces: 50,000 scores for each of thousands of words take too much memory.
    total = 0.0
    for rows, labels in zip(hidden.split(_ROWS_AT_ONCE), targets.split(_ROWS_AT_ONCE), strict=True):
        losses = nn.functional.cross_entropy(softmax(rows).float(), labels, reduction="none")
        total += float(losses.double().sum())
    return total
