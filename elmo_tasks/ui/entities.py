"""The card and the files of tagged sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from elmo_tasks.api import Entity, HeadInfo, Reading, TaggedSentence
from elmo_tasks.ui.downloads import csv_file
from elmo_tasks.ui.heads import Offer, about_line, by_head, json_data
from elmo_tasks.ui.page import pieces, render
from elmo_tasks.wording import readings
from elmo_tasks.wording.labels import type_note
from elmo_tasks.wording.marked import marked_spans, marked_words
from elmo_tasks.wording.text import first_capital

COLOURS = {"PER": 0, "ORG": 1, "LOC": 5, "MISC": 2, "Chemical": 4, "Disease": 3}


def colour_of(name: str, labels: Sequence[str]) -> int:
    """The colour of a type, the same wherever it is shown; a letter label always stands beside it."""
    if name in COLOURS:
        return COLOURS[name]
    return labels.index(name) % 6 if name in labels else len(name) % 6


def card(
    offer: Offer, results: Sequence[TaggedSentence], without: Sequence[TaggedSentence] = (), base: str | None = None
) -> str:
    """The whole answer of a tagger; for the arguments see :func:`elmo_tasks.ui.sentiment.card`."""
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
        csv=csv_text(offer, results, without),
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


def csv_text(offer: Offer, results: Sequence[TaggedSentence], without: Sequence[TaggedSentence] = ()) -> str:
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
