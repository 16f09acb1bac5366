"""Whole sentences, compared layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from elmo_tasks.api.said import Said


@dataclass(frozen=True)
class SentenceLayer:
    """Sentences compared by one way to make vectors of them.

    Attributes:
        name: ``"0"``, ``"1"``, ..., ``"mean"``: the mean of the words at a layer; ``"sentence"``: as the model was trained for it.
        cosine: ``[n][n]`` cosine similarities, 1 on the diagonal.
        unconnected: mean cosine of two sentences that have nothing to do with each other.
        reworded: in a test, how often the same said in other words was nearer than something else said in nearly the same words.
        related: in that test, how often it was nearer than each of sixty unconnected sentences.
        tests: how many sentences the test had.
    """

    name: str
    cosine: tuple[tuple[float, ...], ...]
    unconnected: float
    reworded: int
    related: int
    tests: int


@dataclass(frozen=True)
class SentenceComparison:
    """Whole sentences compared by one model.

    Attributes:
        model: its name.
        sentences: as typed.
        layers: one entry for each way to make a vector of a sentence.
        shown: name of the layer that did best in the test.
        said: which are the closest, and which are the furthest apart.
        told: what that can tell and what it cannot, as measured.
    """

    model: str
    sentences: tuple[str, ...]
    layers: tuple[SentenceLayer, ...]
    shown: str
    said: Said
    told: str

    def layer(self, name: str | None = None) -> SentenceLayer:
        """The layer of that name, or the one that is shown."""
        return next(layer for layer in self.layers if layer.name == (name or self.shown))

    @property
    def answer(self) -> str:
        """The whole answer in a few plain sentences."""
        return str(self.said)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/sentences`` and of ``compare --whole --json``."""
        return self.said.within(asdict(self), "answer")


class SentenceService(Protocol):
    """Compares whole sentences."""

    def compare(self, sentences: Sequence[str], model: str | None = None) -> SentenceComparison:
        """2 to ``limits.max_sentences`` sentences by the mean of their words, and as the model was trained for it if it was."""
        ...
