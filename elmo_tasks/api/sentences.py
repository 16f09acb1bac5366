"""Whole sentences, compared layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from elmo_tasks.api.said import Answer, Said


@dataclass(frozen=True)
class SentenceLayer:
    """Sentences compared by one way to make vectors of them."""

    #: ``"0"``, ``"1"``, ..., ``"mean"``: the mean of the words at a layer; ``"sentence"``: as the model was trained for it
    name: str
    cosine: tuple[tuple[float, ...], ...]  #: ``[n][n]`` cosine similarities, 1 on the diagonal
    unconnected: float  #: mean cosine of two sentences that have nothing to do with each other
    #: in a test, how often the same said in other words was nearer than something else said in nearly the same words
    reworded: int
    related: int  #: in that test, how often it was nearer than each of sixty unconnected sentences
    tests: int  #: how many sentences the test had


@dataclass(frozen=True)
class SentenceComparison(Answer):
    """Whole sentences compared by one model."""

    model: str  #: its name
    sentences: tuple[str, ...]  #: as typed
    layers: tuple[SentenceLayer, ...]  #: one entry for each way to make a vector of a sentence
    shown: str  #: name of the layer that did best in the test
    said: Said  #: which are the closest, and which are the furthest apart
    told: str  #: what that can tell and what it cannot, as measured

    def layer(self, name: str | None = None) -> SentenceLayer:
        """The layer of that name, or the one that is shown."""
        return next(layer for layer in self.layers if layer.name == (name or self.shown))


class SentenceService(Protocol):
    """Compares whole sentences."""

    def compare(self, sentences: Sequence[str], model: str | None = None) -> SentenceComparison:
        """2 to ``limits.max_sentences`` sentences by the mean of their words, and as the model was trained for it if it was."""
