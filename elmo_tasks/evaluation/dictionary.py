"""Disambiguation of test sentences, held-out words and labelled sets, never fitted on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torchmetrics.functional.classification import binary_calibration_error

from elmo_tasks.api import Certainty, MeaningSource, group_by, partition
from elmo_tasks.errors import DataError
from elmo_tasks.evaluation.reader import progress
from elmo_tasks.senses.disambiguation import SenseModel, senses_of
from elmo_tasks.senses.entries import Entry
from elmo_tasks.senses.features import CONTEXT, EXPECTED, WORDS, Vectors, centred, extract, unit
from elmo_tasks.senses.judging import judge
from elmo_tasks.senses.lexicon import Lexicon
from elmo_tasks.senses.scoring import classify
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.uses import Use

_SURE, _SUREST = 0.7, 0.95


@dataclass(frozen=True)
class SenseScores:
    """Disambiguation of test sentences."""

    name: str  #: which words
    words: int
    meanings: float  #: mean number of meanings of a word
    sentences: int
    first: float  #: accuracy of "always the first meaning"
    #: accuracy of nearest centroid in each set of views, without anything fitted
    by_views: Mapping[str, float]
    right: float  #: accuracy of the calibrated model, "another meaning" aside
    sure: float  #: share of sentences with a probability of at least .7
    right_when_sure: float
    calibration_error: float  #: expected calibration error of the likeliest answer
    unknown_found: (
        float  #: share of sentences called "another meaning" when their own meaning is left out
    )
    false_alarms: float  #: share called so when it is there


@dataclass(frozen=True)
class SetScores:
    """Sets of sentences of one word, sorted as the page sorts them."""

    name: str
    sets: int
    named: float  #: share with a confident grouping
    right: float  #: share of those that are right as a whole
    several_named: float  #: among sets in several meanings
    several_right: float
    one_split: float  #: share of sets in one meaning that are confidently split
    unseen: int  #: sets without a sentence of the dictionary
    unseen_named: float
    unseen_right: float
    #: how many of the words are in the dictionary, on the list, in neither
    by_source: Mapping[str, int]


@dataclass(frozen=True)
class UseScores:
    """Sentences of one use each, whose words often pull to another meaning."""

    name: str
    uses: int  #: those whose meaning is in the dictionary
    right: float
    sure: float  #: share with a probability of at least .7
    right_when_sure: float
    surest: float  #: share with a probability of at least .95
    right_when_surest: float


@dataclass(frozen=True)
class _Labelled:
    """All sentences of the dictionary as uses, with the place of each."""

    entries: list[Entry]
    uses: Sequence[Use]
    labels: NDArray[np.int64]  #: ``[n, 3]`` entry, meaning, 1 for a test sentence

    @classmethod
    def of(cls, lexicon: Lexicon) -> _Labelled:
        entries = list(lexicon.ambiguous)
        uses: list[Use] = []
        labels: list[tuple[int, int, bool]] = []
        for number, entry in enumerate(entries):
            for meaning, sense in enumerate(entry.senses):
                for sentence in sense.sentences:
                    uses.append(find_mention(entry.word, sentence))
                    labels.append((number, meaning, sentence in sense.test_sentences))
        return cls(entries, uses, np.array(labels, np.int64).reshape(-1, 3))

    def rows_of(self, number: int, *, is_test: bool) -> NDArray[np.int64]:
        """Return the rows of the test sentences of an entry, or of its examples."""
        return np.flatnonzero((self.labels[:, 0] == number) & (self.labels[:, 2] == is_test))


@dataclass(frozen=True)
class _Scored:
    """One test sentence."""

    is_held_out: bool
    is_right: bool  #: "another meaning" aside
    is_answer: bool  #: right, where "another meaning" is an answer, too
    is_first: bool  #: the first meaning of the entry is meant
    is_alarm: bool  #: called another meaning
    top: float
    is_missed: bool | None  #: called so if its own meaning is left out; None with two meanings
    hits: tuple[bool, ...]  #: nearest centroid, in each space


def score_sentences(model: SenseModel, lexicon: Lexicon) -> list[SenseScores]:
    """Score the test sentences of all words but the held-out ones, and of those."""
    labelled = _Labelled.of(lexicon)
    with progress("dictionary", len(labelled.uses), "sentence") as bar:
        views = extract(
            model.encoder,
            model.static,
            model.expected,
            labelled.uses,
            model.calibration.layers,
            bar.update,
        )
    spaces = _spaces(views)
    embedded = model.calibration.embed(views)
    scored = [
        row
        for number in range(len(labelled.entries))
        for row in _score_entry(model, labelled, number, embedded, spaces)
    ]
    scores = []
    for name, held_out in (("words that were fitted on", False), ("held-out words", True)):
        rows = [row for row in scored if row.is_held_out == held_out]
        words = [len(e.senses) for e in labelled.entries if e.is_held_out == held_out]
        scores.append(_summary(name, rows, list(spaces), words))
    return scores


def _spaces(views: Mapping[str, Vectors]) -> dict[str, Vectors]:
    """Return the groups of views that are compared without fitting, centred."""
    plain = {name: centred(part, part.mean(axis=0)) for name, part in views.items()}
    groups = {
        "context words": [name for name in views if name == WORDS],
        "expected words": [name for name in views if name == EXPECTED],
        "layers and states": [name for name in views if name.startswith(("layer", CONTEXT))],
        "all views": list(views),
    }
    return {
        name: unit(np.concatenate([plain[view] for view in group], axis=1))
        for name, group in groups.items()
        if group
    }


def _score_entry(
    model: SenseModel,
    labelled: _Labelled,
    number: int,
    embedded: Vectors,
    spaces: Mapping[str, Vectors],
) -> list[_Scored]:
    """Score the test sentences of one entry."""
    entry = labelled.entries[number]
    n_senses = len(entry.senses)
    examples = labelled.rows_of(number, is_test=False)
    tests = labelled.rows_of(number, is_test=True)
    gold = labelled.labels[tests, 1].tolist()
    nearest = [
        (vectors[tests] @ _means(vectors[examples], labelled.labels[examples, 1], n_senses).T)
        .argmax(axis=1)
        .tolist()
        for vectors in spaces.values()
    ]
    evidence = model.evidence(
        [labelled.uses[row] for row in tests], embedded[tests], senses_of([entry])
    )
    answers = classify(model.calibration, evidence)
    scored = []
    for k, (answer, meant) in enumerate(zip(answers, gold, strict=True)):
        left_out = classify(model.calibration, evidence.without(k, meant)) if n_senses > 2 else []
        row = _Scored(
            is_held_out=entry.is_held_out,
            is_right=int(np.argmax(answer.probabilities)) == meant,
            is_answer=answer.best == meant,
            is_first=meant == 0,
            is_alarm=answer.best is None,
            top=answer.top,
            is_missed=left_out[0].best is None if left_out else None,
            hits=tuple(found[k] == meant for found in nearest),
        )
        scored.append(row)
    return scored


def _summary(
    name: str, scored: Sequence[_Scored], spaces: Sequence[str], words: Sequence[int]
) -> SenseScores:
    top = np.array([row.top for row in scored])
    answered = np.array([row.is_answer for row in scored], bool)
    sure = top >= _SURE
    return SenseScores(
        name=name,
        words=len(words),
        meanings=_mean(words),
        sentences=len(scored),
        first=_mean([row.is_first for row in scored]),
        by_views={space: _mean([row.hits[k] for row in scored]) for k, space in enumerate(spaces)},
        right=_mean([row.is_right for row in scored]),
        sure=_mean(sure),
        right_when_sure=_mean(answered[sure]),
        calibration_error=calibration_error(top, answered) if scored else 0.0,
        unknown_found=_mean([row.is_missed for row in scored if row.is_missed is not None]),
        false_alarms=_mean([row.is_alarm for row in scored]),
    )


def _means(vectors: Vectors, meanings: NDArray[np.int64], n_senses: int) -> Vectors:
    """Return the means of the uses ``[n, H]`` of each meaning, ``[S, H]``, of length 1."""
    return np.stack([unit(vectors[meanings == s].mean(axis=0)) for s in range(n_senses)])


def calibration_error(probabilities: NDArray[np.floating], right: NDArray[Any]) -> float:
    """Expected calibration error over ten equal bins (Guo et al., 2017)."""
    values = (
        torch.tensor(np.array(probabilities, np.float64)),
        torch.tensor(np.array(right, np.int64)),
    )
    return float(binary_calibration_error(*values, n_bins=10, norm="l1"))


def score_sets(model: SenseModel, lexicon: Lexicon, path: Path) -> SetScores:
    """Sort sets, JSON lines with ``word``, ``sentences`` and ``gold``, as Compare does."""
    examples = {
        _plain(sentence)
        for entry in (*lexicon.values(), *lexicon.expressions)
        for sense in entry.all_senses
        for sentence in sense.sentences
    }
    rows: list[tuple[bool, bool, bool, bool, bool]] = []
    sources: list[MeaningSource] = []
    for number, raw in _json_lines(path):
        try:
            word, gold = str(raw["word"]), list(raw["gold"])
            uses = [find_mention(word, str(sentence)) for sentence in raw["sentences"]]
            if len(gold) != len(uses) or not uses:
                raise ValueError(f"{len(uses)} sentences, {len(gold)} in gold")
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{path}, line {number}: expected word, sentences and gold ({error})"
            ) from None
        judged = judge(model, uses, model.embed(uses), word, lexicon)
        groups = group_by(gold)
        is_named = judged.certainty is Certainty.CONFIDENT
        is_right = partition(judged.groups) == partition(groups.values())
        is_unseen = examples.isdisjoint(map(_plain, raw["sentences"]))
        rows.append((is_named, is_right, len(groups) > 1, len(judged.groups) > 1, is_unseen))
        sources.append(judged.source)
    named, right, several, split, unseen = np.array(rows).T
    return SetScores(
        name=path.name,
        sets=len(rows),
        named=_mean(named),
        right=_mean(right[named]),
        several_named=_mean(named[several]),
        several_right=_mean(right[named & several]),
        one_split=_mean((named & split)[~several]),
        unseen=int(unseen.sum()),
        unseen_named=_mean(named[unseen]),
        unseen_right=_mean(right[named & unseen]),
        by_source={
            source.value: sources.count(source) for source in MeaningSource if source in sources
        },
    )


def _plain(sentence: str) -> str:
    """Leave out the marks of a word, and capitals."""
    return re.sub(r"[\[\]]", "", sentence).strip().casefold()


def score_uses(model: SenseModel, lexicon: Lexicon, path: Path) -> UseScores:
    """Find meanings, JSON lines with ``word``, ``sentence`` and the ``key`` of the right one.

    A line whose key is ``null`` (the dictionary does not have the meaning) is left out.
    """
    right, highest = [], []
    for number, raw in _json_lines(path):
        try:
            word, key = str(raw["word"]), raw["key"]
            use = find_mention(word, str(raw["sentence"]))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{path}, line {number}: expected word, sentence and key ({error})"
            ) from None
        if key is None:
            continue
        judged = judge(model, [use], model.embed([use]), word, lexicon)
        best = judged.of_uses[0] if judged.of_uses else None
        meaning = None if best is None or best.best is None else judged.meanings[best.best]
        right.append(meaning is not None and meaning.key == key)
        highest.append(0.0 if best is None else best.probability)
    is_right, top = np.array(right, bool), np.array(highest)
    return UseScores(
        name=path.name,
        uses=len(right),
        right=_mean(is_right),
        sure=_mean(top >= _SURE),
        right_when_sure=_mean(is_right[top >= _SURE]),
        surest=_mean(top >= _SUREST),
        right_when_surest=_mean(is_right[top >= _SUREST]),
    )


def is_of_uses(path: Path) -> bool:
    """Check whether labelled lines hold one use each, not sets."""
    _, first = next(_json_lines(path))
    return "key" in first


def _json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: expected labelled sets, JSON lines in UTF-8 ({error})") from None
    if not lines:
        raise DataError(f"{path}: expected labelled sets, found an empty file")
    for number, line in enumerate(lines, 1):
        try:
            raw = json.loads(line)
        except ValueError as error:
            raise DataError(f"{path}, line {number}: expected JSON ({error})") from None
        if not isinstance(raw, dict):
            raise DataError(f"{path}, line {number}: expected an object with word and sentences")
        yield number, raw


def _mean(values: Sequence[float] | NDArray[Any]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


def sense_table(
    model: str,
    scores: Sequence[SenseScores],
    sets: Sequence[SetScores],
    uses: Sequence[UseScores] = (),
) -> str:
    """Format the scores as Markdown."""
    rows: list[tuple[str, list[str]]] = [
        ("words with several meanings", [f"{s.words:,}" for s in scores]),
        ("meanings a word", [f"{s.meanings:.2f}" for s in scores]),
        ("test sentences", [f"{s.sentences:,}" for s in scores]),
        ("always the first meaning, %", [_percent(s.first) for s in scores]),
        *(
            (f"nearest centroid, {v}, %", [_percent(s.by_views[v]) for s in scores])
            for v in (scores[0].by_views if scores else ())
        ),
        ("**calibrated model, %**", [f"**{_percent(s.right)}**" for s in scores]),
        ("with a probability of .7 or more: share, %", [_percent(s.sure) for s in scores]),
        ("of those right, %", [_percent(s.right_when_sure) for s in scores]),
        ("calibration error, %", [_percent(s.calibration_error) for s in scores]),
        (
            "a left-out meaning is called another meaning, %",
            [_percent(s.unknown_found) for s in scores],
        ),
        ("false alarms, %", [_percent(s.false_alarms) for s in scores]),
    ]
    lines = _markdown(model, [s.name for s in scores], rows)
    if sets:
        names = [
            "number",
            "named, %",
            "right of those, %",
            "in several meanings: named",
            "right",
            "in one: split",
            "without a sentence of the dictionary: number",
            "named",
            "right",
        ]
        cells = [
            [
                str(s.sets),
                *map(_percent, (s.named, s.right, s.several_named, s.several_right, s.one_split)),
                str(s.unseen),
                *map(_percent, (s.unseen_named, s.unseen_right)),
            ]
            for s in sets
        ]
        lines += ["", *_markdown("sets", names, zip([s.name for s in sets], cells, strict=True))]
    if uses:
        names = ["number", "right, %", "at .7 or more, %", "right", "at .95 or more, %", "right"]
        values = [(u.right, u.sure, u.right_when_sure, u.surest, u.right_when_surest) for u in uses]
        cells = [[str(u.uses), *map(_percent, row)] for u, row in zip(uses, values, strict=True)]
        lines += ["", *_markdown("uses", names, zip([u.name for u in uses], cells, strict=True))]
    return "\n".join(lines)


def _markdown(
    corner: str, names: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]
) -> list[str]:
    head = [f"| {corner} | {' | '.join(names)} |", "|---|" + "---:|" * len(names)]
    return [*head, *(f"| {title} | {' | '.join(cells)} |" for title, cells in rows)]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
