"""Sentences about tagged texts, differences between taggings, and editable tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from elmo_tasks.api import Entity, Reading, TaggedSentence
from elmo_tasks.messages.labels import counted, type_words
from elmo_tasks.messages.text import listed

MOST_DIFFERENCES = 4


def has_spans(results: Sequence[TaggedSentence]) -> bool:
    """Return True if the tags mark spans (BIO).

    Other tags are one plain tag per word, such as parts of speech.
    """
    readings = [reading for result in results for reading in (result.best, *result.alternatives)]
    return any(reading.entities for reading in readings) or all(
        tag == "O" or tag[:2] in ("B-", "I-") for reading in readings for tag in reading.tags
    )


def headline(results: Sequence[TaggedSentence]) -> str:
    """Count the entities or tags."""
    if not has_spans(results):
        words = sum(len(result.tokens) for result in results)
        return f"{words} words, each with its tag" if words != 1 else "1 word with its tag"
    counts = Counter(entity.type for result in results for entity in result.best.entities)
    if not counts:
        return "No entities found"
    return f"Found {listed([counted(name, number) for name, number in counts.most_common()])}"


def text_of(result: TaggedSentence, entity: Entity) -> str:
    """Return the words of an entity as typed."""
    return result.sentence[entity.start_char : entity.end_char]


def differences(result: TaggedSentence, best: Reading, other: Reading) -> list[str]:
    """List the differences of ``other`` from ``best``, one phrase each."""
    if not (best.entities or other.entities):
        return [
            f"{other.tags[at]} for “{token}” instead of {best.tags[at]}"
            for at, token in enumerate(result.tokens)
            if best.tags[at] != other.tags[at]
        ]
    phrases = []
    used: set[Entity] = set()
    for entity in best.entities:
        overlapping = [span for span in other.entities if span.start < entity.end and entity.start < span.end]
        same_place = [span for span in overlapping if (span.start, span.end) == (entity.start, entity.end)]
        name = f"“{text_of(result, entity)}”"
        if same_place:
            if same_place[0].type != entity.type:
                phrases.append(f"{name} as {type_words(same_place[0].type)} instead of {type_words(entity.type)}")
        elif overlapping:
            fresh = [span for span in overlapping if span not in used]
            parts = [f"“{text_of(result, span)}” as {type_words(span.type)}" for span in fresh]
            if parts:
                phrases.append(f"{listed(parts)} instead of {name} as {type_words(entity.type)}")
            else:
                phrases.append(f"no {name} of its own")
        else:
            phrases.append(f"no name at {name}")
        used.update(overlapping)
    phrases += [f"{type_words(span.type)} at “{text_of(result, span)}”" for span in other.entities if span not in used]
    return phrases


def shortened(phrases: Sequence[str]) -> str:
    """List the first phrases, and count the others."""
    if len(phrases) <= MOST_DIFFERENCES:
        return listed(phrases)
    return f"{', '.join(phrases[:MOST_DIFFERENCES])} and {len(phrases) - MOST_DIFFERENCES} more"


def difference(results: Sequence[TaggedSentence], without: Sequence[TaggedSentence]) -> str:
    """Describe the tags of the head without context; empty if they are the same."""
    phrases = []
    for number, (one, other) in enumerate(zip(results, without, strict=True), 1):
        place = f" (sentence {number})" if len(results) > 1 else ""
        phrases += [f"{phrase}{place}" for phrase in differences(one, one.best, other.best)]
    if not phrases:
        return ""
    return f"Without context, the model reads {shortened(phrases)}."


def marked_spans(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """Write a sentence on one line with its spans ``(start, end, type)``.

    The spans do not overlap.
    """
    out, at = "", 0
    for start, end, name in sorted(spans):
        out += f"{text[at:start]}[{text[start:end]}]({name})"
        at = end
    return " ".join((out + text[at:]).split())


def marked_words(tokens: Sequence[str], tags: Sequence[str]) -> str:
    """Write a sentence with a tag behind every word: ``Ada/NOUN flew/VERB``."""
    return " ".join(f"{token}/{tag}" for token, tag in zip(tokens, tags, strict=True))
