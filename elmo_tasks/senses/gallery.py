"""Uses of words whose senses are known, all written for this project: the gallery, and what people type.

The gallery has two hundred ambiguous words in eight telling sentences for each of their senses. The everyday uses are sentences of
four to ten words, as people type them: 130 words in two or three senses, and 110 that have one. Beside them stand sixty sentences
that look at no word.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TypeVar

from elmo_tasks.errors import DataError

_FILE = Path(__file__).with_name("gallery.jsonl")
_EVERYDAY = Path(__file__).with_name("everyday_uses.jsonl")
KnownUse = TypeVar("KnownUse", "GalleryUse", "EverydayUse")
_MARK = re.compile(r"\[[^\[\]]+\]")


@dataclass(frozen=True)
class GalleryUse:
    """One use of a word in one of its senses."""

    word: str  #: the word in its base form, in lower case
    sense: str  #: a short name of the sense, unique within the word
    gloss: str  #: the sense in a few words, with the part of speech where the senses of the word differ in it
    sentence: str  #: the sentence, with ``[brackets]`` around the word, which may be inflected in it


@dataclass(frozen=True)
class EverydayUse:
    """One use of a word as people type it: see :class:`GalleryUse`. A word with one sense has its own name as that."""

    word: str
    sense: str
    sentence: str


@functools.cache
def gallery() -> tuple[GalleryUse, ...]:
    """All uses, those of one word together and within it those of one sense.

    Raises:
        DataError: when a line of the file is not a use; it names the file and the line.
    """
    return read_gallery(_FILE)


@functools.cache
def everyday_uses() -> tuple[EverydayUse, ...]:
    """Short everyday uses, those of one word together.

    Raises:
        DataError: as in :func:`gallery`.
    """
    return read_gallery(_EVERYDAY, EverydayUse)


@functools.cache
def gallery_words() -> tuple[str, ...]:
    """The words, in the order of the gallery."""
    return tuple(dict.fromkeys(use.word for use in gallery()))


def read_gallery(path: Path, kind: type[KnownUse] = GalleryUse) -> tuple[KnownUse, ...]:  # type: ignore[assignment]
    """Read a file with one JSON object a line, whose keys are the attributes of :class:`GalleryUse` or :class:`EverydayUse`.

    Raises:
        DataError: when a line is not such an object, or its sentence has not exactly one pair of brackets.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(_use(line, f"{path}, line {number}", kind) for number, line in enumerate(lines, start=1))


def _use(line: str, where: str, kind: type[KnownUse]) -> KnownUse:
    names = [field.name for field in fields(kind)]
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"{where}: expected a JSON object ({error})") from None
    if not isinstance(found, dict) or set(found) != set(names):
        came = f"the keys {', '.join(found) or 'none'}" if isinstance(found, dict) else f"a {type(found).__name__}"
        raise DataError(f"{where}: expected an object with the keys {', '.join(names)}, found {came}")
    for name in names:
        if not isinstance(found[name], str) or not found[name].strip():
            raise DataError(f"{where}: expected text under '{name}', found {found[name]!r}")
    use = kind(**found)
    if len(_MARK.findall(use.sentence)) != 1 or use.sentence.count("[") != 1 or use.sentence.count("]") != 1:
        raise DataError(f"{where}: expected one pair of [brackets] in the sentence, found {use.sentence!r}")
    return use


def everyday_sentences() -> list[str]:
    """Sixty unconnected ones, written for this project: what two random words have in common is measured on them."""
    return Path(__file__).with_name("everyday.txt").read_text(encoding="utf-8").splitlines()
