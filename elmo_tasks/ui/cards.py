"""Cards of classified texts and tagged sentences, the head options and their files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from elmo_tasks.api import ClassifiedText, Entity, HeadInfo, Reading, TaggedSentence, WordOcclusion
from elmo_tasks.messages import readings, text
from elmo_tasks.messages.classified import difference, headline, is_clear, said, tip, unweighed, verdict
from elmo_tasks.messages.labels import class_words, type_note
from elmo_tasks.messages.readings import marked_spans, marked_words
from elmo_tasks.messages.text import first_capital
from elmo_tasks.ui.heat import tint
from elmo_tasks.ui.page import csv_file, pieces, render

Result = TypeVar("Result", TaggedSentence, ClassifiedText)
STEPS = (0.02, 0.08, 0.2, 0.4)
COLOURS = {"PER": 0, "ORG": 1, "LOC": 5, "MISC": 2, "Chemical": 4, "Disease": 3}


@dataclass(frozen=True)
class HeadOption:
    """Head that can be chosen."""

    head: HeadInfo
    baseline: HeadInfo | None = None  # the same head without context, if there is one


def head_options(heads: Sequence[HeadInfo], kind: str) -> tuple[HeadOption, ...]:
    """Return the heads of a kind in their order; baselines are no options of their own."""
    by_name = {head.name: head for head in heads}
    baselines = {head.baseline for head in heads if head.baseline}
    return tuple(
        HeadOption(head, by_name.get(head.baseline) if head.baseline else None)
        for head in heads
        if head.kind == kind and head.name not in baselines
    )


def find(options: Sequence[HeadOption], name: str | None) -> HeadOption | None:
    """Return the option with that name, or the first one if that head is gone."""
    return next((option for option in options if option.head.name == name), options[0] if options else None)


def score_line(head: HeadInfo) -> str:
    """Return ``F1 0.87 on CoNLL-2003 test``, or a note that there is no score."""
    if head.score is None:
        return "not measured yet"
    return text.score_line(head.score.metric, head.score.value, head.score.data)


def about_line(option: HeadOption, *, baseline: bool) -> str:
    """Describe a head and its score, and the ``baseline`` score without context."""
    line = f"{option.head.title} · {score_line(option.head)}"
    if baseline and option.baseline is not None and option.baseline.score is not None:
        line += f" · without context: {score_line(option.baseline)}"
    return line


def distinct(named: Sequence[tuple[str, str]]) -> list[str]:
    """Return the titles of ``(name, title)`` pairs, with the name for duplicates."""
    titles = [title for _, title in named]
    return [title if titles.count(title) == 1 else f"{title}: {name}" for name, title in named]


def by_head(
    option: HeadOption, results: Sequence[Result], without: Sequence[Result]
) -> Iterator[tuple[str, int, Result]]:
    """Yield each result with its head and its number from 1; those without context come last."""
    for head, found in ((option.head, results), (option.baseline, without)):
        if head is not None:
            for number, result in enumerate(found, 1):
                yield head.name, number, result


def json_data(option: HeadOption, results: Sequence[Result], without: Sequence[Result] = ()) -> dict[str, Any]:
    """Return the content of the JSON file: results as the endpoint gives them."""
    data: dict[str, Any] = {"head": option.head.name, "results": [result.to_dict() for result in results]}
    if without and option.baseline is not None:
        data["without_context"] = {"head": option.baseline.name, "results": [result.to_dict() for result in without]}
    return data


def weighed_words(result: ClassifiedText) -> list[tuple[str, WordOcclusion | None]]:
    """Split a text as typed into pieces, each word with its occlusion."""
    return pieces(result.text, ((word.start, word.end, word) for word in result.occlusion))


def heading(head: HeadInfo) -> str:
    """Return the heading over the labels of a classifier."""
    if {class_words(label) for label in head.labels} <= {"positive", "negative", "neutral"}:
        return "Sentiment: how does it sound?"
    return f"{head.title}: which label fits?"


def sentiment_card(
    option: HeadOption, results: Sequence[ClassifiedText], without: Sequence[ClassifiedText] = (), query: str = ""
) -> str:
    """Render the answer of a classifier, and its baseline ``without`` context if different."""
    return render(
        "sentiment.html",
        results=results,
        without=without,
        heading=heading(option.head),
        headline=headline(results),
        difference=difference(results, without) if without else "",
        about=about_line(option, baseline=bool(without)),
        verdict=verdict,
        said=said,
        is_clear=is_clear,
        words=weighed_words,
        step=lambda push: tint(push, STEPS),
        tip=tip,
        query=query,
        unweighed=unweighed(results),
        has_occlusion=any(result.occlusion for result in results),
        csv=sentiment_csv(option, results, without),
        data=json_data(option, results, without),
    )


def sentiment_csv(option: HeadOption, results: Sequence[ClassifiedText], without: Sequence[ClassifiedText] = ()) -> str:
    """Return a row for each word, or for each text without occlusion."""
    classes = list(results[0].probabilities)
    header = ["text number", "head", "label", *(f"probability of {name}" for name in classes), "word", "push", "text"]
    rows = []
    for name, number, result in by_head(option, results, without):
        first = (number, name, result.label, *(result.probabilities.get(label, 0.0) for label in classes))
        words: list[tuple[object, ...]] = [(word.token, word.change) for word in result.occlusion] or [("", "")]
        rows += [(*first, *word, result.text) for word in words]
    return csv_file(header, rows)


def colour_of(name: str, labels: Sequence[str]) -> int:
    """Return the colour of an entity type, the same everywhere.

    The letters of the type always stand beside it.
    """
    if name in COLOURS:
        return COLOURS[name]
    return labels.index(name) % 6 if name in labels else len(name) % 6


def entity_card(
    option: HeadOption, results: Sequence[TaggedSentence], without: Sequence[TaggedSentence] = (), query: str = ""
) -> str:
    """Render the answer of a tagger; the arguments are those of :func:`sentiment_card`."""
    spans = readings.has_spans(results)
    shown = _shown(option.head, (*results, *without), spans=spans)
    return render(
        "entities.html",
        results=results,
        without=without,
        spans=spans,
        headline=readings.headline(results),
        difference=readings.difference(results, without) if without else "",
        differs=lambda one, other: bool(readings.differences(one, one.best, other.best)),
        about=about_line(option, baseline=bool(without)),
        colour=lambda name: colour_of(name, option.head.labels),
        pieces=entity_pieces,
        changes=_changes,
        query=query,
        keys=[name for name in shown if type_note(name)],
        has_names=spans and bool(shown),
        rows=list(_places(results, without)) if spans else (),
        csv=entity_csv(option, results, without),
        data=json_data(option, results, without),
    )


def entity_pieces(result: TaggedSentence) -> list[tuple[str, Entity | None]]:
    """Split a sentence as typed into pieces, each entity with its type."""
    return pieces(result.sentence, ((e.start_char, e.end_char, e) for e in result.best.entities))


def marked(result: TaggedSentence) -> str:
    """Write the tags of a sentence into it, as a line that the user can correct."""
    if readings.has_spans([result]):
        return marked_spans(result.sentence, ((e.start_char, e.end_char, e.type) for e in result.best.entities))
    return marked_words(result.tokens, result.best.tags)


def _changes(result: TaggedSentence, reading: Reading) -> str:
    phrases = readings.differences(result, result.best, reading)
    return first_capital(readings.shortened(phrases)) if phrases else "The same entities, tagged another way"


def _shown(head: HeadInfo, said: Sequence[TaggedSentence], *, spans: bool) -> list[str]:
    """Return the types or tags that occur, in the order of the head."""
    if spans:
        names = {entity.type for result in said for entity in result.best.entities}
    else:
        names = {tag for result in said for tag in result.best.tags}
    return [name for name in (*head.labels, *sorted(names - set(head.labels))) if name in names]


def _places(
    results: Sequence[TaggedSentence], without: Sequence[TaggedSentence]
) -> Iterator[tuple[int, str, tuple[int, int], Entity | None, Entity | None]]:
    """Yield each place where either head recognizes an entity.

    A place is the sentence number, the words, the position and both entities.
    """
    for number, result in enumerate(results, 1):
        others = without[number - 1].best.entities if without else ()
        bare = {(span.start_char, span.end_char): span for span in others}
        own = {(span.start_char, span.end_char): span for span in result.best.entities}
        for place in sorted({*own, *bare}):
            yield number, result.sentence[slice(*place)], place, own.get(place), bare.get(place)


def entity_csv(option: HeadOption, results: Sequence[TaggedSentence], without: Sequence[TaggedSentence] = ()) -> str:
    """Return a row per entity of every reading, or per tagged word.

    Reading 1 is the best.
    """
    header = ["sentence number", "head", "reading", "reading probability", "text", "type", "confidence"]
    header += ["start character", "end character", "sentence"]
    spans = readings.has_spans(results)
    rows = []
    for name, number, result in by_head(option, results, without):
        for rank, reading in enumerate((result.best, *result.alternatives), 1):
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
