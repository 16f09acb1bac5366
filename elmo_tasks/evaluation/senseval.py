"""The senseval words: do their uses fall into their senses by themselves?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.data.sense_uses import read_senseval
from elmo_tasks.evaluation.reader import Reader, progress
from elmo_tasks.evaluation.rows import Row
from elmo_tasks.senses.clustering import directions, k_means

WORDS = ("hard", "interest", "line", "serve")
FILES = tuple(f"wsd/senseval/{word}.jsonl.xz" for word in WORDS)


def senseval(reader: Reader, data: Path) -> list[Row]:
    """Cluster uses of four words (Leacock et al., 1993) into sense groups."""
    found: dict[str, dict[str, float]] = {}
    for word, file in zip(WORDS, FILES, strict=True):
        uses = read_senseval(data / file)
        vectors = reader.words([use.use for use in uses], f"senseval, {word}")
        senses = [use.senses[0] for use in uses]
        with progress(f"senseval, groups of {word}", len(reader.views), "view") as bar:
            found[word] = {}
            for view in reader.views:
                found[word][view] = groups_match_senses(vectors.view(view), senses)
                bar.update()
    found = {"mean of the four words": {v: float(np.mean([found[w][v] for w in WORDS])) for v in reader.views}, **found}
    note = "Groups: k-means, as many groups as senses; 1 where groups and senses are the same, 0 where they have nothing in common."
    titles = {word: f"Groups of senseval uses, {word}, adjusted Rand index" for word in found}
    return [Row("senseval", titles[word], scores, "index", 0.0, "chance", note=note) for word, scores in found.items()]


def groups_match_senses(vectors: NDArray[np.floating], senses: Sequence[str]) -> float:
    """Adjusted Rand index (Hubert and Arabie, 1985) of senses and k-means groups.

    The uses ``[n, D]`` of one word are centred and of length 1. 1 is a perfect match, 0 is chance, or all uses equal.
    """
    from sklearn.metrics import adjusted_rand_score

    points = directions(vectors).astype(np.float32)
    n_groups = len(set(senses))
    if len(np.unique(points.round(5), axis=0)) < n_groups:
        return 0.0
    return float(adjusted_rand_score(list(senses), k_means(points, n_groups, 5)))
