"""Words as character ids: their UTF-8 bytes between two marks, padded."""

from __future__ import annotations

MAX_CHARACTERS = 50

# Every id is one more than in bilm-tf's vocabulary, so that 0 can mean "no character here"
# (AllenNLP's ELMoCharacterMapper).
BEGIN_OF_SENTENCE = 256 + 1
END_OF_SENTENCE = 257 + 1
BEGIN_OF_WORD = 258 + 1
END_OF_WORD = 259 + 1
PADDING = 260 + 1


def _framed(ids: list[int], max_characters: int) -> list[int]:
    inner = ids[: max_characters - 2]
    return [BEGIN_OF_WORD, *inner, END_OF_WORD] + [PADDING] * (max_characters - 2 - len(inner))


def character_ids(token: str, max_characters: int = MAX_CHARACTERS) -> list[int]:
    """Return ``max_characters`` ids in 1..261 of a token; longer tokens are cut.

    Lone surrogates are replaced, as they have no UTF-8 form.
    """
    return _framed([byte + 1 for byte in token.encode("utf-8", "replace")], max_characters)


#: The "word" in front of a sentence.
BEGIN_SENTENCE_IDS = tuple(_framed([BEGIN_OF_SENTENCE], MAX_CHARACTERS))
#: The "word" after a sentence.
END_SENTENCE_IDS = tuple(_framed([END_OF_SENTENCE], MAX_CHARACTERS))
