"""Word sense disambiguation measured on sentences that nothing was fitted on: test sentences, held-out words, and labelled sets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.api import Certainty, Source, partition
from elmo_tasks.errors import DataError
from elmo_tasks.evaluation.reader import progress
from elmo_tasks.senses.disambiguation import SenseModel, classify, senses_of
from elmo_tasks.senses.features import CONTEXT, EXPECTED, WORDS, Vectors, centred, extract, unit
from elmo_tasks.senses.lexicon import Entry, Lexicon
from elmo_tasks.service.meanings import judge
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.use import Use

_BINS = 10
_SURE = 0.7


@dataclass(frozen=True)
class SenseScores:
    """Disambiguation of test sentences."""

    name: str  #: which words
    words: int
    meanings: float  #: mean number of meanings of a word
    sentences: int
    first: float  #: accuracy of "always the first meaning"
    by_views: Mapping[str, float]  #: accuracy of nearest centroid in each set of views, without anything fitted
    right: float  #: accuracy of the calibrated model, "another meaning" aside
    sure: float  #: share of sentences with a probability of at least .7
    right_when_sure: float
    calibration_error: float  #: expected calibration error of the likeliest answer
    unknown_found: float  #: share of sentences called "another meaning" when their own meaning is left out
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
    by_source: Mapping[str, int]  #: how many of the words are in the dictionary, on the list, in neither


def score_sentences(model: SenseModel, lexicon: Lexicon) -> list[SenseScores]:
    """Test sentences of all words but the held-out ones, and of those."""
    encoder_views = ("layer", CONTEXT)
    entries = list(lexicon.ambiguous)
    uses, rows = [], []  # of every sentence: entry, meaning, whether it is a test sentence
    for e, entry in enumerate(entries):
        for s, sense in enumerate(entry.senses):
            tests = set(sense.test_sentences)
            for sentence in sense.sentences:
                uses.append(find_mention(entry.word, sentence))
                rows.append((e, s, sentence in tests))
    with progress("dictionary", len(uses), "sentence") as bar:
        views = extract(model.encoder, model.static, model.expected, uses, model.calibration.layers, bar.update)
    plain = {name: centred(part, part.mean(axis=0)) for name, part in views.items()}
    sets = {
        "context words": [WORDS],
        "expected words": [EXPECTED],
        "layers and states": [name for name in views if name.startswith(encoder_views)],
        "all views": list(views),
    }
    spaces = {
        name: unit(np.concatenate([plain[v] for v in chosen if v in plain], axis=1))
        for name, chosen in sets.items()
        if any(v in plain for v in chosen)
    }
    embedded = model.calibration.embed(views)
    places: dict[int, list[int]] = {}
    for row, (e, _, _) in enumerate(rows):
        places.setdefault(e, []).append(row)
    found = []
    for name, held_out in (("words that were fitted on", False), ("held-out words", True)):
        chosen = [e for e, entry in enumerate(entries) if entry.is_held_out is held_out]
        found.append(
            _score(name, [entries[e] for e in chosen], [places[e] for e in chosen], rows, uses, embedded, spaces, model)
        )
    return found


def _score(
    name: str,
    entries: Sequence[Entry],
    places: Sequence[Sequence[int]],
    rows: Sequence[tuple[int, int, bool]],
    uses: Sequence[Use],
    embedded: Vectors,
    spaces: Mapping[str, Vectors],
    model: SenseModel,
) -> SenseScores:
    tops: list[float] = []
    right: list[bool] = []
    answered: list[bool] = []
    first: list[bool] = []
    alarms: list[bool] = []
    unknown: list[bool] = []
    by_views: dict[str, list[bool]] = {space: [] for space in spaces}
    for entry, of_word in zip(entries, places, strict=True):
        n = len(entry.senses)
        tests = [row for row in of_word if rows[row][2]]
        gold = [rows[row][1] for row in tests]
        if not tests:
            continue
        for space, vectors in spaces.items():
            nearest = vectors[tests] @ _centroids(vectors, rows, of_word, n).T
            by_views[space] += [int(k) == g for k, g in zip(nearest.argmax(axis=1), gold, strict=True)]
        evidence = model.evidence([uses[row] for row in tests], embedded[tests], senses_of([entry]))
        for k, (answer, g) in enumerate(zip(classify(model.calibration, evidence), gold, strict=True)):
            known = int(np.argmax(answer.probabilities))
            right.append(known == g)
            answered.append(answer.best == g)
            tops.append(answer.top)
            first.append(g == 0)
            alarms.append(answer.best is None)
            if n > 2:
                unknown.append(classify(model.calibration, evidence.without(k, g))[0].best is None)
    top, is_right = np.array(tops), np.array(answered)
    sure = top >= _SURE
    return SenseScores(
        name=name,
        words=len(entries),
        meanings=float(np.mean([len(entry.senses) for entry in entries])),
        sentences=len(right),
        first=_share(np.array(first)),
        by_views={space: _share(np.array(values)) for space, values in by_views.items()},
        right=_share(np.array(right)),
        sure=_share(sure),
        right_when_sure=_share(is_right[sure]),
        calibration_error=calibration_error(top, is_right) if len(top) else 0.0,
        unknown_found=_share(np.array(unknown)),
        false_alarms=_share(np.array(alarms)),
    )


def _centroids(vectors: Vectors, rows: Sequence[tuple[int, int, bool]], of_word: Sequence[int], n: int) -> Vectors:
    """``[n, H]`` means of the examples of each meaning, without the test sentences."""
    members = [[row for row in of_word if rows[row][1] == s and not rows[row][2]] for s in range(n)]
    return np.stack([unit(vectors[mine].mean(axis=0)) for mine in members])


def calibration_error(probabilities: NDArray[np.floating], right: NDArray[np.bool_]) -> float:
    """Expected calibration error over ten equal bins (Guo et al., 2017)."""
    bins = np.minimum((probabilities * _BINS).astype(int), _BINS - 1)
    gaps = [
        (bins == b).mean() * abs(probabilities[bins == b].mean() - right[bins == b].mean()) for b in np.unique(bins)
    ]
    return float(sum(gaps))


def score_sets(model: SenseModel, lexicon: Lexicon, path: Path) -> SetScores:
    """Sort labelled sets as Compare does.

    Args:
        model: compares uses with meanings.
        lexicon: the dictionary.
        path: JSON lines with ``word``, ``sentences`` and ``gold``, the number of the meaning of each sentence.

    Raises:
        DataError: a line is not such a set, or there is none.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: expected labelled sets, JSON lines in UTF-8 ({error})") from None
    if not lines:
        raise DataError(f"{path}: expected labelled sets, found an empty file")
    named, right, several, split, sources = [], [], [], [], []
    for number, line in enumerate(lines, 1):
        try:
            raw = json.loads(line)
            word, sentences, gold = str(raw["word"]), [str(s) for s in raw["sentences"]], list(raw["gold"])
            uses = [find_mention(word, sentence) for sentence in sentences]
            if len(gold) != len(uses) or not uses:
                raise ValueError(f"{len(uses)} sentences, {len(gold)} in gold")
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"{path}, line {number}: expected word, sentences and gold ({error})") from None
        judged = judge(model, uses, model.embed(uses), word, lexicon)
        groups = {meaning: [k for k, g in enumerate(gold) if g == meaning] for meaning in dict.fromkeys(gold)}
        named.append(judged.certainty is Certainty.CONFIDENT)
        right.append(bool(judged.groups) and partition(judged.groups) == partition(list(groups.values())))
        several.append(len(groups) > 1)
        split.append(len(judged.groups) > 1)
        sources.append(judged.source)
    n, r, s = np.array(named), np.array(right), np.array(several)
    return SetScores(
        name=path.name,
        sets=len(n),
        named=float(n.mean()),
        right=_share(r[n]),
        several_named=_share(n[s]),
        several_right=_share(r[n & s]),
        one_split=_share((n & np.array(split))[~s]),
        by_source={source.value: sources.count(source) for source in Source if source in sources},
    )


def _share(values: NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else 0.0


def sense_table(model: str, scores: Sequence[SenseScores], sets: Sequence[SetScores]) -> str:
    """The scores as Markdown."""
    lines = [f"| {model} | {' | '.join(s.name for s in scores)} |", "|---|" + "---:|" * len(scores)]

    def row(title: str, cells: Sequence[str]) -> None:
        lines.append(f"| {title} | {' | '.join(cells)} |")

    row("words with several meanings", [f"{s.words:,}" for s in scores])
    row("meanings a word", [f"{s.meanings:.2f}" for s in scores])
    row("test sentences", [f"{s.sentences:,}" for s in scores])
    row("always the first meaning, %", [_percent(s.first) for s in scores])
    for space in scores[0].by_views:
        row(f"nearest centroid, {space}, %", [_percent(s.by_views[space]) for s in scores])
    row("**calibrated model, %**", [f"**{_percent(s.right)}**" for s in scores])
    row("with a probability of .7 or more: share, %", [_percent(s.sure) for s in scores])
    row("of those right, %", [_percent(s.right_when_sure) for s in scores])
    row("calibration error, %", [_percent(s.calibration_error) for s in scores])
    row("a left-out meaning is called another meaning, %", [_percent(s.unknown_found) for s in scores])
    row("false alarms, %", [_percent(s.false_alarms) for s in scores])
    if sets:
        lines += [
            "",
            "| sets | number | named, % | right of those, % | in several meanings: named | right | in one: split |",
        ]
        lines.append("|---|" + "---:|" * 6)
        lines += [
            f"| {s.name} | {s.sets} | {_percent(s.named)} | {_percent(s.right)} | {_percent(s.several_named)} | "
            f"{_percent(s.several_right)} | {_percent(s.one_split)} |"
            for s in sets
        ]
    return "\n".join(lines)


def to_dict(scores: Sequence[SenseScores], sets: Sequence[SetScores]) -> dict[str, Any]:
    """The scores as JSON has them."""
    return {"sentences": [asdict(s) for s in scores], "sets": [asdict(s) for s in sets]}


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
