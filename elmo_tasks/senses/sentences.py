"""Whole sentences as vectors: the mean of their words, and how far that tells what a sentence says."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.layers.pooling import masked_mean
from elmo_tasks.layers.views import with_mean
from elmo_tasks.senses.similarity import everyday_sentences
from elmo_tasks.text.tokens import tokenize

_FILE = Path(__file__).with_name("sentence_triples.jsonl")
_BATCH = 64


@dataclass(frozen=True)
class Triple:
    """A sentence, the same said in other words, and something else said in nearly the same words; written for this project."""

    sentence: str
    reworded: str
    turned: str


@dataclass(frozen=True)
class SentenceTest:
    """What cosines of sentences told in one test, for one way to make vectors of them."""

    unconnected: float  #: mean cosine of two sentences that have nothing to do with each other
    reworded: int  #: of the triples, in how many the reworded sentence is nearer than the turned one
    related: int  #: of the triples, in how many the reworded sentence is nearer than each of the unconnected ones
    triples: int  #: how many there are


@functools.cache
def triples() -> tuple[Triple, ...]:
    """All of them."""
    return tuple(Triple(**json.loads(line)) for line in _FILE.read_text(encoding="utf-8").splitlines())


def sentence_vectors(encoder: Encoder, sentences: Sequence[str]) -> Tensor:
    """``[L + 1, n, D]`` mean over the words of each sentence at each layer, and the mean of the layers; see ``with_mean``."""
    rows = [[token.text for token in tokenize(sentence)] for sentence in sentences]
    found = []
    for start in range(0, len(rows), _BATCH):
        layers = encoder.encode(rows[start : start + _BATCH])
        found.append(masked_mean(layers.values, layers.mask).cpu())
    return with_mean(torch.cat(found, dim=1))


def sentences_of_test() -> list[str]:
    """What :func:`measured` takes the vectors of."""
    parts = [sentence for triple in triples() for sentence in (triple.sentence, triple.reworded, triple.turned)]
    return [*parts, *everyday_sentences()]


def measured(vectors: Tensor) -> SentenceTest:
    """Measure one way to make vectors of sentences by the ``[n, D]`` that it makes of :func:`sentences_of_test`."""
    unit = torch.nn.functional.normalize(vectors.double(), dim=-1)
    n = len(triples())
    first, reworded, turned = unit[: 3 * n].view(n, 3, -1).unbind(dim=1)
    others = unit[3 * n :]
    pairs = others @ others.T
    unconnected = (pairs.sum() - pairs.diagonal().sum()) / (len(others) * (len(others) - 1))
    near = (first * reworded).sum(dim=-1)
    return SentenceTest(
        round(float(unconnected), 6),
        int((near > (first * turned).sum(dim=-1)).sum()),
        int((near > (first @ others.T).amax(dim=1)).sum()),
        n,
    )
