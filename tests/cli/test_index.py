import io
import sys

import pytest

from elmo_tasks.__main__ import main
from elmo_tasks.senses.use_index import UseIndex
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.test_bilm import tiny


@pytest.fixture
def model(tmp_path):
    write_model(tmp_path / "toy", tiny())
    return str(tmp_path / "toy")


def test_an_index_of_ones_own_files(tmp_path, capsys, model):
    (tmp_path / "a.txt").write_text("The bank opened. It closed.", encoding="utf-8")
    (tmp_path / "b.csv").write_text("id,text\n1,A dog barked.\n", encoding="utf-8")
    out = tmp_path / "index"
    arguments = ["index", str(tmp_path / "a.txt"), str(tmp_path / "b.csv"), "--out", str(out), "--model", model]
    assert main([*arguments, "--title", "letters"]) == 0
    said = capsys.readouterr().out
    assert "3 sentences, 11 words and signs: about 0 MB" in said
    index = UseIndex(out)
    assert index.description.title == "letters"
    assert [index.sentence(k) for k in range(3)] == ["The bank opened.", "It closed.", "A dog barked."]
    assert main(arguments) == 0  # it is there already


def test_what_cannot_be_indexed_is_said(tmp_path, capsys, model):
    assert main(["index", str(tmp_path / "none.txt"), "--out", str(tmp_path / "o"), "--model", model]) == 2
    assert "none.txt: no such file" in capsys.readouterr().err
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    assert main(["index", str(tmp_path / "empty.txt"), "--out", str(tmp_path / "o"), "--model", model]) == 2
    assert "empty.txt: the file is empty" in capsys.readouterr().err
    (tmp_path / "a.txt").write_text("One.", encoding="utf-8")
    assert main(["index", str(tmp_path / "a.txt"), "--out", str(tmp_path / "gallery"), "--model", model]) == 2
    assert "give the index another --title" in capsys.readouterr().err


def test_an_index_of_a_data_set_on_the_hub(tmp_path, capsys, model):
    # A stand-in for the hub: `datasets` reads a folder by its path as it reads a data set by its name.
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "test.jsonl").write_text(
        '{"id": 1, "words": "The bank opened. It closed."}\n{"id": 2, "words": "A dog."}\n', encoding="utf-8"
    )
    (tmp_path / "a.txt").write_text("My own bank.", encoding="utf-8")
    arguments = [f"hub:{tmp_path / 'set'}", str(tmp_path / "a.txt"), "--out", str(tmp_path / "index"), "--model", model]
    assert main(["index", *arguments, "--split", "test", "--column", "words", "--rows", "1"]) == 0
    assert "3 sentences" in capsys.readouterr().out
    index = UseIndex(tmp_path / "index")
    assert [index.sentence(k) for k in range(3)] == ["The bank opened.", "It closed.", "My own bank."]
    assert main(["index", *arguments, "--split", "test", "--column", "body"]) == 2
    assert "no column 'body'; it has id, words" in capsys.readouterr().err


def test_an_index_of_a_table_says_its_column(tmp_path, capsys, model):
    (tmp_path / "a.csv").write_text("label;review\npos;The bank opened.\nneg;It closed.\n", encoding="utf-8")
    assert main(["index", str(tmp_path / "a.csv"), "--out", str(tmp_path / "i"), "--model", model]) == 0
    assert "2 sentences; texts from 'review', named by the first line; semicolons between" in capsys.readouterr().out
    assert [UseIndex(tmp_path / "i").sentence(k) for k in range(2)] == ["The bank opened.", "It closed."]


def test_an_index_of_standard_input(tmp_path, capsys, model, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"The bank opened. It closed.\nA dog.")))
    assert main(["index", "-", "--out", str(tmp_path / "i"), "--model", model]) == 0
    assert [UseIndex(tmp_path / "i").sentence(k) for k in range(3)] == ["The bank opened.", "It closed.", "A dog."]
