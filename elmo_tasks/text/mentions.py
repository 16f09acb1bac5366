"""Where in a sentence the word is that a person asks about."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from elmo_tasks.api import Choice
from elmo_tasks.errors import InputError
from elmo_tasks.text.tokens import Token, tokenize
from elmo_tasks.text.use import Use
from elmo_tasks.text.word_forms import are_inflections, may_be_forms_of_one_word
from elmo_tasks.wording.text import listed, quoted, shortened

_MARK = re.compile(r"\[([^\[\]]*)\]")
_FIELD_OF_ONE = re.compile(r"sentence \d+")
_CLITIC = re.compile(r"'\w+|n't|not")  # what the tokenizer cuts off the end of a word: 's, n't, the not of cannot
_MOST_OFFERS = 5
_MOST_CHOICES = 20


@dataclass(frozen=True)
class Mention(Use):
    """The use of a word that was found in a sentence, with the other occurrences to choose from.

    Attributes:
        choices: the first 20 other occurrences of the word, each as the sentence with ``[brackets]`` around it.
    """

    choices: tuple[Choice, ...] = ()

    @property
    def token(self) -> str:
        """The word's first token."""
        return self.tokens[self.token_start]


def find_mention(word: str, sentence: str, *, field: str = "sentences") -> Mention:
    """Find the place of ``word`` in ``sentence``.

    ``[brackets]`` around one word of the sentence, or a part of it, mean that word whatever ``word`` is, which is then
    not looked at. Otherwise the first place with the same spelling is meant, or else the first that differs in case
    only, or else the first inflection (``banks`` for ``bank``). Of a word that is cut into several tokens (``don't``,
    ``John's``) the first is meant.

    Args:
        word: one word, as typed.
        sentence: as typed; brackets without a partner are ordinary characters.
        field: where the sentence was typed, ``"sentence 3"`` or ``"sentences"``; it goes into the messages and errors.

    Raises:
        InputError: with ``field="word"`` when ``word`` is not one word; with ``field`` when the sentence is empty, its
            brackets do not hold one word, or the word is not there. When a word that is made of it is there
            (``banker``, ``river-bank``), it is offered in ``choices``.
    """
    name = field.capitalize() if _FIELD_OF_ONE.fullmatch(field) else "The sentence"
    marks = list(_MARK.finditer(sentence))
    if marks:
        return _marked(sentence, marks, name, field)

    wanted = check_word(word)
    tokens = tuple(tokenize(sentence))
    if not tokens:
        raise InputError(f"{name} is empty: type one with {quoted(word)} in it.", field=field)
    key = _key(wanted[0].text)
    places = _occurrences(wanted, tokens)
    if not places and len(wanted) == 1:
        places = [i for i, token in enumerate(tokens) if are_inflections(key, _key(token.text))]
    if places:
        exact = [i for i in places if all(w.text == t.text for w, t in zip(wanted, tokens[i:], strict=False))]
        return _mention(sentence, tokens, (exact or places)[0], places, len(wanted))

    forms = [i for i, token in enumerate(tokens) if _is_related(key, _key(token.text))]
    if forms:
        offers = _choices(sentence, tokens, forms[:_MOST_OFFERS], 1, plain_when_single=True)
        found = listed(list(dict.fromkeys(quoted(tokens[i].text) for i in forms[:_MOST_OFFERS])))
        use = "use that" if len(offers) == 1 else "use one of them"
        raise InputError(
            f"{name} does not contain {quoted(word)}, but it has {found}: {use}, or mark another word with [brackets].",
            field=field,
            choices=offers,
        )
    raise InputError(
        f"{name} does not contain {quoted(word)}: put it in, or mark the word to compare with [brackets].", field=field
    )


def check_word(word: str) -> tuple[Token, ...]:
    """Cut what was typed as a word into its tokens; more than one only for the likes of ``don't``.

    Raises:
        InputError: with ``field="word"``, when it is not one word.
    """
    tokens = tokenize(word)
    while len(tokens) > 1 and tokens[-1].text == ".":  # of "etc."; the tokenizer takes it for the end of a sentence
        tokens.pop()
    if not tokens:
        raise InputError("Type a word to compare, such as “bank”.", field="word")
    words = [token for token in tokens if _is_word(token.text)]
    if len(words) == len(tokens) and _is_one_word(tokens):
        return tuple(tokens)
    if not words:
        raise InputError(f"{quoted(word)} is not a word: type a word to compare, such as “bank”.", field="word")
    guess = next((part for part in reversed(word.split()) if _is_word(part)), "bank")
    if len(word.split()) > 1:
        raise InputError(f"{quoted(word)} is more than one word: type one only, such as {quoted(guess)}.", field="word")
    raise InputError(
        f"{quoted(word)} is not one word: type one word without punctuation, such as {quoted(words[-1].text)}.",
        field="word",
    )


def _marked(typed: str, marks: Sequence[re.Match[str]], name: str, field: str) -> Mention:
    """The mention that a pair of brackets in the sentence points at."""
    mark = marks[0]
    sentence = typed[: mark.start()] + mark.group(1) + typed[mark.end() :]
    if len(marks) > 1 or _MARK.search(sentence):
        raise InputError(
            f"{name} has more than one pair of [brackets]: keep only the pair around the word to compare.", field=field
        )
    start, end = mark.start(), mark.start() + len(mark.group(1))
    tokens = tuple(tokenize(sentence))
    inside = [i for i, t in enumerate(tokens) if t.start < end and t.end > start and t.start < t.end]
    words = [i for i in inside if _is_word(tokens[i].text)]
    if not words or not mark.group(1).strip():
        raise InputError(
            f"{name} has [brackets] without a word in them: put them around the word to compare, or take them out.",
            field=field,
        )
    if not _is_one_word([tokens[i] for i in words]):
        raise InputError(
            f"{name} has {quoted(mark.group(1))} in [brackets]: put the brackets around one word only.", field=field
        )
    return _mention(sentence, tokens, words[0], _occurrences([tokens[words[0]]], tokens), 1)


def _mention(sentence: str, tokens: tuple[Token, ...], index: int, places: list[int], width: int) -> Mention:
    places = places[: _MOST_CHOICES + 1]
    choices = _choices(sentence, tokens, places, width)
    others = tuple(choice for i, choice in zip(places, choices, strict=True) if i != index)
    words, token = tuple(token.text for token in tokens), tokens[index]
    return Mention(words, index, index + 1, sentence, token.start, token.end, others[:_MOST_CHOICES])


def _choices(
    sentence: str, tokens: Sequence[Token], places: Sequence[int], width: int, *, plain_when_single: bool = False
) -> tuple[Choice, ...]:
    """One choice a place: the sentence with brackets around the word of ``width`` tokens that begins there.

    A label counts the places with the same word (``the 2nd “bank”``); with ``plain_when_single`` a word that stands at
    one place only is its own label.
    """
    keys = [_key(tokens[i].text) for i in places]
    choices = []
    for number, i in enumerate(places):
        start, end = tokens[i].start, tokens[i + width - 1].end
        label = shortened(sentence[start:end])
        if not (plain_when_single and keys.count(keys[number]) == 1):
            label = f"the {_ordinal(keys[: number + 1].count(keys[number]))} {quoted(label)}"
        choices.append(Choice(label, f"{sentence[:start]}[{sentence[start:end]}]{sentence[end:]}"))
    return tuple(choices)


def _occurrences(wanted: Sequence[Token], tokens: Sequence[Token]) -> list[int]:
    """Where the tokens ``wanted`` stand in a row, whatever their case."""
    keys, wanted_keys = [_key(token.text) for token in tokens], [_key(token.text) for token in wanted]
    return [i for i in range(len(keys)) if keys[i : i + len(wanted)] == wanted_keys]


def _is_related(key: str, other: str) -> bool:
    """Whether ``other`` is a form of the word ``key``, or has one between its hyphens or slashes (``river-bank``)."""
    parts = re.split(r"[-/']", other)
    return any(part and may_be_forms_of_one_word(key, part) for part in {other, *parts})


def _is_one_word(tokens: Sequence[Token]) -> bool:
    """Whether the tokens are one word and what the tokenizer cuts off it, without a space between."""
    return all(
        _CLITIC.fullmatch(after.text.casefold()) and before.end == after.start for before, after in pairwise(tokens)
    )


def _is_word(text: str) -> bool:
    """Whether there is anything but punctuation in it: a letter, a digit, an emoji; ``'`` alone is none."""
    return any(unicodedata.category(c)[0] in "LN" or unicodedata.category(c) == "So" for c in text)


def _key(text: str) -> str:
    """What spellings have in common that differ in case, in how accents are encoded, or in an abbreviation's stop."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).rstrip(".") or text


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
