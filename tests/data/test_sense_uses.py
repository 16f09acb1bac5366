"""Files of uses with senses are read as their descriptions say, and refused with the line otherwise."""

import json
import lzma

import pytest

from elmo_tasks.data.sense_uses import (
    SenseUse,
    read_coarse_wsd,
    read_first_senses,
    read_semcor,
    read_senseval,
    read_unified,
)
from elmo_tasks.errors import DataError
from elmo_tasks.text.mentions import Use

HEADER = "word\tlabel\tsense\ttarget_index\ttext\n"


def test_coarse_wsd(tmp_path):
    path = tmp_path / "train.tsv.xz"
    path.write_bytes(lzma.compress(f"{HEADER}seal\t0\tseal_animal\t1\tthe seal barked .\n".encode()))
    assert read_coarse_wsd(path) == [
        SenseUse(Use.of_tokens(("the", "seal", "barked", "."), 1, 2), "seal", ("seal_animal",))
    ]
    path.write_bytes(lzma.compress(f"{HEADER}seal\t0\tseal_animal\t7\tthe seal barked .\n".encode()))
    with pytest.raises(DataError, match=r"line 2: expected word, label, sense, .* found tokens 7 to 7"):
        read_coarse_wsd(path)


def test_senseval(tmp_path):
    path = tmp_path / "line.jsonl"
    path.write_text(json.dumps({"tokens": ["``", "a", "line"], "target": 2, "senses": ["text"]}) + "\n")
    assert read_senseval(path) == [SenseUse(Use.of_tokens(('"', "a", "line"), 2, 3), "line", ("text",))]
    path.write_text("{}\n")
    with pytest.raises(DataError, match="line 1: expected an object with tokens, target and senses"):
        read_senseval(path)


def test_semcor_tells_parts_of_speech_by_the_key(tmp_path):
    path = tmp_path / "semcor.jsonl"
    senses = [
        {"i": 1, "n": 2, "lemma": "Take_place", "wnsn": "1", "keys": ["take_place%2:30:00::"]},
        {"i": 3, "n": 1, "lemma": "late", "wnsn": "2", "keys": ["late%5:00:00:recent:00", "late%3:00:00::"]},
    ]
    path.write_text(json.dumps({"tokens": ["Talks", "took", "place", "late"], "senses": senses}) + "\n")
    first, second = read_semcor(path)
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


def test_unified_sets(tmp_path):
    (tmp_path / "a.xml").write_text(XML)
    (tmp_path / "a.txt").write_text(KEYS)
    first, second = read_unified(tmp_path / "a.xml", tmp_path / "a.txt")
    assert first == SenseUse(
        Use.of_tokens(("The", "night", "owl", "slept"), 1, 3), "night_owl%n", ("night_owl%1:18:00::",), "set1"
    )
    assert (second.use.token_start, len(second.senses)) == (3, 2)


@pytest.mark.parametrize(("xml", "keys", "message"), [
    (XML, KEYS.splitlines()[0] + "\n", "KeyError.*set1.d0.s0.t1"),
    (XML.replace("</sentence>", ""), KEYS, "ParseError"),
    (XML.replace("VERB", "PRON"), KEYS, "KeyError"),
    (XML, "alone\n", "line 1: expected an id and sense keys"),
    ("<corpus></corpus>", KEYS, "no instance"),
])  # fmt: skip
def test_unified_sets_are_refused_in_words(tmp_path, xml, keys, message):
    (tmp_path / "a.xml").write_text(xml)
    (tmp_path / "a.txt").write_text(keys)
    with pytest.raises(DataError, match=message):
        read_unified(tmp_path / "a.xml", tmp_path / "a.txt")


def test_first_senses_are_those_with_number_1(tmp_path):
    path = tmp_path / "index.sense"
    path.write_text(
        "owl%1:05:00:: 01621127 1 2\nowl%1:06:00:: 0 2 0\nwise%5:00:00:prudent:00 2 2 1\nwise%3:00:00:: 3 1 4\n"
    )
    assert read_first_senses(path) == {"owl%n": "owl%1:05:00::", "wise%a": "wise%3:00:00::"}


@pytest.mark.ci
def test_published_uses_are_all_read(shared_data):
    folder = shared_data / "wsd"
    assert len(read_coarse_wsd(folder / "coarsewsd20/test.tsv.xz")) == 10_196
    assert len(read_semcor(folder / "semcor3/semcor.jsonl.xz")) == 226_040
    found = read_unified(folder / "unified_eval/ALL.data.xml", folder / "unified_eval/ALL.gold.key.txt")
    assert len(found) == 7_253
    assert len({use.group for use in found}) == 5
    counts = {word: len(read_senseval(folder / f"senseval/{word}.jsonl.xz")) for word in ("hard", "line")}
    assert counts == {"hard": 4_333, "line": 4_146}
