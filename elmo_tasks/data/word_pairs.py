"""Pairs of word uses: WiC and MCL-WiC (same sense), CoSimLex (graded similarity).

Every reader raises a DataError for a file or a line that is not as expected.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elmo_tasks.data.text_lines import RowErrors, check_file, numbered_lines, shown
from elmo_tasks.errors import DataError
from elmo_tasks.text.mentions import Use
from elmo_tasks.text.tokens import plain_token, tokenize

_SAME = {"T": True, "F": False}
_TEXTS = tuple(f"{name}{text}" for text in (1, 2) for name in ("context", "sim", "word1_context", "word2_context"))
_COSIMLEX = ("word1", "word2", *_TEXTS)
_MARKED = re.compile(r"<strong>(.*?)</strong>")


@dataclass(frozen=True)
class WordPair:
    """Two uses of one word, and a flag for the same meaning."""

    a: Use
    b: Use
    same: bool


@dataclass(frozen=True)
class GradedPair:
    """Two words, both in each of two texts, with ratings of likeness, 0 to 10."""

    words: tuple[str, str]
    uses: tuple[tuple[Use, Use], tuple[Use, Use]]
    likeness: tuple[float, float]


def read_wic(data: Path, gold: Path) -> list[WordPair]:
    """Read WiC (Pilehvar and Camacho-Collados, 2019).

    Args:
        data: a line a pair: word, part of speech, ``i-j``, first and second sentence, with tabs between; ``i`` and ``j`` are
            the places of the word among the tokens of the sentences.
        gold: a line a pair: ``T`` for one meaning, ``F`` for two.
    """
    answers = [line.strip() for _, line in numbered_lines(gold)]
    lines = list(numbered_lines(data))
    if len(lines) != len(answers):
        raise DataError(
            f"{gold}: expected an answer for each of {len(lines)} lines of {data.name}, found {len(answers)}"
        )
    errors, pairs = RowErrors(data), []
    for (number, line), answer in zip(lines, answers, strict=True):
        try:
            _, _, places, *sentences = line.split("\t")
            i, j = (int(place) for place in places.split("-"))
            first, second = (tuple(plain_token(t) for t in sentence.split()) for sentence in sentences)
            pairs.append(WordPair(Use.of_tokens(first, i), Use.of_tokens(second, j), _SAME[answer]))
        except (DataError, ValueError, KeyError):
            errors.add(
                number,
                f"expected word, part of speech, i-j and two sentences with tabs between, and T or F in {gold.name}; "
                f"found {shown(line)} and {shown(answer)}",
            )
    errors.check(len(pairs), "pair")
    return pairs


def read_mcl_wic(data: Path, gold: Path) -> list[WordPair]:
    """Read the English part of MCL-WiC (Martelli et al., 2021).

    Its sentences are tokenized as the pretraining text is.

    Args:
        data: a JSON list of objects with ``id``, ``sentence1``, ``start1``, ``end1`` and the same with 2; places in characters.
        gold: a JSON list of objects with ``id`` and ``tag``, ``T`` or ``F``.
    """
    rows = _json_list(data)
    try:
        answers = {row["id"]: _SAME[row["tag"]] for row in _json_list(gold)}
    except (KeyError, TypeError) as error:
        raise DataError(f"{gold}: expected objects with an id, and a tag that is T or F ({error!r})") from None
    errors, pairs = RowErrors(data, "pair"), []
    for number, row in enumerate(rows, 1):
        try:
            a, b = (_at_characters(row[f"sentence{k}"], int(row[f"start{k}"]), int(row[f"end{k}"])) for k in (1, 2))
            pairs.append(WordPair(a, b, answers[row["id"]]))
        except (DataError, KeyError, TypeError, ValueError) as error:
            errors.add(number, f"expected id, sentences, places of the word, and an answer in {gold.name}; {error!r}")
    errors.check(len(pairs), "pair")
    return pairs


def read_cosimlex(path: Path) -> list[GradedPair]:
    """Read CoSimLex (Armendariz et al., 2020): graded similarity in two contexts.

    Args:
        path: a table with tabs and a header that has ``word1``, ``word2``, ``context1``, ``context2`` (the words marked with
            ``<strong>``), ``sim1``, ``sim2`` and ``word1_context1`` … ``word2_context2`` (the words as they are written there).
    """
    lines = numbered_lines(path)
    header = next(lines)[1].split("\t")
    if missing := [name for name in _COSIMLEX if name not in header]:
        raise DataError(f"{path}: expected a header with {', '.join(_COSIMLEX)}; {', '.join(missing)} is not there")
    errors, pairs = RowErrors(path), []
    for number, line in lines:
        try:
            row = dict(zip(header, line.split("\t"), strict=True))
            likeness = (float(row["sim1"]), float(row["sim2"]))
            uses = (_marked_two(row, 1), _marked_two(row, 2))
            pairs.append(GradedPair((row["word1"], row["word2"]), uses, likeness))
        except (DataError, ValueError) as error:
            errors.add(number, f"expected two texts with both words in <strong>, and two numbers; {error}")
    errors.check(len(pairs), "pair")
    return pairs


def _marked_two(row: dict[str, str], text: int) -> tuple[Use, Use]:
    """Find both words in one of the texts, in their order in the pair."""
    places: dict[str, tuple[int, int]] = {}
    plain, end = "", 0
    marked = row[f"context{text}"]
    for match in _MARKED.finditer(marked):
        plain += marked[end : match.start()]
        places.setdefault(match[1], (len(plain), len(plain) + len(match[1])))
        plain, end = plain + match[1], match.end()
    plain += marked[end:]
    words = [row[f"word{k}_context{text}"] for k in (1, 2)]
    if lacking := [word for word in words if word not in places]:
        raise DataError(f"{shown(lacking[0])} is not marked in context{text}")
    first, second = (_at_characters(plain, *places[word]) for word in words)
    return first, second


def _at_characters(sentence: str, start: int, end: int) -> Use:
    tokens = tokenize(sentence)
    inside = [k for k, token in enumerate(tokens) if token.start < end and token.end > start]
    if not inside:
        raise DataError(f"no word at characters {start} to {end} of {shown(sentence)}")
    return Use.in_sentence(sentence, tokens, inside[0], inside[-1] + 1)


def _json_list(path: Path) -> list[Any]:
    check_file(path)
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: expected a JSON list ({error})") from None
    if not isinstance(rows, list):
        raise DataError(f"{path}: expected a JSON list, found {type(rows).__name__}")
    return rows
