"""Two hundred ambiguous words in eight sentences for each of their senses, all written for this project."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass, fields
from pathlib import Path

from elmo_tasks.errors import DataError

_FILE = Path(__file__).with_name("gallery.jsonl")
_MARK = re.compile(r"\[[^\[\]]+\]")


@dataclass(frozen=True)
class GalleryUse:
    """One use of a word in one of its senses.

    Attributes:
        word: the word in its base form, in lower case.
        sense: a short name of the sense, unique within the word.
        gloss: the sense in a few words, with the part of speech where the senses of the word differ in it.
        sentence: the sentence, with ``[brackets]`` around the word, which may be inflected in it.
    """

    word: str
    sense: str
    gloss: str
    sentence: str


@functools.cache
def gallery() -> tuple[GalleryUse, ...]:
    """All uses, those of one word together and within it those of one sense.

    Raises:
        DataError: when a line of the file is not a use; it names the file and the line.
    """
    return read_gallery(_FILE)


@functools.cache
def gallery_words() -> tuple[str, ...]:
    """The words, in the order of the gallery."""
    return tuple(dict.fromkeys(use.word for use in gallery()))


def read_gallery(path: Path) -> tuple[GalleryUse, ...]:
    """Read a file with one JSON object a line, whose keys are the attributes of :class:`GalleryUse`.

    Raises:
        DataError: when a line is not such an object, or its sentence has not exactly one pair of brackets.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(_use(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1))


def _use(line: str, where: str) -> GalleryUse:
    names = [field.name for field in fields(GalleryUse)]
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
    use = GalleryUse(**found)
    if len(_MARK.findall(use.sentence)) != 1 or use.sentence.count("[") != 1 or use.sentence.count("]") != 1:
        raise DataError(f"{where}: expected one pair of [brackets] in the sentence, found {use.sentence!r}")
    return use
