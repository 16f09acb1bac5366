"""WiC, MCL-WiC and CoSimLex files are read as their descriptions say, and refused with the line otherwise."""

import json

import pytest

from elmo_tasks.data.word_pairs import read_cosimlex, read_mcl_wic, read_wic
from elmo_tasks.errors import DataError
from elmo_tasks.text.mentions import Use

LINE = "pitch\tN\t1-4\tThe pitch was wet .\tHe spoke at a pitch (very high) .\n"


def wic(folder, data=LINE, gold="F\n"):
    (folder / "data.txt").write_text(data)
    (folder / "gold.txt").write_text(gold)
    return read_wic(folder / "data.txt", folder / "gold.txt")


def test_wic_marks_the_word_of_each_sentence(tmp_path):
    (pair,) = wic(tmp_path)
    assert pair.a == Use.of_tokens(("The", "pitch", "was", "wet", "."), 1, 2)
    assert pair.b.tokens[pair.b.token_start : pair.b.token_end] == ("pitch",)
    assert pair.same is False


@pytest.mark.parametrize(("data", "gold", "message"), [
    (LINE * 2, "T\n", "expected an answer for each of 2 lines of data.txt, found 1"),
    (LINE.replace("1-4", "1-40"), "T\n", "line 1: expected word, part of speech, i-j"),
    (LINE.replace("1-4", "one"), "T\n", "line 1: expected word"),
    (LINE, "maybe\n", "'maybe'"),
])  # fmt: skip
def test_wic_refuses_in_words(tmp_path, data, gold, message):
    with pytest.raises(DataError, match=message):
        wic(tmp_path, data, gold)


ROW = {
    **{"id": "dev.0", "lemma": "pitch"},
    **{"sentence1": "He can't pitch a tent.", "start1": "9", "end1": "14"},
    **{"sentence2": "“Pitch!” she said.", "start2": "1", "end2": "6"},
}


def mcl_wic(folder, rows, gold):
    (folder / "dev.data").write_text(json.dumps(rows))
    (folder / "dev.gold").write_text(json.dumps(gold))
    return read_mcl_wic(folder / "dev.data", folder / "dev.gold")


def test_mcl_wic_finds_the_token_at_the_characters(tmp_path):
    (pair,) = mcl_wic(tmp_path, [ROW], [{"id": "dev.0", "tag": "T"}])
    assert [use.tokens[use.token_start : use.token_end] for use in (pair.a, pair.b)] == [("pitch",), ("Pitch",)]
    assert pair.same is True


def test_mcl_wic_names_the_pair_that_is_wrong(tmp_path):
    with pytest.raises(DataError, match="pair 2: expected id, sentences"):
        mcl_wic(tmp_path, [ROW, ROW | {"id": "dev.1"}], [{"id": "dev.0", "tag": "T"}])
    with pytest.raises(DataError, match="no word at characters 90 to 95"):
        mcl_wic(tmp_path, [ROW | {"start1": 90, "end1": 95}], [{"id": "dev.0", "tag": "T"}])
    with pytest.raises(DataError, match="a tag that is T or F"):
        mcl_wic(tmp_path, [ROW], [{"id": "dev.0", "tag": "X"}])
    (tmp_path / "dev.data").write_text("{}")
    with pytest.raises(DataError, match="expected a JSON list, found dict"):
        read_mcl_wic(tmp_path / "dev.data", tmp_path / "dev.gold")


def test_published_pairs_are_all_read(shared_data):
    folder = shared_data / "wsd"
    found = read_wic(folder / "wic/dev.data.txt", folder / "wic/dev.gold.txt")
    assert (len(found), sum(pair.same for pair in found)) == (638, 319)
    found = read_mcl_wic(folder / "mcl_wic/dev.en-en.data", folder / "mcl_wic/dev.en-en.gold")
    assert (len(found), sum(pair.same for pair in found)) == (1000, 500)


GRADED = {
    "word1": "bark",
    "word2": "dog",
    "context1": "The <strong>dog</strong>'s <strong>bark</strong> woke us.",
    "context2": "Moss on <strong>barks</strong>, no <strong>dog</strong>.",
    "sim1": "7.5",
    "sim2": "1.25",
    **{"word1_context1": "bark", "word2_context1": "dog", "word1_context2": "barks", "word2_context2": "dog"},
}
HEADER = list(GRADED)


def cosimlex(folder, header=HEADER, **change):
    row = GRADED | change
    (folder / "graded.csv").write_text("\t".join(header) + "\n" + "\t".join(row[name] for name in header) + "\n")
    return read_cosimlex(folder / "graded.csv")


def test_cosimlex_finds_both_words_in_both_texts_in_the_order_of_the_pair(tmp_path):
    (pair,) = cosimlex(tmp_path)
    assert (pair.words, pair.likeness) == (("bark", "dog"), (7.5, 1.25))
    assert [[use.word for use in text] for text in pair.uses] == [["bark", "dog"], ["barks", "dog"]]
    bark, dog = pair.uses[0]
    assert bark.tokens == dog.tokens == ("The", "dog", "'s", "bark", "woke", "us", ".")
    assert (bark.token_start, dog.token_start) == (3, 1)


@pytest.mark.parametrize(("change", "message"), [
    ({"sim1": "much"}, "line 2: expected two texts with both words in <strong>, and two numbers; .*'much'"),
    ({"word1_context1": "barks"}, "line 2: .*'barks' is not marked in context1"),
    ({"header": HEADER[:-1]}, "expected a header with .*; word2_context2 is not there"),
])  # fmt: skip
def test_cosimlex_refuses_in_words(tmp_path, change, message):
    with pytest.raises(DataError, match=message):
        cosimlex(tmp_path, **change)
