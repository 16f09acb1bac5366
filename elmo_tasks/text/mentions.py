"""Find the use of a word in a sentence: by spelling, form or [brackets]."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from elmo_tasks.errors import Choice, InputError
from elmo_tasks.text.phrases import MAX_PHRASE, Pattern, TokenRange, phrase_tokens
from elmo_tasks.text.tokens import Token, tokenize
from elmo_tasks.text.uses import Mention, Use
from elmo_tasks.text.word_forms import (
    are_inflections,
    differ_in_hyphens_or_accents,
    folded,
    may_be_forms_of_one_word,
)
from elmo_tasks.wording import listed, ordinal, quoted, shortened

_MARK = re.compile(r"\[([^\[\]]*)\]")
# cut off the end of a word by the tokenizer: 's, n't, the not of cannot
_CLITIC = re.compile(r"'\w+|n't|not")
_QUOTED = re.compile(r"[\"'“”„«‘](.*\w.*)[\"'“”»’]", re.DOTALL)
_MAX_OFFERS = 5
_MAX_CHOICES = 20


def find_mention(word: str, sentence: str, *, field: str = "sentences") -> Mention:
    """Find ``word``, a word or a phrase of up to eight words, in ``sentence``.

    ``[brackets]`` around a word or phrase of the sentence, or around the base of a form
    (``[bank]s``), select it, and ``word`` is ignored. Otherwise the first occurrence with the same
    spelling is used, or else the first that differs in case only, or else the first inflection
    (``banks`` for ``bank``, ``won't`` for ``will``, ``ran out`` for ``run out``). Of a word that is
    cut into several tokens (``don't``, ``John's``) the first token is used.

    Raises:
        InputError: with ``field="word"`` when ``word`` is neither a word nor a phrase; else with
            ``field``, the input field of the sentence, such as ``"sentence 3"``. Derived words
            (``banker``, ``river-bank``) and other spellings (``e-mail`` for ``email``) are offered
            in ``choices``.
    """
    name = field.capitalize() if field[-1].isdigit() else "The sentence"
    marks = list(_MARK.finditer(sentence))
    if marks:
        return _marked(sentence, marks, name, field)

    word = _without_quotes(word)
    wanted = check_word(word)
    tokens = tuple(tokenize(sentence))
    if not tokens:
        raise InputError(f"{name} is empty: type one with {quoted(word)} in it.", field=field)
    key = _key(wanted[0].text)
    places = _occurrences(wanted, tokens)
    if not _is_one_word(wanted):
        return _phrase(word, sentence, wanted, tokens, places, name, field)
    if not places:
        wanted = wanted[:1]  # won't gives two tokens; the first carries the word
        places = [i for i, token in enumerate(tokens) if are_inflections(key, _key(token.text))]
    if not places:
        raise _not_found(word, sentence, tokens, key, name, field)
    exact = [
        i
        for i in places
        if all(first.text == second.text for first, second in zip(wanted, tokens[i:], strict=False))
    ]
    return _mention(sentence, tokens, (exact or places)[0], places, len(wanted))


def _not_found(
    word: str, sentence: str, tokens: Sequence[Token], key: str, name: str, field: str
) -> InputError:
    """Return the error for a word that is not there; related words are choices."""
    forms = [i for i, token in enumerate(tokens) if _is_related(key, _key(token.text))]
    if forms:
        forms = forms[:_MAX_OFFERS]
        offers = _choices(sentence, tokens, forms, 1, plain_when_single=True)
        related = listed(list(dict.fromkeys(quoted(tokens[i].text) for i in forms)))
        use = "use that" if len(offers) == 1 else "use one of them"
        return InputError(
            f"{name} does not contain {quoted(word)}, but it has {related}: {use}, or mark another"
            " word with [brackets].",
            field=field,
            choices=offers,
        )
    if other := _spelled_otherwise(word, sentence, tokens, name, field):
        return other
    # Some scripts without upper case are written without spaces.
    if key.upper() == key.lower() and key in folded(sentence):
        return InputError(
            f"{name} is written without spaces around {quoted(word)}. The bundled models read only"
            " English; a model of another language needs a space between two words.",
            field=field,
        )
    return InputError(
        f"{name} does not contain {quoted(word)}: put it in, or mark the word to compare with"
        " [brackets].",
        field=field,
    )


def _spelled_otherwise(
    word: str, sentence: str, tokens: Sequence[Token], name: str, field: str
) -> InputError | None:
    """Return the error that offers ``ice-cream`` for ``ice cream``, if it is there."""
    for start, first in enumerate(tokens):
        for end in range(start + 1, min(start + MAX_PHRASE, len(tokens)) + 1):
            text = sentence[first.start : tokens[end - 1].end]
            if text and differ_in_hyphens_or_accents(" ".join(word.split()), text):
                marked = _with_brackets(sentence, first.start, tokens[end - 1].end)
                return InputError(
                    f"{name} does not contain {quoted(word)}, but it has {quoted(text)}: use that,"
                    " or mark another word with [brackets].",
                    field=field,
                    choices=(Choice(shortened(text), marked),),
                )
    return None


def check_word(word: str) -> tuple[Token, ...]:
    """Tokenize a word (``don't`` gives two tokens) or a phrase; InputError for anything else."""
    tokens = phrase_tokens(_without_quotes(word))
    if not tokens:
        raise InputError("Type a word to compare, such as “bank”.", field="word")
    words = [token.text for token in tokens if _is_word(token.text)]
    if len(words) == len(tokens) <= MAX_PHRASE:
        return tuple(tokens)
    guess = quoted(next((word for word in reversed(words) if len(word) > 2), "bank"))
    raise InputError(
        f"{quoted(word)} is not a word or phrase: type one of at most {MAX_PHRASE} words, without"
        f" punctuation, such as {guess}.",
        field="word",
    )


def _without_quotes(word: str) -> str:
    """Return a word or phrase without the quotation marks that it was pasted with."""
    quoted_word = _QUOTED.fullmatch(word.strip())
    return quoted_word[1] if quoted_word else word


def is_phrase(tokens: Sequence[Token]) -> bool:
    """Return True for several words, False for one word and its clitics (``don't``)."""
    return not _is_one_word(tokens)


def _with_brackets(sentence: str, start: int, end: int) -> str:
    """Mark the characters from ``start`` to ``end`` of a sentence."""
    return f"{sentence[:start]}[{sentence[start:end]}]{sentence[end:]}"


def _phrase(
    phrase: str,
    sentence: str,
    wanted: Sequence[Token],
    tokens: tuple[Token, ...],
    exact: Sequence[int],
    name: str,
    field: str,
) -> Mention:
    """Return the first place of a phrase, in any inflection, perhaps split around an object."""
    keys = [_key(token.text) for token in tokens]
    found = [TokenRange(k, k + len(wanted)) for k in exact] or list(Pattern.of(phrase).places(keys))
    found = found or list(Pattern.of(phrase, splits=True).places(keys))
    if not found:
        raise _spelled_otherwise(phrase, sentence, tokens, name, field) or InputError(
            f"{name} does not contain {quoted(phrase)}: put it in, or mark the words to compare"
            " with [brackets].",
            field=field,
        )
    use = Use.in_sentence(sentence, tokens, found[0].start, found[0].end)
    marked = (
        _with_brackets(sentence, tokens[place.start].start, tokens[place.end - 1].end)
        for place in found[1 : _MAX_CHOICES + 1]
    )
    labels = (f"the {ordinal(n)} {quoted(phrase)}" for n in range(2, len(found) + 1))
    choices = tuple(
        Choice(label=label, sentence=choice) for label, choice in zip(labels, marked, strict=False)
    )
    return Mention(**vars(use), choices=choices)


def _marked(typed: str, marks: Sequence[re.Match[str]], name: str, field: str) -> Mention:
    """Return the mention that the pair of brackets in a sentence selects."""
    mark = marks[0]
    sentence = typed[: mark.start()] + mark[1] + typed[mark.end() :]
    if len(marks) > 1 or _MARK.search(sentence):
        raise InputError(
            f"{name} has more than one pair of [brackets]: keep only the pair around the word to"
            " compare.",
            field=field,
        )
    start, end = mark.start(), mark.start() + len(mark[1])
    tokens = tuple(tokenize(sentence))
    inside = [
        i
        for i, token in enumerate(tokens)
        if token.start < end and token.end > start and token.start < token.end
    ]
    words = [i for i in inside if _is_word(tokens[i].text)]
    first, last = (tokens[words[0]], tokens[words[-1]]) if words else (None, None)
    outside = sentence[first.start : start] + sentence[end : last.end] if first and last else ""
    several = is_phrase([tokens[i] for i in words])
    is_whole = not several or (len(inside) == len(words) <= MAX_PHRASE and not _is_word(outside))
    if first is None or last is None or not mark[1].strip() or not is_whole:
        raise InputError(
            f"{name} has {quoted(mark[1])} in [brackets]: put the brackets around a word, or a"
            f" phrase of at most {MAX_PHRASE} words.",
            field=field,
        )
    full = sentence[first.start : last.end]
    if _is_word(outside) and not are_inflections(_key(mark[1].strip()), _key(full)):
        raise InputError(
            f"{name} has {quoted(mark[1])} in [brackets], but that is only a part of"
            f" {quoted(full)}, which is read as one word: put the brackets around the whole word.",
            field=field,
            choices=(
                Choice(shortened(full), f"{sentence[: first.start]}[{full}]{sentence[last.end :]}"),
            ),
        )
    if several:
        return Mention(**vars(Use.in_sentence(sentence, tokens, words[0], words[-1] + 1)))
    return _mention(sentence, tokens, words[0], _occurrences([first], tokens), 1)


def _mention(
    sentence: str, tokens: tuple[Token, ...], index: int, places: list[int], width: int
) -> Mention:
    use = Use.in_sentence(sentence, tokens, index)
    if places == [index]:
        return Mention(**vars(use))
    places = places[: _MAX_CHOICES + 1]
    choices = _choices(sentence, tokens, places, width)
    others = tuple(choice for i, choice in zip(places, choices, strict=True) if i != index)
    return Mention(**vars(use), choices=others[:_MAX_CHOICES])


def _choices(
    sentence: str,
    tokens: Sequence[Token],
    places: Sequence[int],
    width: int,
    *,
    plain_when_single: bool = False,
) -> tuple[Choice, ...]:
    """Build a numbered choice for each occurrence, with brackets around ``width`` tokens.

    With ``plain_when_single``, a word that occurs once is its own label.
    """
    keys = [_key(tokens[i].text) for i in places]
    choices = []
    for number, i in enumerate(places):
        start, end = tokens[i].start, tokens[i + width - 1].end
        label = shortened(sentence[start:end])
        if not (plain_when_single and keys.count(keys[number]) == 1):
            label = f"the {ordinal(keys[: number + 1].count(keys[number]))} {quoted(label)}"
        choices.append(Choice(label, _with_brackets(sentence, start, end)))
    return tuple(choices)


def _occurrences(wanted: Sequence[Token], tokens: Sequence[Token]) -> list[int]:
    """Indices at which the tokens ``wanted`` occur in a row, ignoring case."""
    keys = [_key(token.text) for token in tokens]
    wanted_keys = [_key(token.text) for token in wanted]
    return [i for i in range(len(keys)) if keys[i : i + len(wanted)] == wanted_keys]


def _is_related(key: str, other: str) -> bool:
    """Check whether ``other`` is a form of ``key`` or contains one (``river-bank``)."""
    return any(
        part and may_be_forms_of_one_word(key, part) for part in {other, *re.split(r"[-/']", other)}
    )


def _is_one_word(tokens: Sequence[Token]) -> bool:
    """Check whether the tokens are one word and its clitics, without a space between."""
    return all(
        _CLITIC.fullmatch(after.text.casefold()) and before.end == after.start
        for before, after in pairwise(tokens)
    )


def _is_word(text: str) -> bool:
    """Check for a letter, a digit or an emoji: anything but punctuation."""
    return any(
        category[0] in "LN" or category == "So" for category in map(unicodedata.category, text)
    )


def _key(text: str) -> str:
    """Normalize case, the encoding of accents and a final stop."""
    return unicodedata.normalize("NFC", folded(text)).rstrip(".") or text
