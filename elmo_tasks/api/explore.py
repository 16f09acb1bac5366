"""Results about the uses of a word: sense maps, nearest uses, and the Present tab."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from elmo_tasks.api.basics import Answer, Message, Result, as_json
from elmo_tasks.api.compare import JudgedUse, Meaning
from elmo_tasks.text.uses import Use

#: Origins of the uses on a map: the dictionary, a first and a second pasted text, the user's index.
EXAMPLES = "dictionary"
TEXT_A = "text A"
TEXT_B = "text B"
INDEX = "index"


@dataclass(frozen=True)
class MapUse:
    """A use of a word as a point of its map."""

    use: Use
    source: str  #: ``"dictionary"``, ``"text A"``, ``"text B"`` or ``"index"``
    #: position of its group in :attr:`SenseMap.groups`; ``None`` if it is in none
    group: int | None
    #: of the predicted meaning; ``None`` if it is known (an example) or none is predicted
    probability: float | None
    #: whether its meaning is known, or predicted with enough certainty to be stated without
    #: reservation
    is_sure: bool
    x: float  #: x coordinate, -1 to 1
    y: float  #: y coordinate, -1 to 1
    #: the nearest other uses on the map, as ``(position, cosine)``
    nearest: tuple[tuple[int, float], ...]

    @property
    def own(self) -> bool:
        """True if the use comes from the user's own text."""
        return self.source != EXAMPLES


@dataclass(frozen=True)
class SenseGroup:
    """The uses with one meaning or, for an unlisted word, one cluster of uses."""

    letter: str  #: ``"A"``, ``"B"``, ...
    #: short name of the meaning in the dictionary; empty for an unlisted meaning and for a cluster
    key: str
    name: str  #: its gloss, ``"another meaning"``, or ``"cluster 1"``
    n_uses: int  #: number of uses
    example: int  #: position of a typical use
    by_source: tuple[int, ...] = ()  #: its number of uses from each of :attr:`SenseMap.sources`


@dataclass(frozen=True)
class MapView:
    """A representation by which uses can be compared."""

    #: ``"meanings"`` (the sense embedding), a layer, ``"mean"`` or ``"words"`` (the words around a
    #: use)
    name: str
    sees: str = ""  #: for a layer that reads no other word, its input; else empty


@dataclass(frozen=True)
class SenseMap(Answer):
    """The uses of a word as points, by meaning."""

    json_key: ClassVar[str] = "verdict"

    word: str  #: as requested
    model: str  #: name of the model
    view: str  #: the view by which the uses are compared
    views: tuple[MapView, ...]  #: all available views
    uses: tuple[MapUse, ...]  #: the points
    #: the meanings in the order of the dictionary, or clusters, the largest first
    groups: tuple[SenseGroup, ...]
    #: whether the groups are meanings of the dictionary; else they are unnamed clusters
    are_meanings: bool
    message: Message  #: the answer: a headline and its details
    shown: float  #: share of the variance of the uses that the map shows, 0 to 1
    n_own: int  #: number of uses in the user's own texts; the map may leave some out
    sources: tuple[str, ...] = ()  #: origins of the uses
    examples_of: tuple[str, ...] = ()  #: words of the dictionary whose examples are on the map
    #: source and columns of each of the user's texts that is a table
    read_as: tuple[tuple[str, str], ...] = ()

    @property
    def shown_view(self) -> MapView:
        """View by which the uses are compared."""
        return next((view for view in self.views if view.name == self.view), MapView(self.view))


@dataclass(frozen=True)
class MapRequest:
    """Arguments of :meth:`elmo_tasks.api.Service.sense_map`."""

    word: str  #: the word
    text: str = ""  #: the user's own text
    view: str | None = None  #: the view; the sense embedding if ``None``
    examples: bool = True  #: whether to include the examples of the dictionary
    name: str = ""  #: name of the file that the text came from
    model: str | None = None  #: name of the model; the default one if ``None``
    index: bool = False  #: whether to include the user's index
    text_b: str = ""  #: a second text, to compare with the first


@dataclass(frozen=True)
class NearUse:
    """A use of a word near another one."""

    use: Use
    cosine: float  #: cosine of the two
    same_word: bool = True  #: whether it is the same word, in any inflection
    #: short name of its meaning in the dictionary, or ``"another meaning"``; empty if unknown
    sense: str = ""
    #: of that meaning, if predicted; ``None`` for an example, whose meaning is known
    probability: float | None = None
    position: int | None = None  #: of a use on a map, its position in :attr:`SenseMap.uses`
    group: int | None = None  #: of a use on a map, the position of its group, if it is in one


@dataclass(frozen=True)
class ProjectedMeaning:
    """Probability of one meaning for a placed sentence."""

    name: str  #: the gloss, or ``"another meaning"``
    probability: float
    group: int | None  #: position of its group on the map; ``None`` if no use there has the meaning


@dataclass(frozen=True)
class ProjectedUse(Answer):
    """A further use of the word, placed on its map without changing the map."""

    json_key: ClassVar[str] = "verdict"

    use: Use
    x: float  #: x coordinate; beyond -1 or 1 if it lies farther out than all uses on the map
    y: float  #: y coordinate
    #: group of its meaning; ``None`` if the map lacks that meaning, or none is predicted
    group: int | None
    is_sure: bool  #: whether its meaning is stated without reservation
    #: the most probable first; empty if no meanings are predicted
    meanings: tuple[ProjectedMeaning, ...]
    nearest: tuple[NearUse, ...]  #: the nearest uses on the map, nearest first
    message: Message

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/project_use``."""
        nearest = [
            {
                "position": near.position,
                "cosine": near.cosine,
                **as_json(near.use),
                "group": near.group,
            }
            for near in self.nearest
        ]
        return {**super().to_dict(), "nearest": nearest}


@dataclass(frozen=True)
class StaticNeighbour:
    """A word near another one among static vectors, one per word."""

    word: str  #: the neighbour
    cosine: float  #: cosine of the two vectors


@dataclass(frozen=True)
class StaticNeighbours(Result):
    """The nearest words of a word among static vectors."""

    word: str  #: the word as requested
    vectors: str  #: name of the vectors
    vocabulary: int  #: vocabulary size
    neighbours: tuple[StaticNeighbour, ...]  #: nearest first


@dataclass(frozen=True)
class NearestRequest:
    """Arguments of :meth:`elmo_tasks.api.Service.nearest`."""

    word: str  #: the word
    #: a sentence with it; ``[brackets]`` mark another word; may be empty where a meaning is given
    sentence: str = ""
    layer: str | None = None  #: the view; the sense embedding if ``None``, where there is one
    #: ``"same"``: only uses of this word; ``"other"``: only of other words; ``"all"``
    only: str = "all"
    source: str | None = None  #: title of the searched index; the user's if ``None``
    n: int = 15  #: how many uses, 1 to 50
    model: str | None = None  #: name of the model; the default one if ``None``
    #: if not, a first search does not wait until the dictionary is read
    complete: bool = True
    #: only uses of the word in this meaning, by its short name in the dictionary; without a
    #: sentence, the nearest to the dictionary's examples of it
    meaning: str = ""


@dataclass(frozen=True)
class NearestUses(Answer):
    """The nearest uses of any word in a collection of sentences."""

    word: str  #: the word of the query
    use: Use  #: the word in its sentence
    model: str  #: name of the model
    layer: str  #: the view by which uses are compared: ``"meanings"``, or a layer
    layers: tuple[str, ...]  #: all available views
    source: str  #: name of the searched collection
    sources: tuple[str, ...]  #: all available collections
    n_tokens: int  #: number of searched uses
    only: str  #: ``"same"``: only uses of this word; ``"other"``: only of other words; ``"all"``
    random_pair_cosine: float  #: mean cosine of two random words in this view
    uses: tuple[NearUse, ...]  #: the nearest, nearest first
    #: the nearest words among static vectors; empty for an unknown word
    static: tuple[StaticNeighbour, ...]
    message: Message  #: the answer: a headline and its details
    #: name of the static vectors: the model itself if it does not read the sentence
    vectors: str = ""
    #: whether the model reads the sentence; if not, ``static`` is its answer
    reads_sentence: bool = True
    sense: str = ""  #: the meaning of the word in the query sentence, as in :attr:`NearUse.sense`
    #: probability of that meaning, as in :attr:`NearUse.probability`
    probability: float | None = None
    #: if not, only the dictionary's examples of the word were searched: the rest is being read
    is_complete: bool = True
    meaning: str = ""  #: the only meaning that is shown, as requested
    meanings: tuple[str, ...] = ()  #: short names of all meanings of the word in the dictionary
    n_judged: int = 0  #: where one meaning is shown, how many uses had theirs computed

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/nearest``."""
        uses = [
            {
                **as_json(near.use),
                "token": near.use.word,
                "cosine": near.cosine,
                "same_word": near.same_word,
                "sense": near.sense,
                "probability": near.probability,
            }
            for near in self.uses
        ]
        return {**super().to_dict(), "uses": uses}


@dataclass(frozen=True)
class ReadyWord:
    """Test sentences of a word, which are part of no sense centroid."""

    word: str  #: the entry of the dictionary
    sentences: tuple[str, ...]  #: with ``[brackets]`` around the word
    meant: tuple[str, ...]  #: short name of the meaning of each


@dataclass(frozen=True)
class DictionaryTest:
    """Accuracy of the model on test sentences of the dictionary."""

    n_sentences: int  #: number of test sentences
    n_right: int  #: number of correct predictions
    #: some of the errors, those with the highest probability first
    mistakes: tuple[JudgedUse, ...]


@dataclass(frozen=True)
class ReadingStep:
    """Meanings of a word after only the beginning of its sentence."""

    words: int  #: number of words read so far
    probabilities: tuple[float, float]  #: probabilities of the first and of the second meaning
    #: the most probable of all meanings, if its probability is high enough; else ``None``
    found: str | None


@dataclass(frozen=True)
class IncrementalReading:
    """Probabilities of two meanings of a word as its sentence is read word by word.

    Each step encodes the words so far as if they were the whole sentence.
    """

    word: str  #: the word as requested
    model: str  #: name of the model
    use: Use  #: the word in its sentence
    offsets: tuple[tuple[int, int], ...]  #: ``(start, end)`` characters of each token
    senses: tuple[Meaning, Meaning]  #: the two meanings
    steps: tuple[ReadingStep, ...]  #: from the word itself to the end of the sentence

    def to_dict(self) -> dict[str, Any]:
        """Convert to the JSON of ``/meaning_forms``."""
        tokens = self.use.tokens
        return {
            "word": self.word,
            "model": self.model,
            "sentence": self.use.sentence,
            "tokens": tokens,
            "offsets": self.offsets,
            "index": self.use.token_start,
            "senses": as_json(self.senses),
            "steps": [{**as_json(step), "read": tokens[: step.words]} for step in self.steps],
        }
