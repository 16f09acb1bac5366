"""Meanings of the words of a text that the dictionary lists."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.api import Certainty, Said, TextSenses, TextWord
from elmo_tasks.errors import InputError
from elmo_tasks.messages.meanings import not_english_answer, text_answer, uncalibrated_answer
from elmo_tasks.messages.text import replace_surrogates
from elmo_tasks.senses.disambiguation import senses_of
from elmo_tasks.senses.lexicon import Entry, Lexicon
from elmo_tasks.service.loaded_models import LoadedModel
from elmo_tasks.service.meanings import MIN_KNOWN_WORDS, dictionary, known_share, senses_as_meanings, use_meaning
from elmo_tasks.text.sentences import split_sentences
from elmo_tasks.text.tokens import tokenize
from elmo_tasks.uses import Use

MAX_TOKENS, MAX_CHARACTERS = 2_000, 20_000
_SENTENCE_TOKENS = 200


def text_senses(text: str, loaded: LoadedModel, own: Sequence[Entry] = ()) -> TextSenses:
    """Find the meaning of each word of a text; see :meth:`elmo_tasks.api.Service.senses`.

    Raises:
        InputError: with ``field="text"``: the text is empty or too long.
    """
    text = replace_surrogates(text)
    if not text.strip():
        raise InputError("Type a text.", field="text")
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"The text has {len(text):,} characters; the most is {MAX_CHARACTERS:,}.", field="text")
    lexicon = dictionary().with_entries(own) if own else dictionary()
    sentences = split_sentences(text, _SENTENCE_TOKENS)
    read = " ".join(sentences)
    uses, entries, offsets, n_tokens = _uses(sentences, lexicon)
    if n_tokens > MAX_TOKENS:
        raise InputError(f"The text has {n_tokens:,} words; the most is {MAX_TOKENS:,}.", field="text")

    def answer(said: Said, words: tuple[TextWord, ...] = ()) -> TextSenses:
        return TextSenses(loaded.encoder.name, read, words, n_tokens, said)

    if loaded.senses is None:
        return answer(uncalibrated_answer(loaded.encoder.name))
    known = known_share(loaded.static, [[token.text for token in tokenize(sentence)] for sentence in sentences])
    if known < MIN_KNOWN_WORDS:
        return answer(not_english_answer(known))
    if not uses:
        return answer(text_answer(0, 0, len(lexicon.ambiguous)))
    embedded = loaded.senses.embed(uses)
    words = []
    for k, (use, of_use, offset) in enumerate(zip(uses, entries, offsets, strict=True)):
        [found] = loaded.senses.classify([use], embedded[k : k + 1], senses_of(of_use))
        start, end = offset + use.char_start, offset + use.char_end
        words.append(TextWord(use.word, start, end, senses_as_meanings(of_use), use_meaning(found)))
    unsure = sum(word.meant.certainty is not Certainty.CONFIDENT for word in words)
    return answer(text_answer(len(words), unsure, len(lexicon.ambiguous)), tuple(words))


def _uses(sentences: Sequence[str], lexicon: Lexicon) -> tuple[list[Use], list[tuple[Entry, ...]], list[int], int]:
    """Return the uses of dictionary words in sentences, and the number of tokens.

    For each use, also return its entries and the offset of its sentence.
    """
    uses: list[Use] = []
    entries: list[tuple[Entry, ...]] = []
    offsets: list[int] = []
    offset = n_tokens = 0
    for sentence in sentences:
        tokens = tokenize(sentence)
        n_tokens += len(tokens)
        for k, token in enumerate(tokens):
            found = lexicon.find(token.text) if token.text[:1].isalpha() else ()
            if sum(len(entry.senses) for entry in found) > 1:
                uses.append(Use.in_sentence(sentence, tokens, k))
                entries.append(found)
                offsets.append(offset)
        offset += len(sentence) + 1
    return uses, entries, offsets, n_tokens
