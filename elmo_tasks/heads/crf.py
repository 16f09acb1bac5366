"""A linear-chain CRF with hard constraints, k-best sequences and span probabilities.

Parameters, their names and the likelihood are pytorch-crf's: state dicts of one load into the
other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import torch
import torchcrf
from torch import Tensor

from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.lattice import (
    FORBIDDEN,
    Lattice,
    best_paths,
    k_best_paths,
    log_partition,
    log_z,
    path_scores,
    segment_probabilities,
)
from elmo_tasks.text.tag_schemes import (
    Scheme,
    Span,
    allowed_transitions,
    continuations,
    split_tag,
    tags_of,
)

Reduction = Literal["none", "sum", "mean", "token_mean"]


class TagPath(NamedTuple):
    """A tag sequence, as ids, with its log-probability."""

    tags: tuple[int, ...]
    log_probability: float


class CRF(torchcrf.CRF):
    """Likelihood of tags, best tags and their probabilities, from emissions.

    Every method takes ``emissions [B, T, K]`` and a ``mask [B, T]``, bool, True for a token, all by
    default. The padding of a mask is on the right, unchecked, as a check would wait for the GPU.
    All is computed in float32 (float64 for float64 emissions), also under autocast. A sentence
    without tokens has one tag sequence, the empty one, with probability 1.

    Args:
        labels: the tags, in the order of their ids.
        scheme: BIO or BIOES to constrain the sequences to well-formed ones; None for tags that are
            no spans.

    Raises:
        ConfigError: a label is repeated.
        DataError: a label is not one of the scheme.
    """

    may_start: Tensor
    may_follow: Tensor
    may_end: Tensor
    continues: Tensor

    def __init__(self, labels: Sequence[str], scheme: Scheme | None = None) -> None:
        # By their parts, so that both spellings of BIOES are the same label.
        ids = {
            (label, "") if scheme is None else split_tag(label, scheme): k
            for k, label in enumerate(labels)
        }
        if not labels or len(ids) != len(labels):
            raise ConfigError(
                "labels: expected at least one, each of them once, got"
                f" {', '.join(labels) or 'none'}"
            )
        super().__init__(len(labels), batch_first=True)
        self.labels = tuple(labels)
        self.scheme = scheme
        self._ids = ids
        allowed = None if scheme is None else allowed_transitions(labels, scheme)
        joined = frozenset() if scheme is None else continuations(labels, scheme)
        # Kept out of the state dict: they follow from the labels, and weights from anywhere must
        # not change them.
        self._keep("may_start", [allowed is None or a in allowed.starts for a in labels])  # [K]
        pairs = [[allowed is None or (a, b) in allowed.pairs for b in labels] for a in labels]
        self._keep("may_follow", pairs)  # [K, K] from, to
        self._keep("may_end", [allowed is None or a in allowed.ends for a in labels])  # [K]
        # [K, K] from, to
        self._keep("continues", [[(a, b) in joined for b in labels] for a in labels])

    def forward(
        self,
        emissions: Tensor,
        tags: Tensor,
        mask: Tensor | None = None,
        reduction: Reduction = "sum",
    ) -> Tensor:
        """Log likelihood of ``tags [B, T]``; masked values are ignored, empty sentences add 0.

        ``reduction`` is ``none`` for ``[B]``, or ``sum``, ``mean`` over sentences, or
        ``token_mean`` for ``[]``.
        """
        with torch.autocast(emissions.device.type, enabled=False):
            lattice = self._lattice(emissions, mask)
            if not tags.shape[1]:
                tags = tags.new_zeros(len(tags), 1)
            likelihood = path_scores(lattice, tags) - log_z(lattice)  # [B]
            if reduction == "none":
                return likelihood
            if reduction == "mean":
                return likelihood.mean()
            return (
                likelihood.sum()
                if reduction == "sum"
                else likelihood.sum() / lattice.mask.sum().clamp(min=1)
            )

    @torch.no_grad()
    def decode(self, emissions: Tensor, mask: Tensor | None = None) -> list[list[int]]:
        """Ids of the best tags, sentence by sentence, without padding."""
        with torch.autocast(emissions.device.type, enabled=False):
            return best_paths(self._lattice(emissions, mask))

    @torch.no_grad()
    def k_best(self, emissions: Tensor, k: int, mask: Tensor | None = None) -> list[list[TagPath]]:
        """Return the ``k`` best tag sequences of each sentence, best first, or all."""
        if k < 1:
            raise ValueError(f"k: expected at least 1, got {k}")
        with torch.autocast(emissions.device.type, enabled=False):
            lattice = self._lattice(emissions, mask)
            tags, scores = k_best_paths(lattice, k)  # [B, k, T], [B, k]
            log_p = scores - log_partition(lattice).unsqueeze(1)  # [B, k]
            log_p = log_p.masked_fill(~self._allowed(lattice, tags), -torch.inf)
        return [
            [
                TagPath(tuple(p[:n]), min(c, 0.0))
                for p, c in zip(paths, chances, strict=True)
                if c > -math.inf
            ]
            if n
            else [TagPath((), 0.0)]
            for n, paths, chances in zip(
                lattice.lengths.tolist(), tags.tolist(), log_p.tolist(), strict=True
            )
        ]

    @torch.no_grad()
    def span_probabilities(
        self, emissions: Tensor, spans: Sequence[Sequence[Span]], mask: Tensor | None = None
    ) -> list[list[float]]:
        """Return the probability of each exact span: its tags, and no continuation.

        One forward-backward pass serves all spans, which may share tokens; a span that the labels
        cannot spell has 0.
        """
        with torch.autocast(emissions.device.type, enabled=False):
            lattice = self._lattice(emissions, mask)
            paths = [[self._path(span) for span in row] for row in spans]
            places = [
                (b, s.start, path)
                for b, row in enumerate(spans)
                for s, path in zip(row, paths[b], strict=True)
                if path
            ]
            probabilities = iter(segment_probabilities(lattice, places, self.continues).tolist())
        return [[next(probabilities) if path else 0.0 for path in row] for row in paths]

    def _lattice(self, emissions: Tensor, mask: Tensor | None) -> Lattice:
        """Apply the constraints to the scores, so that loaded weights cannot lose them."""
        if emissions.dim() != 3 or emissions.shape[2] != self.num_tags:
            raise ValueError(
                f"expected emissions [B, T, {self.num_tags}], got {tuple(emissions.shape)}"
            )
        if mask is None:
            mask = emissions.new_ones(emissions.shape[:2], dtype=torch.bool)
        if mask.shape != emissions.shape[:2]:
            raise ValueError(
                f"the mask {tuple(mask.shape)} does not fit emissions {tuple(emissions.shape)}"
            )
        if not emissions.shape[
            1
        ]:  # only empty sentences: one step of padding spares every recursion a special case
            emissions = emissions.new_zeros(len(emissions), 1, self.num_tags)
            mask = mask.new_zeros(len(mask), 1)
        dtype = torch.promote_types(emissions.dtype, torch.float32)
        mask = mask.bool()
        return Lattice(
            emissions=emissions.to(dtype).masked_fill(~mask.unsqueeze(2), 0.0),
            mask=mask,
            start=torch.add(self.start_transitions.to(dtype), ~self.may_start, alpha=FORBIDDEN),
            transitions=torch.add(self.transitions.to(dtype), ~self.may_follow, alpha=FORBIDDEN),
            end=torch.add(self.end_transitions.to(dtype), ~self.may_end, alpha=FORBIDDEN),
        )

    def _allowed(self, lattice: Lattice, tags: Tensor) -> Tensor:
        """``[B, k]`` whether sequences ``[B, k, T]`` keep to the constraints."""
        # [B, k, T - 1]
        moves = self.may_follow[tags[:, :, :-1], tags[:, :, 1:]] | ~lattice.mask[:, None, 1:]
        # [B, k]
        last = tags.gather(2, lattice.last.view(-1, 1, 1).expand(-1, tags.shape[1], 1)).squeeze(2)
        return moves.all(dim=2) & self.may_start[tags[:, :, 0]] & self.may_end[last]

    def _path(self, span: Span) -> list[int]:
        """Ids of the tags that spell a span; none where a label is missing."""
        assert self.scheme is not None
        length = span.end - span.start
        tags = tags_of([Span(0, length, span.type)], length, self.scheme)
        path = [self._ids.get(split_tag(tag, self.scheme)) for tag in tags]
        return [k for k in path if k is not None] if None not in path else []

    def _keep(self, name: str, values: list[bool] | list[list[bool]]) -> None:
        self.register_buffer(name, torch.tensor(values, dtype=torch.bool), persistent=False)
