"""Layers -> a tag for each token: what every tagger shares. A tagger gives emissions, a CRF reads the tags off them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from elmo_tasks.heads.crf import CRF
from elmo_tasks.heads.head import Prediction, TaskHead
from elmo_tasks.heads.token_features import TokenFeatures
from elmo_tasks.text.tag_schemes import Scheme, Span, convert, spans_of


@dataclass(frozen=True)
class FoundSpan:
    """Tokens ``start`` to before ``end`` that a head found to be of a type, and the probability of exactly this span."""

    start: int
    end: int
    type: str
    confidence: float


@dataclass(frozen=True)
class TagReading:
    """One way to tag a sentence: a tag for each token, as BIO; the spans that they spell; the probability of the whole.

    Where there is no scheme, the tags are as the labels are, and there are no spans.
    """

    tags: tuple[str, ...]
    spans: tuple[FoundSpan, ...]
    probability: float


@dataclass(frozen=True)
class TagPrediction(TagReading):
    """The best reading of a sentence, and the next best ones, best first, if they were asked for."""

    runners_up: tuple[TagReading, ...] = ()


class TaggingHead(TaskHead):
    """A head that tags tokens. A subclass builds :attr:`mix` and :attr:`crf`, and says in :meth:`forward` how tags score.

    :meth:`forward` gives emissions for :attr:`crf`, where scores and tags of a batch are wanted from one pass;
    :meth:`predict` also says how sure it is.
    """

    kind = "tagging"
    crf: CRF

    @property
    def scheme(self) -> Scheme | None:
        """How the labels spell spans, if they do."""
        return self.task.scheme

    @abstractmethod
    def forward(self, values: Tensor, mask: Tensor, features: TokenFeatures | None = None) -> Tensor:
        """Score every tag for every token.

        Args:
            values: ``[L, B, T, D]`` layers of an encoder; any finite numbers where the mask is False.
            mask: ``[B, T]`` bool, True for a token; padding on the right.
            features: what the head was built to read beside them.

        Returns:
            ``[B, T, K]`` emissions, before the CRF.
        """

    def _scores(self, values: Tensor, mask: Tensor | None, features: TokenFeatures | None) -> Tensor:
        if mask is None:
            raise ValueError("a tagger reads tokens: expected layers [L, B, T, D] with a mask, got pooled ones")
        return super()._scores(values, mask, features)

    def loss_of(self, scores: Tensor, mask: Tensor | None, target: Tensor) -> Tensor:
        """Negative log likelihood, the mean over sentences; see :meth:`TaskHead.loss_of`."""
        return -self.crf(scores, target, mask, "mean")

    def labels_of(self, scores: Tensor, mask: Tensor | None) -> list[Prediction]:
        """See :meth:`TaskHead.labels_of`."""
        return [tuple(self.labels[k] for k in ids) for ids in self.crf.decode(scores, mask)]

    @torch.no_grad()
    def predict(
        self, values: Tensor, mask: Tensor | None, features: TokenFeatures | None = None, n_readings: int = 1
    ) -> list[TagPrediction]:
        """Tag sentences; see :meth:`TaskHead.predict`. A sentence without tokens has one reading, the empty one.

        ``n_readings`` says how many readings of each sentence there are at most; all but the best are its runners-up.

        Raises:
            ValueError: shapes that do not fit, a feature that is missing, or ``n_readings`` below 1.
        """
        if n_readings < 1:
            raise ValueError(f"n_readings: expected at least 1, got {n_readings}")
        if not values.shape[1]:
            return []
        emissions = self._scores(values, mask, features)  # [B, T, K]
        found = self.crf.k_best(emissions, n_readings, mask)
        tags = [[self._as_bio(reading.tags) for reading in row] for row in found]
        sure = self._confidences(emissions, mask, [{s for t in row for s in self._spans(t)} for row in tags])
        predictions = []
        for row, spelled, confidence in zip(found, tags, sure, strict=True):
            best, *others = (
                TagReading(
                    t,
                    tuple(FoundSpan(s.start, s.end, s.type, confidence[s]) for s in self._spans(t)),
                    reading.probability,
                )
                for reading, t in zip(row, spelled, strict=True)
            )
            predictions.append(TagPrediction(best.tags, best.spans, best.probability, tuple(others)))
        return predictions

    def _as_bio(self, ids: Sequence[int]) -> tuple[str, ...]:
        tags = [self.labels[k] for k in ids]
        return tuple(tags if self.scheme is None else convert(tags, self.scheme, "BIO"))

    def _spans(self, tags: Sequence[str]) -> list[Span]:
        return [] if self.scheme is None else spans_of(tags, "BIO")

    def _confidences(self, emissions: Tensor, mask: Tensor | None, spans: list[set[Span]]) -> list[dict[Span, float]]:
        """Probability of each span; readings share most of theirs, so each is computed once."""
        if self.scheme is None:
            return [{} for _ in spans]
        rows = [sorted(row) for row in spans]
        chances = self.crf.span_probabilities(emissions, rows, mask)
        return [dict(zip(row, chance, strict=True)) for row, chance in zip(rows, chances, strict=True)]
