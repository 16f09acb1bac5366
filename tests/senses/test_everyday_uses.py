"""Everyday uses: as many as a calibration needs, short, marked, and nobody else's."""

import re
from collections import Counter

import pytest
from elmo_tasks.senses.gallery import EverydayUse, everyday_uses, gallery, read_gallery

from elmo_tasks.errors import DataError
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.ui.examples import EXAMPLES


def plain(sentence):
    return re.sub(r"[\[\]]", "", sentence)


def test_there_are_words_of_several_senses_and_words_of_one():
    senses = Counter((use.word, use.sense) for use in everyday_uses())
    per_word = Counter(word for word, _ in senses)
    several = [word for word, n in per_word.items() if n > 1]
    single = [word for word, n in per_word.items() if n == 1]
    assert len(several) >= 120
    assert len(single) >= 100
    assert {per_word[word] for word in several} == {2, 3}
    assert all(n == (5 if per_word[word] > 1 else 6) for (word, _), n in senses.items())


def test_they_are_short_and_each_is_there_once():
    texts = [plain(use.sentence) for use in everyday_uses()]
    assert all(4 <= len(text.split()) <= 10 for text in texts)
    assert len(set(texts)) == len(texts)
    assert not set(texts) & {plain(s) for e in EXAMPLES for s in e.sentences}
    # Two plain sentences came to both writers; a word is on one side of the calibration in both collections.
    assert len(set(texts) & {plain(use.sentence) for use in gallery()}) <= 2


def test_every_mark_is_found_and_some_are_inflected_or_begin_the_sentence():
    uses = [gallery_use(entry) for entry in everyday_uses()]
    words = [use.word for use in uses]
    forms = [word.lower() != entry.word for word, entry in zip(words, everyday_uses(), strict=True)]
    assert sum(forms) > 200
    assert sum(word[:1].isupper() for word in words) > 50


def test_a_line_that_is_not_such_a_use_is_named(tmp_path):
    path = tmp_path / "uses.jsonl"
    path.write_text('{"word": "bank", "sense": "money", "gloss": "x", "sentence": "The [bank] opened."}\n')
    with pytest.raises(DataError, match="line 1: expected an object with the keys word, sense, sentence"):
        read_gallery(path, EverydayUse)
