"""Span scores of taggers: exact matches with the right type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

import torch
from torch import Tensor
from torchmetrics import Metric

from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.text.tag_schemes import Scheme, Span, spans_of

Tags = Sequence[str]


@dataclass(frozen=True)
class SpanCounts:
    """Counts of spans: predicted and correct, predicted, and gold."""

    correct: int = 0
    predicted: int = 0
    gold: int = 0

    def __add__(self, other: SpanCounts) -> SpanCounts:
        return SpanCounts(self.correct + other.correct, self.predicted + other.predicted, self.gold + other.gold)

    @property
    def precision(self) -> float:
        """Share of the predicted spans that are right; 0 where none was predicted."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold spans that were predicted; 0 without gold spans."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.correct / (self.predicted + self.gold) if self.correct else 0.0


def span_counts(preds: Iterable[Tags], target: Iterable[Tags], scheme: Scheme) -> dict[str, SpanCounts]:
    """Count spans by type, as the CoNLL scorer does (see ``spans_of``).

    There is an entry for each type that occurs, sorted.

    Raises:
        ValueError: not the same number of sentences, or of tokens in one of them.
        DataError: a tag is not one of the scheme.
    """
    counts: dict[str, SpanCounts] = {}

    def count(spans: Iterable[Span], one: SpanCounts) -> None:
        for span in spans:
            counts[span.type] = counts.get(span.type, SpanCounts()) + one

    preds, target = list(preds), list(target)
    if len(preds) != len(target):
        raise ValueError(f"tags of {len(preds)} sentences were predicted, but there are {len(target)} sentences")
    for k, (predicted_tags, gold_tags) in enumerate(zip(preds, target, strict=True), start=1):
        if len(predicted_tags) != len(gold_tags):
            raise ValueError(
                f"sentence {k}: {len(predicted_tags)} tags were predicted, but there are {len(gold_tags)} tokens"
            )
        predicted, gold = set(spans_of(predicted_tags, scheme)), set(spans_of(gold_tags, scheme))
        count(predicted & gold, SpanCounts(correct=1))
        count(predicted, SpanCounts(predicted=1))
        count(gold, SpanCounts(gold=1))
    return dict(sorted(counts.items()))


class SpanF1(Metric):
    """Precision, recall and F1 of spans over all batches, micro and by type.

    Only whole numbers are kept, three for each type of the label set, so that every process has the same states and their
    sum is exactly the count over all: a process that saw no span of a type, or no batch at all, adds zeros.

    Raises:
        ConfigError: a type is repeated.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False

    totals: Tensor

    def __init__(self, types: Sequence[str], scheme: Scheme = "BIO") -> None:
        super().__init__()
        if len(set(types)) != len(types):
            raise ConfigError(f"types: each span type once, got {', '.join(types)}")
        self.types = tuple(types)
        self.scheme: Scheme = scheme
        self.add_state("totals", torch.zeros(len(self.types), 3, dtype=torch.long), dist_reduce_fx="sum")  # [types, 3]

    def update(self, preds: Sequence[Tags], target: Sequence[Tags]) -> None:
        """Count a batch of sentences.

        Raises:
            ValueError: not the same number of sentences, or of tokens in one of them.
            DataError: a tag is not one of the scheme, or a span has a type that the label set has not.
        """
        counts = span_counts(preds, target, self.scheme)
        if unknown := sorted(set(counts) - set(self.types)):
            raise DataError(
                f"spans of type {', '.join(unknown)}, but the label set has {', '.join(self.types) or 'none'}"
            )
        rows = [astuple(counts.get(type_, SpanCounts())) for type_ in self.types]
        self.totals += torch.tensor(rows, dtype=torch.long, device=self.totals.device).view(-1, 3)

    def compute(self) -> dict[str, Tensor]:
        """Return ``precision``, ``recall``, ``f1``, and ``f1/X`` etc. of each type."""
        by_type = self.counts()
        scores = _named("", sum(by_type.values(), SpanCounts()))
        for type_, counts in by_type.items():
            scores |= _named(f"/{type_}", counts)
        return {name: torch.tensor(value, device=self.totals.device) for name, value in scores.items()}

    def counts(self) -> dict[str, SpanCounts]:
        """The counts of each type: of this process, or of all of them inside ``compute``."""
        return {type_: SpanCounts(*row) for type_, row in zip(self.types, self.totals.tolist(), strict=True)}


def _named(ending: str, counts: SpanCounts) -> dict[str, float]:
    return {f"precision{ending}": counts.precision, f"recall{ending}": counts.recall, f"f1{ending}": counts.f1}
