"""Readers of word2vec (text and binary), GloVe and fastText .vec files."""

from __future__ import annotations

import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.errors import WeightsError

_PICKLE = b"\x80"  # the first byte of what gensim's own `save` writes
_FASTTEXT = (793712314).to_bytes(4, "little")  # the first bytes of fastText's .bin
_MAX_WORD = 4096
_MAX_NUMBERS = 10_000
_CANNOT = "no word vectors that are read here: expected lines 'word number number …', or word2vec's binary format"


def read_word_vectors(path: Path) -> tuple[list[str], NDArray[np.float32]]:
    """Read a file of word vectors into its words and ``[words, D]`` values.

    The file is plain, ``.gz`` or ``.xz``; its format is detected from its content. Text has a word and its numbers on each
    line, with spaces between; word2vec and fastText write the number of words and of dimensions on a line before, GloVe does
    not.

    Raises:
        WeightsError: it is no such file, or a line of it is not as expected.
    """
    try:
        with _opened(path) as file:
            first = file.readline(_MAX_WORD + 32 * _MAX_NUMBERS).removeprefix(codecs.BOM_UTF8)
            if first.startswith((_PICKLE, _FASTTEXT)):
                raise WeightsError(
                    f"{path}: {_CANNOT}. What gensim's save() writes may hold code: use save_word2vec_format(); of "
                    "fastText use the .vec file"
                )
            header = _header(first)
            if header is None:
                return _collected(path, _text_rows(path, file, first, 1, len(first.split()) - 1))
            n, width = header
            if n == 0:
                raise WeightsError(f"{path}, line 1: expected at least one word, its first line says 0")
            # Both formats begin alike; numbers in text have no byte below a space.
            if _is_text(file.peek(1024)[:1024], width):  # type: ignore[attr-defined]
                words, vectors = _collected(path, _text_rows(path, file, file.readline(), 2, width))
                if len(words) != n:
                    raise WeightsError(f"{path}: expected {n:,} words as its first line says, found {len(words):,}")
                return words, vectors
            return _collected(path, _binary_rows(path, file, n, width))
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise WeightsError(f"{path}: cannot be read ({str(error) or type(error).__name__})") from None


def _opened(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return io.BufferedReader(gzip.open(path))  # type: ignore[arg-type]
    return io.BufferedReader(lzma.open(path)) if path.suffix == ".xz" else path.open("rb")  # type: ignore[arg-type]


def _header(line: bytes) -> tuple[int, int] | None:
    fields = line.split()
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        return int(fields[0]), int(fields[1])
    return None


def _is_text(start: bytes, width: int) -> bool:
    """Check if rows are text: no control characters, and decimal numbers."""
    if any(byte < 32 and byte not in b"\t\n\r" for byte in start):
        return False
    if not 1 <= width <= _MAX_NUMBERS:
        return True
    fields = start.partition(b"\n")[0].split(b" ")[-width:]
    return all(field.strip(b"\r\t").translate(None, b"0123456789+-.eE") == b"" for field in fields)


def _collected(
    path: Path, rows: Iterator[tuple[str, str, NDArray[np.float32]]]
) -> tuple[list[str], NDArray[np.float32]]:
    """Collect places, words and vectors; refuse a word that comes twice."""
    places: dict[str, str] = {}
    vectors = []
    for place, word, vector in rows:
        if word in places:
            raise WeightsError(f"{path}, {place}: the word '{word[:40]}' came in {places[word]} already")
        places[word] = place
        vectors.append(vector)
    return list(places), np.stack(vectors)


def _text_rows(
    path: Path, file: IO[bytes], line: bytes, number: int, width: int
) -> Iterator[tuple[str, str, NDArray[np.float32]]]:
    if not 1 <= width <= _MAX_NUMBERS:
        raise WeightsError(f"{path}, line 1: {_CANNOT}; found {_shown(line)}")
    line = line.removeprefix(codecs.BOM_UTF8)
    blank = 0
    while line:
        if not line.strip():  # allowed at the end alone
            blank = blank or number
        elif blank:
            raise WeightsError(f"{path}, line {blank}: expected a word and {width} numbers, found an empty line")
        else:
            # From the right: GloVe has words with spaces in them.
            fields = line.rstrip().rsplit(b" ", width)
            # A cut or broken character stays one word of its own: words that differ in such bytes alone stay apart.
            word = fields[0].decode("utf-8", "backslashreplace")
            try:
                row = np.array(fields[1:], np.float32)
            except ValueError:
                row = np.zeros(0, np.float32)
            if len(row) != width or not word or not np.isfinite(row).all():
                raise WeightsError(f"{path}, line {number}: expected a word and {width} numbers, found {_shown(line)}")
            yield f"line {number}", word, row
        number, line = number + 1, file.readline(_MAX_WORD + 32 * width)


def _binary_rows(path: Path, file: IO[bytes], n: int, width: int) -> Iterator[tuple[str, str, NDArray[np.float32]]]:
    if not 1 <= width <= _MAX_NUMBERS:
        raise WeightsError(f"{path}: expected 1 to {_MAX_NUMBERS:,} numbers a word, its first line says {width:,}")
    for k in range(1, n + 1):
        raw = b""
        while (byte := file.read(1)) not in (b" ", b"") and len(raw) <= _MAX_WORD:
            # The original program ends a row with a line feed, gensim does not.
            raw += byte if byte != b"\n" or raw else b""
        content = file.read(4 * width) if byte == b" " else b""
        if len(content) < 4 * width:
            raise WeightsError(f"{path}, word {k:,} of {n:,}: expected a word and {width} numbers; the file ends there")
        row, word = np.frombuffer(content, "<f4"), raw.decode("utf-8", "backslashreplace")
        if not np.isfinite(row).all():
            raise WeightsError(f"{path}, word {k:,} of {n:,}: '{word[:40]}' has numbers that are not finite")
        yield f"word {k:,} of {n:,}", word, row


def _shown(line: bytes) -> str:
    return repr(line.decode("utf-8", "replace"))[:80] if line else "nothing"
