"""WiC and MCL-WiC: has the word one meaning in both sentences? Decided by a threshold on the cosine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.data.word_pairs import WordPair, read_mcl_wic, read_wic
from elmo_tasks.evaluation.reader import Reader
from elmo_tasks.evaluation.rows import Row
from elmo_tasks.senses.marked_vectors import MarkedVectors
from elmo_tasks.senses.pair_decisions import accuracy_at, best_threshold

WIC = tuple(f"wsd/wic/{split}.{kind}.txt" for split in ("train", "dev") for kind in ("data", "gold"))
MCL_WIC = tuple(f"wsd/mcl_wic/{split}.en-en.{kind}" for split in ("training", "dev") for kind in ("data", "gold"))


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
        cosine = _cosines(vectors, view)
        scores[view] = accuracy_at(best_threshold(cosine[:n], same[:n]), cosine[n:], same[n:])
    most = float(max(same[n:].mean(), 1 - same[n:].mean()))
    note = "WiC and MCL-WiC: one meaning from a cosine on, which is learned from the training pairs."
    return Row(task, title, scores, without=most, without_name="one answer always", note=note)


def _cosines(vectors: MarkedVectors, view: str) -> NDArray[np.float32]:
    found = vectors.view(view)
    cosines: NDArray[np.float32] = (found[0::2] * found[1::2]).sum(axis=1)
    return cosines
