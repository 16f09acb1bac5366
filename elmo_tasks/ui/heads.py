"""Which heads a person can choose, and what is said about each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from elmo_tasks.api import ClassifiedText, HeadInfo, TaggedSentence
from elmo_tasks.wording import heads as wording

Result = TypeVar("Result", TaggedSentence, ClassifiedText)


@dataclass(frozen=True)
class Offer:
    """A head on offer."""

    head: HeadInfo
    baseline: HeadInfo | None = None  # the same head without context, if there is one


def offers(heads: Sequence[HeadInfo], kind: str) -> tuple[Offer, ...]:
    """The heads of a kind in their order; baselines are not offered by themselves."""
    by_name = {head.name: head for head in heads}
    baselines = {head.baseline for head in heads if head.baseline}
    return tuple(
        Offer(head, by_name.get(head.baseline) if head.baseline else None)
        for head in heads
        if head.kind == kind and head.name not in baselines
    )


def find(offered: Sequence[Offer], name: str | None) -> Offer | None:
    """The offer with that name; the first one if no such head is on offer (any more)."""
    return next((offer for offer in offered if offer.head.name == name), offered[0] if offered else None)


def score_line(head: HeadInfo) -> str:
    """``F1 0.87 on CoNLL-2003 test``; says so when nothing was measured."""
    if head.score is None:
        return "not measured yet"
    return wording.score_line(head.score.metric, head.score.value, head.score.data)


def about_line(offer: Offer, *, baseline: bool) -> str:
    """The head and what it was measured to do; with ``baseline`` also what the head without context does."""
    line = f"{offer.head.title} · {score_line(offer.head)}"
    if baseline and offer.baseline is not None and offer.baseline.score is not None:
        line += f" · without context: {score_line(offer.baseline)}"
    return line


def distinct(named: Sequence[tuple[str, str]]) -> list[str]:
    """The titles of ``(name, title)``; where two are the same (two runs of one training) the name tells them apart."""
    titles = [title for _, title in named]
    return [title if titles.count(title) == 1 else f"{title}: {name}" for name, title in named]


def option(offer: Offer, title: str) -> dict[str, str]:
    """What the form shows of a head."""
    own = ", trained here" if offer.head.own else ""
    return {"name": offer.head.name, "title": title, "score": f"{score_line(offer.head)}{own}"}


def by_head(offer: Offer, results: Sequence[Result], without: Sequence[Result]) -> Iterator[tuple[str, int, Result]]:
    """What a file holds: each result with the name of its head and its number from 1; those without context come last."""
    for head, found in ((offer.head, results), (offer.baseline, without)):
        if head is not None:
            for number, result in enumerate(found, 1):
                yield head.name, number, result


def json_data(offer: Offer, results: Sequence[Result], without: Sequence[Result] = ()) -> dict[str, Any]:
    """What the JSON file holds: the results as the endpoint for heads of this kind gives them."""
    data: dict[str, Any] = {"head": offer.head.name, "results": [result.to_dict() for result in results]}
    if without and offer.baseline is not None:
        data["without_context"] = {"head": offer.baseline.name, "results": [result.to_dict() for result in without]}
    return data
