"""The sentence splitter: running text to sentences."""

from __future__ import annotations

import re
from itertools import pairwise

from elmo_tasks.text.tokens import Token, tokenize

_SENTENCE_ENDS = frozenset((".", "!", "?", "..."))
_CLOSING_MARKS = frozenset(('"', "'", "''", ")", "]", "}"))
_PARAGRAPH = re.compile(r"\n\s*\n")


def split_sentences(text: str, max_tokens: int = 200) -> list[str]:
    """Split running text into sentences, one line each.

    A sentence ends at a full stop that is not part of an abbreviation, or at ``!`` or ``?``,
    together with closing quotes and brackets, unless lower case follows. An empty line also ends
    one; single line breaks are spaces. Longer sentences are cut after ``max_tokens``.
    """
    sentences = []
    for paragraph in _PARAGRAPH.split(text):
        line = " ".join(paragraph.split())
        tokens = tokenize(line)
        for start, stop in pairwise(_stops(tokens, max_tokens)):
            sentence = line[tokens[start].start : tokens[stop - 1].end].strip()
            if any(character.isalnum() for character in sentence):
                sentences.append(sentence)
    return sentences


def _stops(tokens: list[Token], max_tokens: int) -> list[int]:
    """Return 0 and the index after the last token of each sentence."""
    stops = [0]
    k = 0
    while k < len(tokens):
        k += 1
        if tokens[k - 1].text in _SENTENCE_ENDS:
            # Opening and closing quotes look the same; closing ones follow without a space.
            while (
                k < len(tokens)
                and tokens[k].text in _CLOSING_MARKS | _SENTENCE_ENDS
                and tokens[k].start <= tokens[k - 1].end
            ):
                k += 1
            if k == len(tokens) or not tokens[k].text[:1].islower():
                stops.append(k)
        elif k - stops[-1] >= max_tokens:
            stops.append(k)
    if stops[-1] < len(tokens):
        stops.append(len(tokens))
    return stops
