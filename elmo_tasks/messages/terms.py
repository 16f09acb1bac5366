"""Technical terms, explained in a sentence or two at their first use on a page."""

from __future__ import annotations

import re

#: Explanations for newcomers.
TERMS = {
    "vector": "A list of numbers with which the model describes a word where it stands. The more alike two lists, the more "
    "alike the words are to the model.",
    "cosine": "How alike two vectors are. 1.00: they point the same way. About 0: they have nothing in common.",
    "layer": "The model reads in stages. Layer 0 knows the letters of the word and nothing else; every layer above it has read "
    "the whole sentence, from the left and from the right.",
    "two random words": "The measuring stick: what two different words from unrelated sentences score on average. Only what "
    "lies clearly above it means anything.",
    "norm": "The length of a vector: how strongly the model reacts to the word, not what it means.",
}

_FOUND = re.compile(
    r"\b(?:(?P<random>two random words)|(?P<cosine>cosines?)|(?P<vector>vectors?)|(?P<layer>layers?(?: \d+)?)|(?P<norm>norms?))\b",
    re.IGNORECASE,
)


def first_terms(text: str) -> list[tuple[str, str]]:
    """Cut a text at the first use of each term.

    The result is ``(piece, explanation)`` in order; the pieces form the text, and the explanation is empty if the
    piece holds no new term.
    """
    pieces: list[tuple[str, str]] = []
    known: set[str] = set()
    at = 0
    for found in _FOUND.finditer(text):
        term = "two random words" if found.lastgroup == "random" else str(found.lastgroup)
        if term in known:
            continue
        known.add(term)
        pieces += [(text[at : found.start()], ""), (found[0], TERMS[term])]
        at = found.end()
    return [piece for piece in (*pieces, (text[at:], "")) if piece[0]]
