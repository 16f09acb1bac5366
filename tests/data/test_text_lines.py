import bz2
import gzip
import lzma
from pathlib import Path

import pytest

from elmo_tasks.data.text_lines import RowErrors, numbered_lines, shown, suffix_of
from elmo_tasks.errors import DataError
from elmo_tasks.text.vocabulary import open_text


def lines(path: Path) -> list[tuple[int, str]]:
    return list(numbered_lines(path))


def test_line_ends_and_byte_order_mark(tmp_path: Path):
    file = tmp_path / "a.txt"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\n\nlast\xc2\xa0")
    assert lines(file) == [(1, "one"), (2, "two"), (3, ""), (4, "last\xa0")]
    file = tmp_path / "a.tsv.xz"
    file.write_bytes(lzma.compress(b"a\tb\n"))
    assert lines(file) == [(1, "a\tb")]
    assert suffix_of(file) == ".tsv"


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"", "a.txt", r"a\.txt: the file is empty"),
        (
            "größer\nbad ".encode() + b"\xff\n",
            "a.txt",
            r"a\.txt, line 2: .* byte 0xff at position 5; set encoding .* latin-1",
        ),
        (
            "привет\n".encode("koi8-r"),
            "a.txt",
            r"a\.txt, line 1: expected UTF-8 text, .*set encoding",
        ),
        (
            "a\n".encode("utf-16")[:-1],
            "a.txt",
            r"a\.txt, line 1: expected UTF-16-LE text, found the byte",
        ),
        (
            b"PK\x00\x01",
            "a.txt",
            r"a\.txt, line 1: expected a text file, found a zero byte: this is a binary file",
        ),
        (
            b"PK\x03\x04\x14\x00",
            "a.csv",
            r"a\.csv: expected a text file, found a zip file: unpack it first",
        ),
        (b"%PDF-1.7", "a.txt", r"found a PDF document: save its text"),
        (b"not xz", "a.xz", r"a\.xz: the compressed data is broken"),
        (lzma.compress(b"hello" * 100)[:-20], "a.xz", r"a\.xz: the compressed data is broken"),
    ],
)
def test_broken_files(tmp_path: Path, content: bytes, name: str, message: str):
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(DataError, match=message):
        lines(file)


@pytest.mark.parametrize("name", ["a.tsv.gz", "a.tsv.bz2", "a.tsv"])
@pytest.mark.parametrize("packed", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_text_is_read_under_any_name(tmp_path: Path, packed, name: str):
    file = tmp_path / name
    file.write_bytes(packed(b"a\tb\nc\td\n"))
    assert lines(file) == [(1, "a\tb"), (2, "c\td")]
    assert list(open_text(file)) == ["a\tb\n", "c\td\n"]
    assert suffix_of(file) == ".tsv"
    file.write_bytes(packed(b"hello" * 100)[:-10])
    with pytest.raises(DataError, match="compressed data is broken"):
        list(open_text(file))


@pytest.mark.parametrize("name", ["a.txt", "a.txt.xz"])
def test_files_have_a_longest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str):
    file = tmp_path / name
    content = b"short\n" + b"x" * 5_000 + b"\n"
    file.write_bytes(lzma.compress(content) if name.endswith("xz") else content)
    assert len(lines(file)) == 2
    monkeypatch.setattr("elmo_tasks.data.text_lines.MAX_BYTES", 5_000)
    with pytest.raises(
        DataError, match=r"more than 5e-06 GB of labelled rows.* give a part of them"
    ):
        lines(file)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encoding_and_line_ends_are_found(tmp_path: Path, encoding: str, end: str):
    file = tmp_path / "a.txt"
    file.write_bytes(f"A caf\u00e9 by the river{end}closed{end}".encode(encoding))
    assert lines(file) == [(1, "A caf\u00e9 by the river"), (2, "closed")]
    if encoding != "utf-8-sig":
        assert list(numbered_lines(file, encoding)) == lines(file)


def test_no_file(tmp_path: Path):
    with pytest.raises(DataError, match=r"nothing\.txt: no such file"):
        lines(tmp_path / "nothing.txt")
    with pytest.raises(DataError, match="expected a file, found a folder"):
        lines(tmp_path)


def test_errors_are_gathered():
    errors = RowErrors("f.tsv")
    errors.add(3, "wrong")
    with pytest.raises(DataError, match=r"^f\.tsv, line 3: wrong$"):
        errors.check(10, "text")
    for number in range(4, 11):
        errors.add(number, "wrong")
    with pytest.raises(
        DataError,
        match=r"(?s)^f\.tsv: 8 lines are wrong\n  line 3: .*\n  line 7: wrong\n  and 3 more$",
    ):
        errors.check(10, "text")
    with pytest.raises(DataError, match=r"f\.tsv: no text in this file"):
        RowErrors("f.tsv").check(0, "text")
    assert shown("a\nb") == r"'a\nb'"
    assert len(shown("x" * 1000)) == 60
