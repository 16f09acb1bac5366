"""The heads on offer, the cards of what they say (classified texts, tagged sentences), and their files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from elmo_tasks.api import ClassifiedText, Entity, HeadInfo, Reading, TaggedSentence, WordOcclusion
from elmo_tasks.ui.heat import tint
from elmo_tasks.ui.page import csv_file, pieces, render
from elmo_tasks.wording import readings
from elmo_tasks.wording import text as wording
from elmo_tasks.wording.classified import difference, headline, said, tip, unweighed, verdict
from elmo_tasks.wording.labels import type_note
from elmo_tasks.wording.readings import marked_spans, marked_words
from elmo_tasks.wording.text import first_capital

Result = TypeVar("Result", TaggedSentence, ClassifiedText)
STEPS = (0.02, 0.08, 0.2, 0.4)
COLOURS = {"PER": 0, "ORG": 1, "LOC": 5, "MISC": 2, "Chemical": 4, "Disease": 3}


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


def weighed_words(result: ClassifiedText) -> list[tuple[str, WordOcclusion | None]]:
    """The text as typed, in pieces, each word with what leaving it out changes."""
    return pieces(result.text, ((word.start, word.end, word) for word in result.occlusion))


def feeling_card(
    offer: Offer, results: Sequence[ClassifiedText], without: Sequence[ClassifiedText] = (), base: str | None = None
) -> str:
    """The whole answer of a classifier, and of its baseline ``without`` context, if it has one.

    Examples that a person puts right are added to ``base`` when they are trained on, see :attr:`~elmo_tasks.api.TrainingJob.base`;
    it is ``None`` where nothing can be trained.
    """
    return render(
        "sentiment.html",
        results=results,
        without=without,
        headline=headline(results),
        difference=difference(results, without) if without else "",
        about=about_line(offer, baseline=bool(without)),
        verdict=verdict,
        said=said,
        words=weighed_words,
        step=lambda push: tint(push, STEPS),
        tip=tip,
        base=base,
        unweighed=unweighed(results),
        has_occlusion=any(result.occlusion for result in results),
        csv=feeling_csv(offer, results, without),
        data=json_data(offer, results, without),
    )


def feeling_csv(offer: Offer, results: Sequence[ClassifiedText], without: Sequence[ClassifiedText] = ()) -> str:
    """One row per word, or per text where no word was left out."""
    classes = list(results[0].probabilities)
    header = ["text number", "head", "label", *(f"probability of {name}" for name in classes), "word", "push", "text"]
    rows = []
    for name, number, result in by_head(offer, results, without):
        first = (number, name, result.label, *(result.probabilities.get(label, 0.0) for label in classes))
        words: list[tuple[object, ...]] = [(word.token, word.change) for word in result.occlusion] or [("", "")]
        rows += [(*first, *word, result.text) for word in words]
    return csv_file(header, rows)


def colour_of(name: str, labels: Sequence[str]) -> int:
    """The colour of a type, the same wherever it is shown; a letter label always stands beside it."""
    if name in COLOURS:
        return COLOURS[name]
    return labels.index(name) % 6 if name in labels else len(name) % 6


def names_card(
    offer: Offer, results: Sequence[TaggedSentence], without: Sequence[TaggedSentence] = (), base: str | None = None
) -> str:
    """The whole answer of a tagger; the arguments as in :func:`feeling_card`."""
    spans = readings.has_spans(results)
    shown = _shown(offer.head, (*results, *without), spans=spans)
    return render(
        "entities.html",
        results=results,
        without=without,
        spans=spans,
        headline=readings.headline(results),
        difference=readings.difference(results, without) if without else "",
        differs=lambda one, other: bool(readings.differences(one, one.best, other.best)),
        about=about_line(offer, baseline=bool(without)),
        colour=lambda name: colour_of(name, offer.head.labels),
        pieces=entity_pieces,
        changes=_changes,
        base=base,
        marked=_marked,
        keys=[name for name in shown if type_note(name)],
        has_names=spans and bool(shown),
        rows=list(_places(results, without)) if spans else (),
        csv=names_csv(offer, results, without),
        data=json_data(offer, results, without),
    )


def entity_pieces(result: TaggedSentence) -> list[tuple[str, Entity | None]]:
    """The sentence as typed, in pieces, each name with what it is."""
    return pieces(result.sentence, ((e.start_char, e.end_char, e) for e in result.best.entities))


def _marked(result: TaggedSentence, spans: bool) -> str:
    """The reading shown, as a line that a person can mend."""
    if spans:
        return marked_spans(result.sentence, ((e.start_char, e.end_char, e.type) for e in result.best.entities))
    return marked_words(result.tokens, result.best.tags)


def _changes(result: TaggedSentence, reading: Reading) -> str:
    phrases = readings.differences(result, result.best, reading)
    return first_capital(readings.shortened(phrases)) if phrases else "The same names, tagged another way"


def _shown(head: HeadInfo, said: Sequence[TaggedSentence], *, spans: bool) -> list[str]:
    """The types or tags that occur, those of the head in its order."""
    if spans:
        names = {entity.type for result in said for entity in result.best.entities}
    else:
        names = {tag for result in said for tag in result.best.tags}
    return [name for name in (*head.labels, *sorted(names - set(head.labels))) if name in names]


def _places(
    results: Sequence[TaggedSentence], without: Sequence[TaggedSentence]
) -> Iterator[tuple[int, str, tuple[int, int], Entity | None, Entity | None]]:
    """Every place where either head found a name: the sentence's number, the words, the place, what each says there."""
    for number, result in enumerate(results, 1):
        others = without[number - 1].best.entities if without else ()
        bare = {(span.start_char, span.end_char): span for span in others}
        own = {(span.start_char, span.end_char): span for span in result.best.entities}
        for place in sorted({*own, *bare}):
            yield number, result.sentence[slice(*place)], place, own.get(place), bare.get(place)


def names_csv(offer: Offer, results: Sequence[TaggedSentence], without: Sequence[TaggedSentence] = ()) -> str:
    """One row per entity of every reading, or per word where the tags are no spans; reading 1 is the best one."""
    header = ["sentence number", "head", "reading", "reading probability", "text", "type", "confidence"]
    header += ["start character", "end character", "sentence"]
    spans = readings.has_spans(results)
    rows = []
    for name, number, result in by_head(offer, results, without):
        for rank, reading in enumerate((result.best, *result.runners_up), 1):
            found: list[tuple[object, ...]]
            if spans:
                found = [
                    (readings.text_of(result, e), e.type, e.confidence, e.start_char, e.end_char)
                    for e in reading.entities
                ] or [("",) * 5]
            else:
                words = zip(result.tokens, reading.tags, result.offsets, strict=True)
                found = [(token, tag, "", *place) for token, tag, place in words]
            rows += [(number, name, rank, reading.probability, *cells, result.sentence) for cells in found]
    return csv_file(header, rows)
