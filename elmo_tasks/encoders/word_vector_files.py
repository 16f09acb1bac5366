"""Readers of word2vec (text and binary), GloVe and fastText .vec files.

Binary files of gensim are supported too.
"""

from __future__ import annotations

import codecs
import gzip
import lzma
import zlib
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.errors import WeightsError

_PICKLE = b"\x80"  # the first byte of what gensim's own `save` writes
_FASTTEXT = (793712314).to_bytes(4, "little")  # the first bytes of fastText's .bin
_LONGEST_WORD = 4096
_MOST_NUMBERS = 10_000
_CANNOT = "no word vectors that are read here: expected lines 'word number number …', or word2vec's binary format"


def read_word_vectors(path: Path) -> tuple[list[str], NDArray[np.float32]]:
    """Read a file of word vectors into its words and ``[words, D]`` values.

    The file is plain, ``.gz`` or ``.xz``; its format is detected from its content.

    Text has a word and its numbers on each line, with spaces between; word2vec and fastText write the number of words and of
    dimensions on a line before, GloVe does not.

    Raises:
        WeightsError: it is no such file, or a line of it is not as expected.
    """
    try:
        with _opened(path) as file:
            first = file.readline(_LONGEST_WORD + 32 * _MOST_NUMBERS).removeprefix(codecs.BOM_UTF8)
            if first.startswith((_PICKLE, _FASTTEXT)):
                raise WeightsError(
                    f"{path}: {_CANNOT}. What gensim's save() writes may hold code: use save_word2vec_format(); of "
                    "fastText use the .vec file"
                )
            header = _header(first)
            if header is None:
                return _read_text(path, file, first, None)
            if header[0] == 0:
                raise WeightsError(f"{path}, line 1: expected at least one word, its first line says 0")
            # Both formats begin alike; numbers in text have no byte below a space.
            start = file.peek(1024)[:1024]  # type: ignore[attr-defined]
            if not _is_text(start, header[1]):
                return _read_binary(path, file, *header)
            return _read_text(path, file, b"", header)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise WeightsError(f"{path}: cannot be read ({str(error) or type(error).__name__})") from None


def _opened(path: Path) -> IO[bytes]:
    import io

    if path.suffix == ".gz":
        return io.BufferedReader(gzip.open(path))  # type: ignore[arg-type]
    return io.BufferedReader(lzma.open(path)) if path.suffix == ".xz" else path.open("rb")  # type: ignore[arg-type]


def _header(line: bytes) -> tuple[int, int] | None:
    fields = line.split()
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        return int(fields[0]), int(fields[1])
    return None


def _is_text(start: bytes, width: int) -> bool:
    """Check if rows are text: no control characters, and decimal numbers.

    The first word of a row may have any bytes.
    """
    if any(byte < 32 and byte not in b"\t\n\r" for byte in start):
        return False
    if not 1 <= width <= _MOST_NUMBERS:
        return True
    fields = start.partition(b"\n")[0].split(b" ")[-width:]
    return all(field.strip(b"\r\t").translate(None, b"0123456789+-.eE") == b"" for field in fields)


def _read_text(
    path: Path, file: IO[bytes], first: bytes, header: tuple[int, int] | None
) -> tuple[list[str], NDArray[np.float32]]:
    width = header[1] if header else len(first.split()) - 1
    if not 1 <= width <= _MOST_NUMBERS:
        raise WeightsError(f"{path}, line 1: {_CANNOT}; found {_shown(first)}")
    words: dict[str, int] = {}
    rows: list[NDArray[np.float32]] = []
    number, line = (1, first) if header is None else (2, file.readline())
    line = line.removeprefix(codecs.BOM_UTF8)
    blank = 0
    while line:
        if not line.strip():  # allowed at the end alone
            blank = blank or number
            number, line = number + 1, file.readline(_LONGEST_WORD + 32 * width)
            continue
        # From the right: GloVe has words with spaces in them.
        fields = line.rstrip().rsplit(b" ", width)
        try:
            # A cut or broken character stays one word of its own: words that differ in such bytes alone stay apart.
            word = fields[0].decode("utf-8", "backslashreplace")
            row = np.array(fields[1:], np.float32)
        except ValueError:
            row, word = np.zeros(0, np.float32), ""
        if blank:
            raise WeightsError(f"{path}, line {blank}: expected a word and {width} numbers, found an empty line")
        if len(row) != width or not word or not np.isfinite(row).all():
            raise WeightsError(f"{path}, line {number}: expected a word and {width} numbers, found {_shown(line)}")
        if word in words:
            raise WeightsError(f"{path}, line {number}: the word '{word[:40]}' came in line {words[word]} already")
        words[word] = number
        rows.append(row)
        number, line = number + 1, file.readline(_LONGEST_WORD + 32 * width)
    if header is not None and len(rows) != header[0]:
        raise WeightsError(f"{path}: expected {header[0]:,} words as its first line says, found {len(rows):,}")
    return list(words), np.stack(rows)


def _read_binary(path: Path, file: IO[bytes], n: int, width: int) -> tuple[list[str], NDArray[np.float32]]:
    if not 1 <= width <= _MOST_NUMBERS:
        raise WeightsError(f"{path}: expected 1 to {_MOST_NUMBERS:,} numbers a word, its first line says {width:,}")
    words: dict[str, int] = {}
    rows: list[NDArray[np.float32]] = []
    for k in range(1, n + 1):
        raw = b""
        while (byte := file.read(1)) not in (b" ", b""):
            raw += (
                byte if byte != b"\n" or raw else b""
            )  # the original program ends a row with a line feed, gensim does not
            if len(raw) > _LONGEST_WORD:
                break
        content = file.read(4 * width) if byte == b" " else b""
        if len(content) < 4 * width:
            raise WeightsError(f"{path}, word {k:,} of {n:,}: expected a word and {width} numbers; the file ends there")
        row = np.frombuffer(content, "<f4")
        word = raw.decode("utf-8", "backslashreplace")
        if not np.isfinite(row).all():
            raise WeightsError(f"{path}, word {k:,} of {n:,}: '{word[:40]}' has numbers that are not finite")
        if word in words:
            raise WeightsError(f"{path}, word {k:,} of {n:,}: '{word[:40]}' came as word {words[word]:,} already")
        words[word] = k
        rows.append(row)
    if not rows:
        raise WeightsError(f"{path}: expected at least one word, its first line says {n}")
    return list(words), np.stack(rows)


def _shown(line: bytes) -> str:
    return repr(line.decode("utf-8", "replace"))[:80] if line else "nothing"
