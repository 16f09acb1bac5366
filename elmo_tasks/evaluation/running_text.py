"""Meanings in running text against the judgement of a reader who did not see the answers.

A folder holds passages, ``NAME.txt`` with a sentence on each line, and ``judged.jsonl`` with one
line for each underlined word::

    {"file": "01_news.txt", "line": 1, "start": 0, "word": "Shares", "type": "L",
     "right": ["share: company"], "acceptable": []}

``type``: L a listed meaning is right, N none is listed, A an auxiliary, F a part of an expression,
M a part of a name, P looked up wrongly, E an expression that is meant literally. A word that is
left out where it should not be underlined is no answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elmo_tasks.api import TextSenses
from elmo_tasks.errors import DataError

_PLAINLY_STATED = 0.7
_NEARLY_CERTAIN = 0.95
#: Longest sentence, in words, of each band in which false alarms are counted.
LENGTH_BANDS = (8, 15, 23, 31, 47, 1_000)


@dataclass(frozen=True)
class Judgement:
    """Judgement of one word of a passage."""

    right: frozenset[str]  #: meanings, as ``word: key``
    acceptable: frozenset[str]  #: neighbouring meanings that a reader would also accept
    kind: str  #: one of L, N, A, F, M, P
    n_words: int  #: of the sentence


WordPosition = tuple[str, int, int]  # file, line, offset of the word
Judgements = Mapping[WordPosition, Judgement]


@dataclass(frozen=True)
class TextScores:
    """Accuracy of the meanings of the words of passages."""

    words: int  #: underlined and judged
    unjudged: int  #: underlined without a judgement
    right: float
    acceptable: float  #: right or a neighbouring meaning
    odd_right: float  #: on every second passage, not used for fitting
    odd_acceptable: float
    plain: float  #: share stated with a probability of at least .7
    plain_right: float
    plain_acceptable: float
    sure: int  #: words stated with a probability of at least .95
    sure_acceptable: float
    others: int  #: words called "another meaning"
    others_right: float
    #: share of words with a listed meaning called "another meaning", by sentence length
    false_alarms: Mapping[int, float]


def read_judgements(folder: Path) -> tuple[dict[str, list[str]], dict[WordPosition, Judgement]]:
    """Read the passages in a folder, line by line, and the judgements of their words."""
    path = folder / "judged.jsonl"
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        names = sorted({str(row["file"]) for row in rows})
        texts = {name: (folder / name).read_text("utf-8").splitlines() for name in names}
        judged = {
            (str(row["file"]), int(row["line"]), int(row["start"])): Judgement(
                right=frozenset(row["right"]),
                acceptable=frozenset(row["acceptable"]),
                kind=str(row["type"]),
                n_words=len(texts[row["file"]][int(row["line"]) - 1].split()),
            )
            for row in rows
        }
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise DataError(
            f"{path}: expected judged words of the passages beside it ({error!r})"
        ) from None
    return texts, judged


def score_passages(judged: Judgements, answers: Mapping[tuple[str, int], TextSenses]) -> TextScores:
    """Score the answers to the lines of passages, by file and line."""
    rows: list[tuple[str, float, bool, Judgement, str]] = []
    unjudged = 0
    for (name, line), answer in answers.items():
        for word in answer.words:
            judgement = judged.get((name, line, word.use.char_start))
            if judgement is None:
                unjudged += 1
                continue
            meaning = word.meaning
            named = None if meaning is None else f"{meaning.word}: {meaning.key}"
            verdict = _verdict(named, judgement)
            rows.append((verdict, word.meant.probability, named is None, judgement, name))
    plain = [row for row in rows if row[1] >= _PLAINLY_STATED]
    sure = [row for row in rows if row[1] >= _NEARLY_CERTAIN]
    others = [row for row in rows if row[2]]
    listed = [row for row in rows if row[3].kind == "L"]
    odd_names = sorted({name for name, _ in answers})[::2]
    odd = [row for row in rows if row[4] in odd_names]
    alarms: dict[int, float] = {}
    for low, high in zip((0, *LENGTH_BANDS), LENGTH_BANDS, strict=False):
        band = [row for row in listed if low <= row[3].n_words < high]
        alarms[high] = _share(band, lambda row: row[2])
    return TextScores(
        words=len(rows),
        unjudged=unjudged,
        right=_share(rows, _is_right),
        acceptable=_share(rows, _is_acceptable),
        odd_right=_share(odd, _is_right),
        odd_acceptable=_share(odd, _is_acceptable),
        plain=len(plain) / max(1, len(rows)),
        plain_right=_share(plain, _is_right),
        plain_acceptable=_share(plain, _is_acceptable),
        sure=len(sure),
        sure_acceptable=_share(sure, _is_acceptable),
        others=len(others),
        others_right=_share(others, lambda row: row[0] in ("right", "acceptable")),
        false_alarms=alarms,
    )


def _verdict(named: str | None, judgement: Judgement) -> str:
    if named is None:
        return {"L": "wrong", "N": "right"}.get(judgement.kind, "acceptable")
    if named in judgement.right:
        return "right"
    return "acceptable" if named in judgement.acceptable else "wrong"


def _is_right(row: tuple[Any, ...]) -> bool:
    return bool(row[0] == "right")


def _is_acceptable(row: tuple[Any, ...]) -> bool:
    return row[0] in ("right", "acceptable")


def _share(rows: Sequence[Any], test: Any) -> float:
    return sum(map(test, rows)) / len(rows) if rows else 0.0


def text_table(model: str, scores: TextScores, passages: int) -> str:
    """Format the scores as Markdown."""
    rows = [
        ("passages; words underlined and judged", f"{passages}; {scores.words:,}"),
        (
            "right, %; right or a neighbouring meaning, %",
            f"{_percent(scores.right)}; {_percent(scores.acceptable)}",
        ),
        (
            "on every second passage, not used for fitting, %",
            f"{_percent(scores.odd_right)}; {_percent(scores.odd_acceptable)}",
        ),
        ("stated plainly (.7 or more), %", _percent(scores.plain)),
        (
            "of these right, %; or a neighbour, %",
            f"{_percent(scores.plain_right)}; {_percent(scores.plain_acceptable)}",
        ),
        (
            "stated at .95 or more: words; right or a neighbour, %",
            f"{scores.sure:,}; {_percent(scores.sure_acceptable)}",
        ),
        (
            "“another meaning”: words; right, %",
            f"{scores.others:,}; {_percent(scores.others_right)}",
        ),
        *(
            (
                f"false alarms in sentences of fewer than {high} words, %"
                if high < LENGTH_BANDS[-1]
                else "in longer ones, %",
                _percent(share),
            )
            for high, share in scores.false_alarms.items()
        ),
    ]
    return "\n".join(
        [f"| {model} | |", "|---|---:|", *(f"| {title} | {value} |" for title, value in rows)]
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
