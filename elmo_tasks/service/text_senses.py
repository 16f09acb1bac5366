"""Meanings of the words and expressions of running text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from elmo_tasks import api
from elmo_tasks.errors import InputError
from elmo_tasks.messages.meanings import not_english_answer, text_answer, uncalibrated_answer
from elmo_tasks.senses.disambiguation import SenseModel, senses_of
from elmo_tasks.senses.entries import Entry
from elmo_tasks.senses.features import Vectors
from elmo_tasks.senses.frequencies import prior_of
from elmo_tasks.senses.judging import (
    classify_expression,
    not_english,
    senses_as_meanings,
    use_meaning,
)
from elmo_tasks.senses.lexicon import Lexicon, bundled_lexicon
from elmo_tasks.senses.scoring import SenseProbabilities
from elmo_tasks.service.loaded_models import LoadedModel
from elmo_tasks.service.validation import check_size
from elmo_tasks.text.sentences import split_sentences
from elmo_tasks.text.tokens import Token, tokenize
from elmo_tasks.text.uses import Mention, Use
from elmo_tasks.text.word_forms import folded
from elmo_tasks.wording import replace_surrogates

_MAX_CHARACTERS = 20_000
_MAX_TEXT_TOKENS = 2_000
_MAX_SENTENCE_TOKENS = 200
#: The first tokens of can't, won't and shan't, and the second one.
#: Verbs that may be auxiliaries, which have no meaning of their own.
_AUXILIARIES = frozenset(
    str.split(
        "be am is are was were been being have has had having do does did will would shall should"
        " can could may might must 've 's 'd 'll 're 'm ca wo sha"
    )
)
#: Pronouns that are spelled like an abbreviation with a meaning of its own: *IT*, *US*, *WHO*.
_PRONOUNS = frozenset(("it", "its", "us", "who"))


@dataclass(frozen=True)
class Unit:
    """A word or an expression of a text with the meanings that it may have."""

    text: int  #: number of the text
    use: Use  #: in its sentence
    entries: tuple[Entry, ...]
    offset: int  #: first character of the sentence in the text
    first_token: int  #: first token of the sentence in the text


@dataclass
class _Text:
    """A text that is being read."""

    joined: str  #: its sentences, with one space between them
    tokens: tuple[str, ...]
    units: list[Unit]


def text_senses(text: str, loaded: LoadedModel, own: Sequence[Entry] = ()) -> api.TextSenses:
    """Implement :meth:`elmo_tasks.api.Service.disambiguate`."""
    (answer,) = senses_of_texts([text], loaded, own)
    if isinstance(answer, InputError):
        raise answer
    return answer


def senses_of_texts(
    texts: Sequence[str], loaded: LoadedModel, own: Sequence[Entry] = ()
) -> list[api.TextSenses | InputError]:
    """Read several texts at once; one that cannot be read gives its error."""
    lexicon = bundled_lexicon().with_entries(own) if own else bundled_lexicon()
    read: list[_Text | InputError] = []
    for number, text in enumerate(texts):
        try:
            read.append(_read(number, text, lexicon))
        except InputError as error:
            read.append(error)
    language = {
        number: not_english(loaded.static, [text.joined])
        for number, text in enumerate(read)
        if isinstance(text, _Text)
    }
    units = [
        unit
        for number, text in enumerate(read)
        if isinstance(text, _Text) and not language[number]
        for unit in text.units
    ]
    found: list[list[api.JudgedUse]] = [[] for _ in texts]
    if loaded.senses is not None and units:
        for unit, probabilities in _judged(units, loaded.senses):
            whole = read[unit.text]
            assert isinstance(whole, _Text)
            found[unit.text].append(_in_text(unit, probabilities, whole))
    return [
        text
        if isinstance(text, InputError)
        else _answer(text, found[k], language[k], loaded, lexicon)
        for k, text in enumerate(read)
    ]


def _answer(
    text: _Text, words: list[api.JudgedUse], language: str, loaded: LoadedModel, lexicon: Lexicon
) -> api.TextSenses:
    words.sort(key=lambda word: word.use.char_start)
    if loaded.senses is None:
        message = uncalibrated_answer(loaded.encoder.name)
    elif language:
        message = not_english_answer(language)
    else:
        unsure = sum(not word.meant.is_sure for word in words)
        message = text_answer(len(words), unsure, len(lexicon.ambiguous))
    return api.TextSenses(
        model=loaded.encoder.name,
        text=text.joined,
        words=tuple(words),
        n_tokens=len(text.tokens),
        message=message,
    )


def _read(number: int, text: str, lexicon: Lexicon) -> _Text:
    """Find the units of a text that have several meanings, and its expressions."""
    text = replace_surrogates(text)
    if not text.strip():
        raise InputError("Type a text.", field="text")
    check_size(text, "text", "The text", _MAX_CHARACTERS)
    sentences = split_sentences(text, _MAX_SENTENCE_TOKENS)
    rows = [tokenize(sentence) for sentence in sentences]
    words = tuple(token.text for row in rows for token in row)
    check_size(words, "text", "The text", _MAX_TEXT_TOKENS)
    units: list[Unit] = []
    offset = 0
    first_token = 0
    for sentence, row in zip(sentences, rows, strict=True):
        for use, entries in _ambiguous_uses(sentence, row, lexicon):
            unit = Unit(
                text=number, use=use, entries=entries, offset=offset, first_token=first_token
            )
            units.append(unit)
        offset += len(sentence) + 1
        first_token += len(row)
    return _Text(joined=" ".join(sentences), tokens=words, units=units)


def _ambiguous_uses(
    sentence: str, tokens: Sequence[Token], lexicon: Lexicon
) -> list[tuple[Use, tuple[Entry, ...]]]:
    """Return the expressions of a sentence and its words with several meanings.

    The words of an expression count only if they may be meant literally.
    """
    found: list[tuple[Use, tuple[Entry, ...]]] = []
    covered: set[int] = set()
    for entry, start, end in lexicon.expressions_in([folded(token.text) for token in tokens]):
        is_name = entry.senses[0].part_of_speech == "name"
        if is_name and not tokens[start].text[:1].isupper():
            continue  # a white house
        if entry.is_expression or len(entry.senses) > 1:
            found.append((Use.in_sentence(sentence, tokens, start, end), (entry,)))
        if not entry.also_literal:
            covered.update(range(start, end))
    for k, token in enumerate(tokens):
        if k in covered or not token.text[:1].isalpha():
            continue
        entries = lexicon.find(token.text)
        if len(senses_of(entries)) > 1:
            found.append((Use.in_sentence(sentence, tokens, k), entries))
    return found


def _judged(units: Sequence[Unit], model: SenseModel) -> list[tuple[Unit, SenseProbabilities]]:
    """Judge the meaning of each unit.

    Auxiliaries, pronouns, names, and words within an expression that is meant are left out.
    """
    uses = [unit.use for unit in units]
    read = model.read(uses)
    kept = [k for k in range(len(units)) if not _is_passed_over(units[k], read.tags[k])]
    predicted = _classified([units[k] for k in kept], read.embedded[kept], model)
    judged = dict(zip(kept, predicted, strict=True))
    meant, hidden = _expressions_meant(units, judged)
    rows = []
    for k, probabilities in judged.items():
        unit = units[k]
        place = unit.text, unit.offset, unit.use.sentence
        if unit.entries[0].is_expression and k not in meant:
            continue
        if (
            any(
                (*place, token) in hidden
                for token in range(unit.use.token_start, unit.use.token_end)
            )
            and k not in meant
        ):
            continue
        rows.append((unit, probabilities))
    return rows


def _is_passed_over(unit: Unit, tag: str) -> bool:
    """Return True for an auxiliary, a pronoun, and a part of a name.

    A capital letter at the beginning of a sentence does not make a name.
    """
    if unit.entries[0].is_expression:
        return False
    word = unit.use.word
    if tag == "AUX":
        return folded(word) in _AUXILIARIES
    if tag == "PRON" and folded(word) in _PRONOUNS:
        return True
    starts = not any(token[:1].isalnum() for token in unit.use.tokens[: unit.use.token_start])
    return tag == "PROPN" and word[:1].isupper() and not starts


def _classified(
    units: Sequence[Unit], embedded: Vectors, model: SenseModel
) -> list[SenseProbabilities]:
    """Classify units; those of the same entries at once."""
    rows: dict[tuple[str, ...], list[int]] = {}
    for k, unit in enumerate(units):
        rows.setdefault(tuple(entry.word for entry in unit.entries), []).append(k)
    found: dict[int, SenseProbabilities] = {}
    near_all = model.near(embedded)
    for same in rows.values():
        senses = senses_of(units[same[0]].entries)
        uses = [units[k].use for k in same]
        entry = units[same[0]].entries[0]
        near = near_all.part(same)
        if entry.is_expression:
            predicted = classify_expression(model, uses, embedded[same], entry, near)
        else:
            predicted = model.classify(uses, embedded[same], senses, prior_of(senses), near)
        found |= zip(same, predicted, strict=True)
    return [found[k] for k in range(len(units))]


def _expressions_meant(
    units: Sequence[Unit], judged: dict[int, SenseProbabilities]
) -> tuple[set[int], set[tuple[int, int, str, int]]]:
    """Return the expressions that are meant as such, and the places of their tokens."""
    meant: set[int] = set()
    hidden: set[tuple[int, int, str, int]] = set()
    for k in judged:
        unit = units[k]
        entry = unit.entries[0]
        use = unit.use
        if not entry.is_expression:
            continue
        if entry.also_literal and judged[k].best is None:
            continue
        meant.add(k)
        hidden.update(
            (unit.text, unit.offset, use.sentence, token)
            for token in range(use.token_start, use.token_end)
        )
    return meant, hidden


def _in_text(unit: Unit, probabilities: SenseProbabilities, text: _Text) -> api.JudgedUse:
    """Return the use of a unit in its whole text, with its meaning.

    ``can't`` is shown whole: two tokens, but one word of the text.
    """
    token_start = unit.first_token + unit.use.token_start
    token_end = unit.first_token + unit.use.token_end
    char_start = unit.offset + unit.use.char_start
    char_end = unit.offset + unit.use.shown_end
    if unit.use.shown_end > unit.use.char_end:
        token_end += 1
    use = Mention(
        tokens=text.tokens,
        token_start=token_start,
        token_end=token_end,
        sentence=text.joined,
        char_start=char_start,
        char_end=char_end,
    )
    return api.JudgedUse(use, senses_as_meanings(unit.entries), use_meaning(probabilities))
