"""Text files, plain or compressed by xz, gzip or bzip2 (seen from the content)."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

from elmo_tasks.errors import DataError

#: Errors of reading compressed content; gzip's other errors are plain ``OSError``.
READ_ERRORS = (lzma.LZMAError, EOFError, zlib.error, gzip.BadGzipFile)
#: Endings of compressed files.
ENDINGS = (".xz", ".gz", ".bz2")

_OPENERS: dict[bytes, Callable[[Any], Any]] = {
    b"\xfd7zXZ\x00": lzma.open,
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
}
_PICKLE = (
    "a pickle of Python, which may hold code",
    "save a table as CSV, word vectors with save_word2vec_format()",
)
#: First bytes of files that are not text, the name of their format, and the remedy.
_OTHER_FORMATS = {
    b"PK\x03\x04": ("a zip file", "unpack it first, or give a workbook a name that ends in .xlsx"),
    b"PK\x05\x06": ("an empty zip file", "give the file that was to be in it"),
    b"7z\xbc\xaf": ("a 7z archive", "unpack it first"),
    b"Rar!": ("a RAR archive", "unpack it first"),
    b"\x28\xb5\x2f\xfd": ("a file compressed by zstd", "unpack it first"),
    b"\xd0\xcf\x11\xe0": ("a document of an old Office program", "save it as CSV UTF-8"),
    b"%PDF": ("a PDF document", "save its text as a text file"),
    b"PAR1": ("a Parquet file", "give it a name that ends in .parquet"),
    b"ARROW1": ("an Arrow or Feather file", "save it as Parquet or CSV"),
    b"\x80\x04\x95": _PICKLE,
    b"\x80\x05\x95": _PICKLE,
    b"\x89HDF": ("an HDF5 file", "save the table as Parquet or CSV"),
    b"{\\rtf": ("a Rich Text document", "save its text as a text file"),
    b"SQLite format 3": ("a database", "export the table as CSV"),
}


def open_binary(path: Path) -> BinaryIO:
    """Open a file for reading, unpacked if it is compressed.

    Raises:
        DataError: it is an archive or a document that is not plain text.
        OSError: it cannot be opened.
    """
    with path.open("rb") as file:
        start = file.read(16)
    opener = _opener_of(start, str(path))
    if opener is not None:
        # Buffered: single lines of a compressed file are slow to read.
        return io.BufferedReader(cast(io.RawIOBase, opener(path)))
    if start and path.suffix in ENDINGS:
        raise DataError(
            f"{path}: the compressed data is broken (its first bytes are not those of"
            f" {path.suffix})"
        )
    return path.open("rb")


def unpacked(stream: io.BufferedReader, name: str) -> BinaryIO:
    """Unpack an open stream if it is compressed; ``name`` is for messages."""
    opener = _opener_of(stream.peek(16)[:16], name)
    return stream if opener is None else io.BufferedReader(cast(io.RawIOBase, opener(stream)))


def _opener_of(start: bytes, name: str) -> Callable[[Any], Any] | None:
    """Return the function that unpacks content with these first bytes; None for plain content."""
    for mark, (found, advice) in _OTHER_FORMATS.items():
        if start.startswith(mark):
            raise DataError(f"{name}: expected a text file, found {found}: {advice}")
    return next((opener for mark, opener in _OPENERS.items() if start.startswith(mark)), None)


def plain_name(path: Path) -> str:
    """Return the name of the content: ``reviews.tsv`` of ``reviews.tsv.xz``."""
    return path.stem if path.suffix in ENDINGS else path.name
