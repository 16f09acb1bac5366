"""``two-texts``: what it prints, and how it refuses."""

import json

import pytest

from elmo_tasks.ui.texts_tab import FIRST, SECOND
from tests.commands.test_commands import run


@pytest.fixture
def files(tmp_path):
    for name, text in (("leaf", FIRST), ("prison", SECOND)):
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    return tmp_path / "leaf.txt", tmp_path / "prison.txt"


def test_a_word_is_set_against_itself(files, capsys):
    status, out, _ = run(capsys, "two-texts", *files, "--word", "cell")
    assert status == 0
    assert "The two texts use “cell” differently" in out
    assert "leaf" in out
    status, out, _ = run(capsys, "two-texts", *files, "--word", "cell", "--json")
    assert json.loads(out)["words"][0]["word"] == "cell"


def test_a_bad_request_is_said(files, capsys):
    status, _, err = run(capsys, "two-texts", *files, "--word", "lion")
    assert (status, "does not use “lion”" in err) == (2, True)
    files[1].write_bytes(b"\xff\xfe\x00")
    status, _, err = run(capsys, "two-texts", *files)
    assert (status, "expected UTF-8 text" in err) == (2, True)
