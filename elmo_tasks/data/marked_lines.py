"""Sentences with their tags written into them, as people type and mend them: ``[Ada Marsh](PER) flew``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from elmo_tasks.data.records import TaggedSentence
from elmo_tasks.data.span_rows import sentence_of
from elmo_tasks.data.text_lines import RowErrors, numbered_lines, shown
from elmo_tasks.errors import DataError

_SPAN = re.compile(r"\[([^\[\]]+)\]\(([^()\s]+)\)")
_WORD = re.compile(r"(.+)/([^/]+)")


def read_marked(path: Path, errors: RowErrors, encoding: str = "utf-8") -> Iterator[TaggedSentence]:
    """Read sentences, one a line: with spans in brackets, or with a tag behind every word (``Ada/NOUN flew/VERB``).

    A file is of one kind: of words where no line has a span in brackets and at least half of the pieces have a tag.

    Raises:
        DataError: through ``errors``, with the line: a piece without its tag, or a bracket that is not closed as expected.
    """
    lines = [(number, line.strip()) for number, line in numbered_lines(path, encoding) if line.strip()]
    pieces = [piece for _, line in lines for piece in line.split()]
    tagged = sum(bool(_WORD.fullmatch(piece)) for piece in pieces)
    of_words = 2 * tagged >= len(pieces) and not any(_SPAN.search(line) for _, line in lines)
    for number, line in lines:
        try:
            yield _of_words(line, number) if of_words else _of_spans(line, number)
        except DataError as error:
            errors.add(number, str(error))


def _of_words(line: str, number: int) -> TaggedSentence:
    found = [_WORD.fullmatch(piece) for piece in line.split()]
    for piece, match in zip(line.split(), found, strict=True):
        if match is None:
            raise DataError(f"expected a tag behind every word, such as flew/VERB, found {shown(piece)}")
    tokens, tags = zip(*(match.groups() for match in found if match), strict=True)
    return TaggedSentence(tokens, tags, number)


def _of_spans(line: str, number: int) -> TaggedSentence:
    text, spans, at = "", [], 0
    for match in _SPAN.finditer(line):
        text += line[at : match.start()]
        spans.append([len(text), len(text) + len(match[1]), match[2]])
        text, at = text + match[1], match.end()
    text += line[at:]
    # What is left of a bracket belongs to a name that was not written as expected.
    if "](" in text:
        raise DataError(f"expected names such as [Ada Marsh](PER), found {shown(line)}")
    return sentence_of(text, spans, number)
