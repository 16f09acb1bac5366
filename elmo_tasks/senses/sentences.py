"""Sentence vectors, and a test of how well they represent the content of a sentence."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.layers import masked_mean, with_mean
from elmo_tasks.senses.similarity import everyday_sentences
from elmo_tasks.text.tokens import tokenize

_FILE = Path(__file__).with_name("sentence_triples.jsonl")
_BATCH = 64


@dataclass(frozen=True)
class Triple:
    """A sentence, a paraphrase, and a similar sentence with another content.

    All are written for this project.
    """

    sentence: str
    reworded: str
    turned: str


@dataclass(frozen=True)
class SentenceTest:
    """Test scores of one kind of sentence vector."""

    unconnected: float  #: mean cosine of two unrelated sentences
    reworded: int  #: number of triples in which the paraphrase is nearer than the similar sentence
    #: number of triples in which the paraphrase is nearer than each of the unrelated sentences
    related: int
    triples: int  #: number of triples


@functools.cache
def triples() -> tuple[Triple, ...]:
    """Return all triples."""
    return tuple(
        Triple(**json.loads(line)) for line in _FILE.read_text(encoding="utf-8").splitlines()
    )


def sentence_vectors(encoder: Encoder, sentences: Sequence[str]) -> Tensor:
    """Return ``[L + 1, n, D]`` mean word vectors of each sentence.

    The first axis holds the layers and their mean; see ``with_mean``.
    """
    rows = [[token.text for token in tokenize(sentence)] for sentence in sentences]
    batches = [
        encoder.encode(rows[start : start + _BATCH]) for start in range(0, len(rows), _BATCH)
    ]
    return with_mean(
        torch.cat([masked_mean(layers.values, layers.mask).cpu() for layers in batches], dim=1)
    )


def sentences_of_test() -> list[str]:
    """Return the sentences whose vectors :func:`score_vectors` needs."""
    parts = [
        sentence
        for triple in triples()
        for sentence in (triple.sentence, triple.reworded, triple.turned)
    ]
    return [*parts, *everyday_sentences()]


def score_vectors(vectors: Tensor) -> SentenceTest:
    """Score the ``[n, D]`` vectors of :func:`sentences_of_test`."""
    unit = torch.nn.functional.normalize(vectors.double(), dim=-1)
    n = len(triples())
    first, reworded, turned = unit[: 3 * n].view(n, 3, -1).unbind(dim=1)
    others = unit[3 * n :]
    pairs = others @ others.T
    unconnected = (pairs.sum() - pairs.diagonal().sum()) / (len(others) * (len(others) - 1))
    near = (first * reworded).sum(dim=-1)
    return SentenceTest(
        unconnected=round(float(unconnected), 6),
        reworded=int((near > (first * turned).sum(dim=-1)).sum()),
        related=int((near > (first @ others.T).amax(dim=1)).sum()),
        triples=n,
    )
