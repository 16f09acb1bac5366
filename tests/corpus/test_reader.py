"""Rows of all kinds of files, with their places, and those that cannot be read."""

import bz2
import gzip
import io
import lzma
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from elmo_tasks.corpus.reader import BadRows, files_of, read_rows
from elmo_tasks.errors import DataError

TEXTS = ["A bank, a shore.", "", "Two\u2028parts", "The last"]


def read(path, **options):
    return list(read_rows([str(path)], report=lambda text: None, **options))


@pytest.mark.parametrize("ending", ["txt", "txt.xz", "txt.gz", "txt.bz2"])
def test_lines_of_a_text(tmp_path, ending):
    pack = {"xz": lzma.compress, "gz": gzip.compress, "bz2": bz2.compress}.get(ending[4:], bytes)
    (tmp_path / f"in.{ending}").write_bytes(pack("\r\n".join(TEXTS).encode("utf-8-sig")))
    rows = read(tmp_path / f"in.{ending}")
    assert [row.text for row in rows] == TEXTS
    assert [(row.number, row.place) for row in rows] == [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_texts_of_tables_are_those_of_the_text(tmp_path):
    quoted = "".join(f'{k},"{text}"\n' for k, text in enumerate(TEXTS))
    (tmp_path / "a.csv").write_text(f"id,review\n{quoted}", encoding="utf-8")
    (tmp_path / "b.tsv").write_text(
        "id\treview\n" + quoted.replace(',"', "\t").replace('"\n', "\n"), encoding="utf-8"
    )
    lines = "".join(f'{{"id": {k}, "review": "{text}"}}\n' for k, text in enumerate(TEXTS))
    (tmp_path / "c.jsonl").write_text(lines, encoding="utf-8")
    pq.write_table(pa.table({"id": range(4), "review": TEXTS}), tmp_path / "d.parquet")
    for name, first in (("a.csv", 2), ("b.tsv", 2), ("c.jsonl", 1), ("d.parquet", 1)):
        rows = read(tmp_path / name)
        assert [row.text for row in rows] == TEXTS, name
        assert [row.place for row in rows] == [first, first + 1, first + 2, first + 3]
        assert rows == read(tmp_path / name, column="review")
    assert [row.number for row in read(tmp_path)] == list(range(16))  # of the whole folder
    assert len(read(tmp_path / "*.?sv")) == 8
    assert read(f"file://{tmp_path}/c.jsonl")[3].text == TEXTS[3]
    assert len(read(f"file://{tmp_path}")) == 16


def test_a_text_with_line_breaks_is_one_row_however_long_the_file(tmp_path):
    rows = "".join(f'{k},"a text\nof two lines {k}"\n' for k in range(500))
    (tmp_path / "in.csv").write_text(f"id,text\n{rows}", encoding="utf-8")
    found = read(tmp_path / "in.csv")
    assert [row.text for row in found] == [f"a text\nof two lines {k}" for k in range(500)]
    assert found[-1].place == 1000


def test_files_are_read_line_by_line(tmp_path, monkeypatch):
    source = io.BytesIO(b"one\n" * 3)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(source))
    rows = read_rows(["-"])
    assert next(rows).text == "one"
    (tmp_path / "in.txt").write_text("line\n" * 100_000)
    rows = read_rows([str(tmp_path / "in.txt")])
    assert next(rows).text == "line"


BAD = [
    ("in.txt", b"fine\ncaf\xe9\n", "expected UTF-8 text, found the byte 0xe9"),
    ("in.jsonl", b'{"text": "a"}\n{"text"\n', "expected one JSON object"),
    ("in.jsonl", b'{"text": "a"}\n[1]\n', "expected one JSON object"),
    (
        "in.csv",
        b"id,text\n1,One\n2,Two,three\n",
        "expected 2 columns as in the first line, found 3",
    ),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD)
def test_a_damaged_row_is_refused_with_its_place_or_set_aside(
    tmp_path, monkeypatch, name, content, message
):
    (tmp_path / name).write_bytes(content)
    line = content.count(b"\n")
    if name != "in.txt":  # which may be in another encoding
        with pytest.raises(DataError, match=f"{name}, line {line}: {message}"):
            read(tmp_path / name)
        # too large to be read as a whole
        monkeypatch.setattr("elmo_tasks.corpus.reader._MAX_WHOLE_BYTES", -1)
        with pytest.raises(DataError, match=f"{name}, line {line}: {message}.*--skip-bad"):
            read(tmp_path / name)
    bad = BadRows(skip=True)
    assert len(read(tmp_path / name, bad=bad)) == 1
    ((source, place, reason),) = bad.rows
    assert (source, place) == (str(tmp_path / name), line)
    assert message in reason


@pytest.mark.parametrize("limit", [-1, 10**9])
def test_large_tables_are_read_like_small_ones(tmp_path, monkeypatch, limit):
    monkeypatch.setattr("elmo_tasks.corpus.reader._MAX_WHOLE_BYTES", limit)
    (tmp_path / "in.csv").write_text('id;text\n1;"One; two"\n2;Three\n', encoding="utf-8")
    (tmp_path / "in.jsonl").write_text(
        '{"id": 1, "text": "One; two"}\n{"id": 2, "text": "Three"}\n', encoding="utf-8"
    )
    assert [row.text for row in read(tmp_path)] == ["One; two", "Three"] * 2


def test_texts_that_cannot_be_used_are_bad_rows_and_numbers_stay(tmp_path):
    (tmp_path / "in.txt").write_text("one\nfar too long\ntwo\n")
    check = lambda text: "too long" if len(text) > 5 else None  # noqa: E731
    with pytest.raises(DataError, match=r"in.txt, line 2: too long"):
        read(tmp_path / "in.txt", check=check)
    rows = read(tmp_path / "in.txt", check=check, bad=BadRows(skip=True))
    assert [(row.number, row.text) for row in rows] == [(0, "one"), (2, "two")]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("none.txt", "no such file"),
        ("none*", "no such file"),
        ("empty", "no file to read"),
        ("what://x", "s3://"),
    ],
)
def test_missing_inputs_are_refused(tmp_path, monkeypatch, source, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=message):
        files_of(source)


def test_broken_compressed_data_is_refused(tmp_path):
    (tmp_path / "in.txt.gz").write_bytes(gzip.compress(b"a\n" * 5000)[:-20])
    with pytest.raises(DataError, match="the compressed data is broken"):
        read(tmp_path / "in.txt.gz")
