"""The trained heads on offer, and what may be asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from elmo_tasks.api.predictions import ClassifiedText, TaggedSentence
from elmo_tasks.api.weights import LayerWeights


@dataclass(frozen=True)
class Score:
    """What a head was measured to do."""

    metric: str  #: ``"F1"`` or ``"accuracy"``
    value: float  #: from 0 to 1
    data: str  #: what it was measured on, such as ``"CoNLL-2003 test"``


@dataclass(frozen=True)
class HeadInfo:
    """A trained head a person can choose."""

    name: str  #: what to pass as ``head``
    title: str  #: one short line for people
    kind: str  #: ``"tagging"`` (a tag per word) or ``"classification"`` (a label per text)
    labels: tuple[str, ...]  #: span types of a tagger, or its tags where these are no spans; classes of a classifier
    encoder: str  #: name of the encoder that it reads
    score: Score | None = None  #: what it was measured to do, if that is known
    #: name of its no-context baseline, the same head trained on context-free word vectors (layer 0), if there is one
    baseline: str | None = None
    own: bool = False  #: trained on this machine, not shipped


class HeadService(Protocol):
    """The trained heads."""

    def offered(self) -> tuple[HeadInfo, ...]:
        """The trained heads on offer: of each kind the default one first, a head before its baseline, shipped ones before own."""
        ...

    def tag(self, sentences: Sequence[str], head: str | None = None, n_readings: int = 1) -> tuple[TaggedSentence, ...]:
        """Tag 1 to ``limits.max_texts`` sentences with a head of kind ``"tagging"``, the default one if ``None``."""
        ...

    def classify(
        self, texts: Sequence[str], head: str | None = None, occlusion: bool = True
    ) -> tuple[ClassifiedText, ...]:
        """Classify 1 to ``limits.max_texts`` texts with a head of kind ``"classification"``, the default one if ``None``."""
        ...

    def layer_weights(self) -> tuple[LayerWeights, ...]:
        """What the heads on offer learned about the layers, in the order of :meth:`offered`; heads without a mix are left out."""
        ...
