"""Held-out words of the dictionary: are two uses in one meaning nearer to each other than two in different meanings?"""

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
from elmo_tasks.senses.features import unit
from elmo_tasks.senses.lexicon import Lexicon, bundled_lexicon
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.uses import Use

FILES: tuple[str, ...] = ()  # the sentences are the project's own

Vectors = NDArray[np.float32]


def ordering(reader: Reader, data: Path) -> list[Row]:
    """All sentences of the held-out words of the dictionary that have several meanings."""
    note = (
        "Pairs in order: of all (pair of uses in one meaning, pair in two meanings) of a word, the share with the higher cosine in "
        "the pair of one meaning; mean over held-out words. Bag: the other words of the sentence, rare ones weighing more."
    )
    uses, words, senses = held_out_uses(bundled_lexicon())
    vectors = reader.words(uses, "held-out words")
    scores = {view: pairs_in_order(vectors.view(view), words, senses) for view in reader.views}
    layer_0, static = (pairs_in_order(_bags(reader, uses, of), words, senses) for of in (_layer_0, _static))
    return [
        Row("order", "Pairs in order, held-out words", scores, without=0.5, without_name="by chance", note=note),
        Row("order", "Bag of layer 0", {"0": layer_0}, without=static, without_name="bag of the static vectors"),
    ]


def held_out_uses(lexicon: Lexicon) -> tuple[list[Use], list[str], list[str]]:
    """All sentences of the words that nothing is fitted or trained on, with their words and meanings."""
    found = [
        (find_mention(entry.word, sentence), entry.word, sense.key)
        for entry in lexicon.ambiguous
        if entry.is_held_out
        for sense in entry.senses
        for sentence in sense.sentences
    ]
    return [use for use, _, _ in found], [word for _, word, _ in found], [key for _, _, key in found]


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
