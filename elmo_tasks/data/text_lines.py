"""Lines of a data file with their numbers, and the list of what is wrong with them."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from elmo_tasks.errors import DataError

_MOST_ERRORS = 5
_LONGEST_QUOTE = 60
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file, plain or ``.xz``, without their line ends (``\\n`` or ``\\r\\n``).

    Args:
        path: a UTF-8 file, with or without a byte order mark.

    Yields:
        the number of the line, from 1, and the line.

    Raises:
        DataError: the file is missing, empty, not text, not UTF-8, or its compressed data is broken.
    """
    try:
        with _open(path) as lines:
            number = 0
            for number, line in enumerate(lines, start=1):
                if number == 1:
                    line = line.removeprefix(_BYTE_ORDER_MARK)
                if b"\0" in line:
                    raise DataError(
                        f"{path}, line {number}: expected a text file, found a zero byte: this is a binary file"
                    )
                try:
                    yield number, line.rstrip(b"\n").removesuffix(b"\r").decode("utf-8")
                except UnicodeDecodeError as error:
                    raise DataError(
                        f"{path}, line {number}: expected UTF-8 text, found the byte 0x{line[error.start]:02x} "
                        f"at position {error.start + 1}"
                    ) from None
    except (lzma.LZMAError, EOFError) as error:
        raise DataError(f"{path}: the compressed data is broken ({error})") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
    if number == 0:
        raise DataError(f"{path}: the file is empty")


def check_file(path: Path) -> None:
    """Refuse what is no file.

    Raises:
        DataError: there is nothing, or a folder.
    """
    if path.is_dir():
        raise DataError(f"{path}: expected a file, found a folder")
    if not path.exists():
        raise DataError(f"{path}: no such file")


def suffix_of(path: Path) -> str:
    """``.tsv`` of ``reviews.tsv`` and of ``reviews.tsv.xz``, in lower case."""
    return Path(path.stem if path.suffix == ".xz" else path.name).suffix.lower()


def _open(path: Path) -> IO[bytes]:
    check_file(path)
    return lzma.open(path) if path.suffix == ".xz" else path.open("rb")


class RowErrors:
    """What is wrong with the rows of one file: gathered, so that a person sees more than the first.

    Args:
        path: the file.
        unit: what a number counts: ``"line"``, or ``"row"`` in a file without lines.
    """

    def __init__(self, path: Path | str, unit: str = "line") -> None:
        self.path, self.unit = path, unit
        self.count = 0
        self._shown: list[str] = []

    def add(self, number: int, message: str) -> None:
        """Note one.

        Args:
            number: of the line, from 1.
            message: what was expected, and what came.
        """
        self.count += 1
        if len(self._shown) < _MOST_ERRORS:
            self._shown.append(f"{self.unit} {number}: {message}")

    def check(self, n_rows: int, what: str) -> None:
        """Raise what was gathered.

        Args:
            n_rows: good rows that were read.
            what: what a row is: ``"sentence"``, ``"text"``.

        Raises:
            DataError: a row is wrong, or there is none.
        """
        if self.count == 1:
            raise DataError(f"{self.path}, {self._shown[0]}")
        if self.count:
            rest = self.count - len(self._shown)
            more = f"\n  and {rest:,} more" if rest else ""
            raise DataError(f"{self.path}: {self.count:,} {self.unit}s are wrong\n  " + "\n  ".join(self._shown) + more)
        if not n_rows:
            raise DataError(f"{self.path}: no {what} in this file")


def shown(text: object) -> str:
    """A piece of a file as a message may hold it: quoted, on one line, not too long."""
    quoted = repr(text)
    return quoted if len(quoted) <= _LONGEST_QUOTE else f"{quoted[: _LONGEST_QUOTE - 3]}..."
