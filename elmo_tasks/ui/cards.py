"""Cards of classified texts and tagged sentences, the head options and their files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, TypeVar

from elmo_tasks.api import ClassifiedText, Entity, HeadInfo, TaggedText, TagReading
from elmo_tasks.messages import heads
from elmo_tasks.messages.heads import class_words, marked_spans, marked_words, type_note
from elmo_tasks.ui.colours import tint
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.rendering import pieces, render
from elmo_tasks.wording import score_line

ReadT = TypeVar("ReadT", TaggedText, ClassifiedText)
DIFFERENCE_STEPS = (0.02, 0.08, 0.2, 0.4)
COLOURS = {"PER": 0, "ORG": 1, "LOC": 5, "MISC": 2, "Chemical": 4, "Disease": 3}


@dataclass(frozen=True)
class HeadOption:
    """Head that can be chosen."""

    head: HeadInfo
    baseline: HeadInfo | None = None  # the same head on layer 0 alone, if there is one


def head_options(heads: Sequence[HeadInfo], kind: str) -> tuple[HeadOption, ...]:
    """Return the heads of a kind in their order; baselines are no options of their own."""
    by_name = {head.name: head for head in heads}
    baselines = {head.baseline for head in heads if head.baseline}
    return tuple(
        HeadOption(head, by_name.get(head.baseline) if head.baseline else None)
        for head in heads
        if head.kind == kind and head.name not in baselines
    )


def chosen_options(options: Sequence[HeadOption], names: Sequence[str]) -> list[HeadOption]:
    """Return the options with these names in this order, or the first one if none is there."""
    by_name = {option.head.name: option for option in options}
    return [by_name[name] for name in dict.fromkeys(names) if name in by_name] or list(options[:1])


def tested_line(option: HeadOption, unit: str, *, baseline: bool) -> str:
    """Say in plain words how well a head did in its test, and the ``baseline`` in it.

    ``unit`` names what gets a label: ``"texts"`` or ``"words"``.
    """
    score = option.head.score
    if score is None:
        return "It was not tested yet."
    other = option.baseline.score if baseline and option.baseline else None
    if other and (score.metric, score.data) != (other.metric, other.data):
        other = None
    if score.metric == "accuracy":
        beside = f"; on layer 0 alone, in {100 * other.value:.0f}" if other else ""
        return f"In its test it was right in {100 * score.value:.0f} of 100 {unit}{beside}."
    beside = f"; on layer 0 alone {other.value:.2f}" if other else ""
    meant = "1 means: every one found and none invented"
    return f"In its test it scored {score.value:.2f} ({score.metric}; {meant}){beside}."


def about_line(option: HeadOption, *, baseline: bool) -> str:
    """Describe the score of a head, and the ``baseline`` score on layer 0 alone."""
    score = option.head.score
    other = option.baseline.score if baseline and option.baseline else None
    line = "not measured yet"
    if score:
        line = score_line(score.metric, score.value, heads.measured_on(score.data))
    if score and other and (score.metric, score.data) == (other.metric, other.data):
        line = f"{line} (on layer 0 alone {other.value:.2f})"
    elif other:
        measured = score_line(other.metric, other.value, heads.measured_on(other.data))
        line = f"{line}; on layer 0 alone: {measured}"
    return f"{option.head.title}: {line}."


def distinct(named: Sequence[tuple[str, str]]) -> list[str]:
    """Return the titles of ``(name, title)`` pairs, with the name for duplicates."""
    titles = [title for _, title in named]
    return [title if titles.count(title) == 1 else f"{title}: {name}" for name, title in named]


def by_head(
    option: HeadOption, results: Sequence[ReadT], without: Sequence[ReadT]
) -> Iterator[tuple[str, int, ReadT]]:
    """Yield each result with its head and its number from 1; those without context come last."""
    for head, of_head in ((option.head, results), (option.baseline, without)):
        if head is not None:
            for number, result in enumerate(of_head, 1):
                yield head.name, number, result


def json_data(
    option: HeadOption, results: Sequence[ReadT], without: Sequence[ReadT] = ()
) -> dict[str, Any]:
    """Return the content of the JSON file: results as the endpoint gives them."""
    data: dict[str, Any] = {
        "head": option.head.name,
        "results": [result.to_dict() for result in results],
    }
    if without and option.baseline is not None:
        data["without_context"] = {
            "head": option.baseline.name,
            "results": [result.to_dict() for result in without],
        }
    return data


def heading(head: HeadInfo) -> str:
    """Return the heading over the labels of a classifier."""
    if {class_words(label) for label in head.labels} <= {"positive", "negative", "neutral"}:
        return "Sentiment: how does it sound?"
    return f"{head.title}: which label fits?"


def sentiment_card(
    option: HeadOption,
    results: Sequence[ClassifiedText],
    without: Sequence[ClassifiedText] = (),
    query: str = "",
) -> str:
    """Render the answer of a classifier, and its baseline ``without`` context if different."""
    return render(
        "sentiment.html",
        results=results,
        without=without,
        heading=heading(option.head),
        title=option.head.title,
        about=about_line(option, baseline=bool(without)),
        tested=tested_line(option, "texts", baseline=bool(without)),
        words=lambda result: pieces(
            result.text,
            ((word.use.char_start, word.use.char_end, word) for word in result.occlusion),
        ),
        step=lambda push: tint(push, DIFFERENCE_STEPS),
        query=query,
        csv=sentiment_csv(option, results, without),
        data=json_data(option, results, without),
    )


def sentiment_csv(
    option: HeadOption, results: Sequence[ClassifiedText], without: Sequence[ClassifiedText] = ()
) -> str:
    """Return a row for each word, or for each text without occlusion."""
    classes = list(results[0].probabilities)
    header = [
        "text number",
        "head",
        "label",
        *(f"probability of {name}" for name in classes),
        "word",
        "push",
        "text",
    ]
    rows = []
    for name, number, result in by_head(option, results, without):
        first = (
            number,
            name,
            result.label,
            *(result.probabilities.get(label, 0.0) for label in classes),
        )
        words: list[tuple[object, ...]] = [
            (word.use.token, word.change) for word in result.occlusion
        ] or [("", "")]
        rows += [(*first, *word, result.text) for word in words]
    return csv_file(header, rows)


def colour_of(name: str, labels: Sequence[str]) -> int:
    """Return the colour of an entity type, the same everywhere; its letters stand beside it."""
    return COLOURS.get(name, labels.index(name) % 6 if name in labels else len(name) % 6)


def entity_card(
    option: HeadOption,
    results: Sequence[TaggedText],
    without: Sequence[TaggedText] = (),
    query: str = "",
) -> str:
    """Render the answer of a tagger; the arguments are those of :func:`sentiment_card`."""
    spans, labels = heads.has_spans(results), option.head.labels
    types = {
        entity.type
        for result in (*results, *without)
        for entity in _entities(result, result.best, spans=spans)
    }
    shown = [name for name in (*labels, *sorted(types - set(labels))) if name in types]
    return render(
        "entities.html",
        results=results,
        without=without,
        spans=spans,
        title=option.head.title,
        about=about_line(option, baseline=bool(without)),
        tested=tested_line(option, "words", baseline=bool(without)),
        colour=lambda name: colour_of(name, labels),
        pieces=lambda result: pieces(
            result.sentence, ((e.start_char, e.end_char, e) for e in result.best.entities)
        ),
        query=query,
        keys=[name for name in shown if type_note(name)],
        has_names=spans and bool(shown),
        rows=list(_places(results, without, spans=spans)),
        csv=entity_csv(option, results, without),
        data=json_data(option, results, without),
    )


def _entities(result: TaggedText, reading: TagReading, *, spans: bool) -> Sequence[Entity]:
    """Return the entities of a reading or, from a head that tags words, one for each word."""
    if spans:
        return reading.entities
    words = zip(reading.tags, result.offsets, strict=True)
    return [
        Entity(start=k, end=k + 1, type=tag, confidence=1.0, start_char=start, end_char=end)
        for k, (tag, (start, end)) in enumerate(words)
    ]


def marked(result: TaggedText) -> str:
    """Write the tags of a sentence into it, as a line that the user can correct."""
    if heads.has_spans([result]):
        return marked_spans(
            result.sentence, ((e.start_char, e.end_char, e.type) for e in result.best.entities)
        )
    return marked_words(result.tokens, result.best.tags)


def _places(
    results: Sequence[TaggedText], without: Sequence[TaggedText], *, spans: bool
) -> Iterator[tuple[int, str, tuple[int, int], Entity | None, Entity | None]]:
    """Yield where a head finds an entity: sentence number, words, position, both entities."""
    for number, pair in enumerate(zip_longest(results, without), 1):
        own, baseline = (
            {
                (e.start_char, e.end_char): e
                for e in (_entities(result, result.best, spans=spans) if result else ())
            }
            for result in pair
        )
        for place in sorted({*own, *baseline}):
            yield (
                number,
                pair[0].sentence[slice(*place)],
                place,
                own.get(place),
                baseline.get(place),
            )


def entity_csv(
    option: HeadOption, results: Sequence[TaggedText], without: Sequence[TaggedText] = ()
) -> str:
    """Return a row per entity of every reading, or per tagged word; reading 1 is the best."""
    header = [
        "sentence number",
        "head",
        "reading",
        "reading probability",
        "text",
        "type",
        "confidence",
    ]
    header += ["start character", "end character", "sentence"]
    spans = heads.has_spans(results)
    rows = []
    for name, number, result in by_head(option, results, without):
        for rank, reading in enumerate((result.best, *result.alternatives), 1):
            cells: list[tuple[object, ...]] = [
                (
                    heads.entity_text(result, e),
                    e.type,
                    e.confidence if spans else "",
                    e.start_char,
                    e.end_char,
                )
                for e in _entities(result, reading, spans=spans)
            ]
            first = (number, name, rank, reading.probability)
            rows += [(*first, *cell, result.sentence) for cell in cells or [("",) * 5]]
    return csv_file(header, rows)
