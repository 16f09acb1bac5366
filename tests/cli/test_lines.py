import io
import lzma
import os
import sys
from collections.abc import Iterator

import pytest

from elmo_tasks.cli.arguments import batches_of, lines_of
from elmo_tasks.errors import DataError


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Return the end of a pipe that writes to standard input."""
    reading, writing = os.pipe()
    with os.fdopen(reading, encoding="ascii") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield writing


def test_available_lines_form_one_batch_and_a_single_line_is_returned_at_once(pipe):
    batches = batches_of("-", 256)
    os.write(pipe, b"one\ntwo\nthr")
    assert next(batches) == ["one", "two"]  # the third is not whole yet
    os.write(pipe, b"ee\n")
    assert next(batches) == ["three"]
    os.write(pipe, "four 🙂\r\n\n".encode())
    assert next(batches) == ["four 🙂", ""]
    os.write(pipe, b"the end")
    os.close(pipe)
    assert list(batches) == [["the end"]]


def test_a_batch_has_at_most_the_given_number_of_lines(pipe):
    os.write(pipe, b"".join(b"%d\n" % k for k in range(10)))
    os.close(pipe)
    assert list(batches_of("-", 4)) == [["0", "1", "2", "3"], ["4", "5", "6", "7"], ["8", "9"]]


@pytest.mark.parametrize("length", [1, 7, 65_535, 65_536, 200_000])
def test_lines_are_whole_however_they_are_cut_on_their_way(length, monkeypatch):
    lines = ["é" * (length // 2) + "x" * (length % 2), "", "Ada"] * 3
    content = "\n".join(lines).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="ascii"))
    assert [line for batch in batches_of("-", 2) for line in batch] == lines
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="ascii"))
    assert list(lines_of("-")) == lines


def test_lines_before_an_undecodable_one_are_returned(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Ada\nBo\ncaf\xe9\nDan\n")))
    batches = batches_of("-", 256)
    assert next(batches) == ["Ada", "Bo"]
    with pytest.raises(DataError, match="standard input, line 3: expected UTF-8 text"):
        next(batches)


@pytest.mark.parametrize("ending", ["txt", "txt.xz"])
def test_a_file_gives_the_same_lines(ending, tmp_path):
    path = tmp_path / f"in.{ending}"
    path.write_bytes(
        (lzma.compress if ending.endswith("xz") else bytes)("Ada\r\n\nBo".encode("utf-8-sig"))
    )
    assert list(batches_of(str(path), 2)) == [["Ada", ""], ["Bo"]]
    assert list(lines_of(str(path))) == ["Ada", "", "Bo"]
