"""CoSimLex: how alike two words are in a text, and how far another text moves them; compared with what people say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.data.word_pairs import GradedPair, read_cosimlex
from elmo_tasks.evaluation.reader import Reader
from elmo_tasks.evaluation.rows import Row

FILES = ("wsd/cosimlex/cosimlex_en.csv",)
_NAMED = 5

Numbers = NDArray[np.floating]


def graded_similarity(reader: Reader, data: Path) -> list[Row]:
    """CoSimLex, English, by the cosine of the two words in each text, scored as in SemEval-2020 task 3."""
    pairs = read_cosimlex(data / FILES[0])
    vectors = reader.words([use for pair in pairs for text in pair.uses for use in text], "CoSimLex")
    people = np.array([pair.likeness for pair in pairs])  # [n, texts]
    scores: dict[str, dict[str, float]] = {name: {} for name in ("both", "rank", "change", "change rank")}
    moved = {}
    for view in reader.views:
        found = vectors.view(view).reshape(len(pairs), 2, 2, -1)  # [n, texts, words, D]
        cosines = (found[:, :, 0] * found[:, :, 1]).sum(axis=-1)
        rank, linear = spearman(cosines.ravel(), people.ravel()), pearson(cosines.ravel(), people.ravel())
        scores["rank"][view], scores["both"][view] = rank, harmonic_mean(rank, linear)
        change, said = cosines[:, 1] - cosines[:, 0], people[:, 1] - people[:, 0]
        scores["change"][view], scores["change rank"][view] = uncentred(change, said), spearman(change, said)
        moved[view] = change
    top = str(reader.encoder.n_layers - 1)
    how = (
        "CoSimLex: the cosine of two words in one text against how alike people found them there (task 2 of SemEval-2020 task 3: "
        "harmonic mean of Pearson's and Spearman's correlation), and its change from one text to the other (task 1: Pearson's "
        "correlation without centring)."
    )
    most = (
        f"CoSimLex, moved most by the text: for people {_named(pairs, people[:, 1] - people[:, 0])}; "
        f"at layer {top} {_named(pairs, moved[top])}."
    )
    titles = {
        "both": "CoSimLex, likeness in a text, both correlations",
        "rank": "CoSimLex, likeness in a text, rank correlation",
        "change": "CoSimLex, change from text to text, correlation",
        "change rank": "CoSimLex, change from text to text, rank correlation",
    }
    rows = [Row("cosimlex", title, scores[name], "index", 0.0, "chance", note=how) for name, title in titles.items()]
    return [
        replace(row, note=most if name == "change" else how, is_main=name == "both")
        for name, row in zip(titles, rows, strict=True)
    ]


def spearman(a: Numbers, b: Numbers) -> float:
    """Correlation of the ranks; equals share their mean rank."""
    from scipy.stats import rankdata

    return pearson(rankdata(a), rankdata(b))


def pearson(a: Numbers, b: Numbers) -> float:
    """Linear correlation; 0 where one of them does not vary."""
    return uncentred(a - a.mean(), b - b.mean())


def uncentred(a: Numbers, b: Numbers) -> float:
    """Pearson's correlation around 0 instead of the means, so that the direction of a change counts; 0 where one of them is 0."""
    sizes = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / sizes if sizes > 1e-9 else 0.0


def harmonic_mean(a: float, b: float) -> float:
    """Of two correlations; 0 where one of them is not above 0."""
    return 2 * a * b / (a + b) if min(a, b) > 0 else 0.0


def _named(pairs: Sequence[GradedPair], change: Numbers) -> str:
    """The pairs that move most, and whether together or apart."""
    order = np.argsort(-np.abs(change), kind="stable")[:_NAMED]
    return ", ".join(f"{'/'.join(pairs[k].words)} ({change[k]:+.2f})" for k in order)
