"""Sums and maxima over all tag sequences of a batch.

One step of a recursion handles one position of all sentences; values past a sentence's end are
ignored. Only `best_paths` waits for a GPU. On a CPU, `log_z` computes the log-partition and its
gradient by forward-backward: one step is a small matrix product in float64 instead of a log-sum-exp
over all pairs of tags, both directions run in one recursion, and autograd records one operation
instead of five a token.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from elmo_tasks.bilm.bilm import reversed_positions

# Added to the score of a forbidden transition. Scores of whole sentences differ by far less, and
# exp(-1e4) is exactly 0 in float32; yet the loss of a gold sequence that breaks the rules is
# finite.
FORBIDDEN = -1e4


@dataclass(frozen=True)
class Lattice:
    """The scores of a linear-chain CRF for a batch (Lafferty et al., 2001).

    A sequence ``y`` of ``n`` tags scores
    ``start[y_1] + sum_t emissions[t, y_t] + sum_t transitions[y_t, y_t+1] + end[y_n]``.
    """

    emissions: Tensor  # [B, T, K], zero where the mask is False. T is at least 1
    mask: Tensor  # [B, T] bool, True for a token; padding on the right. A row may be all False
    start: Tensor  # [K]
    transitions: Tensor  # [K, K] from, to
    end: Tensor  # [K]

    @property
    def lengths(self) -> Tensor:
        """``[B]`` number of tokens."""
        return self.mask.sum(dim=1)

    @property
    def last(self) -> Tensor:
        """``[B]`` position of the last token; 0 where there is none."""
        return (self.lengths - 1).clamp(min=0)


def path_scores(lattice: Lattice, tags: Tensor) -> Tensor:
    """Score ``tags [B, T]``: ``[B]``; empty sentences give 0."""
    mask = lattice.mask
    tags = tags.masked_fill(~mask, 0)  # [B, T]
    emitted = lattice.emissions.gather(2, tags.unsqueeze(2)).squeeze(2)  # [B, T]
    moved = lattice.transitions[tags[:, :-1], tags[:, 1:]] * mask[:, 1:]  # [B, T - 1]
    last = tags.gather(1, lattice.last.unsqueeze(1)).squeeze(1)  # [B]
    edges = (lattice.start[tags[:, 0]] + lattice.end[last]) * mask[:, 0]  # [B]
    return (emitted * mask).sum(dim=1) + moved.sum(dim=1) + edges


def forward_scores(lattice: Lattice, relative: bool = False) -> Tensor:
    """Log-sum over all prefixes that end in tag ``k`` at token ``t``, ``[B, T, K]``.

    ``relative`` subtracts the best tag's score at each token: exact in float32 for any length, and
    enough to compare the tags of one token.
    """
    first, *rest = lattice.emissions.unbind(dim=1)  # T of [B, K]
    alphas = [lattice.start + first]  # [B, K]
    for emission in rest:
        before = _from_the_best(alphas[-1]) if relative else alphas[-1]
        reached = before.unsqueeze(2) + lattice.transitions  # [B, K from, K to]
        alphas.append(torch.logsumexp(reached, dim=1) + emission)  # [B, K]
    return torch.stack(alphas, dim=1)


def backward_scores(lattice: Lattice) -> Tensor:
    """Relative log-sums over all continuations after a tag at a token, ``[B, T, K]``."""
    emissions = lattice.emissions.unbind(dim=1)  # T of [B, K]
    end = lattice.end.expand_as(emissions[0])  # [B, K]
    betas = [end]
    for t in range(len(emissions) - 1, 0, -1):
        # [B, K from, K to]
        onward = lattice.transitions + (emissions[t] + _from_the_best(betas[-1])).unsqueeze(1)
        is_token = lattice.mask[:, t].unsqueeze(1)  # [B, 1]
        betas.append(torch.where(is_token, torch.logsumexp(onward, dim=2), end))  # [B, K]
    return torch.stack(betas[::-1], dim=1)


def _from_the_best(scores: Tensor) -> Tensor:
    """Subtract the maximum of each row ``[B, K]``, as a constant for gradients."""
    return scores - scores.detach().amax(dim=1, keepdim=True)


def log_partition(lattice: Lattice) -> Tensor:
    """Return the log-sum over all tag sequences, ``[B]``; 0 for empty sentences."""
    alphas = forward_scores(lattice)  # [B, T, K]
    # [B, K]
    last = alphas.gather(1, lattice.last.view(-1, 1, 1).expand(-1, 1, alphas.shape[2])).squeeze(1)
    return torch.logsumexp(last + lattice.end, dim=1) * lattice.mask[:, 0]


def best_paths(lattice: Lattice) -> list[list[int]]:
    """Return the best tag ids of each sentence, without padding (Viterbi, 1967).

    Many small steps are faster in NumPy than on any device.
    """
    scores = (lattice.emissions, lattice.start, lattice.transitions, lattice.end)
    emissions, start, moves, end = (score.detach().cpu().numpy() for score in scores)
    lengths = lattice.lengths.cpu().numpy()  # [B]
    emissions = emissions.transpose(1, 2, 0).copy()  # [T, K, B]: a step compares adjacent memory
    n_steps, n_tags, n_rows = emissions.shape
    best = np.empty_like(emissions)  # score of the best beginning that ends in a tag
    best[0] = start[:, None] + emissions[0]
    for t in range(1, n_steps):
        best[t] = np.maximum.reduce(best[t - 1][:, None] + moves[:, :, None], axis=0) + emissions[t]
    best = best.transpose(0, 2, 1).copy()  # [T, B, K]
    # [K + 1, K] moves to tag k; the last row: to the end
    into = np.concatenate([moves.T, end[None]])
    tags = np.full((n_steps + 1, n_rows), n_tags)
    for t in reversed(range(n_steps)):
        following = np.where(t + 1 < lengths, tags[t + 1], n_tags)
        tags[t] = (best[t] + into[following]).argmax(axis=1)
    return [row[:n] for row, n in zip(tags.T.tolist(), lengths.tolist(), strict=True)]


def k_best_paths(lattice: Lattice, k: int) -> tuple[Tensor, Tensor]:
    """Find the ``k`` best tag sequences: k-best Viterbi (Schwartz and Chow, 1990).

    Returns:
        ids ``[B, k, T]``, best first; and scores ``[B, k]``, ``-inf`` where a sentence has fewer
        than ``k`` sequences.
    """
    first, *rest = lattice.emissions.unbind(dim=1)  # T of [B, K]
    n_rows, n_tags = first.shape
    score = first.new_full((n_rows, n_tags, k), -torch.inf)  # [B, K, k]
    score[:, :, 0] = lattice.start + first
    # a state is tag * k + rank
    stay = torch.arange(n_tags * k, device=first.device).view(n_tags, k)
    pointers: list[Tensor] = []  # T - 1 of [B, K k]
    for t, emission in enumerate(rest, start=1):
        reached = score.unsqueeze(3) + lattice.transitions.unsqueeze(1)  # [B, K from, k, K to]
        best, origin = reached.flatten(1, 2).topk(k, dim=1)  # [B, k, K to] each
        is_token = lattice.mask[:, t].view(-1, 1, 1)  # [B, 1, 1]
        score = torch.where(is_token, best.transpose(1, 2) + emission.unsqueeze(2), score)
        pointers.append(torch.where(is_token, origin.transpose(1, 2), stay).flatten(1))
    scores, state = (score + lattice.end.unsqueeze(1)).flatten(1).topk(k, dim=1)  # [B, k] each
    states = [state]
    for pointer in reversed(pointers):
        states.append(pointer.gather(1, states[-1]))
    return torch.stack(states[::-1], dim=2).div(k, rounding_mode="floor"), scores


def segment_probabilities(
    lattice: Lattice, places: Sequence[tuple[int, int, Sequence[int]]], barred: Tensor
) -> Tensor:
    """Probability ``[N]`` that given tags occur at a position and are not continued.

    It is Z with these tags clamped over Z without (constrained forward-backward; Culotta and
    McCallum, 2004). A CRF given its sentence is a Markov chain, so the ratio is: the first tag's
    probability, times that of each next tag given the one before, ``p(b | a) ~ exp(transitions[a,
    b] + emissions[t, b] + beta[t, b])``. In this form no large sums are subtracted, and one
    forward-backward pass serves all places.

    Args:
        lattice: the scores.
        places: ``N`` of (sentence, first token, ids of the tags, at least one), inside their
            sentences.
        barred: ``[K, K]`` bool, True where the second tag, right after the place, would continue
            the first.
    """
    device = lattice.emissions.device
    longest = max((len(tags) for _, _, tags in places), default=1)
    filled = [[b, t, len(tags), *tags, *[0] * (longest - len(tags))] for b, t, tags in places]
    table = torch.tensor(filled, dtype=torch.long).view(-1, 3 + longest).to(device)  # [N, 3 + S]
    # [N], [N], [N], [N, S]
    row = table[:, 0]
    first = table[:, 1]
    length = table[:, 2]
    tags = table[:, 3:]
    steps = torch.arange(1, longest + 1, device=device)  # [S]
    # The tokens after each of the tags; the one after the last tag may be past the sentence's end.
    after = (first.unsqueeze(1) + steps).clamp(max=lattice.mask.shape[1] - 1)  # [N, S]
    betas = backward_scores(lattice)  # [B, T, K]
    onward = lattice.emissions + betas
    # [N, S, K from tags]
    chain = torch.log_softmax(lattice.transitions[tags] + onward[row.unsqueeze(1), after], dim=2)

    # Log-probability of each tag of each token (Rabiner, 1989).
    # [N]
    begun = torch.log_softmax(forward_scores(lattice, relative=True) + betas, dim=2)[
        row, first, tags[:, 0]
    ]
    moved = chain[:, :-1].gather(2, tags[:, 1:].unsqueeze(2)).squeeze(2)  # [N, S - 1]
    inside = steps[:-1] < length.unsqueeze(1)  # [N, S - 1]
    final = (length - 1).view(-1, 1, 1)  # [N, 1, 1]
    last = tags.gather(1, final.squeeze(2)).squeeze(1)  # [N]
    leaving = chain.gather(1, final.expand(-1, 1, chain.shape[2])).squeeze(1)  # [N, K]
    left = torch.logsumexp(leaving.masked_fill(barred[last], -torch.inf), dim=1)  # [N]
    ends_here = first + length == lattice.lengths[row]  # [N]
    return (
        (begun + moved.masked_fill(~inside, 0.0).sum(dim=1) + left.masked_fill(ends_here, 0.0))
        .clamp(max=0.0)
        .exp()
    )


# --- The log-partition with its own backward pass, by forward-backward. ---

# Number of steps between two divisions by the largest number.
_STEPS_BETWEEN = 4
# exp(-600) is still a normal float64, with a hundred nats to spare.
_MAX_EXPONENT = 600.0
# Any tag reaches any other in one step without constraints, in two under BIO and in three under
# BIOES.
_MAX_STEPS_TO_JOIN = 4


def log_z(lattice: Lattice) -> Tensor:
    """Return :func:`log_partition`; on a CPU faster, and once differentiable."""
    # The range check needs the values, which would force a synchronization on a GPU.
    if (
        lattice.emissions.device.type == "cpu"
        and lattice.emissions.numel()
        and _is_shallow(lattice)
    ):
        z: Tensor = _LogPartition.apply(
            lattice.emissions, lattice.mask, lattice.start, lattice.transitions, lattice.end
        )  # type: ignore[no-untyped-call]
        if torch.isfinite(z).all():  # else some sentence has no sequence that is allowed
            return z
    return log_partition(lattice)


@torch.no_grad()
def _is_shallow(lattice: Lattice) -> bool:
    """Check that no relevant number can underflow.

    Let a beginning lead to one of the best sequences. It scores at most as much below the best
    beginning as the moves cost that lead from the best one to it. Any tag is reached from any other
    in a fixed number of steps, and near the end of a sentence the same number is needed again.
    """
    allowed = lattice.transitions > FORBIDDEN / 2
    steps, reached = 1, allowed
    while not reached.all():
        if steps == _MAX_STEPS_TO_JOIN:
            return False
        steps, reached = steps + 1, (reached.float() @ allowed.float()) > 0
    of_a_step = lattice.emissions.amax(dim=2) - lattice.emissions.amin(dim=2)  # [B, T]
    ranges = [
        _range(lattice.transitions),
        _range(lattice.start),
        _range(lattice.end),
        float(of_a_step.max()),
    ]
    cost = sum(ranges) + math.log(len(allowed))
    return (2 * steps + _STEPS_BETWEEN) * cost < _MAX_EXPONENT  # False for nan, too


def _range(scores: Tensor) -> float:
    """Return the difference of the highest and the lowest allowed score."""
    allowed = scores[scores > FORBIDDEN / 2]
    return float(allowed.max() - allowed.min()) if allowed.numel() else math.inf


class _LogPartition(torch.autograd.Function):
    """``[B]`` of emissions ``[B, T, K]``, mask, start, transitions ``[K, K]``, end."""

    @staticmethod
    def forward(
        ctx: Any, emissions: Tensor, mask: Tensor, start: Tensor, transitions: Tensor, end: Tensor
    ) -> Tensor:
        """Both recursions: from the first token on, and from the last one back."""
        n_rows, n_steps, n_tags = emissions.shape
        lengths = mask.sum(dim=1)  # [B]
        # [T, B, K]
        reverse = reversed_positions(lengths, n_steps).t().unsqueeze(2).expand(-1, -1, n_tags)
        scores = emissions.transpose(0, 1).double()  # [T, B, K]
        best = scores.amax(dim=2, keepdim=True)  # [T, B, 1]
        chances = (scores - best).exp_()
        steps = torch.stack([chances, chances.gather(0, reverse)], dim=1)  # [T, 2, B, K]
        edges = torch.stack([start, end]).double()  # [2, K]
        highest = edges.amax(dim=1, keepdim=True)  # [2, 1]
        edges_of = (edges - highest).exp_()
        top = transitions.detach().amax().double()
        moves = (transitions.double() - top).exp_()  # [K, K]
        both = torch.stack([moves, moves.t()])  # [2, K, K]

        # up to a token, the token's own emission not included
        reached = steps.new_empty(n_steps, 2, n_rows, n_tags)
        taken = torch.empty_like(reached)  # included
        reached[0] = edges_of.unsqueeze(1)
        scales = steps.new_ones(n_steps, 2, n_rows, 1)
        before = taken.unbind()
        after = reached.unbind()
        here = steps.unbind()
        scale = scales.unbind()
        torch.mul(after[0], here[0], out=before[0])
        for t in range(1, n_steps):
            torch.bmm(before[t - 1], both, out=after[t])
            torch.mul(after[t], here[t], out=before[t])
            if t % _STEPS_BETWEEN == 0:
                torch.amax(before[t], dim=2, keepdim=True, out=scale[t])
                before[t].div_(scale[t])

        last = (lengths - 1).clamp(min=0)  # [B]
        ended = taken[last, 0, torch.arange(n_rows)] @ edges_of[1]  # [B]
        is_token = mask.t()  # [T, B]
        # [B]
        shifts = (
            (best.squeeze(2) + scales[:, 0].squeeze(2).log_())
            .masked_fill(~is_token, 0.0)
            .sum(dim=0)
        )
        z = ended.log() + shifts + highest.sum() + last * top
        ctx.save_for_backward(taken, reached, moves, reverse, is_token, last)
        ctx.dtype = emissions.dtype
        return (z * mask[:, 0]).to(emissions.dtype)

    @staticmethod
    @once_differentiable  # type: ignore[no-untyped-call]
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """The gradient of log Z is the probability of each tag and of each move."""
        taken, reached, moves, reverse, is_token, last = ctx.saved_tensors
        n_rows = len(gradient)
        weight = torch.where(is_token, gradient.double(), 0.0).unsqueeze(2)  # [T, B, 1]
        tags = taken[:, 0] * reached[:, 1].gather(0, reverse)  # [T, B, K]
        tags.mul_(weight / tags.sum(dim=2, keepdim=True))
        onward = taken[:, 1].gather(0, reverse)[1:]  # [T - 1, B, K]
        sums = (reached[1:, 0] * onward).sum(dim=2, keepdim=True)  # [T - 1, B, 1]
        onward = onward * (weight[1:] / sums)
        pairs = taken[:-1, 0].reshape(-1, len(moves)).t() @ onward.reshape(-1, len(moves))  # [K, K]
        grads = (
            tags.transpose(0, 1),
            None,
            tags[0].sum(dim=0),
            moves * pairs,
            tags[last, torch.arange(n_rows)].sum(dim=0),
        )
        return tuple(None if grad is None else grad.to(ctx.dtype) for grad in grads)
