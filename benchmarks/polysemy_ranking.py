"""Whether words with two lives are found: ``python -m benchmarks.polysemy_ranking TEXT``.

No text comes with the truth, so words with two lives are made: two content words of the text are taken for one (a pseudoword:
Gale, Church and Yarowsky, 1992; Schütze, 1992), and are ranked among its other words. Prints how high they come, how many are
named, and how many words as the text has them are named.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.senses.clustering import FEWEST_USES, split_uses
from elmo_tasks.senses.content_words import content_words
from elmo_tasks.senses.marked_vectors import marked_vectors
from elmo_tasks.senses.outlier_scores import OUTLIER, outlier_scores
from elmo_tasks.senses.uses import sentences_of
from elmo_tasks.senses.views_of_uses import BOTH
from elmo_tasks.serving.map_calibrations import load_map_calibration
from elmo_tasks.serving.sense_maps import MOST_CANDIDATES, MOST_CHAPTER, MOST_USES_EACH
from elmo_tasks.uses import Use


def _spelled(use: Use, word: str) -> Use:
    return Use.of_tokens((*use.tokens[: use.start], word, *use.tokens[use.end :]), use.start)


def main() -> None:
    """Read, rank, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path, help="a text file; its first 200,000 characters are read")
    parser.add_argument("--model", help="name or folder of a biLM (default: the bundled one)")
    parser.add_argument("--pairs", type=int, default=20, help="pseudowords (default: 20)")
    args = parser.parse_args()
    elmo, static = Elmo.load(args.model), StaticVectors.load()
    known = load_map_calibration(elmo, static)
    if known is None:
        parser.error(f"{elmo.name}: run `elmo-tasks calibrate --map` first")
    rule, draw = known.view(BOTH).rule, random.Random(0)
    found = content_words(sentences_of(args.text.read_text(encoding="utf-8")[:MOST_CHAPTER]), FEWEST_USES)
    chosen = [draw.sample(w.uses, min(len(w.uses), MOST_USES_EACH)) for w in found[:MOST_CANDIDATES]]

    def viewed(uses: Sequence[Use]) -> NDArray[np.float32]:
        return marked_vectors(elmo, static, uses).view(BOTH)

    vectors = [viewed(uses) for uses in chosen]
    splits = [split_uses(v, rule) for v in vectors]
    scores, counts = [s.score for s in splits], [len(v) for v in vectors]
    usual = outlier_scores(scores, counts)
    named = [s.is_clear and far >= OUTLIER for s, far in zip(splits, usual, strict=True)]
    ranks, hits = [], []
    for _ in range(args.pairs):
        one, other = draw.sample(range(len(chosen)), 2)
        half = min(len(chosen[one]), len(chosen[other]), MOST_USES_EACH // 2)
        # In one spelling: else its letters alone would tell the two apart.
        spelled = chosen[one][0].word
        split = split_uses(
            viewed([_spelled(use, spelled) for use in (*chosen[one][:half], *chosen[other][:half])]), rule
        )
        far = outlier_scores([*scores, split.score], [*counts, 2 * half])[-1]
        ranks.append(float(np.mean(usual < far)))
        hits.append(split.is_clear and far >= OUTLIER)
    print(f"{args.text.name}, {elmo.name}: {len(chosen)} words, {args.pairs} pseudowords")
    print(f"a pseudoword stands above {np.mean(ranks):.0%} of the words on average (50 %: chance)")
    print(f"named: {np.mean(hits):.0%} of the pseudowords, {np.mean(named):.0%} of the words as they are")


if __name__ == "__main__":
    main()
