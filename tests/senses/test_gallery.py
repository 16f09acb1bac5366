from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from elmo_tasks.senses.gallery import GalleryUse, everyday_sentences, gallery, gallery_words, read_gallery

from elmo_tasks.errors import DataError
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.ui.examples import EXAMPLES

WORDS_OF_THE_TUTORIALS = {"bank", "run", "bark", "bucket", "play", "discharge", "culture", "apple"}
USE = {"word": "bank", "sense": "river", "gloss": "land beside a river", "sentence": "Reeds grew on the [bank]."}


def _plain(use: GalleryUse) -> str:
    return use.sentence.replace("[", "").replace("]", "")


def test_two_hundred_words_with_two_to_five_senses_of_eight_sentences() -> None:
    words = gallery_words()
    assert len(words) == len(set(words)) == 200
    assert len(gallery()) >= 4000
    assert set(words) >= WORDS_OF_THE_TUTORIALS
    counts = Counter((use.word, use.sense) for use in gallery())
    assert set(counts.values()) == {8}
    senses = Counter(word for word, _ in counts)
    assert {word: n for word, n in senses.items() if not 2 <= n <= 5} == {}


def test_the_uses_of_a_word_and_of_a_sense_stand_together() -> None:
    keys = [(use.word, use.sense) for use in gallery()]
    starts = [key for before, key in zip([None, *keys], keys, strict=False) if before != key]
    assert len(starts) == len(set(starts))
    words = [word for word, _ in starts]
    assert list(gallery_words()) == [
        word for before, word in zip([None, *words], words, strict=False) if before != word
    ]


def test_a_sense_has_one_gloss_and_a_gloss_one_sense() -> None:
    glosses = defaultdict(set)
    for use in gallery():
        glosses[use.word, use.sense].add(use.gloss)
    assert {key: found for key, found in glosses.items() if len(found) != 1} == {}
    by_word = [(word, gloss) for (word, _), found in glosses.items() for gloss in found]
    assert len(by_word) == len(set(by_word))


def test_the_marked_word_is_found_and_is_the_word_or_a_form_of_it() -> None:
    wrong = []
    for use in gallery():
        mention = find_mention(use.word, use.sentence)
        if mention.sentence != _plain(use) or not mention.token.lower().startswith(use.word):
            wrong.append(use.sentence)
    assert wrong == []


def test_the_word_stands_once_in_its_sentence() -> None:
    """So that there is no doubt which one is meant, with or without the brackets."""
    assert [use for use in gallery() if len(re.findall(rf"\b{use.word}", _plain(use), re.IGNORECASE)) != 1] == []


def test_most_uses_are_in_the_base_form() -> None:
    base = sum(f"[{use.word}]" in use.sentence.lower() for use in gallery())
    assert base >= 0.95 * len(gallery())


def test_the_sentences_are_plain_and_of_seven_to_twenty_words() -> None:
    sentences = [_plain(use) for use in gallery()]
    assert [s for s in sentences if not 7 <= len(s.split()) <= 20] == []
    assert [s for s in sentences if not s.isascii() or s[0].islower() or s[-1] not in ".?!"] == []
    assert [s for s in sentences if "  " in s or s != s.strip()] == []


def test_no_sentence_stands_twice() -> None:
    sentences = Counter(_plain(use).lower() for use in gallery())
    assert [s for s, n in sentences.items() if n > 1] == []


def test_no_two_sentences_are_nearly_the_same() -> None:
    """Six words in a row, or more than half of all runs of three words."""
    runs: dict[tuple[str, ...], set[int]] = defaultdict(set)
    threes = []
    for k, use in enumerate(gallery()):
        words = re.findall(r"[a-z']+", _plain(use).lower())
        for i in range(len(words) - 5):
            runs[tuple(words[i : i + 6])].add(k)
        threes.append({tuple(words[i : i + 3]) for i in range(len(words) - 2)})
    assert {" ".join(run): places for run, places in runs.items() if len(places) > 1} == {}
    where = defaultdict(set)
    for k, found in enumerate(threes):
        for three in found:
            where[three].add(k)
    shared = Counter((a, b) for places in where.values() for a in places for b in places if a < b)
    alike = [pair for pair, n in shared.items() if n > 0.5 * min(len(threes[k]) for k in pair)]
    assert [tuple(gallery()[k].sentence for k in pair) for pair in alike] == []


def test_no_opening_is_a_template() -> None:
    openings = Counter(" ".join(_plain(use).lower().split()[:3]) for use in gallery())
    assert {opening: n for opening, n in openings.items() if n > 8} == {}


def test_no_sentence_is_one_of_the_examples() -> None:
    others = [re.sub(r"[\[\]]", "", s) for example in EXAMPLES for s in example.sentences] + everyday_sentences()
    assert {_plain(use).lower() for use in gallery()} & {s.lower() for s in others} == set()


def test_read_gallery(tmp_path: Path) -> None:
    path = tmp_path / "gallery.jsonl"
    path.write_text(json.dumps(USE) + "\n", encoding="utf-8")
    assert read_gallery(path) == (GalleryUse("bank", "river", "land beside a river", "Reeds grew on the [bank]."),)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "expected a JSON object"),
        ("{", "expected a JSON object"),
        ("[]", "expected an object with the keys word, sense, gloss, sentence, found a list"),
        ("{}", "found the keys none"),
        (json.dumps({"word": "bank", "sense": "river"}), "found the keys word, sense"),
        (json.dumps({**USE, "more": ""}), "found the keys word, sense, gloss, sentence, more"),
        (json.dumps({**USE, "gloss": 3}), "expected text under 'gloss', found 3"),
        (json.dumps({**USE, "word": " "}), "expected text under 'word', found ' '"),
        (json.dumps({**USE, "sentence": "Reeds grew on the bank."}), "expected one pair of"),
        (json.dumps({**USE, "sentence": "Reeds grew on the []."}), "expected one pair of"),
        (json.dumps({**USE, "sentence": "[Reeds] grew on the [bank]."}), "expected one pair of"),
        (json.dumps({**USE, "sentence": "Reeds grew] on the [bank]."}), "expected one pair of"),
    ],
)
def test_a_broken_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "gallery.jsonl"
    path.write_text(f"{json.dumps(USE)}\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_gallery(path)
    assert str(caught.value).startswith(f"{path}, line 2: ")
    assert message in str(caught.value)
