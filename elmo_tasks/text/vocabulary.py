"""Vocabulary files of bilm-tf: one word per line, the most frequent first."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from elmo_tasks.errors import DataError
from elmo_tasks.text.compressed import READ_ERRORS, open_binary
from elmo_tasks.wording import shortened

END = "</S>"
BEGIN = "<S>"
UNKNOWN = "<UNK>"
#: The first three lines of every vocabulary file, in this order.
SPECIAL_WORDS = (END, BEGIN, UNKNOWN)
END_ID = 0
BEGIN_ID = 1
UNKNOWN_ID = 2


class Vocabulary:
    """Word <-> id, where the id is the rank by frequency after the special words.

    Args:
        words: all words, the special ones first.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        if self.words[:3] != SPECIAL_WORDS:
            raise DataError(
                f"a vocabulary begins with {', '.join(SPECIAL_WORDS)}; this one begins with "
                f"{', '.join(map(shortened, self.words[:3]))}"
            )
        self._ids = {word: k for k, word in enumerate(self.words)}
        if len(self._ids) != len(self.words):
            twice = next(word for k, word in enumerate(self.words) if self._ids[word] != k)
            raise DataError(f"the word '{shortened(twice)}' is in the vocabulary twice")

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    def id_of(self, word: str) -> int:
        """Id of a word; that of ``<UNK>`` for a word that is not in the vocabulary."""
        return self._ids.get(word, UNKNOWN_ID)

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read a vocabulary file, plain or ``.xz``."""
        try:
            return cls(line.rstrip("\n") for line in open_text(path))
        except DataError as error:
            raise DataError(f"{path}: {error}") from None

    def save(self, path: Path) -> None:
        """Write one word per line."""
        path.write_text("".join(f"{word}\n" for word in self.words), encoding="utf-8")


def open_text(path: Path) -> Iterator[str]:
    """The lines of a text file, plain or compressed, with their line ends."""
    try:
        # utf-8-sig: a byte-order mark does not belong to the first word.
        # newline="\n": a carriage return inside a line must not count as a line end.
        with io.TextIOWrapper(open_binary(path), encoding="utf-8-sig", newline="\n") as lines:
            yield from lines
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise DataError(f"{path}: this is a folder; expected a text file") from None
    except UnicodeDecodeError as error:
        found = f"the byte 0x{error.object[error.start]:02x}"
        raise DataError(
            f"{path}: expected UTF-8 text, found {found}; save the file as UTF-8"
        ) from None
    except READ_ERRORS as error:
        raise DataError(f"{path}: the compressed data is broken ({error})") from None
