"""``export-page``, and the worksheets of commands."""

import pytest

from tests.commands.test_commands import run


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("\n".join(f"The zebra number {k} drank water." for k in range(7)), encoding="utf-8")
    return path


def test_a_page_is_written_that_needs_nothing_else(tmp_path, capsys):
    status, out, _ = run(capsys, "export-page", "--word", "bank", tmp_path / "bank.html")
    assert status == 0
    assert "bank.html: 24 uses of “bank”, probably 3 meanings" in out
    page = (tmp_path / "bank.html").read_text(encoding="utf-8")
    assert page.count('class="mark ') == 24
    assert "Guess first" in page
    assert len(page.encode()) < 1_000_000


def test_a_text_of_ones_own_is_drawn(text, tmp_path, capsys):
    request = ["export-page", "--word", "zebra", "--text", text]
    assert run(capsys, *request, tmp_path / "z.html")[0] == 0
    assert "★ own text" in (tmp_path / "z.html").read_text(encoding="utf-8")
    assert run(capsys, *request, "--no-gallery", "--worksheet", tmp_path / "w.html")[0] == 0
    assert "What does “zebra” mean here?" in (tmp_path / "w.html").read_text(encoding="utf-8")


def test_what_cannot_be_drawn_is_said_and_nothing_is_written(text, tmp_path, capsys):
    out = tmp_path / "out.html"
    status, _, err = run(capsys, "export-page", "--word", "lion", "--text", text, out)
    assert (status, "Your text has no use of “lion”" in err) == (2, True)
    text.write_bytes(b"\xff\xfe\x00")
    status, _, err = run(capsys, "export-page", "--word", "zebra", "--text", text, out)
    assert (status, "expected UTF-8 text" in err) == (2, True)
    assert not out.exists()


def test_a_comparison_makes_a_worksheet(tmp_path, capsys):
    sentences = ["--sentence", "The bank gave us a loan.", "--sentence", "We sat on the bank."]
    out = tmp_path / "sheet.html"
    assert run(capsys, "compare", "--word", "bank", *sentences, "--worksheet", out)[0] == 0
    assert "We sat on the <mark>bank</mark>." in out.read_text(encoding="utf-8")


def test_a_worksheet_is_of_a_word(tmp_path, capsys):
    sentences = ["--sentence", "The bank gave us a loan.", "--sentence", "We sat on the bank."]
    status, _, err = run(capsys, "compare", "--whole", *sentences, "--worksheet", tmp_path / "sheet.html")
    assert (status, "--worksheet takes a --word and one --model" in err) == (2, True)
