"""Geometry of each view: uses of held-out words, of random words and of one word."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from elmo_tasks.data.tag_files import read_tagged
from elmo_tasks.encoders.batches import token_vectors
from elmo_tasks.encoders.static_vectors import rarity
from elmo_tasks.evaluation.reader import Reader
from elmo_tasks.evaluation.results import ResultRow, rows_by_label
from elmo_tasks.senses.features import Vectors, unit
from elmo_tasks.senses.lexicon import Lexicon, bundled_lexicon
from elmo_tasks.senses.similarity import random_pair_cosine
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.uses import Use

COSINE_FILES = ("tagging/ud_ewt/en_ewt-ud-dev.conllu.xz",)
_RANDOM_WORDS = 2000


def ordering(reader: Reader, data: Path) -> list[ResultRow]:
    """Pairs of sentences of the dictionary's ambiguous, held-out words."""
    note = (
        "Pairs in order: of all (pair of uses in one meaning, pair in two meanings) of a word, the"
        " share with the higher cosine in the pair of one meaning; mean over held-out words. Bag:"
        " the other words of the sentence, rare ones weighing more."
    )
    uses, words, senses = held_out_uses(bundled_lexicon())
    vectors = reader.words(uses, "held-out words")
    scores = {view: pairs_in_order(vectors.view(view), words, senses) for view in reader.views}
    tokens = sorted({token for use in uses for token in use.tokens})
    layer_0 = np.zeros((len(tokens), reader.encoder.width), np.float32)
    for k, layers in token_vectors(reader.encoder, [(token,) for token in tokens]):
        layer_0[k] = layers[0, 0]
    tables = (layer_0, reader.static.vectors_of(tokens).cpu().numpy())
    bag, static_bag = (
        pairs_in_order(_bags(reader, uses, tokens, table), words, senses) for table in tables
    )
    return [
        ResultRow(
            "order",
            "Pairs in order, held-out words",
            scores,
            without=0.5,
            without_name="by chance",
            note=note,
        ),
        ResultRow(
            "order",
            "Bag of layer 0",
            {"0": bag},
            without=static_bag,
            without_name="bag of the static vectors",
        ),
    ]


def held_out_uses(lexicon: Lexicon) -> tuple[list[Use], list[str], list[str]]:
    """Return the uses of held-out words with their words and meanings."""
    sentences = [
        (entry.word, sense.key, sentence)
        for entry in lexicon.ambiguous
        if entry.is_held_out
        for sense in entry.senses
        for sentence in sense.sentences
    ]
    uses: list[Use] = [find_mention(word, sentence) for word, _, sentence in sentences]
    return uses, [word for word, _, _ in sentences], [key for _, key, _ in sentences]


def pairs_in_order(vectors: Vectors, words: Sequence[str], senses: Sequence[str]) -> float:
    """Share of (same-sense, different-sense) pairs in the right order of cosines.

    A tie counts half; mean over words. The uses ``[n, D]`` are of length 1.
    """
    shares = []
    for rows in rows_by_label(words).values():
        first, second = np.triu_indices(len(rows), 1)
        cosines = (vectors[rows] @ vectors[rows].T)[first, second]
        names = np.array([senses[k] for k in rows])
        same = names[first] == names[second]
        above = cosines[same][:, None] - cosines[~same][None, :]
        shares.append(((above > 0) + 0.5 * (above == 0)).mean())
    return float(np.mean(shares))


def _bags(reader: Reader, uses: Sequence[Use], tokens: Sequence[str], table: Vectors) -> Vectors:
    """Return SIF context bags ``[n, D]`` (Arora et al., 2017), centred and of length 1."""
    shares = np.array([reader.static.share_of(token) for token in tokens])
    weighted = unit(table) * rarity(shares)[:, None]
    row = {token: k for k, token in enumerate(tokens)}
    bags = []
    for use in uses:
        context = [*use.tokens[: use.token_start], *use.tokens[use.token_end :]]
        words = [row[token] for token in context if any(c.isalnum() for c in token)]
        bags.append(unit(weighted[words].sum(axis=0)))
    return unit(np.stack(bags) - np.mean(bags, axis=0))


def cosines(reader: Reader, data: Path) -> list[ResultRow]:
    """Cosines of words of the English Web Treebank."""
    sentences = read_tagged(data / COSINE_FILES[0], tag_column="upos")
    places = [
        (n, k)
        for n, s in enumerate(sentences)
        for k, token in enumerate(s.tokens)
        if token[0].isalpha()
    ]
    words = [sentences[n].tokens[k].lower() for n, k in places]
    uses = reader.words(
        [Use.of_tokens(sentences[n].tokens, k) for n, k in places], "shape of the layers"
    )
    chosen = np.random.default_rng(0).permutation(len(places))[:_RANDOM_WORDS]
    sentence = torch.tensor([places[k][0] for k in chosen])
    word = torch.from_numpy(np.unique(words, return_inverse=True)[1][chosen])
    between, within = {}, {}
    for view in reader.views:
        vectors = uses.view(view)
        between[view] = float(
            random_pair_cosine(torch.from_numpy(vectors[chosen])[None], sentence, word)[0]
        )
        if not np.isnan(
            similarity := self_similarity(vectors, words)
        ):  # in a small data set no word has enough uses
            within[view] = similarity
    note = (
        "Cosines: words of UD English EWT, dev; one word: the mean over words with five uses or"
        " more (Ethayarajh, 2019)."
    )
    return [
        ResultRow(
            task="geometry",
            title="Cosine of two random words",
            scores=between,
            unit="index",
            high_is_good=False,
            note=note,
        ),
        ResultRow(
            task="geometry",
            title="Cosine of two uses of one word",
            scores=within,
            unit="index",
            high_is_good=False,
            note=note,
        ),
    ]


def self_similarity(
    vectors: NDArray[np.floating], words: Sequence[str], min_uses: int = 5
) -> float:
    """Mean cosine of two uses ``[n, D]`` of one word, averaged over words.

    See Ethayarajh (2019), equation 1. 1 if the context changes nothing; NaN without a word with
    enough uses.
    """
    directions = unit(vectors).astype(np.float64)
    means = []
    for rows in rows_by_label(words).values():
        if (n := len(rows)) >= max(2, min_uses):
            # All n * n cosines together are the square of the sum; a use with itself is left out.
            own = np.square(directions[rows]).sum()
            means.append((np.square(directions[rows].sum(axis=0)).sum() - own) / (n * (n - 1)))
    return float(np.mean(means)) if means else float("nan")
