"""What trained heads say about a text."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Entity:
    """A span that a tagger found.

    Attributes:
        start: first token, counted from 0.
        end: one past the last token.
        type: what it is, such as ``PER``.
        confidence: the model's probability of exactly this span with this type.
        start_char: where it begins in the sentence.
        end_char: one past where it ends.
        text: the characters from the one to the other.
    """

    start: int
    end: int
    type: str
    confidence: float
    start_char: int
    end_char: int
    text: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Reading:
    """One way to tag a sentence.

    Attributes:
        tags: one for each token: BIO, or plain tags where they are no spans.
        entities: what they spell, in order.
        probability: of this reading as a whole.
    """

    tags: tuple[str, ...]
    entities: tuple[Entity, ...]
    probability: float

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        spans = [entity.to_dict() for entity in self.entities]
        return {"tags": list(self.tags), "spans": spans, "probability": self.probability}


@dataclass(frozen=True)
class TaggedSentence:
    """A sentence with what a tagger found in it.

    Attributes:
        sentence: as typed.
        tokens: its tokens.
        offsets: ``(start, end)`` characters of each token.
        best: the most probable reading.
        runners_up: the next most probable ones, best first.
    """

    sentence: str
    tokens: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    best: Reading
    runners_up: tuple[Reading, ...] = ()

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
    """What one word does to the label of its text, found by leaving the word out.

    Attributes:
        token: the word.
        start: where it begins in the text.
        end: one past where it ends.
        change: probability of the text's label with the word minus without it: positive words speak for the label.
    """

    token: str
    start: int
    end: int
    change: float


@dataclass(frozen=True)
class ClassifiedText:
    """A text with what a classifier says of it.

    Attributes:
        text: as typed.
        tokens: its tokens.
        label: the most probable class.
        probabilities: of each class, in the order of the head's classes.
        occlusion: one for each token, in order; empty if they were not asked for, or if there are more words than one request may
            have weighed.
        is_sure: whether the label is probable enough to be said; where not, the text is clearly none of the classes.
    """

    text: str
    tokens: tuple[str, ...]
    label: str
    probabilities: dict[str, float]
    occlusion: tuple[WordOcclusion, ...] = ()
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
