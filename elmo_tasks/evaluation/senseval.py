"""The senseval words: do their uses fall into their senses by themselves?"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from elmo_tasks.data.sense_uses import read_senseval
from elmo_tasks.evaluation.reader import Reader, progress
from elmo_tasks.evaluation.rows import Row
from elmo_tasks.senses.known_groups import groups_match_senses

WORDS = ("hard", "interest", "line", "serve")
FILES = tuple(f"wsd/senseval/{word}.jsonl.xz" for word in WORDS)


def senseval(reader: Reader, data: Path) -> list[Row]:
    """Groups of the uses of four words (Leacock et al., 1993, 1998; Bruce and Wiebe, 1994), as many as there are senses."""
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
    return [
        Row(
            "senseval",
            f"Groups of senseval uses, {word}, adjusted Rand index",
            scores,
            "index",
            0.0,
            "chance",
            note=note,
        )
        for word, scores in found.items()
    ]
