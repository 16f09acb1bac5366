"""``nearest``: uses beside words, also of a file of another program."""

import json

import pytest


@pytest.fixture(autouse=True)
def few_examples(tmp_path, monkeypatch):
    few = ["Ducks slept on the bank.", "The bank lent us money.", "We walked along the shore."]
    monkeypatch.setenv("ELMO_TASKS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("elmo_tasks.service.nearest_uses._one_of_each_meaning", lambda: few)


def test_the_words_of_a_file_stand_beside(run, tmp_path):
    glove = tmp_path / "glove.txt"
    glove.write_text("bank 1 0\nshore 0.9 0.1\nloan -1 0\n", encoding="utf-8")
    calls = [
        "nearest",
        "--model",
        "static-mini",
        "--word",
        "bank",
        "--sentence",
        "We sat on the bank of the river.",
    ]
    out = run.done(*calls, "--static", glove)
    assert (
        "“static-mini” does not read the sentence: its nearest words are the same in all of them."
        in out
    )
    out = run.done(*calls, "--model", glove)
    assert "in any sentence (glove)\n  0.99  shore\n -1.00  loan" in out
    found = json.loads(run.done(*calls, "--model", glove, "--json"))
    assert (found["vectors"], found["reads_sentence"]) == ("glove", False)
    assert [near["word"] for near in found["static"]] == ["shore", "loan"]


def test_a_word_without_a_vector(run, tmp_path):
    (tmp_path / "glove.txt").write_text("loan -1 0\nshore 0.9 0.1\n", encoding="utf-8")
    calls = [
        "nearest",
        "--word",
        "bank",
        "--sentence",
        "We sat on the bank.",
        "--model",
        tmp_path / "glove.txt",
    ]
    out = run.done(*calls)
    assert "“bank” is not among the 2 words of “glove”." in out
    run.refused(*calls, "--layer", "7")
