"""The markup and the files of tagged sentences. What came from a person or a model goes through :func:`html.escape`."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from elmo_tasks.api import Entity, HeadInfo, Reading, TaggedSentence
from elmo_tasks.ui import readings
from elmo_tasks.ui.downloads import actions, csv_file
from elmo_tasks.ui.heads import Offer, about_line, by_head, json_data
from elmo_tasks.ui.plain_words import first_capital, percent, type_note

COLOURS = {"PER": 0, "ORG": 1, "LOC": 5, "MISC": 2, "Chemical": 4, "Disease": 3}


def colour_of(name: str, labels: Sequence[str]) -> int:
    """The colour of a type, the same wherever it is shown; a letter label always stands beside it."""
    if name in COLOURS:
        return COLOURS[name]
    return labels.index(name) % 6 if name in labels else len(name) % 6


def card(offer: Offer, results: Sequence[TaggedSentence], without: Sequence[TaggedSentence] = ()) -> str:
    """The whole answer of a tagger; ``without`` holds what its twin says, if it has one."""
    spans = readings.has_spans(results)
    head = offer.head
    rows = []
    for number, result in enumerate(results, 1):
        sides = _side(result, head, "With context" if without else "", "", spans=spans)
        if without:
            other = without[number - 1]
            differs = bool(readings.differences(result, result.best, other.best))
            kind, name = (" differs", ": different") if differs else ("", "")
            sides += _side(other, head, f"Without context{name}", f" without{kind}", spans=spans)
        heading = f"<h3>Sentence {number}</h3>" if len(results) > 1 else ""
        rows.append(f'<li class="text">{heading}<div class="{"pair" if without else "single"}">{sides}</div></li>')
    about = f'<p class="reasons">{escape(readings.difference(results, without))}</p>' if without else ""
    eyebrow = "Names: who and what is mentioned?" if spans else "Words: what kind is each?"
    return (
        f'<section class="card task" aria-labelledby="names-answer"><p class="eyebrow">{eyebrow}</p>'
        f'<div role="status"><h2 id="names-answer">{escape(readings.headline(results))}</h2>{about}</div>'
        f'<p class="meta">{escape(about_line(offer, twin=bool(without)))}</p>'
        f'<ol class="texts" role="list" data-picture="">{"".join(rows)}</ol>{_legend(head, results, without, spans=spans)}'
        f"{_table(results, without) if spans else _tag_table(results, without)}"
        f"{actions('entities' if spans else 'tags', csv_text(offer, results, without), json_data(offer, results, without))}"
        "</section>"
    )


def _side(result: TaggedSentence, head: HeadInfo, name: str, kind: str, *, spans: bool) -> str:
    title = f'<p class="side-title">{escape(name)}</p>' if name else ""
    body = _marked(result, head) if spans else _tagged(result, head)
    return f'<div class="side{kind}">{title}{body}{_runners_up(result)}</div>'


def _marked(result: TaggedSentence, head: HeadInfo) -> str:
    parts = []
    at = 0
    for entity in sorted(result.best.entities, key=lambda span: span.start_char):
        if entity.start_char < at:
            continue
        parts.append(escape(result.sentence[at : entity.start_char]))
        # The words of the tag are for screen readers, which would not tell where a highlight begins.
        parts.append(
            f'<mark class="entity g{colour_of(entity.type, head.labels)}"><bdi>'
            f"{escape(readings.text_of(result, entity))}</bdi> "
            f'<span class="type" dir="ltr" title="{escape(first_capital(type_note(entity.type) or entity.type))}">'
            f"<b>{escape(entity.type)}</b> {percent(entity.confidence)}</span></mark>"
        )
        at = entity.end_char
    empty = "" if result.best.entities else '<p class="hint">No names found here.</p>'
    return f'<p class="words" dir="auto">{"".join(parts)}{escape(result.sentence[at:])}</p>{empty}'


def _tagged(result: TaggedSentence, head: HeadInfo) -> str:
    words = "".join(
        f'<li class="g{colour_of(tag, head.labels)}"><bdi>{escape(token)}</bdi><span title="{escape(type_note(tag) or tag)}">'
        f"{escape(tag)}</span></li>"
        for token, tag in zip(result.tokens, result.best.tags, strict=True)
    )
    return f'<ol class="tagged" role="list" dir="auto">{words}</ol>'


def _runners_up(result: TaggedSentence) -> str:
    if not result.runners_up:
        return ""
    rows = [
        f"<li><b>{percent(reading.probability)}</b><span>{escape(_changes(result, reading))}</span></li>"
        for reading in result.runners_up
    ]
    best = f"<li><b>{percent(result.best.probability)}</b><span>The reading shown above</span></li>"
    return (
        '<details class="more"><summary>Other readings</summary>'
        f'<ol class="readings" role="list">{best}{"".join(rows)}</ol></details>'
    )


def _changes(result: TaggedSentence, reading: Reading) -> str:
    phrases = readings.differences(result, result.best, reading)
    return first_capital(readings.shortened(phrases)) if phrases else "The same names, tagged another way"


def _legend(
    head: HeadInfo, results: Sequence[TaggedSentence], without: Sequence[TaggedSentence], *, spans: bool
) -> str:
    said = (*results, *without)
    if spans:
        names = {entity.type for result in said for entity in result.best.entities}
    else:
        names = {tag for result in said for tag in result.best.tags}
    known = [name for name in (*head.labels, *sorted(names - set(head.labels))) if name in names]
    keys = "".join(
        f'<span><b class="type g{colour_of(name, head.labels)}">{escape(name)}</b> {escape(type_note(name))}</span>'
        for name in known
        if type_note(name)
    )
    what = "<span>The number beside a type says how sure the model is of it.</span>" if spans and names else ""
    return f'<p class="key">{keys}{what}</p>' if keys or what else ""


def _table(results: Sequence[TaggedSentence], without: Sequence[TaggedSentence]) -> str:
    rows = []
    for number, result in enumerate(results, 1):
        others = without[number - 1].best.entities if without else ()
        twin_of = {(span.start_char, span.end_char): span for span in others}
        own = {(span.start_char, span.end_char): span for span in result.best.entities}
        for place in sorted({*own, *twin_of}):
            entity, other = own.get(place), twin_of.get(place)
            last = f"<td>{_short(other)}</td>" if without else ""
            confidence = percent(entity.confidence) if entity else ""
            rows.append(
                f'<tr><th scope="row">{number}</th><td>{escape(result.sentence[slice(*place)])}</td>'
                f'<td>{escape(entity.type) if entity else "not found"}</td><td class="number">{confidence}</td>'
                f'<td class="number">{place[0]}–{place[1]}</td>{last}</tr>'
            )
    if not rows:
        return ""
    last = '<th scope="col">Without context</th>' if without else ""
    return (
        '<details class="more" open><summary>All names in a table</summary>'
        '<div class="scroll tall" role="region" tabindex="0" aria-label="All names"><table class="list">'
        '<thead><tr><th scope="col">Sentence</th><th scope="col">Entity</th><th scope="col">Type</th>'
        f'<th scope="col" class="number">Confidence</th><th scope="col" class="number">Characters</th>{last}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div></details>"
    )


def _short(entity: Entity | None) -> str:
    return f"{escape(entity.type)} {percent(entity.confidence)}" if entity else "not found"


def _tag_table(results: Sequence[TaggedSentence], without: Sequence[TaggedSentence]) -> str:
    rows = []
    for number, result in enumerate(results, 1):
        for at, (token, tag) in enumerate(zip(result.tokens, result.best.tags, strict=True)):
            last = f"<td>{escape(without[number - 1].best.tags[at])}</td>" if without else ""
            start, end = result.offsets[at]
            rows.append(
                f'<tr><th scope="row">{number}</th><td>{escape(token)}</td><td>{escape(tag)}</td>'
                f'<td>{escape(type_note(tag))}</td><td class="number">{start}–{end}</td>{last}</tr>'
            )
    last = '<th scope="col">Without context</th>' if without else ""
    return (
        '<details class="more"><summary>Show the tags as a table</summary>'
        '<div class="scroll tall" role="region" tabindex="0" aria-label="All tags"><table class="list">'
        '<thead><tr><th scope="col">Sentence</th><th scope="col">Word</th><th scope="col">Tag</th>'
        f'<th scope="col">Meaning</th><th scope="col" class="number">Characters</th>{last}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div></details>"
    )


def csv_text(offer: Offer, results: Sequence[TaggedSentence], without: Sequence[TaggedSentence] = ()) -> str:
    """One row per entity of every reading, or per word where the tags are no spans; reading 1 is the best one."""
    header = ["sentence number", "head", "reading", "reading probability", "text", "type", "confidence"]
    header += ["start character", "end character", "sentence"]
    spans = readings.has_spans(results)
    rows: list[list[str | float]] = []
    for name, number, result in by_head(offer, results, without):
        for rank, reading in enumerate((result.best, *result.runners_up), 1):
            found: list[list[str | float]]
            if spans:
                found = [
                    [readings.text_of(result, e), e.type, e.confidence, str(e.start_char), str(e.end_char)]
                    for e in reading.entities
                ] or [["", "", "", "", ""]]
            else:
                found = [
                    [token, tag, "", str(start), str(end)]
                    for token, tag, (start, end) in zip(result.tokens, reading.tags, result.offsets, strict=True)
                ]
            first: list[str | float] = [str(number), name, str(rank), reading.probability]
            rows += [[*first, *cells, result.sentence] for cells in found]
    return csv_file(header, rows)
