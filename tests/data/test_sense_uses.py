"""Files of uses with senses and of pairs of uses are read as documented; errors name the line."""

import json
import lzma

import pytest

from elmo_tasks.data import sense_uses
from elmo_tasks.data.sense_uses import SenseUse
from elmo_tasks.errors import DataError
from elmo_tasks.text.uses import Use

HEADER = "word\tlabel\tsense\ttarget_index\ttext\n"


def test_coarse_wsd(tmp_path):
    path, line = tmp_path / "train.tsv.xz", "seal\t0\tseal_animal\t{}\tthe seal barked .\n"
    path.write_bytes(lzma.compress((HEADER + line.format(1)).encode()))
    assert sense_uses.read_coarse_wsd(path) == [
        SenseUse(Use.of_tokens(("the", "seal", "barked", "."), 1, 2), "seal", ("seal_animal",))
    ]
    path.write_bytes(lzma.compress((HEADER + line.format(7)).encode()))
    with pytest.raises(
        DataError, match=r"line 2: expected word, label, sense, .* found tokens 7 to 7"
    ):
        sense_uses.read_coarse_wsd(path)


def test_senseval(tmp_path):
    path = tmp_path / "line.jsonl"
    path.write_text(
        json.dumps({"tokens": ["``", "a", "line"], "target": 2, "senses": ["text"]}) + "\n"
    )
    assert sense_uses.read_senseval(path) == [
        SenseUse(Use.of_tokens(('"', "a", "line"), 2, 3), "line", ("text",))
    ]
    path.write_text("{}\n")
    with pytest.raises(
        DataError, match="line 1: expected an object with tokens, target and senses"
    ):
        sense_uses.read_senseval(path)


def test_semcor_reads_parts_of_speech_from_the_key(tmp_path):
    path = tmp_path / "semcor.jsonl"
    senses = [
        {"i": 1, "n": 2, "lemma": "Take_place", "wnsn": "1", "keys": ["take_place%2:30:00::"]},
        {
            "i": 3,
            "n": 1,
            "lemma": "late",
            "wnsn": "2",
            "keys": ["late%5:00:00:recent:00", "late%3:00:00::"],
        },
    ]
    path.write_text(
        json.dumps({"tokens": ["Talks", "took", "place", "late"], "senses": senses}) + "\n"
    )
    first, second = sense_uses.read_semcor(path)
    assert (first.lemma, first.use.token_start, first.use.token_end) == ("take_place%v", 1, 3)
    assert (second.lemma, len(second.senses)) == ("late%a", 2)


XML = """<?xml version="1.0" encoding="UTF-8" ?>
<corpus><text id="d0"><sentence id="d0.s0">
<wf lemma="the" pos="DET">The</wf>
<instance id="set1.d0.s0.t0" lemma="night_owl" pos="NOUN">night owl</instance>
<instance id="set1.d0.s0.t1" lemma="sleep" pos="VERB">slept</instance>
</sentence></text></corpus>
"""
KEYS = "set1.d0.s0.t0 night_owl%1:18:00::\nset1.d0.s0.t1 sleep%2:29:00:: sleep%2:42:00::\n"


def unified(folder, xml=XML, keys=KEYS):
    (folder / "a.xml").write_text(xml)
    (folder / "a.txt").write_text(keys)
    return sense_uses.read_unified(folder / "a.xml", folder / "a.txt")


def test_unified_sets(tmp_path):
    first, second = unified(tmp_path)
    use = Use.of_tokens(("The", "night", "owl", "slept"), 1, 3)
    assert first == SenseUse(use, "night_owl%n", ("night_owl%1:18:00::",), "set1")
    assert (second.use.token_start, len(second.senses)) == (3, 2)


@pytest.mark.parametrize(
    ("xml", "keys", "message"),
    [
        (XML, KEYS.splitlines()[0] + "\n", "KeyError.*set1.d0.s0.t1"),
        (XML.replace("</sentence>", ""), KEYS, "ParseError"),
        (XML.replace("VERB", "PRON"), KEYS, "KeyError"),
        (XML, "alone\n", "line 1: expected an id and sense keys"),
        ("<corpus></corpus>", KEYS, "no instance"),
    ],
)
def test_wrong_unified_sets_are_refused(tmp_path, xml, keys, message):
    with pytest.raises(DataError, match=message):
        unified(tmp_path, xml, keys)


def test_first_senses_are_those_with_number_1(tmp_path):
    path = tmp_path / "index.sense"
    owls = "owl%1:05:00:: 01621127 1 2\nowl%1:06:00:: 0 2 0\n"
    path.write_text(f"{owls}wise%5:00:00:prudent:00 2 2 1\nwise%3:00:00:: 3 1 4\n")
    assert sense_uses.read_first_senses(path) == {
        "owl%n": "owl%1:05:00::",
        "wise%a": "wise%3:00:00::",
    }


LINE = "pitch\tN\t1-4\tThe pitch was wet .\tHe spoke at a pitch (very high) .\n"


def wic(folder, data=LINE, gold="F\n"):
    (folder / "data.txt").write_text(data)
    (folder / "gold.txt").write_text(gold)
    return sense_uses.read_wic(folder / "data.txt", folder / "gold.txt")


def test_wic_marks_the_word_of_each_sentence(tmp_path):
    (pair,) = wic(tmp_path)
    assert pair.a == Use.of_tokens(("The", "pitch", "was", "wet", "."), 1, 2)
    assert pair.b.tokens[pair.b.token_start : pair.b.token_end] == ("pitch",)
    assert pair.same is False


@pytest.mark.parametrize(
    ("data", "gold", "message"),
    [
        (LINE * 2, "T\n", "expected an answer for each of 2 lines of data.txt, found 1"),
        (LINE.replace("1-4", "1-40"), "T\n", "line 1: expected word, part of speech, i-j"),
        (LINE.replace("1-4", "one"), "T\n", "line 1: expected word"),
        (LINE, "maybe\n", "'maybe'"),
    ],
)
def test_wic_refuses_wrong_rows(tmp_path, data, gold, message):
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
    return sense_uses.read_mcl_wic(folder / "dev.data", folder / "dev.gold")


def test_mcl_wic_finds_the_token_at_the_characters(tmp_path):
    (pair,) = mcl_wic(tmp_path, [ROW], [{"id": "dev.0", "tag": "T"}])
    assert [use.tokens[use.token_start : use.token_end] for use in (pair.a, pair.b)] == [
        ("pitch",),
        ("Pitch",),
    ]
    assert pair.same is True


def test_mcl_wic_names_the_wrong_pair(tmp_path):
    with pytest.raises(DataError, match="pair 2: expected id, sentences"):
        mcl_wic(tmp_path, [ROW, ROW | {"id": "dev.1"}], [{"id": "dev.0", "tag": "T"}])
    with pytest.raises(DataError, match="no word at characters 90 to 95"):
        mcl_wic(tmp_path, [ROW | {"start1": 90, "end1": 95}], [{"id": "dev.0", "tag": "T"}])
    with pytest.raises(DataError, match="a tag that is T or F"):
        mcl_wic(tmp_path, [ROW], [{"id": "dev.0", "tag": "X"}])
    (tmp_path / "dev.data").write_text("{}")
    with pytest.raises(DataError, match="expected a JSON list, and in dev.gold"):
        sense_uses.read_mcl_wic(tmp_path / "dev.data", tmp_path / "dev.gold")


GRADED = {
    **{"word1": "bark", "word2": "dog", "sim1": "7.5", "sim2": "1.25"},
    "context1": "The <strong>dog</strong>'s <strong>bark</strong> woke us.",
    "context2": "Moss on <strong>barks</strong>, no <strong>dog</strong>.",
    **{
        "word1_context1": "bark",
        "word2_context1": "dog",
        "word1_context2": "barks",
        "word2_context2": "dog",
    },
}
COLUMNS = list(GRADED)


def cosimlex(folder, header=COLUMNS, **change):
    row = GRADED | change
    (folder / "graded.csv").write_text(
        "\t".join(header) + "\n" + "\t".join(row[name] for name in header) + "\n"
    )
    return sense_uses.read_cosimlex(folder / "graded.csv")


def test_cosimlex_finds_both_words_in_both_texts_in_the_order_of_the_pair(tmp_path):
    (pair,) = cosimlex(tmp_path)
    assert (pair.words, pair.similarities) == (("bark", "dog"), (7.5, 1.25))
    assert [[use.word for use in text] for text in pair.uses] == [["bark", "dog"], ["barks", "dog"]]
    bark, dog = pair.uses[0]
    assert bark.tokens == dog.tokens == ("The", "dog", "'s", "bark", "woke", "us", ".")
    assert (bark.token_start, dog.token_start) == (3, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"sim1": "much"},
            "line 2: expected two texts with both words in <strong>, and two numbers, .*'much'",
        ),
        (
            {"word1_context1": "barks"},
            "line 2: expected two texts with both words in <strong>, .*'barks'",
        ),
        (
            {"header": COLUMNS[:-1]},
            "line 2: expected two texts with both words in <strong>, .*'word2_context2'",
        ),
    ],
)
def test_cosimlex_refuses_wrong_rows(tmp_path, change, message):
    with pytest.raises(DataError, match=message):
        cosimlex(tmp_path, **change)


def test_published_pairs_are_all_read(shared_data):
    folder = shared_data / "wsd"
    found = sense_uses.read_wic(folder / "wic/dev.data.txt", folder / "wic/dev.gold.txt")
    assert (len(found), sum(pair.same for pair in found)) == (638, 319)
    found = sense_uses.read_mcl_wic(
        folder / "mcl_wic/dev.en-en.data", folder / "mcl_wic/dev.en-en.gold"
    )
    assert (len(found), sum(pair.same for pair in found)) == (1000, 500)


@pytest.mark.ci
def test_published_uses_are_all_read(shared_data):
    folder = shared_data / "wsd"
    assert len(sense_uses.read_coarse_wsd(folder / "coarsewsd20/test.tsv.xz")) == 10_196
    assert len(sense_uses.read_semcor(folder / "semcor3/semcor.jsonl.xz")) == 226_040
    found = sense_uses.read_unified(
        folder / "unified_eval/ALL.data.xml", folder / "unified_eval/ALL.gold.key.txt"
    )
    assert len(found) == 7_253
    assert len({use.group for use in found}) == 5
    counts = {
        word: len(sense_uses.read_senseval(folder / f"senseval/{word}.jsonl.xz"))
        for word in ("hard", "line")
    }
    assert counts == {"hard": 4_333, "line": 4_146}
