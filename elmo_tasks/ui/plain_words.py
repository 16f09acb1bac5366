"""Labels, types and probabilities in words that need no explanation."""

from __future__ import annotations

from collections.abc import Sequence

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


def percent(share: float) -> str:
    """A share from 0 to 1 in whole percent, never rounded to certainty; the space does not break."""
    if 0 < share < 0.005:
        return "under 1\u00a0%"
    if 0.995 <= share < 1:
        return "over 99\u00a0%"
    return f"{round(100 * share)}\u00a0%"


def class_words(label: str) -> str:
    """A class as it stands inside a sentence: ``very_positive`` is “very positive”."""
    words = label.replace("_", " ").strip()
    return CLASSES.get(words.lower(), words.lower() if words.isascii() and words.isupper() else words)


def first_capital(text: str) -> str:
    """The text with a capital at its beginning, the rest as it is."""
    return text[:1].upper() + text[1:]


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


def listed(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""
