"""Geometry of each view: random words, and one word in many sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from elmo_tasks.data.conll import read_tagged
from elmo_tasks.evaluation.reader import Reader
from elmo_tasks.evaluation.rows import Row, places_of
from elmo_tasks.senses.features import unit
from elmo_tasks.senses.similarity import random_pair_cosine
from elmo_tasks.uses import Use

FILES = ("tagging/ud_ewt/en_ewt-ud-dev.conllu.xz",)
_RANDOM_WORDS = 2000


def shape(reader: Reader, data: Path) -> list[Row]:
    """Cosines of words of the English Web Treebank."""
    sentences = read_tagged(data / FILES[0], tag_column="upos")
    places = [(n, k) for n, s in enumerate(sentences) for k, token in enumerate(s.tokens) if token[0].isalpha()]
    words = [sentences[n].tokens[k].lower() for n, k in places]
    vectors = reader.words([Use.of_tokens(sentences[n].tokens, k) for n, k in places], "shape of the layers")
    chosen = np.random.default_rng(0).permutation(len(places))[:_RANDOM_WORDS]
    ids = {word: k for k, word in enumerate(dict.fromkeys(words))}
    sentence, word = (
        torch.tensor([values[k] for k in chosen]) for values in ([n for n, _ in places], [ids[w] for w in words])
    )
    apart, alike = {}, {}
    for view in reader.views:
        found = vectors.view(view)
        apart[view] = float(random_pair_cosine(torch.from_numpy(found[chosen])[None], sentence, word)[0])
        if not np.isnan(similarity := self_similarity(found, words)):  # in a small data set no word has enough uses
            alike[view] = similarity
    note = "Cosines: words of UD English EWT, dev; one word: the mean over words with five uses or more (Ethayarajh, 2019)."
    return [
        Row("geometry", "Cosine of two random words", apart, "index", high_is_good=False, note=note),
        Row("geometry", "Cosine of two uses of one word", alike, "index", high_is_good=False, note=note),
    ]


def self_similarity(vectors: NDArray[np.floating], words: Sequence[str], min_uses: int = 5) -> float:
    """Mean cosine of two uses of one word ``[n, D]``, averaged over words.

    (Ethayarajh, 2019, equation 1.) 1 where context changes nothing; NaN without a word with enough uses.
    """
    directions = unit(vectors).astype(np.float64)
    means = []
    for rows in places_of(words).values():
        if (n := len(rows)) >= max(2, min_uses):
            rows_of_word = directions[rows]
            # All n * n cosines together are the square of the sum; a use with itself is left out.
            means.append((np.square(rows_of_word.sum(axis=0)).sum() - np.square(rows_of_word).sum()) / (n * (n - 1)))
    return float(np.mean(means)) if means else float("nan")
