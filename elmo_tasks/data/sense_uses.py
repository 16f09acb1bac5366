"""Readers of published word uses, for evaluation: with senses, and in pairs."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from elmo_tasks.data.text_lines import RowErrors, check_file, numbered_lines, read_text, shown
from elmo_tasks.errors import DataError
from elmo_tasks.text.tokens import plain_token, tokenize
from elmo_tasks.text.uses import Use

# The second field of a WordNet sense key, lemma%2:31:00::, says the part of speech; 5 is an
# adjective, too.
_POS_LETTERS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
_PARTS_OF_SPEECH = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
_SAME_MEANING = {"T": True, "F": False}
_MARKED_WORD = re.compile(r"<strong>(.*?)</strong>")
RawT = TypeVar("RawT")
RowT = TypeVar("RowT")


@dataclass(frozen=True)
class SenseUse:
    """Use of a lemma, with its correct senses and its part of the collection."""

    use: Use
    lemma: str
    senses: tuple[str, ...]
    group: str = ""


@dataclass(frozen=True)
class WordPair:
    """Two uses of one word, and a flag for the same meaning."""

    a: Use
    b: Use
    same: bool


@dataclass(frozen=True)
class GradedPair:
    """Two words, both in each of two texts, with similarity ratings, 0 to 10."""

    words: tuple[str, str]
    uses: tuple[tuple[Use, Use], tuple[Use, Use]]
    similarities: tuple[float, float]


def read_coarse_wsd(path: Path) -> list[SenseUse]:
    """Read a split of CoarseWSD-20 (Loureiro et al., 2021)."""

    def use(line: str) -> list[SenseUse]:
        word, _, sense, index, text = line.split("\t")
        return [SenseUse(Use.of_tokens(tuple(text.split()), int(index)), word, (sense,))]

    return _rows(
        path,
        list(numbered_lines(path))[1:],
        use,
        "word, label, sense, target_index and text, separated by tabs",
    )


def read_senseval(path: Path) -> list[SenseUse]:
    """Read a word of senseval: JSON lines of ``tokens``, ``target`` and ``senses``."""
    lemma = path.name.partition(".")[0]

    def use(line: str) -> list[SenseUse]:
        row = json.loads(line)
        return [
            SenseUse(
                Use.of_tokens(_plain(row["tokens"]), row["target"]), lemma, tuple(row["senses"])
            )
        ]

    return _rows(path, numbered_lines(path), use, "an object with tokens, target and senses")


def read_semcor(path: Path) -> list[SenseUse]:
    """Read SemCor: JSON lines with ``tokens`` and ``senses``.

    A sense has ``i`` (index of the first token), ``n`` (tokens), ``lemma`` and ``keys`` (WordNet
    sense keys).
    """

    def uses(line: str) -> list[SenseUse]:
        row = json.loads(line)
        tokens = _plain(row["tokens"])
        return [
            SenseUse(
                Use.of_tokens(tokens, sense["i"], sense["i"] + sense["n"]),
                _lemma_key(sense["lemma"], _POS_LETTERS[sense["keys"][0].partition("%")[2][0]]),
                tuple(sense["keys"]),
            )
            for sense in row["senses"]
        ]

    return _rows(path, numbered_lines(path), uses, "an object with tokens and senses")


def read_unified(data: Path, gold: Path) -> list[SenseUse]:
    """Read an evaluation set of the unified framework (Raganato et al., 2017).

    In the XML ``data`` each ``instance`` has an id, which begins with its group, a lemma and a part
    of speech; a line of ``gold`` has an id and the sense keys that are right.
    """

    def answer(line: str) -> list[tuple[str, tuple[str, ...]]]:
        name, key, *keys = line.split()
        return [(name, (key, *keys))]

    answers = dict(_rows(gold, numbered_lines(gold), answer, "an id and sense keys"))
    check_file(data)
    uses = []
    try:
        for sentence in ElementTree.parse(data).iter("sentence"):
            tokens: list[str] = []
            places = []
            for word in sentence:
                parts = _plain((word.text or "").split())
                if word.tag == "instance":
                    places.append((word.attrib, len(tokens), len(tokens) + len(parts)))
                tokens += parts
            for about, start, end in places:
                use, group = Use.of_tokens(tokens, start, end), about["id"].partition(".")[0]
                lemma = _lemma_key(about["lemma"], _PARTS_OF_SPEECH[about["pos"]])
                uses.append(
                    SenseUse(use=use, lemma=lemma, senses=answers[about["id"]], group=group)
                )
    except (ElementTree.ParseError, KeyError, DataError) as error:
        raise DataError(
            f"{data}: expected sentences of words and instances with id, lemma and pos, whose"
            f" answers are in {gold.name}; {error!r}"
        ) from None
    if not uses:
        raise DataError(f"{data}: no instance in this file")
    return uses


def read_first_senses(path: Path) -> dict[str, str]:
    """Read the first sense key of each lemma from WordNet's ``index.sense``.

    A line has the key of a sense, its offset, number (1 is the first sense) and count.
    """

    def use(line: str) -> list[tuple[str, str]]:
        key, _, number, _ = line.split()
        lemma, _, rest = key.partition("%")
        return [(_lemma_key(lemma, _POS_LETTERS[rest[0]]), key)] if number == "1" else []

    # Of an adjective and its satellite only one has number 1.
    return dict(_rows(path, numbered_lines(path), use, "a sense key, offset, number and count"))


def read_wic(data: Path, gold: Path) -> list[WordPair]:
    """Read WiC (Pilehvar and Camacho-Collados, 2019).

    A line of ``data`` has the word, its part of speech, its token positions ``i-j`` in the two
    sentences, and the sentences; a line of ``gold`` is ``T`` for the same meaning, else ``F``.
    """
    answers = [line.strip() for _, line in numbered_lines(gold)]
    lines = list(numbered_lines(data))
    if len(lines) != len(answers):
        raise DataError(
            f"{gold}: expected an answer for each of {len(lines)} lines of {data.name}, found"
            f" {len(answers)}"
        )

    def pair(row: tuple[str, str]) -> list[WordPair]:
        answer, line = row
        _, _, places, *sentences = line.split("\t")
        i, j = (int(place) for place in places.split("-"))
        first, second = (_plain(sentence.split()) for sentence in sentences)
        return [WordPair(Use.of_tokens(first, i), Use.of_tokens(second, j), _SAME_MEANING[answer])]

    rows = [(number, (answer, line)) for (number, line), answer in zip(lines, answers, strict=True)]
    fields = "word, part of speech, i-j and two sentences, separated by tabs"
    return _rows(data, rows, pair, f"{fields}, and T or F in {gold.name}", "pair")


def read_mcl_wic(data: Path, gold: Path) -> list[WordPair]:
    """Read the English part of MCL-WiC (Martelli et al., 2021).

    ``data`` is a JSON list of objects with ``id``, ``sentence1``, ``start1``, ``end1`` and the same
    with 2, in characters; ``gold`` one of objects with ``id`` and ``tag``, ``T`` or ``F``.
    """
    texts = [read_text(path)[0] for path in (data, gold)]
    try:
        pairs, tags = map(json.loads, texts)
        rows, answers = (
            enumerate(pairs, start=1),
            {row["id"]: _SAME_MEANING[row["tag"]] for row in tags},
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(
            f"{data}: expected a JSON list, and in {gold.name} ids with a tag that is T or F"
            f" ({error!r})"
        ) from None

    def pair(row: Any) -> list[WordPair]:
        a, b = (
            _at_characters(row[f"sentence{k}"], int(row[f"start{k}"]), int(row[f"end{k}"]))
            for k in (1, 2)
        )
        return [WordPair(a, b, answers[row["id"]])]

    return _rows(
        data,
        rows,
        pair,
        f"id, sentences, places of the word, and an answer in {gold.name}",
        "pair",
        "pair",
    )


def read_cosimlex(path: Path) -> list[GradedPair]:
    """Read CoSimLex (Armendariz et al., 2020): graded similarity in two contexts.

    Columns are ``word1``, ``word2``, ``context1``, ``context2`` (the words marked with
    ``<strong>``), ``sim1``, ``sim2`` and ``word1_context1`` … ``word2_context2`` (the words as they
    are written there).
    """
    lines = numbered_lines(path)
    header = next(lines)[1].split("\t")

    def pair(line: str) -> list[GradedPair]:
        row = dict(zip(header, line.split("\t"), strict=True))
        similarities = float(row["sim1"]), float(row["sim2"])
        return [
            GradedPair(
                (row["word1"], row["word2"]),
                (_marked_two(row, 1), _marked_two(row, 2)),
                similarities,
            )
        ]

    return _rows(
        path, lines, pair, "two texts with both words in <strong>, and two numbers", "pair"
    )


def _lemma_key(lemma: str, letter: str) -> str:
    """Return ``bank%n``: a lower-cased lemma and its part of speech (n, v, a, r)."""
    return f"{lemma.lower()}%{letter}"


def _plain(tokens: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(plain_token, tokens))


def _rows(
    path: Path,
    numbered: Iterable[tuple[int, RawT]],
    read: Callable[[RawT], list[RowT]],
    expected: str,
    what: str = "use",
    unit: str = "line",
) -> list[RowT]:
    """Read the rows that are not blank; for unreadable ones, report what was ``expected``."""
    errors = RowErrors(path, unit)
    rows: list[RowT] = []
    for number, source in numbered:
        try:
            rows += read(source) if str(source).strip() else []
        except (DataError, ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
            errors.add(number, f"expected {expected}, found {shown(source)} ({error})")
    errors.check(len(rows), what)
    return rows


def _marked_two(row: dict[str, str], text: int) -> tuple[Use, Use]:
    """Find both words in one of the texts, in their order in the pair."""
    places: dict[str, tuple[int, int]] = {}
    plain = ""
    for k, part in enumerate(
        _MARKED_WORD.split(row[f"context{text}"])
    ):  # every other part is marked
        if k % 2:
            places.setdefault(part, (len(plain), len(plain) + len(part)))
        plain += part
    first, second = (_at_characters(plain, *places[row[f"word{k}_context{text}"]]) for k in (1, 2))
    return first, second


def _at_characters(sentence: str, start: int, end: int) -> Use:
    tokens = tokenize(sentence)
    inside = [k for k, token in enumerate(tokens) if token.start < end and token.end > start]
    if not inside:
        raise DataError(f"no word at characters {start} to {end} of {shown(sentence)}")
    return Use.in_sentence(sentence, tokens, inside[0], inside[-1] + 1)
