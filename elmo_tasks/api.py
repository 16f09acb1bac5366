"""What the screen and the commands talk about: frozen results and the :class:`Service` that gives them.

Standard library only, so that the screen needs neither torch nor a model to be built and tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Choice:
    """One way to read what a person typed, ready to be put in its place.

    Attributes:
        label: what to write on the button, e.g. ``"banks"`` or ``"the 2nd “bank”"``.
        sentence: the sentence with ``[brackets]`` around that word.
    """

    label: str
    sentence: str


@dataclass(frozen=True)
class ComparisonItem:
    """One use of a word.

    Attributes:
        sentence: the sentence as typed, without the brackets.
        tokens: its tokens.
        index: position in ``tokens`` of the word that is compared.
        token: ``tokens[index]``.
        start: character offset of that word in ``sentence``.
        end: character offset one past its end.
        choices: the other places of this sentence that could have been meant; empty when there is one only.
    """

    sentence: str
    tokens: tuple[str, ...]
    index: int
    token: str
    start: int
    end: int
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class LayerComparison:
    """The uses compared at one layer.

    Attributes:
        name: ``"0"``, ``"1"``, ... or ``"mean"``.
        cosine: ``[n][n]`` cosine similarities, in -1..1, 1 on the diagonal.
        norms: ``[n]`` Euclidean lengths of the vectors.
        random_pair_cosine: mean cosine of two random words in random sentences at this layer.
    """

    name: str
    cosine: tuple[tuple[float, ...], ...]
    norms: tuple[float, ...]
    random_pair_cosine: float


@dataclass(frozen=True)
class Comparison:
    """A word in several sentences, compared layer by layer.

    Attributes:
        word: the word that was asked for.
        model: name of the model that answered.
        items: the ``n`` uses.
        layers: one entry per layer, then the mean of the layers.
        groups: the uses (positions in ``items``, from 0) that go together; empty when the model cannot tell.
        verdict: the answer in one or two plain sentences.
        verdict_layer: name of the layer that the groups and the verdict were read from.
    """

    word: str
    model: str
    items: tuple[ComparisonItem, ...]
    layers: tuple[LayerComparison, ...]
    groups: tuple[tuple[int, ...], ...]
    verdict: str
    verdict_layer: str

    def to_dict(self) -> dict[str, Any]:
        """The JSON that the ``/compare`` endpoint and ``compare --json`` both give."""
        return {
            "word": self.word,
            "model": self.model,
            "items": [
                {"sentence": i.sentence, "tokens": list(i.tokens), "index": i.index, "token": i.token}
                for i in self.items
            ],
            "layers": [
                {
                    "name": layer.name,
                    "cosine": [list(row) for row in layer.cosine],
                    "norms": list(layer.norms),
                    "random_pair_cosine": layer.random_pair_cosine,
                }
                for layer in self.layers
            ],
            "groups": [list(group) for group in self.groups],
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class ModelInfo:
    """A model a person can choose.

    Attributes:
        name: what to pass as ``model``.
        title: one short line for people.
        layers: layer names, from the context-free one up.
    """

    name: str
    title: str
    layers: tuple[str, ...]


@dataclass(frozen=True)
class Limits:
    """How much one request may hold."""

    min_sentences: int = 2
    max_sentences: int = 12
    max_tokens: int = 200
    max_characters: int = 2000


class Service(Protocol):
    """What the screen asks for. Every method may raise :class:`elmo_tasks.errors.InputError` with a message for people."""

    limits: Limits

    def models(self) -> tuple[ModelInfo, ...]:
        """The models on offer, the default one first."""
        ...

    def compare(self, word: str, sentences: Sequence[str], model: str | None = None) -> Comparison:
        """Compare the uses of ``word`` in ``sentences``; ``[brackets]`` in a sentence mark another word there."""
        ...
