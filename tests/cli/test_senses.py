"""``senses``: meanings of a text as JSON lines, entries of the dictionary, and an own dictionary."""

import json

import pyarrow.parquet as pq
import pytest

from elmo_tasks.senses.entries import parse_entries
from elmo_tasks.senses.lexicon import bundled_lexicon

MINE = """\
zorple
  hat, noun: a kind of hat
    He put the [zorple] on his head.
  jump, verb: to jump
    They [zorple] over the fence.
"""


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.txt").write_text(MINE, encoding="utf-8")
    return str(tmp_path / "mine.txt")


def test_each_line_gives_an_object(tmp_path, run, mine):
    text = tmp_path / "text.txt"
    text.write_text(
        "We sat on the river bank.\n\nShe wore a zorple on her head.\n", encoding="utf-8"
    )
    out = run.done("senses", text, "--lexicon", mine, "--device", "cpu")
    first, second = map(json.loads, out.splitlines())
    found = {w["token"]: w["meaning"] for line in (first, second) for w in line["words"]}
    assert (found["bank"], found["zorple"]) == ("river", "hat")
    assert second["text"] == "She wore a zorple on her head."


def test_an_entry_is_printed_in_the_format_of_the_dictionary(run, mine):
    assert parse_entries(run("senses", "--word", "banks")[1]) == [bundled_lexicon()["bank"]]
    assert run("senses", "--word", "zorple", "--lexicon", mine) == (0, MINE, "")


def test_compare_reads_it_too(run, mine):
    sentences = ["She wore a zorple on her head.", "The rabbits zorple over the wall."]
    given = ["--word", "zorple", "--lexicon", mine, "--json", "--device", "cpu"]
    answer = json.loads(
        run.done("compare", *given, "--sentence", sentences[0], "--sentence", sentences[1])
    )
    assert answer["source"] == "own"
    assert [use["meaning"] for use in answer["uses"]] == ["hat", "jump"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected either a text file"),
        (["-", "--word", "bank"], "expected either a text file"),
        (["--word", "xyzzy"], "“xyzzy” is not in the dictionary"),
        (["--word", "telescope"], "one everyday meaning"),
        (["--word", "bank", "--lexicon", "nowhere.txt"], "nowhere.txt: expected a dictionary"),
    ],
)
def test_bad_requests_are_refused(arguments, message, run):
    assert message in run.refused("senses", *arguments)


def test_a_too_long_line_is_reported(tmp_path, run):
    text = tmp_path / "text.txt"
    text.write_text("Short.\n" + "a " * 10_001 + "\n", encoding="utf-8")
    assert "text.txt, line 2: The text has 20,002 characters" in run.refused(
        "senses", text, "--device", "cpu"
    )


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.ci)])
def test_a_file_has_the_rows_by_one_process_and_by_two(workers, tmp_path, run, monkeypatch):
    monkeypatch.setattr("elmo_tasks.corpus.blocks.MAX_CHARACTERS", 40)
    text = tmp_path / "text.txt"
    text.write_text(
        "We sat on the river bank.\n\nHe went to the bank for money.\n", encoding="utf-8"
    )
    printed = [
        json.loads(line) for line in run.done("senses", text, "--device", "cpu").splitlines()
    ]
    run.done("senses", text, tmp_path / "out.jsonl", "--device", "cpu", "--workers", workers)
    found = [
        json.loads(line)
        for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert [(row["row"], row["line"]) for row in found] == [(0, 1), (2, 3)]
    meanings = [
        [[word["meaning"] for word in row["words"]] for row in rows] for rows in (printed, found)
    ]
    assert meanings[0] == meanings[1]
    run.done("senses", text, tmp_path / "out.parquet", "--device", "cpu")
    words = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert [word["meaning"] for word in words] == [
        meaning for row in meanings[0] for meaning in row
    ]
    assert {p.name for p in tmp_path.iterdir()} == {"text.txt", "out.jsonl", "out.parquet"}


def test_lines_are_checked_before_the_work_or_set_aside(tmp_path, run):
    text = tmp_path / "text.txt"
    text.write_text("Short.\n" + "a " * 10_001 + "\n" + "a " * 3_000 + "\n", encoding="utf-8")
    arguments = ["senses", text, tmp_path / "out.jsonl", "--device", "cpu"]
    assert (
        "text.txt, line 2: expected at most 20,000 characters in a line, found 20,002"
        in run.refused(*arguments)
    )
    assert {p.name for p in tmp_path.iterdir()} == {"text.txt"}
    status, _, err = run(*arguments, "--skip-bad")
    assert status == 0
    assert "2 rows could not be read and were left out" in err
    assert (
        "expected at most 2,000 words and signs" in (tmp_path / "out.jsonl.bad.jsonl").read_text()
    )
    assert "name a file or a folder as OUT" in run.refused("senses", text, "--workers", "2")
