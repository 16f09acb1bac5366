"""Word pairs by cosine: WiC, MCL-WiC (same meaning?) and CoSimLex (similarity)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.data.sense_uses import GradedPair, WordPair, read_cosimlex, read_mcl_wic, read_wic
from elmo_tasks.evaluation.reader import Reader
from elmo_tasks.evaluation.rows import Row

WIC = tuple(f"wsd/wic/{split}.{kind}.txt" for split in ("train", "dev") for kind in ("data", "gold"))
MCL_WIC = tuple(f"wsd/mcl_wic/{split}.en-en.{kind}" for split in ("training", "dev") for kind in ("data", "gold"))
COSIMLEX = ("wsd/cosimlex/cosimlex_en.csv",)
_N_EXAMPLES = 5

Numbers = NDArray[np.floating]


def wic(reader: Reader, data: Path) -> list[Row]:
    """WiC (Pilehvar and Camacho-Collados, 2019)."""
    return [_row(reader, data, "wic", "WiC dev, accuracy", WIC, read_wic)]


def mcl_wic(reader: Reader, data: Path) -> list[Row]:
    """MCL-WiC, English (Martelli et al., 2021)."""
    return [_row(reader, data, "mclwic", "MCL-WiC dev (English), accuracy", MCL_WIC, read_mcl_wic)]


def _row(
    reader: Reader,
    data: Path,
    task: str,
    title: str,
    files: Sequence[str],
    read: Callable[[Path, Path], list[WordPair]],
) -> Row:
    train, dev = read(data / files[0], data / files[1]), read(data / files[2], data / files[3])
    pairs = [*train, *dev]
    vectors = reader.words([word for pair in pairs for word in (pair.a, pair.b)], title)
    same, n = np.array([pair.same for pair in pairs]), len(train)
    scores = {}
    for view in reader.views:
        words = vectors.view(view)
        cosine = (words[0::2] * words[1::2]).sum(axis=1)
        scores[view] = accuracy_at(best_threshold(cosine[:n], same[:n]), cosine[n:], same[n:])
    commoner = float(max(same[n:].mean(), 1 - same[n:].mean()))
    note = "WiC and MCL-WiC: one meaning from a cosine on, which is learned from the training pairs."
    return Row(task, title, scores, without=commoner, without_name="one answer always", note=note)


def best_threshold(cosines: NDArray[np.floating], same: NDArray[np.bool_]) -> float:
    """Threshold on ``[n]`` cosines with the highest accuracy.

    Pairs at or above it have one meaning. It lies half way between two cosines; infinity if no pair should pass.
    """
    order = np.argsort(-cosines, kind="stable")
    ordered = cosines[order]
    # After letting the first k pairs pass, so many more are right than with none; equal cosines pass together.
    gain = np.concatenate([[0], np.cumsum(np.where(same[order], 1, -1))])
    possible = np.concatenate([[True], ordered[1:] < ordered[:-1], [True]])
    k = int(np.argmax(np.where(possible, gain, gain.min() - 1)))
    if k == 0:
        return float("inf")
    return float(ordered[k - 1] + ordered[k]) / 2 if k < len(ordered) else float("-inf")


def accuracy_at(threshold: float, cosines: NDArray[np.floating], same: NDArray[np.bool_]) -> float:
    """Accuracy of the threshold on the pairs."""
    return float(np.mean((cosines >= threshold) == same))


def graded_similarity(reader: Reader, data: Path) -> list[Row]:
    """CoSimLex, English, scored as in SemEval-2020 task 3."""
    pairs = read_cosimlex(data / COSIMLEX[0])
    vectors = reader.words([use for pair in pairs for text in pair.uses for use in text], "CoSimLex")
    people = np.array([pair.likeness for pair in pairs])  # [n, texts]
    scores: dict[str, dict[str, float]] = {name: {} for name in ("both", "rank", "change", "change rank")}
    moved = {}
    for view in reader.views:
        words = vectors.view(view).reshape(len(pairs), 2, 2, -1)  # [n, texts, words, D]
        cosines = (words[:, :, 0] * words[:, :, 1]).sum(axis=-1)
        rank, linear = spearman(cosines.ravel(), people.ravel()), pearson(cosines.ravel(), people.ravel())
        scores["rank"][view], scores["both"][view] = rank, harmonic_mean(rank, linear)
        change, judged = cosines[:, 1] - cosines[:, 0], people[:, 1] - people[:, 0]
        scores["change"][view], scores["change rank"][view] = uncentred(change, judged), spearman(change, judged)
        moved[view] = change
    top = str(reader.encoder.n_layers - 1)
    how = (
        "CoSimLex: the cosine of two words in one text against how alike people found them there (task 2 of SemEval-2020 task 3: "
        "harmonic mean of Pearson's and Spearman's correlation), and its change from one text to the other (task 1: Pearson's "
        "correlation without centring)."
    )
    most_moved = (
        f"CoSimLex, moved most by the text: for people {_named(pairs, people[:, 1] - people[:, 0])}; "
        f"at layer {top} {_named(pairs, moved[top])}."
    )
    titles = {
        "both": "CoSimLex, likeness in a text, both correlations",
        "rank": "CoSimLex, likeness in a text, rank correlation",
        "change": "CoSimLex, change from text to text, correlation",
        "change rank": "CoSimLex, change from text to text, rank correlation",
    }
    return [
        Row(
            "cosimlex",
            title,
            scores[name],
            "index",
            0.0,
            "chance",
            note=most_moved if name == "change" else how,
            is_main=name == "both",
        )
        for name, title in titles.items()
    ]


def spearman(a: Numbers, b: Numbers) -> float:
    """Correlation of the ranks; equals share their mean rank."""
    from scipy.stats import rankdata

    return pearson(rankdata(a), rankdata(b))


def pearson(a: Numbers, b: Numbers) -> float:
    """Linear correlation; 0 where one of them does not vary."""
    return uncentred(a - a.mean(), b - b.mean())


def uncentred(a: Numbers, b: Numbers) -> float:
    """Pearson's correlation around 0, so that signs count; 0 where undefined."""
    sizes = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / sizes if sizes > 1e-9 else 0.0


def harmonic_mean(a: float, b: float) -> float:
    """Of two correlations; 0 where one of them is not above 0."""
    return 2 * a * b / (a + b) if min(a, b) > 0 else 0.0


def _named(pairs: Sequence[GradedPair], change: Numbers) -> str:
    """Name the pairs whose similarity changes most, and the direction."""
    order = np.argsort(-np.abs(change), kind="stable")[:_N_EXAMPLES]
    return ", ".join(f"{'/'.join(pairs[k].words)} ({change[k]:+.2f})" for k in order)
