"""Text file reader: encodings, line ends, numbered lines, and error lists."""

from __future__ import annotations

import codecs
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.text.compressed import READ_ERRORS, open_binary, plain_name

#: Largest file of labelled rows, once unpacked: its rows are kept in memory, and a compressed file
#: may expand to any length.
MAX_BYTES = 2_000_000_000
_BETWEEN_WORDS = re.compile(r"[\s,;|]+")
#: Between letters, a sign that no word has inside, or a capital with an accent; at the end of a
#: word, the letters of cp1250; UTF-8 in Windows-1252.
_ODD = re.compile(
    r"[a-zà-ÿ][³¹²ºª¼½¾¿¡¢¤¥¦§¬¨¸±”“„‡†‰•ŠŽŸŒ¶][a-zß-ÿ]|[a-ln-z][³¹¿ŠŸŽ¼½¾]\b"
    r"|[ÃÅÄÂ][\u0080-\u00bfŒœŠšŸŽžƒˆ˜–—‘’‚“”„†‡•…‰‹›€™]"
)
_MOST_ODD = 0.1  #: of the words with signs beyond ASCII; in prose a few are odd
RawT = TypeVar("RawT")
RowT = TypeVar("RowT")
_MAX_ERRORS = 5
_LONGEST_QUOTE = 60
_CHUNK = 1 << 20
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: Text in Latin letters has a smaller share of characters beyond ASCII than this. A file with more
#: is in an encoding that cannot be guessed.
_MAX_ACCENTS = 0.3


def numbered_lines(path: Path, encoding: str | None = None) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a text file; see :func:`read_text`."""
    text, _ = read_text(path, encoding)
    yield from enumerate(text.removesuffix("\n").split("\n"), start=1)


def read_text(path: Path, encoding: str | None = None) -> tuple[str, str]:
    """Read a text file, plain or compressed, with its encoding; see :func:`plain_lines`.

    An encoding that is not given is detected: by the byte order mark, else UTF-8, else Windows-1252
    (Latin-1).
    """
    check_file(path)
    try:
        with open_binary(path) as file:
            content = b"".join(
                islice(iter(partial(file.read, _CHUNK), b""), MAX_BYTES // _CHUNK + 2)
            )
    except READ_ERRORS as error:
        raise DataError(f"{path}: the compressed data is broken ({error})") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
    if len(content) > MAX_BYTES:
        raise DataError(
            f"{path}: more than {MAX_BYTES / 1e9:g} GB of labelled rows, once unpacked: give a part"
            " of them"
        )
    if not content:
        raise DataError(f"{path}: the file is empty")
    text, name = _decoded(content, path, encoding)
    text = plain_lines(text)
    if "\0" in text:
        number = text.count("\n", 0, text.index("\0")) + 1
        raise DataError(
            f"{path}, line {number}: expected a text file, found a zero byte: this is a binary file"
        )
    return text, name


class TextFile(NamedTuple):
    """An open text file."""

    lines: Iterator[str]  #: with their ends
    encoding: str  #: as found


@contextmanager
def text_file(path: Path) -> Iterator[TextFile]:
    """Open a text file of any size for reading line by line; only a line feed ends a line.

    The encoding is found from the first megabyte, as in :func:`read_text`.

    Raises:
        DataError: it is not a text file, or its compressed data is broken.
    """
    check_file(path)
    with open_binary(path) as file:
        try:
            start = file.peek(_CHUNK) if isinstance(file, io.BufferedReader) else b""
        except READ_ERRORS as error:
            raise DataError(f"{path}: the compressed data is broken ({error})") from None
        if not start:
            raise DataError(f"{path}: the file is empty")
        name = _encoding_of(start)
        if name == "utf-8" and not _is_utf8(start) and _is_latin(start):
            name = "cp1252"
        newline = "\r" if b"\r" in start and b"\n" not in start else "\n"
        with io.TextIOWrapper(file, encoding=name, newline=newline) as lines:
            yield TextFile(_checked_lines(path, lines, name), name)


def _checked_lines(path: Path, lines: Iterable[str], encoding: str) -> Iterator[str]:
    number = 0
    try:
        for number, line in enumerate(lines, start=1):
            if "\0" in line:
                raise DataError(
                    f"{path}, line {number}: expected a text file, found a zero byte: this is a"
                    " binary file"
                )
            yield line.removeprefix("\ufeff") if number == 1 else line
    except UnicodeDecodeError as error:
        found = f"the byte 0x{error.object[error.start]:02x}"
        raise DataError(
            f"{path}, after line {number}: expected {encoding.upper()} text, found {found}; save"
            " the file as UTF-8"
        ) from None
    except READ_ERRORS as error:
        raise DataError(f"{path}: the compressed data is broken ({error})") from None


def _is_utf8(start: bytes) -> bool:
    """Check the beginning of a file, which may be cut inside a character."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return True


def _decoded(content: bytes, path: Path, encoding: str | None) -> tuple[str, str]:
    name = encoding or _encoding_of(content)
    try:
        name = codecs.lookup(name).name
        return content.decode(name), name
    except UnicodeDecodeError as error:
        has_mark = any(content.startswith(mark) for mark, _ in _MARKS)
        if encoding is None and name == "utf-8" and not has_mark and _is_latin(content):
            return content.decode("cp1252"), "cp1252"
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        advice = (
            "set encoding to the file's own, such as cp1251, gbk, shift_jis or latin-1, or save it"
            " as UTF-8"
            if encoding is None
            else "leave it out to find it"
        )
        raise DataError(
            f"{path}, line {line}: expected {error.encoding.upper()} text, found the byte"
            f" 0x{content[error.start]:02x} at position {column}; {advice}"
        ) from None
    except (LookupError, TypeError, UnicodeError):
        raise ConfigError(
            "data.encoding: expected an encoding such as utf-8, latin-1 or cp1252, found"
            f" '{encoding}'"
        ) from None


def plain_lines(text: str) -> str:
    """Drop byte order marks, and end every line with a line feed alone."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return plain.replace("\n\ufeff", "\n")  # of files that were joined


def encoding_remark(text: str, encoding: str, is_given: bool) -> list[str]:
    """Describe the encoding of a file if it was found to be another than UTF-8.

    Words that look wrong in it are shown: of another code page, or of UTF-8 that was read as one.
    """
    remarks = [] if is_given or encoding in ("utf-8", "ascii") else [f"encoding {encoding}"]
    words = [
        word
        for word in _BETWEEN_WORDS.split(text[:_CHUNK])
        if not word.isascii() and len(word) <= _LONGEST_QUOTE
    ]
    odd = [word for word in words if _ODD.search(word)]
    if encoding != "cp1252":
        odd = [word for word in odd if _is_doubly_encoded(word)]
    if odd and len(odd) >= _MOST_ODD * len(words):
        remarks.append(
            f"WORDS SUCH AS {shown(Counter(odd).most_common(1)[0][0])} LOOK WRONG: is the encoding"
            " another one (cp1250, mac_roman, cp437)? Set encoding, or save the file as UTF-8"
        )
    return remarks


def _is_doubly_encoded(word: str) -> bool:
    """Check if a word is UTF-8 that was read as Windows-1252."""
    try:
        return word.encode("cp1252").decode("utf-8") != word
    except UnicodeError:
        return False


def _encoding_of(content: bytes) -> str:
    """Return UTF-16 where the bytes look like it, else UTF-8."""
    name = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    # UTF-16 without its mark: every other byte of plain letters is zero.
    even, odd = content[:_CHUNK:2].count(0), content[1:_CHUNK:2].count(0)
    if (
        name == "utf-8"
        and len(content) >= 8
        and max(even, odd) > 0.4 * len(content[:_CHUNK])
        and min(even, odd) == 0
    ):
        return "utf-16-be" if even else "utf-16-le"
    return name


def _is_latin(content: bytes) -> bool:
    """Check if bytes are Windows-1252, and no UTF-8 with broken bytes or another code page."""
    lenient = content.decode("utf-8", "replace")
    broken, whole = lenient.count("\ufffd"), sum(sign > "\x7f" for sign in lenient)
    if whole - broken >= broken or b"\0" in content:
        return False
    text = content.decode("cp1252", "replace")
    accents = sum(sign > "\x7f" for sign in text)
    return "\ufffd" not in text and accents <= _MAX_ACCENTS * sum(sign.isalpha() for sign in text)


def check_file(path: Path) -> None:
    """Raise a DataError unless a path is a file."""
    if path.is_dir():
        raise DataError(f"{path}: expected a file, found a folder")
    if not path.exists():
        raise DataError(f"{path}: no such file")


def suffix_of(path: Path) -> str:
    """Return the lower-cased suffix: ``.tsv`` of ``reviews.tsv.xz``."""
    return Path(plain_name(path)).suffix.lower()


class RowErrors:
    """Errors in the lines or rows of one file: a user sees several at once."""

    def __init__(self, path: Path | str, unit: str = "line") -> None:
        self.path, self.unit = path, unit
        self.count = 0
        self._shown: list[str] = []

    def add(self, number: int, message: str) -> None:
        """Add an error: the line number, from 1, the expected and the actual content."""
        self.count += 1
        if len(self._shown) < _MAX_ERRORS:
            self._shown.append(f"{self.unit} {number}: {message}")

    def collect(
        self, rows: Iterable[tuple[int, RawT]], read: Callable[[int, RawT], RowT]
    ) -> list[RowT]:
        """Read numbered rows; add an error for each that raises a DataError."""
        records = []
        for number, row in rows:
            try:
                records.append(read(number, row))
            except DataError as error:
                self.add(number, str(error))
        return records

    def check(self, n_rows: int, what: str) -> None:
        """Raise the collected errors, or an error if there are no rows of ``what``."""
        if self.count == 1:
            raise DataError(f"{self.path}, {self._shown[0]}")
        if self.count:
            rest = self.count - len(self._shown)
            more = f"\n  and {rest:,} more" if rest else ""
            raise DataError(
                f"{self.path}: {self.count:,} {self.unit}s are wrong\n  "
                + "\n  ".join(self._shown)
                + more
            )
        if not n_rows:
            raise DataError(f"{self.path}: no {what} in this file")


def shown(text: object) -> str:
    """Quote part of a file for a message: on one line, and shortened."""
    quoted = repr(text)
    return quoted if len(quoted) <= _LONGEST_QUOTE else f"{quoted[: _LONGEST_QUOTE - 3]}..."
