"""Words of meanings that are stored are those that would be looked up."""

import random
import shutil
from dataclasses import replace

import numpy as np
import pytest

from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import WeightsError
from elmo_tasks.senses.disambiguation import words_key
from elmo_tasks.senses.lexicon import bundled_lexicon
from elmo_tasks.senses.stored_words import FILE_NAME, read_words, write_words
from elmo_tasks.senses.word_matches import CompactWords, meaning_words


@pytest.fixture(scope="module")
def static() -> StaticVectors:
    return StaticVectors.load()


@pytest.fixture(scope="module")
def meanings():
    lexicon = bundled_lexicon()
    entries = [*lexicon.ambiguous, *lexicon.expressions]
    return [(entry.word, sense) for entry in entries for sense in entry.all_senses]


def test_all_meanings_of_the_dictionary_are_stored(static, meanings):
    stored = read_words(static)
    missing = [word for word, sense in meanings if stored.get(words_key(word, sense)) is None]
    assert missing == []  # else: python -m elmo_tasks.recipes.meaning_words
    assert len(stored) == len({words_key(word, sense) for word, sense in meanings})


def test_they_are_those_that_are_looked_up(static, meanings):
    stored = read_words(static)
    for word, sense in random.Random(0).sample(meanings, 60):
        kept = stored.get(words_key(word, sense)).weighted(static)
        fresh = meaning_words(static, word, sense)
        np.testing.assert_array_equal(kept.rows, fresh.rows)
        np.testing.assert_allclose(kept.weights, fresh.weights, rtol=1e-3)
        np.testing.assert_allclose(kept.vectors, fresh.vectors, rtol=1e-5)


def test_a_changed_gloss_is_looked_up_again(static, meanings):
    word, sense = meanings[0]
    changed = replace(sense, gloss=f"{sense.gloss}, or not")
    assert read_words(static).get(words_key(word, changed)) is None


@pytest.fixture
def copied(static, tmp_path) -> StaticVectors:
    folder = tmp_path / "vectors"
    shutil.copytree(static.folder, folder)
    return StaticVectors.load(folder)


def test_words_of_other_vectors_are_not_used(copied):
    others = StaticVectors(copied.words, copied.vectors + 1)
    others.folder = copied.folder
    assert len(read_words(copied)) > 0
    assert len(read_words(others)) == 0


def test_a_damaged_file_is_named(copied):
    (copied.folder / FILE_NAME).write_bytes(b"nothing")
    with pytest.raises(WeightsError, match=FILE_NAME):
        read_words(copied)
    (copied.folder / "card.json").unlink()  # without a checksum
    with pytest.raises(WeightsError, match=FILE_NAME):
        read_words(copied)


def test_words_are_read_as_they_were_written(static, tmp_path):
    words = {
        "a": CompactWords(np.array([0.5, 2.0]), np.array([3, 7], np.int32)),
        "b": CompactWords(np.zeros(0), np.zeros(0, np.int32)),
        "c": CompactWords(np.array([1.0]), np.array([35_999], np.int32)),
    }
    write_words(tmp_path, static, words)
    here = StaticVectors(static.words, static.vectors, static.counts)
    here.folder = tmp_path
    stored = read_words(here)
    for name, part in words.items():
        assert stored.get(name).rows.tolist() == part.rows.tolist()
        assert stored.get(name).weights.tolist() == part.weights.tolist()
    assert stored.get("d") is None
