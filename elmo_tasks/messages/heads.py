"""Sentences about classified texts and tagged sentences, labels in everyday words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from elmo_tasks.api import ClassifiedText, Entity, TaggedText, TagReading, WordEffect
from elmo_tasks.wording import first_capital, listed, percent

#: Hidden parts of the name of a score's data: the folder, and the note on repeated training.
_NOT_SHOWN = re.compile(r" \(elmo_tasks/[^)]*\)(, twice,)?")
CLASSES = {"pos": "positive", "neg": "negative", "neu": "neutral"}
# The noun for one entity, with its article, and the plural.
TYPES = {
    "PER": ("a person", "people"),
    "ORG": ("an organisation", "organisations"),
    "LOC": ("a place", "places"),
    "MISC": ("another name", "other names"),
    "Chemical": ("a chemical", "chemicals"),
    "Disease": ("a disease", "diseases"),
}
TAGS = {
    "ADJ": "adjective",
    "ADP": "preposition",
    "ADV": "adverb",
    "AUX": "auxiliary verb",
    "CCONJ": "coordinating conjunction",
    "DET": "determiner",
    "INTJ": "interjection",
    "NOUN": "noun",
    "NUM": "number",
    "PART": "particle",
    "PRON": "pronoun",
    "PROPN": "name",
    "PUNCT": "punctuation",
    "SCONJ": "subordinating conjunction",
    "SYM": "symbol",
    "VERB": "verb",
    "X": "other",
}
#: Labels that are at least as probable are stated plainly, as the meanings of a word are.
_PLAINLY = 0.7
# Labels with closer probabilities count as undecided.
_MIN_MARGIN = 0.05
_MAX_DIFFERENCES = 4
#: Input of the head that is shown for comparison. Its own layers, if it has any, still see the
#: order of the words.
ON_LAYER_0_ALONE = "On layer 0 alone, where a word has one vector"


def class_words(label: str) -> str:
    """Format a class for a sentence: ``very_positive`` is “very positive”."""
    words = label.replace("_", " ").strip()
    return CLASSES.get(
        words.lower(), words.lower() if words.isascii() and words.isupper() else words
    )


def type_words(name: str) -> str:
    """Format an entity type as it follows “takes it for”."""
    return TYPES[name][0] if name in TYPES else name


def type_note(name: str) -> str:
    """Describe a type or a tag, without an article; empty if it has only a name."""
    if name in TYPES:
        return TYPES[name][0].split(" ", 1)[1] if name != "MISC" else "other name"
    return TAGS.get(name, "")


def counted(name: str, number: int) -> str:
    """Format ``1 person``, ``3 people``; unknown types keep their name."""
    if name not in TYPES:
        return f"{number} {name}"
    return f"1 {type_note(name)}" if number == 1 else f"{number} {TYPES[name][1]}"


def class_headline(results: Sequence[ClassifiedText]) -> str:
    """Return the answer: ``Positive, 93 % sure``, or how many texts have which label."""
    if len(results) == 1:
        return first_capital(verdict(results[0]))
    counts = Counter(short_verdict(result) for result in results).most_common()
    if len(counts) == 1:
        every = "both texts" if len(results) == 2 else f"all {len(results)} texts"
        if not is_clear(results[0]):
            return f"The model is unsure of {every}"
        probably = "" if all(map(is_plain, results)) else "probably "
        return f"{first_capital(every)} are {probably}{counts[0][0]}"
    return f"{len(results)} texts: {listed([f'{number} {name}' for name, number in counts])}"


def is_clear(result: ClassifiedText) -> bool:
    """Return True if one label is probable enough, and clearly more so than the next."""
    best, *others = sorted(result.probabilities.values(), reverse=True) or [0.0]
    return result.is_sure and (not others or best - others[0] >= _MIN_MARGIN)


def is_plain(result: ClassifiedText) -> bool:
    """Return True if the label is probable enough to be stated without “probably”."""
    return is_clear(result) and max(result.probabilities.values()) >= _PLAINLY


def short_verdict(result: ClassifiedText) -> str:
    """Return the label of a text in a word, or that the model is unsure."""
    return class_words(result.label) if is_clear(result) and result.label is not None else "unsure"


def verdict(result: ClassifiedText) -> str:
    """Return the label with its probability and what it is worth: plain, probable or unsure."""
    if result.label is None:
        return "no words to read"
    name = class_words(result.label)
    sure = percent(result.probabilities[result.label])
    if is_plain(result):
        return f"{name}, {sure} sure"
    return f"probably {name} ({sure})" if is_clear(result) else f"unsure: perhaps {name} ({sure})"


def class_difference(results: Sequence[ClassifiedText], without: Sequence[ClassifiedText]) -> str:
    """State the labels of the head on layer 0 alone where they differ, or that they do not."""
    pairs = list(zip(results, without, strict=True))
    changed = [
        (k, other)
        for k, (one, other) in enumerate(pairs, 1)
        if short_verdict(one) != short_verdict(other)
    ]
    if not changed:
        return f"{ON_LAYER_0_ALONE}, it says the same." if pairs else ""
    if len(pairs) == 1:
        return f"{ON_LAYER_0_ALONE}, it says: {verdict(changed[0][1])}."
    parts = []
    for name in dict.fromkeys(short_verdict(other) for _, other in changed):
        numbers = [str(k) for k, other in changed if short_verdict(other) == name]
        texts = f"text {numbers[0]}" if len(numbers) == 1 else f"texts {listed(numbers)}"
        parts.append(f"{texts} {name}")
    rest = ["the rest the same"] if len(changed) < len(pairs) > 2 else []
    return f"{ON_LAYER_0_ALONE}: {'; '.join([*parts, *rest])}."


def tip(result: ClassifiedText, word: WordEffect) -> str:
    """State what the label would be without the word."""
    now = result.probabilities.get(result.label or "", 0.0)
    then = min(1.0, max(0.0, now - word.change))
    label = class_words(result.label or "")
    if percent(now) == percent(then):
        return f"Without “{word.use.token}”: still {label} {percent(now)}."
    return f"Without “{word.use.token}”: {label} {percent(then)} instead of {percent(now)}."


def unweighed(results: Sequence[ClassifiedText]) -> str:
    """Name the texts too long for occlusion; empty if there are none."""
    numbers = [
        str(k)
        for k, result in enumerate(results, 1)
        if not result.occlusion and len(result.tokens) > 1
    ]
    if not numbers:
        return ""
    where = (
        "this text"
        if len(results) == 1
        else f"text{'s' if len(numbers) > 1 else ''} {listed(numbers)}"
    )
    return f"Too many words to test each one in {where}; try fewer or shorter texts."


def has_spans(results: Sequence[TaggedText]) -> bool:
    """Return True if the tags mark spans (BIO), unlike parts of speech."""
    sequences = [sequence for result in results for sequence in (result.best, *result.alternatives)]
    return all(
        tag == "O" or tag[:2] in ("B-", "I-") for sequence in sequences for tag in sequence.tags
    )


def tag_headline(results: Sequence[TaggedText]) -> str:
    """Count the entities or tags."""
    if not has_spans(results):
        words = sum(len(result.tokens) for result in results)
        return f"{words} words, each with its tag" if words != 1 else "1 word with its tag"
    counts = Counter(entity.type for result in results for entity in result.best.entities)
    if not counts:
        return "No entities found"
    return f"Found {listed([counted(name, number) for name, number in counts.most_common()])}"


def entity_text(result: TaggedText, entity: Entity) -> str:
    """Return the words of an entity as typed."""
    return result.sentence[entity.start_char : entity.end_char]


def tag_differences(result: TaggedText, best: TagReading, other: TagReading) -> list[str]:
    """List the differences of ``other`` from ``best``, one phrase each."""
    if not (best.entities or other.entities):
        return [
            f"{new} for “{token}” instead of {old}"
            for token, old, new in zip(result.tokens, best.tags, other.tags, strict=True)
            if old != new
        ]
    phrases = []
    used: set[Entity] = set()
    for entity in best.entities:
        overlapping = [
            span for span in other.entities if span.start < entity.end and entity.start < span.end
        ]
        same_place = next(
            (span for span in overlapping if (span.start, span.end) == (entity.start, entity.end)),
            None,
        )
        name = f"“{entity_text(result, entity)}”"
        old = type_words(entity.type)
        parts = [
            f"“{entity_text(result, span)}” as {type_words(span.type)}"
            for span in overlapping
            if span not in used
        ]
        if same_place:
            if same_place.type != entity.type:
                phrases.append(f"{name} as {type_words(same_place.type)} instead of {old}")
        elif parts:
            phrases.append(f"{listed(parts)} instead of {name} as {old}")
        else:
            phrases.append(f"no {name} of its own" if overlapping else f"no name at {name}")
        used.update(overlapping)
    new = [span for span in other.entities if span not in used]
    return phrases + [f"{type_words(span.type)} at “{entity_text(result, span)}”" for span in new]


def first_phrases(phrases: Sequence[str]) -> str:
    """List the first phrases, and count the others."""
    if len(phrases) <= _MAX_DIFFERENCES:
        return listed(phrases)
    return f"{', '.join(phrases[:_MAX_DIFFERENCES])} and {len(phrases) - _MAX_DIFFERENCES} more"


def tag_difference(results: Sequence[TaggedText], without: Sequence[TaggedText]) -> str:
    """Describe the tags of the head on layer 0 alone, or that they are the same."""
    phrases = []
    for k, (result, other) in enumerate(zip(results, without, strict=True), 1):
        place = f" (sentence {k})" if len(results) > 1 else ""
        phrases += [
            f"{phrase}{place}" for phrase in tag_differences(result, result.best, other.best)
        ]
    if not phrases:
        return f"{ON_LAYER_0_ALONE}, it says the same." if results and without else ""
    return f"{ON_LAYER_0_ALONE}, it reads {first_phrases(phrases)}."


def marked_spans(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """Write a sentence on one line with its disjoint spans ``(start, end, type)``."""
    out = ""
    at = 0
    for start, end, name in sorted(spans):
        out += f"{text[at:start]}[{text[start:end]}]({name})"
        at = end
    return " ".join((out + text[at:]).split())


def marked_words(tokens: Sequence[str], tags: Sequence[str]) -> str:
    """Write a sentence with a tag behind every word: ``Ada/NOUN flew/VERB``."""
    return " ".join(f"{token}/{tag}" for token, tag in zip(tokens, tags, strict=True))


def measured_on(data: str) -> str:
    """Name the data of a score in words."""
    named = _NOT_SHOWN.sub("", data)
    part = named.removesuffix(", test part")
    return named if part == named else f"the test part of {part}"
