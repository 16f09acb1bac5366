import io
import json
import sys

import pytest

from elmo_tasks.senses.use_index import UseIndex


@pytest.fixture
def index(tmp_path, toy):
    """The arguments of a command that builds an index in a folder."""
    return lambda *arguments, out="i": [
        "index",
        *arguments,
        "--out",
        tmp_path / out,
        "--model",
        toy,
    ]


def sentences_of(found: UseIndex) -> list[str]:
    return list(dict.fromkeys(found.use(row).sentence for row in range(len(found))))


def test_an_index_of_own_files(tmp_path, index, run):
    (tmp_path / "a.txt").write_text("The bank opened. It closed.", encoding="utf-8")
    (tmp_path / "b.csv").write_text("id;review\n1;A dog barked.\n", encoding="utf-8")
    arguments = [tmp_path / "a.txt", tmp_path / "b.csv", "--title", "letters"]
    out = run.done(*index(*arguments))
    assert ": texts from “review”, named by the first line; semicolons between" in out
    assert "3 sentences, about 8 words and signs: about 0 MB" in out
    found = UseIndex(tmp_path / "i")
    assert found.description.title == "letters"
    assert sentences_of(found) == ["The bank opened.", "It closed.", "A dog barked."]
    run.done(*index(*arguments))  # it is there already
    query = [
        "--word",
        "bank",
        "--sentence",
        "A bank.",
        "--index",
        tmp_path / "i",
        "--model",
        "static-mini",
    ]
    assert "choose that model, or make the index again" in run.refused("nearest", *query)


def test_bad_input_is_refused(tmp_path, index, run):
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    (tmp_path / "a.txt").write_text("One.", encoding="utf-8")
    for name, out, message in (
        ("none.txt", "o", "none.txt: no such file"),
        ("empty.txt", "o", "empty.txt: the file is empty"),
        ("a.txt", "dictionary", "give the index another --title"),
    ):
        assert message in run.refused(*index(tmp_path / name, out=out))


def test_an_index_of_a_data_set_on_the_hub(tmp_path, index, run):
    # A stand-in for the hub: `datasets` reads a folder by its path as it reads a data set by its
    # name.
    (tmp_path / "set").mkdir()
    rows = ({"id": 1, "words": "The bank opened. It closed."}, {"id": 2, "words": "A dog."})
    (tmp_path / "set" / "test.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    (tmp_path / "a.txt").write_text("My own bank.", encoding="utf-8")
    arguments = [f"hub:{tmp_path / 'set'}", tmp_path / "a.txt", "--split", "test"]
    assert "3 sentences" in run.done(*index(*arguments, "--column", "words", "--rows", "1"))
    found = UseIndex(tmp_path / "i")
    assert sentences_of(found) == ["The bank opened.", "It closed.", "My own bank."]
    assert (
        "expected the name of a column, found 'body'; there are 2 columns: 'id', 'words'"
        in run.refused(*index(*arguments, "--column", "body", out="other"))
    )


def test_an_index_of_standard_input(tmp_path, index, monkeypatch, run):
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(b"The bank opened. It closed.\nA dog."))
    )
    run.done(*index("-"))
    assert sentences_of(UseIndex(tmp_path / "i")) == ["The bank opened.", "It closed.", "A dog."]
