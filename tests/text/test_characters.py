from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elmo_tasks.text.characters import (
    BEGIN_OF_SENTENCE,
    BEGIN_OF_WORD,
    BEGIN_SENTENCE_IDS,
    END_OF_SENTENCE,
    END_OF_WORD,
    END_SENTENCE_IDS,
    MAX_CHARACTERS,
    PADDING,
    character_ids,
)


def test_the_published_ids() -> None:
    """bilm-tf's 256..260, each one higher, so that 0 is the padding row of the table."""
    marks = [BEGIN_OF_SENTENCE, END_OF_SENTENCE, BEGIN_OF_WORD, END_OF_WORD, PADDING]
    assert marks == [257, 258, 259, 260, 261]
    assert MAX_CHARACTERS == 50


def test_a_word() -> None:
    assert character_ids("bank") == [259, 99, 98, 111, 108, 260] + [261] * 44


def test_letters_are_bytes() -> None:
    assert character_ids("é€", 8) == [259, 0xC3 + 1, 0xA9 + 1, 0xE2 + 1, 0x82 + 1, 0xAC + 1, 260, 261]


def test_bytes_0_and_255_stay_in_range() -> None:
    assert character_ids("\x00", 4) == [259, 1, 260, 261]


@pytest.mark.parametrize("length", [47, 48, 49, 500])
def test_long_words_are_cut(length: int) -> None:
    ids = character_ids("x" * length)
    kept = min(length, 48)
    assert ids == [259] + [121] * kept + [260] + [261] * (48 - kept)


def test_the_cut_may_go_through_a_letter() -> None:
    assert character_ids("é" * 30)[1:49] == [0xC3 + 1, 0xA9 + 1] * 24
    assert character_ids("xé", 4) == [259, 121, 0xC3 + 1, 260]


def test_empty_word() -> None:
    assert character_ids("") == [259, 260] + [261] * 48


def test_sentence_boundaries() -> None:
    assert list(BEGIN_SENTENCE_IDS) == [259, 257, 260] + [261] * 47
    assert list(END_SENTENCE_IDS) == [259, 258, 260] + [261] * 47


@given(st.text(), st.integers(3, 60))
def test_any_text(token: str, max_characters: int) -> None:
    ids = character_ids(token, max_characters)
    assert len(ids) == max_characters
    assert ids[0] == BEGIN_OF_WORD
    letters = ids[1 : ids.index(END_OF_WORD)]
    assert all(1 <= i <= 256 for i in letters)
    assert set(ids[len(letters) + 2 :]) <= {PADDING}
    assert bytes(i - 1 for i in letters) == token.encode("utf-8", "replace")[: max_characters - 2]
