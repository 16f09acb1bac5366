"""Sense-annotated uses: CoarseWSD-20, senseval, SemCor, and the all-words sets.

Every reader raises a DataError for a file or a line that is not as expected.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from elmo_tasks.data.text_lines import RowErrors, check_file, numbered_lines, shown
from elmo_tasks.errors import DataError
from elmo_tasks.text.mentions import Use
from elmo_tasks.text.tokens import plain_token

# The second field of a WordNet sense key, lemma%2:31:00::, says the part of speech; 5 is an adjective, too.
_LETTERS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
_PARTS_OF_SPEECH = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
Row = TypeVar("Row")


@dataclass(frozen=True)
class SenseUse:
    """Use of a lemma, with its correct senses and its part of the collection."""

    use: Use
    lemma: str
    senses: tuple[str, ...]
    group: str = ""


def read_coarse_wsd(path: Path) -> list[SenseUse]:
    """Read a split of CoarseWSD-20 (Loureiro et al., 2021)."""

    def use(line: str) -> list[SenseUse]:
        word, _, sense, index, text = line.split("\t")
        return [SenseUse(Use.of_tokens(tuple(text.split()), int(index)), word, (sense,))]

    return _rows(path, use, "word, label, sense, target_index and text with tabs between", header=True)


def read_senseval(path: Path) -> list[SenseUse]:
    """Read a word of senseval: JSON lines of ``tokens``, ``target`` and ``senses``."""
    lemma = path.name.partition(".")[0]

    def use(line: str) -> list[SenseUse]:
        row = json.loads(line)
        tokens = tuple(map(plain_token, row["tokens"]))
        return [SenseUse(Use.of_tokens(tokens, row["target"]), lemma, tuple(row["senses"]))]

    return _rows(path, use, "an object with tokens, target and senses")


def read_semcor(path: Path) -> list[SenseUse]:
    """Read SemCor, with lemmas as in :func:`lemma_key`.

    It is JSON lines with ``tokens`` and ``senses``: objects with ``i`` (index of the first token), ``n`` (tokens), ``lemma`` and
    ``keys`` (WordNet sense keys).
    """

    def use(line: str) -> list[SenseUse]:
        row = json.loads(line)
        tokens = tuple(map(plain_token, row["tokens"]))
        return [
            SenseUse(
                Use.of_tokens(tokens, sense["i"], sense["i"] + sense["n"]),
                lemma_key(sense["lemma"], _LETTERS[sense["keys"][0].partition("%")[2][0]]),
                tuple(sense["keys"]),
            )
            for sense in row["senses"]
        ]

    return _rows(path, use, "an object with tokens and senses")


def read_unified(data: Path, gold: Path) -> list[SenseUse]:
    """Read an evaluation set of the unified framework (Raganato et al., 2017).

    Args:
        data: XML; each ``instance`` has an id, a lemma and a part of speech.
        gold: a line an instance: its id, and the sense keys that are right.

    Returns:
        uses whose lemma is as in :func:`lemma_key`, and whose group is the set that the id begins with.
    """
    answers = {}
    for number, line in numbered_lines(gold):
        name, *keys = line.split()
        if not keys:
            raise DataError(f"{gold}, line {number}: expected an id and sense keys, found {shown(line)}")
        answers[name] = tuple(keys)
    check_file(data)
    uses = []
    try:
        for sentence in ElementTree.parse(data).iter("sentence"):
            tokens: list[str] = []
            places = []
            for word in sentence:
                parts = [plain_token(part) for part in (word.text or "").split()]
                if word.tag == "instance":
                    places.append((word.attrib, len(tokens), len(tokens) + len(parts)))
                tokens += parts
            for about, start, end in places:
                lemma = lemma_key(about["lemma"], _PARTS_OF_SPEECH[about["pos"]])
                group = about["id"].partition(".")[0]
                uses.append(SenseUse(Use.of_tokens(tuple(tokens), start, end), lemma, answers[about["id"]], group))
    except (ElementTree.ParseError, KeyError, DataError) as error:
        raise DataError(
            f"{data}: expected sentences of words and instances with id, lemma and pos, whose answers are in {gold.name}; "
            f"{error!r}"
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
        return [(lemma_key(lemma, _LETTERS[rest[0]]), key)] if number == "1" else []

    # Of an adjective and its satellite only one has number 1.
    return dict(_rows(path, use, "a sense key, offset, number and count"))


def lemma_key(lemma: str, letter: str) -> str:
    """Return ``bank%n``: a lower-cased lemma and its part of speech (n, v, a, r)."""
    return f"{lemma.lower()}%{letter}"


def _rows(path: Path, read: Callable[[str], list[Row]], expected: str, header: bool = False) -> list[Row]:
    errors = RowErrors(path)
    rows: list[Row] = []
    for number, line in numbered_lines(path):
        if (header and number == 1) or not line.strip():
            continue
        try:
            rows += read(line)
        except (DataError, ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
            errors.add(number, f"expected {expected}, found {shown(line)} ({error})")
    errors.check(len(rows), "use")
    return rows
