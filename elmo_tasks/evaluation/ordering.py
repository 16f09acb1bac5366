"""Ordering of pairs among our own labelled uses: same sense before other senses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.encoders.batches import token_vectors
from elmo_tasks.encoders.static_vectors import rarity
from elmo_tasks.evaluation.reader import Reader
from elmo_tasks.evaluation.rows import Row
from elmo_tasks.senses.calibration_fit import halves
from elmo_tasks.senses.gallery import EverydayUse, GalleryUse, everyday_uses, gallery
from elmo_tasks.senses.uses import gallery_use
from elmo_tasks.senses.views_of_uses import unit
from elmo_tasks.uses import Use

FILES: tuple[str, ...] = ()  # the sentences are the project's own

Vectors = NDArray[np.float32]
KnownUse = GalleryUse | EverydayUse


def ordering(reader: Reader, data: Path) -> list[Row]:
    """Both collections, words on which no calibration is fitted."""
    note = (
        "Pairs in order: of all (pair of uses in one sense, pair in two senses) of a word, how many have the higher cosine in the "
        "pair of one sense; mean over held-out words. Bag: the other words of the sentence, rare ones weighing more."
    )
    rows = []
    collections: dict[str, Sequence[KnownUse]] = {"everyday": everyday_uses(), "gallery": gallery()}
    for name, uses in collections.items():
        chosen = held_out_of_several_senses(uses)
        words, senses = [use.word for use in chosen], [use.sense for use in chosen]
        found = [gallery_use(use) for use in chosen]
        vectors = reader.words(found, f"{name} uses")
        scores = {view: pairs_in_order(vectors.view(view), words, senses) for view in reader.views}
        rows.append(Row("order", f"Pairs in order, {name}", scores, without=0.5, without_name="by chance", note=note))
        layer_0, static = (pairs_in_order(_bags(reader, found, of), words, senses) for of in (_layer_0, _static))
        how = "bag of the static vectors"
        rows.append(Row("order", f"Bag of layer 0, {name}", {"0": layer_0}, without=static, without_name=how))
    return rows


def held_out_of_several_senses(uses: Sequence[KnownUse]) -> list[KnownUse]:
    """Select the uses of ambiguous words that no calibration is fitted on."""
    # A word of both collections is in one half with both.
    both = sorted({use.word for use in gallery()} | {use.word for use in everyday_uses()})
    _, held_out = halves(both)
    senses: dict[str, set[str]] = {}
    for use in uses:
        senses.setdefault(use.word, set()).add(use.sense)
    return [use for use in uses if use.word in held_out and len(senses[use.word]) > 1]


def pairs_in_order(vectors: Vectors, words: Sequence[str], senses: Sequence[str]) -> float:
    """Share of (same-sense, different-sense) pairs in the right order of cosines.

    A tie counts half; mean over words. The uses ``[n, D]`` of a word are adjacent and of length 1.
    """
    shares = []
    for _, places in groupby(range(len(words)), key=lambda k: words[k]):
        rows = list(places)
        first, second = np.triu_indices(len(rows), 1)
        cosines = (vectors[rows] @ vectors[rows].T)[first, second]
        names = np.array([senses[k] for k in rows])
        same = names[first] == names[second]
        above = cosines[same][:, None] - cosines[~same][None, :]
        shares.append(((above > 0) + 0.5 * (above == 0)).mean())
    return float(np.mean(shares))


def _bags(reader: Reader, uses: Sequence[Use], vectors_of: Callable[[Reader, list[str]], Vectors]) -> Vectors:
    """SIF context bags ``[n, D]`` (Arora et al., 2017), centred, of length 1."""
    words = sorted({token for use in uses for token in use.tokens})
    row = {word: k for k, word in enumerate(words)}
    table = (
        unit(vectors_of(reader, words)) * rarity(np.array([reader.static.share_of(word) for word in words]))[:, None]
    )
    bags = []
    for use in uses:
        around = [
            t
            for k, t in enumerate(use.tokens)
            if not use.token_start <= k < use.token_end and any(c.isalnum() for c in t)
        ]
        bags.append(unit(table[[row[token] for token in around]].sum(axis=0)))
    found = np.stack(bags)
    return unit(found - found.mean(axis=0))


def _layer_0(reader: Reader, words: list[str]) -> Vectors:
    found = np.zeros((len(words), reader.encoder.width), np.float32)
    for k, layers in token_vectors(reader.encoder, [(word,) for word in words]):
        found[k] = layers[0, 0]
    return found


def _static(reader: Reader, words: list[str]) -> Vectors:
    return reader.static.vectors_of(words).cpu().numpy()
