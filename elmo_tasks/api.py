"""What the screen and the commands talk about: frozen results and the :class:`Service` that gives them.

Standard library only, so that the screen needs neither torch nor a model to be built and tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
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
class Score:
    """What a head was measured to do.

    Attributes:
        metric: ``"F1"`` or ``"accuracy"``.
        value: from 0 to 1.
        data: what it was measured on, such as ``"CoNLL-2003 test"``.
    """

    metric: str
    value: float
    data: str


@dataclass(frozen=True)
class HeadInfo:
    """A trained head a person can choose.

    Attributes:
        name: what to pass as ``head``.
        title: one short line for people.
        kind: ``"tagging"`` (a tag per word) or ``"classification"`` (a label per text).
        labels: span types of a tagger, or its tags where these are no spans; classes of a classifier.
        encoder: name of the encoder that it reads.
        score: what it was measured to do, if that is known.
        twin: name of the same head trained on context-free word vectors (layer 0), if there is one.
        own: trained on this machine, not shipped.
    """

    name: str
    title: str
    kind: str
    labels: tuple[str, ...]
    encoder: str
    score: Score | None = None
    twin: str | None = None
    own: bool = False


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
    """

    start: int
    end: int
    type: str
    confidence: float
    start_char: int
    end_char: int

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

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/ner``; a line of ``predict``, but for ``text`` and ``runners_up``, begins alike."""
        return {
            "text": self.sentence,
            "tokens": list(self.tokens),
            **self.best.to_dict(),
            "runners_up": [reading.to_dict() for reading in self.runners_up],
        }


@dataclass(frozen=True)
class WordPush:
    """What one word does to the label of its text, found by leaving the word out.

    Attributes:
        token: the word.
        start: where it begins in the text.
        end: one past where it ends.
        push: probability of the text's label with the word minus without it: positive words speak for the label.
    """

    token: str
    start: int
    end: int
    push: float


@dataclass(frozen=True)
class ClassifiedText:
    """A text with what a classifier says of it.

    Attributes:
        text: as typed.
        tokens: its tokens.
        label: the most probable class.
        probabilities: of each class, in the order of the head's classes.
        pushes: one for each token, in order; empty if they were not asked for.
    """

    text: str
    tokens: tuple[str, ...]
    label: str
    probabilities: dict[str, float]
    pushes: tuple[WordPush, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/sentiment``."""
        return {
            "text": self.text,
            "tokens": list(self.tokens),
            "label": self.label,
            "probabilities": dict(self.probabilities),
            "pushes": [asdict(push) for push in self.pushes],
        }


@dataclass(frozen=True)
class MixWeights:
    """A scalar mix at one moment of its training, or at the end of one run.

    Attributes:
        weights: share of each layer; they sum to 1.
        gamma: the factor in front of the mix.
        epoch: after which epoch (from 1); 0 for a run as a whole.
        seed: of the run.
        score: what the head scored with it on validation data, if it is known.
    """

    weights: tuple[float, ...]
    gamma: float
    epoch: int = 0
    seed: int = 0
    score: float | None = None


@dataclass(frozen=True)
class LayerWeights:
    """What a head learned about its encoder's layers.

    Attributes:
        head: its name.
        title: one short line for people.
        layers: names of the layers, from the context-free one up.
        final: the weights of the head that is loaded.
        epochs: how they came about, one entry an epoch; the first is the start (epoch 0) if it is known.
        runs: the final weights of runs that differ in the seed only, this one among them; one entry if there was one run.
        learned: whether they were learned, not set.
    """

    head: str
    title: str
    layers: tuple[str, ...]
    final: MixWeights
    epochs: tuple[MixWeights, ...]
    runs: tuple[MixWeights, ...]
    learned: bool = True

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Limits:
    """How much one request may hold."""

    min_sentences: int = 2
    max_sentences: int = 12
    max_tokens: int = 200
    max_characters: int = 2000
    max_texts: int = 20


class Service(Protocol):
    """What the screen asks for. Every method may raise :class:`elmo_tasks.errors.InputError` with a message for people."""

    limits: Limits

    def models(self) -> tuple[ModelInfo, ...]:
        """The models on offer, the default one first."""
        ...

    def compare(self, word: str, sentences: Sequence[str], model: str | None = None) -> Comparison:
        """Compare the uses of ``word`` in ``sentences``; ``[brackets]`` in a sentence mark another word there."""
        ...

    def heads(self) -> tuple[HeadInfo, ...]:
        """The trained heads on offer: of each kind the default one first, a head before its twin, shipped ones before own."""
        ...

    def tag(self, sentences: Sequence[str], head: str | None = None, n_readings: int = 1) -> tuple[TaggedSentence, ...]:
        """Tag 1 to ``limits.max_texts`` sentences with a head of kind ``"tagging"``, the default one if ``None``."""
        ...

    def classify(
        self, texts: Sequence[str], head: str | None = None, pushes: bool = True
    ) -> tuple[ClassifiedText, ...]:
        """Classify 1 to ``limits.max_texts`` texts with a head of kind ``"classification"``, the default one if ``None``."""
        ...

    def layer_weights(self) -> tuple[LayerWeights, ...]:
        """What the heads on offer learned about the layers, in the order of :meth:`heads`; heads without a mix are left out."""
        ...
