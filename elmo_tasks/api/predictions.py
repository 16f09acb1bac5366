"""What trained heads say about a text."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Entity:
    """A span that a tagger found."""

    start: int  #: first token, counted from 0
    end: int  #: one past the last token
    type: str  #: what it is, such as ``PER``
    confidence: float  #: the model's probability of exactly this span with this type
    start_char: int  #: where it begins in the sentence
    end_char: int  #: one past where it ends
    text: str = ""  #: the characters from the one to the other

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Reading:
    """One way to tag a sentence."""

    tags: tuple[str, ...]  #: one for each token: BIO, or plain tags where they are no spans
    entities: tuple[Entity, ...]  #: what they spell, in order
    probability: float  #: of this reading as a whole

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        spans = [entity.to_dict() for entity in self.entities]
        return {"tags": list(self.tags), "spans": spans, "probability": self.probability}


@dataclass(frozen=True)
class TaggedSentence:
    """A sentence with what a tagger found in it."""

    sentence: str  #: as typed
    tokens: tuple[str, ...]  #: its tokens
    offsets: tuple[tuple[int, int], ...]  #: ``(start, end)`` characters of each token
    best: Reading  #: the most probable reading
    runners_up: tuple[Reading, ...] = ()  #: the next most probable ones, best first

    @property
    def tags(self) -> tuple[str, ...]:
        """Those of the best reading."""
        return self.best.tags

    @property
    def spans(self) -> tuple[Entity, ...]:
        """What they spell, in order."""
        return self.best.entities

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/ner``; a line of ``predict``, but for ``text`` and ``runners_up``, begins alike."""
        return {
            "text": self.sentence,
            "tokens": list(self.tokens),
            **self.best.to_dict(),
            "runners_up": [reading.to_dict() for reading in self.runners_up],
        }


@dataclass(frozen=True)
class WordOcclusion:
    """What one word does to the label of its text, found by leaving the word out."""

    token: str  #: the word
    start: int  #: where it begins in the text
    end: int  #: one past where it ends
    change: float  #: probability of the text's label with the word minus without it: positive words speak for the label


@dataclass(frozen=True)
class ClassifiedText:
    """A text with what a classifier says of it."""

    text: str  #: as typed
    tokens: tuple[str, ...]  #: its tokens
    label: str  #: the most probable class
    probabilities: dict[str, float]  #: of each class, in the order of the head's classes
    #: one for each token, in order; empty if they were not asked for, or if there are more words than one request may have weighed
    occlusion: tuple[WordOcclusion, ...] = ()
    #: whether the label is probable enough to be said; where not, the text is clearly none of the classes
    is_sure: bool = True

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/sentiment``."""
        return {
            "text": self.text,
            "tokens": list(self.tokens),
            "label": self.label,
            "is_sure": self.is_sure,
            "probabilities": dict(self.probabilities),
            "occlusion": [asdict(word) for word in self.occlusion],
        }
