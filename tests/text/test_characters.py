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
    PADDING,
    character_ids,
)


def test_the_published_ids() -> None:
    """bilm-tf's 256..260, each one higher, so that 0 is the padding row of the table."""
    marks = [BEGIN_OF_SENTENCE, END_OF_SENTENCE, BEGIN_OF_WORD, END_OF_WORD, PADDING]
    assert marks == [257, 258, 259, 260, 261]
    assert list(BEGIN_SENTENCE_IDS) == [259, 257, 260] + [261] * 47
    assert list(END_SENTENCE_IDS) == [259, 258, 260] + [261] * 47


@pytest.mark.parametrize(("word", "length", "ids"), [
    ("bank", 50, [259, 99, 98, 111, 108, 260] + [261] * 44),
    ("", 50, [259, 260] + [261] * 48),
    ("é€", 8, [259, 0xC3 + 1, 0xA9 + 1, 0xE2 + 1, 0x82 + 1, 0xAC + 1, 260, 261]),  # bytes
    ("\x00", 4, [259, 1, 260, 261]),
    ("xé", 4, [259, 121, 0xC3 + 1, 260]),  # the cut may go through a letter
    *(("x" * n, 50, [259] + [121] * min(n, 48) + [260] + [261] * (48 - min(n, 48))) for n in (47, 48, 49, 500)),
])  # fmt: skip
def test_words(word: str, length: int, ids: list[int]) -> None:
    assert character_ids(word, length) == ids


@given(st.text(), st.integers(3, 60))
def test_any_text(token: str, max_characters: int) -> None:
    ids = character_ids(token, max_characters)
    assert len(ids) == max_characters
    assert ids[0] == BEGIN_OF_WORD
    letters = ids[1 : ids.index(END_OF_WORD)]
    assert all(1 <= i <= 256 for i in letters)
    assert set(ids[len(letters) + 2 :]) <= {PADDING}
    assert bytes(i - 1 for i in letters) == token.encode("utf-8", "replace")[: max_characters - 2]
