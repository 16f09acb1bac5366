"""Lines of a data file with their numbers, and the list of what is wrong with them."""

from __future__ import annotations

import codecs
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from elmo_tasks.errors import ConfigError, DataError

#: No text, no JSON object and no tree is longer: what is, is another kind of file, or meant to fill the memory.
LONGEST_LINE = 10_000_000
#: What is read of one file of labelled rows, all of which are kept in memory: a compressed file may promise any length.
MOST_BYTES = 2_000_000_000
_MOST_ERRORS = 5
_LONGEST_QUOTE = 60
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Budget:
    """How many bytes of a file are read, at most: a small file may unpack to anything."""

    def __init__(self, path: Path, most: int | None = None) -> None:
        self.path, self.left = path, MOST_BYTES if most is None else most
        self._most = self.left

    def take(self, n_bytes: int) -> None:
        """Count what is read next.

        Raises:
            DataError: it is more than is left.
        """
        self.left -= n_bytes
        if self.left < 0:
            raise DataError(
                f"{self.path}: expected at most {self._most / 1e9:g} GB of labelled rows once unpacked, which are all kept in "
                "memory, and there is more: give a part of them"
            )


def numbered_lines(path: Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """The numbers, from 1, and the lines of a text file, plain or ``.xz``, without their line ends (``\\n`` or ``\\r\\n``).

    One in UTF-8 may begin with a byte order mark.

    Raises:
        ConfigError: there is no such encoding, or its lines cannot be told apart by their bytes.
        DataError: the file is missing, empty, not text, not in that encoding, its compressed data is broken, or a line or
            the whole is too long.
    """
    codec = codec_of(encoding)
    budget = Budget(path)
    try:
        with _open(path) as file:
            number = 0
            # One byte more than allowed: a line that is too long is known without reading all of it.
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), start=1):
                if len(line) > LONGEST_LINE:
                    raise DataError(
                        f"{path}, line {number}: expected at most {LONGEST_LINE:,} bytes on a line, found more"
                    )
                budget.take(len(line))
                if number == 1:
                    if line.startswith(_UTF_16):
                        raise DataError(f"{path}: expected UTF-8 text, found UTF-16: save the file as UTF-8")
                    line = line.removeprefix(_BYTE_ORDER_MARK)
                if b"\0" in line:
                    raise DataError(
                        f"{path}, line {number}: expected a text file, found a zero byte: this is a binary file"
                    )
                try:
                    yield number, codec.decode(line.rstrip(b"\n").removesuffix(b"\r"))[0]
                except UnicodeDecodeError as error:
                    advice = "; set encoding to the file's own, such as latin-1" if codec.name == "utf-8" else ""
                    raise DataError(
                        f"{path}, line {number}: expected {codec.name.upper()} text, found the byte "
                        f"0x{line[error.start]:02x} at position {error.start + 1}{advice}"
                    ) from None
    except (lzma.LZMAError, EOFError) as error:
        raise DataError(f"{path}: the compressed data is broken ({error})") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
    if number == 0:
        raise DataError(f"{path}: the file is empty")


def codec_of(encoding: str) -> codecs.CodecInfo:
    """What decodes lines of an encoding.

    Raises:
        ConfigError: there is no such encoding, or its lines cannot be told apart by their bytes.
    """
    try:
        codec = codecs.lookup(encoding)
        splits = codec.encode("a\n")[0] == b"a\n"
    except (LookupError, TypeError, ValueError):
        raise ConfigError(
            f"data.encoding: expected an encoding such as utf-8, latin-1 or cp1252, found '{encoding}'"
        ) from None
    if not splits:
        raise ConfigError(f"data.encoding: files in {encoding} cannot be read line by line: save them as UTF-8")
    return codec


def check_file(path: Path) -> None:
    """Refuse what is no file, with a DataError."""
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
    """What is wrong with the lines, or the rows, of one file: gathered, so that a person sees more than the first."""

    def __init__(self, path: Path | str, unit: str = "line") -> None:
        self.path, self.unit = path, unit
        self.count = 0
        self._shown: list[str] = []

    def add(self, number: int, message: str) -> None:
        """Note one: the number of the line, from 1; what was expected, and what came."""
        self.count += 1
        if len(self._shown) < _MOST_ERRORS:
            self._shown.append(f"{self.unit} {number}: {message}")

    def check(self, n_rows: int, what: str) -> None:
        """Raise what was gathered beside ``n_rows`` good rows, each a ``what`` such as ``"sentence"``.

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
