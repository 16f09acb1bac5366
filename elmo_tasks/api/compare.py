"""A word in several sentences, compared layer by layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elmo_tasks.api.said import Said


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
        sees: what a layer that reads no other word sees: ``"the letters of the word"``; empty for the others.
    """

    name: str
    cosine: tuple[tuple[float, ...], ...]
    norms: tuple[float, ...]
    random_pair_cosine: float
    sees: str = ""


@dataclass(frozen=True)
class Comparison:
    """A word in several sentences, compared layer by layer.

    Attributes:
        word: the word that was asked for.
        model: name of the model that answered.
        items: the ``n`` uses.
        layers: one entry per layer, then the mean of the layers.
        groups: the uses (positions in ``items``, from 0) that go together; empty when the model cannot tell.
        voice: ``"named"``: the groups are as sure as a verdict must be; ``"leaning"``: they are more likely than not, no more;
            ``"silent"``: there are none.
        probability: how probable the groups are, among all ways to sort the uses; 0 where that is not known.
        said: the answer: a headline and its reasons.
        verdict_layer: name of the layer that the verdict gives the cosines of.
        read_from: what the verdict was read from, one or more of: the name of a layer, ``"words"`` (the words around the word,
            without the model), ``"expected"`` (the words that the model would have written in its place); none if it was not read.
        same_meaning: ``[n][n]`` probabilities that two uses mean the same, where a set is as often in one sense as in several;
            empty where that is not known.
        right_when_clear: share of the groupings that were right, in a test with other words, among those as sure as those that
            are named here.
        groups_if_several: how the uses group if they have several meanings, where no more than that is told; empty else.
        spellings_differ: whether the uses are of different words, of which nothing is said of meanings.
    """

    word: str
    model: str
    items: tuple[ComparisonItem, ...]
    layers: tuple[LayerComparison, ...]
    groups: tuple[tuple[int, ...], ...]
    said: Said
    verdict_layer: str
    read_from: tuple[str, ...] = ()
    same_meaning: tuple[tuple[float, ...], ...] = ()
    right_when_clear: float = 0.0
    voice: str = "silent"
    probability: float = 0.0
    groups_if_several: tuple[tuple[int, ...], ...] = ()
    spellings_differ: bool = False

    @property
    def verdict(self) -> str:
        """The whole answer in a few plain sentences."""
        return str(self.said)

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
            "groups_if_several": [list(group) for group in self.groups_if_several],
            "voice": self.voice,
            "probability": self.probability,
            "verdict": self.verdict,
            "headline": self.said.headline,
            "read_from": list(self.read_from),
            "same_meaning": [list(row) for row in self.same_meaning],
        }


@dataclass(frozen=True)
class ModelInfo:
    """A model a person can choose.

    Attributes:
        name: what to pass as ``model``.
        title: one short line for people.
        layers: layer names, from the context-free one up; none for a model other than the default one, which may not be read yet.
        about: how it was trained, in sentences.
    """

    name: str
    title: str
    layers: tuple[str, ...]
    about: tuple[str, ...] = ()
