"""Class names, entity types and tags in everyday words."""

from __future__ import annotations

CLASSES = {"pos": "positive", "neg": "negative", "neu": "neutral"}
# A noun for one of them, as after "for" or "as", and its plural.
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
    """Format a class for a sentence: ``very_positive`` is “very positive”."""
    words = label.replace("_", " ").strip()
    return CLASSES.get(words.lower(), words.lower() if words.isascii() and words.isupper() else words)


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
