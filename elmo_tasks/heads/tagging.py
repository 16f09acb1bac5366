"""Base class of taggers: emissions from a subclass, tags decoded by a CRF."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from elmo_tasks.heads.crf import CRF
from elmo_tasks.heads.head import Prediction, TaskHead, TokenFeatures
from elmo_tasks.text.tag_schemes import Scheme, Span, convert, spans_of


@dataclass(frozen=True)
class FoundSpan(Span):
    """A predicted span with its probability."""

    confidence: float


@dataclass(frozen=True)
class TagSequence:
    """A tag sequence in BIO with its spans; without a scheme, the labels and no spans."""

    tags: tuple[str, ...]
    spans: tuple[FoundSpan, ...]
    probability: float
    alternatives: tuple[TagSequence, ...] = ()  # of the best one, on request


class TaggingHead(TaskHead):
    """Base class of taggers.

    A subclass builds :attr:`mix` and :attr:`crf`, and computes the emissions ``[B, T, K]`` for
    :attr:`crf` in :meth:`forward`.
    """

    kind = "tagging"
    crf: CRF

    @property
    def scheme(self) -> Scheme | None:
        """The tag scheme of the labels, if they encode spans."""
        return self.task.scheme

    def loss_of(self, scores: Tensor, mask: Tensor | None, target: Tensor) -> Tensor:
        """Negative log likelihood, the mean over sentences; see :meth:`TaskHead.loss_of`."""
        return -self.crf(scores, target, mask, "mean")

    def labels_of(self, scores: Tensor, mask: Tensor | None) -> list[Prediction]:
        """See :meth:`TaskHead.labels_of`."""
        return [tuple(self.labels[k] for k in ids) for ids in self.crf.decode(scores, mask)]

    @torch.no_grad()
    def predict(
        self,
        values: Tensor,
        mask: Tensor | None,
        features: TokenFeatures | None = None,
        n_readings: int = 1,
    ) -> list[TagSequence]:
        """Tag sentences; see :meth:`TaskHead.predict`. No tokens give an empty sequence.

        ``n_readings`` is the maximum number of tag sequences of a sentence; all but the best are
        its alternatives.
        """
        if not values.shape[1]:
            return []
        emissions = self(values, mask, features)  # [B, T, K]
        paths = self.crf.k_best(emissions, n_readings, mask)
        tags = [[self._as_bio(path.tags) for path in row] for row in paths]
        spans = [
            sorted({span for sequence in row for span in self._spans(sequence)}) for row in tags
        ]
        # Each span once for all tag sequences.
        chances = (
            self.crf.span_probabilities(emissions, spans, mask)
            if self.scheme is not None
            else [[]] * len(spans)
        )
        predictions = []
        for row, spelled, found, chance in zip(paths, tags, spans, chances, strict=True):
            confidence = dict(zip(found, chance, strict=True))
            best, *others = (
                TagSequence(
                    tags=sequence,
                    spans=self._scored_spans(sequence, confidence),
                    probability=math.exp(path.log_probability),
                )
                for path, sequence in zip(row, spelled, strict=True)
            )
            predictions.append(replace(best, alternatives=tuple(others)))
        return predictions

    def _as_bio(self, ids: Sequence[int]) -> tuple[str, ...]:
        tags = [self.labels[k] for k in ids]
        return tuple(tags if self.scheme is None else convert(tags, self.scheme, "BIO"))

    def _spans(self, tags: Sequence[str]) -> list[Span]:
        return [] if self.scheme is None else spans_of(tags, "BIO")

    def _scored_spans(
        self, tags: Sequence[str], confidence: Mapping[Span, float]
    ) -> tuple[FoundSpan, ...]:
        return tuple(
            FoundSpan(start=span.start, end=span.end, type=span.type, confidence=confidence[span])
            for span in self._spans(tags)
        )
