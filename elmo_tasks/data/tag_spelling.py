"""Spellings of tags that people use, respelled as ``O``, ``B-TYPE`` and ``I-TYPE``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from elmo_tasks.data.records import TaggedSentence, counted, in_quotes
from elmo_tasks.errors import DataError
from elmo_tasks.text.tag_schemes import OUTSIDE, Span, tags_of

#: The type of spans whose tags have none.
ONLY_TYPE = "ENTITY"
#: If at least this share of the tags is O, tags without B- and I- are types of names and not parts
#: of speech.
MIN_OUTSIDE = 0.3
_PREFIX_LETTERS = "BIESLUMW"
#: Letters of other schemes, in terms of BIOES: M is inside, W is a whole name.
_SAME_PREFIX = {"M": "I", "W": "S"}
#: A tag of a span, or of none, in any spelling with a prefix.
SPAN_TAG = re.compile(rf"[Oo]|[{_PREFIX_LETTERS}{_PREFIX_LETTERS.lower()}][-_].+")
_PREFIXED = re.compile(rf"([{_PREFIX_LETTERS}{_PREFIX_LETTERS.lower()}])([-_])(.+)")
_SUFFIXED = re.compile(rf"(.+)([-_])([{_PREFIX_LETTERS}{_PREFIX_LETTERS.lower()}])")
#: Other marks behind the letter, or none, in which a type such as B.C. would be possible.
_OTHER_MARK = re.compile(rf"([{_PREFIX_LETTERS}])([/:.|]?)([A-Za-z]\w.*)")
_BRACKETS = re.compile(r"\(*(?:\(?[\w.:-]+)?\*?\)*")
_OPENED = re.compile(r"\(([\w.:-]+)")
_OTHER_OUTSIDES = {"_", "-", "*", "other", "out", "outside", "none", "null", "nil", "oo"}
#: If at least this share of the words has one letter, the text is probably split into letters.
_MOST_LETTERS = 0.9
_FEWEST_WORDS = 12


def are_span_tags(tags: Iterable[str]) -> bool:
    """Check if all tags are of spans or of none, and some are of spans."""
    distinct = set(tags)
    return bool(distinct - {"O", "o"}) and all(map(SPAN_TAG.fullmatch, distinct))


def respelled(sentences: Sequence[TaggedSentence]) -> tuple[list[TaggedSentence], list[str]]:
    """Respell the tags of a file; return the sentences and remarks on the changes.

    Raises:
        DataError: tags are ``0`` where the letter O seems to be meant.
    """
    sentences = list(sentences)
    remarks = []
    tags = Counter(tag for sentence in sentences for tag in sentence.tags)
    if _are_brackets(tags):
        sentences = [_of_brackets(sentence) for sentence in sentences]
        remarks.append("brackets such as '(PER*' are read as spans")
        return sentences, remarks
    _check_zero(sentences, tags)
    for step in (
        _outside,
        _prefixes,
        _other_marks,
        _suffixes,
        _without_types,
        _other_letters,
        _spans_of_o,
    ):
        names, remark = step(tags)
        if changed := sorted(tag for tag in names if tag in tags and names[tag] != tag):
            sentences = _renamed(sentences, names)
            tags = Counter(tag for sentence in sentences for tag in sentence.tags)
            remarks.append(remark(changed[0], names[changed[0]]))
    if {tag[0] for tag in tags if _PREFIXED.fullmatch(tag)} == {"E", "I"}:
        sentences = [replace(sentence, tags=_of_ends(sentence.tags)) for sentence in sentences]
        remarks.append("tags E- end a name that touches the next one (IOE)")
    return sentences, [*remarks, *remarks_on(sentences)]


def with_prefixes(sentences: Sequence[TaggedSentence]) -> list[TaggedSentence] | None:
    """Convert types without prefix (``PER`` for every token) to BIO.

    Adjacent tokens of one type become one name. ``None`` if the tags are not such types: some have
    a prefix, or too few are ``O``.
    """
    tags = Counter(tag for sentence in sentences for tag in sentence.tags)
    types = set(tags) - {OUTSIDE}
    if (
        not types
        or tags[OUTSIDE] < MIN_OUTSIDE * sum(tags.values())
        or any(map(_PREFIXED.fullmatch, types))
    ):
        return None
    prefixed = []
    for sentence in sentences:
        pairs = pairwise((OUTSIDE, *sentence.tags))
        bio = (
            tag if tag == OUTSIDE else f"{'I' if tag == before else 'B'}-{tag}"
            for before, tag in pairs
        )
        prefixed.append(replace(sentence, tags=tuple(bio)))
    return prefixed


def renamed_types(
    sentences: Sequence[TaggedSentence], names: Mapping[str, str | None]
) -> list[TaggedSentence]:
    """Rename the types of span tags; spans of a type without a name become ``O``."""

    def new(tag: str) -> str:
        prefix, dash, type_ = tag.partition("-")
        if not dash or type_ not in names:
            return tag
        return OUTSIDE if not names[type_] else f"{prefix}-{names[type_]}"

    tags = {tag for sentence in sentences for tag in sentence.tags}
    return _renamed(sentences, {tag: new(tag) for tag in tags})


def counted_tags(sentences: Iterable[TaggedSentence]) -> str:
    """Describe which entity types, or else which tags, there are, and how many of each."""
    tags = Counter(tag for sentence in sentences for tag in sentence.tags)
    if not all(map(SPAN_TAG.fullmatch, tags)):
        return f"Words by tag: {counted(tags)}"
    names: Counter[str] = Counter()
    for tag, number in tags.items():
        names[tag[2:]] += number if tag != "O" else 0
    del names[""]
    return f"Words in names by type: {counted(names)}" if names else "There is no name in it"


def remarks_on(sentences: Sequence[TaggedSentence]) -> list[str]:
    """Return remarks on improbable words and types: words of one letter, types with numbers."""
    remarks = []
    words = [token for sentence in sentences for token in sentence.tokens]
    # Only scripts with upper case: in Chinese, words of one character are usual.
    letters = sum(len(word) == 1 and word.lower() != word.upper() for word in words)
    if len(words) >= _FEWEST_WORDS and letters >= _MOST_LETTERS * len(words):
        remarks.append(
            "NEARLY ALL WORDS ARE SINGLE LETTERS: perhaps the text was split into letters, not"
            " words"
        )
    prefixed = [_PREFIXED.fullmatch(tag) for sentence in sentences for tag in sentence.tags]
    types = {match[3] for match in prefixed if match}
    if numbered := sorted(type_ for type_ in types if re.search(r"[_-]\d+$", type_)):
        remarks.append(
            f"types that end in a number: {in_quotes(numbered)}; each is a type of its own"
        )
    alike: dict[str, set[str]] = {}
    for type_ in types:
        alike.setdefault(type_.casefold(), set()).add(type_)
    for same in alike.values():
        if len(same) > 1:
            remarks.append(
                f"TYPES THAT DIFFER ONLY IN CASE: {in_quotes(sorted(same))}; type_names makes them"
                " one"
            )
    return remarks


def _renamed(sentences: Iterable[TaggedSentence], names: Mapping[str, str]) -> list[TaggedSentence]:
    return [
        replace(sentence, tags=tuple(names.get(tag, tag) for tag in sentence.tags))
        for sentence in sentences
    ]


SpellingRule = tuple[Mapping[str, str], Callable[[str, str], str]]


def _spelled(old: str, new: str) -> str:
    return f"tags such as '{old}' are read as '{new}'"


def _outside(tags: Mapping[str, int]) -> SpellingRule:
    """Read one other tag as ``O``: beside span tags, or where no word has ``O``."""
    others = {tag for tag in tags if not _PREFIXED.fullmatch(tag)}
    (only,) = others if len(others) == 1 else ("",)
    is_frequent = tags.get(only, 0) >= MIN_OUTSIDE * sum(tags.values())
    if len(tags) > 1 and only and (only.lower() in _OTHER_OUTSIDES or is_frequent):
        return {only: OUTSIDE}, _spelled
    usual = [tag for tag in others if tag.lower() in _OTHER_OUTSIDES]
    if len(usual) == 1 and not {OUTSIDE, "o"} & set(tags):
        n_outside = tags[usual[0]]
        if n_outside >= MIN_OUTSIDE * sum(tags.values()) and len(tags) > 1:
            return {usual[0]: OUTSIDE}, _spelled
    return {}, _spelled


def _prefixes(tags: Iterable[str]) -> SpellingRule:
    """Read ``b-per``, ``B_PER`` and ``o``, if all tags are like that."""
    parts = {tag: _PREFIXED.fullmatch(tag) for tag in tags if tag not in ("O", "o")}
    if not parts or not all(parts.values()):
        return {}, _spelled
    names = {tag: f"{match[1].upper()}-{match[3]}" for tag, match in parts.items() if match}
    return names | {"o": OUTSIDE}, _spelled


def _other_marks(tags: Iterable[str]) -> SpellingRule:
    """Read ``B:PER`` and ``BPER``, if all tags are like that and names begin and go on."""
    parts = {tag: _OTHER_MARK.fullmatch(tag) for tag in tags if tag not in ("O", "o")}
    if not parts or not all(parts.values()):
        return {}, _spelled
    found = [match for match in parts.values() if match]
    types = {letter: {match[3] for match in found if match[1] == letter} for letter in "BI"}
    if (
        len({match[2] for match in found}) > 1
        or not types["I"]
        or not types["I"] <= types["B"]
        or any(match[1] not in "BIES" for match in found)
    ):
        return {}, _spelled
    return {match[0]: f"{match[1]}-{match[3]}" for match in found}, _spelled


def _suffixes(tags: Iterable[str]) -> SpellingRule:
    """Read ``PER-B`` as ``B-PER``, if all tags are like that."""
    parts = {tag: _SUFFIXED.fullmatch(tag) for tag in tags if tag not in ("O", "o")}
    if not parts or not all(parts.values()) or all(map(_PREFIXED.fullmatch, parts)):
        return {}, _spelled
    names = {tag: f"{match[3].upper()}-{match[1]}" for tag, match in parts.items() if match}
    return names | {"o": OUTSIDE}, _spelled


def _without_types(tags: Iterable[str]) -> SpellingRule:
    """Give ``B`` and ``I`` the only type, if there are no other tags."""
    letters = {tag for tag in tags if tag.upper() in _PREFIX_LETTERS and len(tag) == 1}
    if letters | {"O", "o"} >= set(tags) and letters & {"B", "b", "I", "i"}:
        names = {tag: f"{tag.upper()}-{ONLY_TYPE}" for tag in letters} | {"o": OUTSIDE}
        return (
            names,
            lambda old, new: f"the tags have no types: all names are of one type, {ONLY_TYPE}",
        )
    return {}, _spelled


def _other_letters(tags: Iterable[str]) -> SpellingRule:
    """Read BMES and BMEWO as BIOES: ``M-`` is inside, ``W-`` a whole name."""
    prefixes = {match[1] for tag in tags if (match := _PREFIXED.fullmatch(tag))}
    if not prefixes & set(_SAME_PREFIX) or not all(
        tag == OUTSIDE or _PREFIXED.fullmatch(tag) for tag in tags
    ):
        return {}, _spelled
    names = {tag: f"{_SAME_PREFIX[tag[0]]}-{tag[2:]}" for tag in tags if tag[0] in _SAME_PREFIX}
    return names, _spelled


def _spans_of_o(tags: Iterable[str]) -> SpellingRule:
    """Read ``B-O`` as ``O``."""
    return {f"{letter}-O": OUTSIDE for letter in _PREFIX_LETTERS}, _spelled


def _of_ends(tags: Sequence[str]) -> tuple[str, ...]:
    """Convert ``I-`` and ``E-`` alone to BIO: a name ends behind its ``E-``."""
    spans: list[Span] = []
    before = OUTSIDE
    for k, tag in enumerate(tags):
        type_ = tag[2:]
        if tag != OUTSIDE and before != OUTSIDE and before[0] != "E" and before[2:] == type_:
            spans[-1] = Span(spans[-1].start, k + 1, type_)
        elif tag != OUTSIDE:
            spans.append(Span(k, k + 1, type_))
        before = tag
    return tuple(tags_of(spans, len(tags), "BIO"))


def _check_zero(sentences: Sequence[TaggedSentence], tags: Mapping[str, Any]) -> None:
    if "0" in tags and not all(tag.lstrip("-").isdigit() for tag in tags):
        place = next(sentence.line for sentence in sentences if "0" in sentence.tags)
        raise DataError(
            f"{tags['0']:,} words have the tag '0', the first in the sentence of line {place}: is"
            " it the letter O, for words outside names? Replace it, or name another tag_column"
        )


def _are_brackets(tags: Mapping[str, int]) -> bool:
    """Check for spans as CoNLL-2012 writes them: ``(PER*``, ``*``, ``*)``, ``(LOC)``."""
    return (
        "*" in tags
        and any(tag.startswith("(") for tag in tags)
        and all(_BRACKETS.fullmatch(tag) for tag in tags)
    )


def _of_brackets(sentence: TaggedSentence) -> TaggedSentence:
    """Convert brackets to BIO; of names inside names, the outer one."""
    spans, opened = [], []
    for k, tag in enumerate(sentence.tags):
        opened += [(k, type_) for type_ in _OPENED.findall(tag)]
        for _ in range(tag.count(")")):
            if not opened:
                raise DataError(
                    f"sentence of line {sentence.line}: '{tag}' closes a bracket that was not"
                    " opened"
                )
            start, type_ = opened.pop()
            if not opened:
                spans.append(Span(start, k + 1, type_))
    if opened:
        raise DataError(
            f"sentence of line {sentence.line}: the bracket '({opened[0][1]}' is never closed"
        )
    return replace(sentence, tags=tuple(tags_of(spans, len(sentence.tokens), "BIO")))
