"""Classes, types of names and tags in words that need no explanation."""

from __future__ import annotations

CLASSES = {"pos": "positive", "neg": "negative", "neu": "neutral"}
# One noun for one of them, as it stands after "for" or "as", and for several.
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
    "CCONJ": "joining word",
    "DET": "article or the like",
    "INTJ": "interjection",
    "NOUN": "noun",
    "NUM": "number",
    "PART": "particle",
    "PRON": "pronoun",
    "PROPN": "name",
    "PUNCT": "punctuation",
    "SCONJ": "subordinating word",
    "SYM": "symbol",
    "VERB": "verb",
    "X": "other",
}


def class_words(label: str) -> str:
    """A class as it stands inside a sentence: ``very_positive`` is “very positive”."""
    words = label.replace("_", " ").strip()
    return CLASSES.get(words.lower(), words.lower() if words.isascii() and words.isupper() else words)


def type_words(name: str) -> str:
    """An entity type as it stands after “takes it for”."""
    return TYPES[name][0] if name in TYPES else name


def type_note(name: str) -> str:
    """What a type or a tag stands for, without the article; empty if its name is all that is known."""
    if name in TYPES:
        return TYPES[name][0].split(" ", 1)[1] if name != "MISC" else "other name"
    return TAGS.get(name, "")


def counted(name: str, number: int) -> str:
    """``1 person``, ``3 people``; types nobody explained keep their name."""
    if name not in TYPES:
        return f"{number} {name}"
    return f"1 {type_note(name)}" if number == 1 else f"{number} {TYPES[name][1]}"
