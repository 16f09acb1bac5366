"""The nearest uses of any word in a collection of sentences."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol

from elmo_tasks.api.request import Progress
from elmo_tasks.api.said import Said
from elmo_tasks.api.static_neighbours import StaticNeighbour


@dataclass(frozen=True)
class NearUse:
    """A use that is near the one asked about.

    Attributes:
        sentence: its sentence.
        start: character offset of the word in it.
        end: character offset one past its end.
        token: the word.
        cosine: with the use asked about.
        same_word: whether it is the same word, in whatever inflection.
        sense: what the word means there, if that is known; else empty.
    """

    sentence: str
    start: int
    end: int
    token: str
    cosine: float
    same_word: bool
    sense: str = ""


@dataclass(frozen=True)
class NearestUses:
    """The nearest uses of any word in a collection of sentences.

    Attributes:
        word: the word asked about.
        sentence: its sentence.
        start: character offset of the word in it.
        end: character offset one past its end.
        model: name of the model.
        layer: the layer that was searched.
        layers: all layers on offer.
        source: name of what was searched.
        sources: all there is to search.
        n_tokens: how many uses were searched.
        only: ``"same"``: only uses of this word; ``"other"``: only of other words; ``"all"``.
        random_pair_cosine: mean cosine of two random words at this layer.
        uses: the nearest, nearest first.
        static: the nearest words where every word has one vector whatever the sentence; none for an unknown word.
        said: the answer: a headline and its reasons.
        vectors: name of the static vectors: the model itself where it does not read the sentence.
        reads_sentence: whether the model does; where it does not, ``static`` is its answer.
        sense: what the word means in the sentence asked about, if that is known; else empty.
    """

    word: str
    sentence: str
    start: int
    end: int
    model: str
    layer: str
    layers: tuple[str, ...]
    source: str
    sources: tuple[str, ...]
    n_tokens: int
    only: str
    random_pair_cosine: float
    uses: tuple[NearUse, ...]
    static: tuple[StaticNeighbour, ...]
    said: Said
    vectors: str = ""
    reads_sentence: bool = True
    sense: str = ""

    @property
    def answer(self) -> str:
        """The whole answer in a few plain sentences."""
        return str(self.said)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/nearest``."""
        return self.said.within(asdict(self), "answer")


class NearestService(Protocol):
    """Searches collections of sentences."""

    def uses(
        self,
        word: str,
        sentence: str,
        layer: str | None = None,
        only: str = "all",
        source: str | None = None,
        n: int = 15,
        model: str | None = None,
        progress: Progress | None = None,
    ) -> NearestUses:
        """The uses of any word nearest to ``word`` in ``sentence``; ``[brackets]`` in it mark another word.

        ``only`` is ``"all"``, ``"same"`` or ``"other"``; ``source`` is the gallery if ``None``.
        """
        ...
