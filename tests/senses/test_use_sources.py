import pytest

from elmo_tasks.errors import DataError, InputError
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.senses.use_sources import example_uses, sentences_of, uses_in
from tests.corpus.sentences import sentences_in


def test_examples_have_their_meanings_and_places():
    entry = bundled_lexicon()["bank"]
    examples = example_uses([entry])
    sentences = [sentence for sense in entry.senses for sentence in sense.sentences]
    assert [use.sentence for use, _, _ in examples] == [
        s.replace("[", "").replace("]", "") for s in sentences
    ]
    assert all(use.word.lower().startswith("bank") for use, _, _ in examples)


def test_inflections_and_cases_are_uses():
    uses, n = uses_in("run", ["He ran.", "RUNS of luck.", "A runner.", "Running, running!"])
    assert [use.word for use in uses] == ["ran", "RUNS", "Running", "running"]
    assert n == 4


def test_many_uses_are_sampled_evenly():
    uses, n = uses_in("bank", [f"The bank {k}." for k in range(100)], max_uses=10)
    assert n == 100
    assert [use.sentence for use in uses] == [f"The bank {k}." for k in range(0, 100, 10)]


def test_text_that_is_not_a_word_is_refused():
    with pytest.raises(InputError, match="is not a word or phrase"):
        uses_in("two, words", ["A bank."])


def test_the_uses_of_a_phrase():
    uses, n = uses_in("run out", ["We ran out of milk.", "Run home.", "Time is running out."])
    assert n == 2
    assert [use.word for use in uses] == ["ran out", "running out"]


def test_a_table_is_read_by_its_column_of_text():
    table = "id,text\n1,The bank. It closed.\n2,=A bank\n"
    assert sentences_of(table, "x.csv")[0] == ["The bank.", "It closed.", "=A bank"]
    assert sentences_of("The bank,1\nA shore,2\n", "X.CSV")[0] == ["The bank", "A shore"]
    with pytest.raises(InputError, match="no rows"):
        sentences_of("\n", "empty.csv")


def test_lines_of_a_list_are_sentences_and_lines_of_a_book_are_not():
    assert sentences_of("The bank is shut.\nWe sat on it.\n")[0] == [
        "The bank is shut.",
        "We sat on it.",
    ]
    book = "It was late and the\nbank was shut when we\ncame to the town. Then\nwe left."
    assert sentences_of(book)[0] == [
        "It was late and the bank was shut when we came to the town.",
        "Then we left.",
    ]


def test_a_text_may_not_be_endless():
    with pytest.raises(InputError, match="the most is 2,000,000"):
        sentences_of("a" * 2_000_001)


def test_files_that_are_no_text_are_named(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(
        DataError, match=r"a\.txt, after line 0: expected UTF-16-LE text, found the byte"
    ):
        sentences_in(tmp_path / "a.txt")
    with pytest.raises(DataError, match=r"none\.txt"):
        sentences_in(tmp_path / "none.txt")
