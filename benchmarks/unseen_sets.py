"""Verdicts on unseen sentences: ``python -m benchmarks.unseen_sets``.

``unseen_sets.jsonl`` holds 160 sets of two to six plain sentences each, half of them in one sense, half in two, written for this
project by somebody who had seen neither its collections of sentences nor what the model says. The model is asked as on the page.
Nothing may ever be chosen by these sets: whoever does must write new ones.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.choose_examples import what_is_read
from elmo_tasks.api import Comparison
from elmo_tasks.senses.partitions import groups_of, in_order
from elmo_tasks.serving.asked_uses import find_uses, item_of, use_of
from elmo_tasks.serving.session import Session
from elmo_tasks.ui.examples import Outcome, outcome

FILE = Path(__file__).with_name("unseen_sets.jsonl")
_HEAD = (
    "named, right | named, wrong | leaning, right | leaning, wrong | only a pair, right | only a pair, wrong | silent"
)
_SILENT = 6
_COLUMN_OF = {Outcome.RIGHT: 0, Outcome.WRONG: 1, Outcome.LEANS_RIGHT: 2, Outcome.LEANS_WRONG: 3}


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="name or folder of the model (default: the bundled one)")
    session = Session(parser.parse_args().model)
    found: dict[tuple[int, int], Counter[int]] = {}
    chances: dict[int, list[float]] = {1: [], 2: []}
    several: Counter[bool] = Counter()
    if_several: Counter[bool] = Counter()
    for line in FILE.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        senses = entry["senses"]
        counts = found.setdefault((max(senses) + 1, len(senses)), Counter())
        comparison = session.compare(entry["word"], entry["sentences"])
        counts[_column(comparison, senses)] += 1
        if "have more than one meaning" in comparison.verdict:
            several[max(senses) > 0] += 1
        if comparison.groups_if_several and max(senses) > 0:
            if_several[set(comparison.groups_if_several) == set(groups_of(in_order(np.array(senses))))] += 1
        chances[max(senses) + 1].append(_log_probability(session, entry["word"], entry["sentences"], senses))
    print(f"| senses | uses | sets | {_HEAD} |")
    print("|---|---|---|" + "---|" * (_SILENT + 1))
    for n_senses in (1, 2):
        of = {n: counts for (k, n), counts in sorted(found.items()) if k == n_senses}
        for n, counts in [*of.items(), ("all", sum(of.values(), Counter()))]:
            cells = [n_senses, n, counts.total(), *(counts[k] for k in range(_SILENT + 1))]
            print(f"| {' | '.join(map(str, cells))} |")
    print(
        f"\n“More than one meaning”, where it cannot say how they group: right {several[True]}, wrong {several[False]}"
    )
    print(
        f"How they group if they have several meanings, of sets that have: right {if_several[True]}, wrong {if_several[False]}"
    )
    means = [
        f"{np.mean(values):.2f} of sets in {'one sense' if k == 1 else 'two senses'}" for k, values in chances.items()
    ]
    print(f"\nMean log-probability of the right grouping: {', '.join(means)}")


def _log_probability(session: Session, word: str, sentences: list[str], senses: list[int]) -> float:
    """Of the right grouping, before anything is rounded or withheld."""
    uses = [use_of(item_of(mention)) for mention in find_uses(word, sentences)]
    grouping, cosines, told, density = what_is_read(session, uses)
    labels, chances = grouping.posterior(cosines, told, density)
    right = (labels == in_order(np.array(senses))).all(axis=1)
    return float(np.log(chances[right][0]))


def _column(comparison: Comparison, senses: list[int]) -> int:
    """Return the table column in which a set counts."""
    told = outcome(comparison, [str(sense) for sense in senses])
    if comparison.groups or comparison.voice != "leaning":
        return _COLUMN_OF.get(told, _SILENT)
    pairs = [(a, b) for b in range(len(senses)) for a in range(b)]
    a, b = max(pairs, key=lambda pair: abs(comparison.same_meaning[pair[0]][pair[1]] - 0.5))
    return 4 if (comparison.same_meaning[a][b] >= 0.5) == (senses[a] == senses[b]) else 5


if __name__ == "__main__":
    main()
