"""What the screen and the commands talk about: frozen results and the :class:`Service` that gives them.

Standard library only, so that the screen needs neither torch nor a model to be built and tested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

#: Told what is being done, and the share of it that is done, 0 to 1.
Progress = Callable[[str, float], None]


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
class HiddenWord:
    """What becomes of the cosine of two uses when one word around them is hidden.

    Attributes:
        use: position, from 0, of the use in whose sentence the word stands.
        index: position of the word among the sentence's tokens.
        token: the word.
        start: character offset of the word in its sentence.
        end: character offset one past its end.
        changes: cosine without the word minus cosine with it, for each way of hiding, in the order of :attr:`Explanation.ways`.
        change: the mean of the changes; above 0 the word sets the two uses apart, below 0 it holds them together.
    """

    use: int
    index: int
    token: str
    start: int
    end: int
    changes: tuple[float, ...]
    change: float


@dataclass(frozen=True)
class Sides:
    """Two uses as the two halves of an ELMo layer see them.

    Attributes:
        layer: name of the layer.
        before: cosine of the halves that have read the word and what stands before it.
        after: cosine of the halves that have read the word and what stands after it.
        random_before: mean cosine of two random words, in the first halves.
        random_after: mean cosine of two random words, in the second halves.
    """

    layer: str
    before: float
    after: float
    random_before: float
    random_after: float


@dataclass(frozen=True)
class Explanation:
    """What the cosine of two uses of a word hangs on.

    Attributes:
        comparison: the uses, all of them.
        pair: positions of the two that are explained.
        layer: name of the layer that was asked.
        cosine: of the two, with all words there.
        random_pair_cosine: mean cosine of two random words at this layer.
        apart: whether it was asked what sets the two apart; else what holds them together.
        answer: one plain sentence.
        decisive: the word the answer names, if it names one.
        ways: the ways of hiding: ``""`` for leaving the word out, else what is written in its place.
        words: the words that were hidden, in the order of the sentences.
        skipped: how many more words the two sentences have, too far from the compared word for the time there is.
        sides: each layer above the context-free one, halved.
        side: ``"before"`` or ``"after"`` where the words on that side tell the two apart more, ``"both"`` where both sides do about
            alike, ``"unclear"`` where the layers do not agree.
        side_answer: the same as one plain sentence.
    """

    comparison: Comparison
    pair: tuple[int, int]
    layer: str
    cosine: float
    random_pair_cosine: float
    apart: bool
    answer: str
    decisive: HiddenWord | None
    ways: tuple[str, ...]
    words: tuple[HiddenWord, ...]
    skipped: int
    sides: tuple[Sides, ...]
    side: str
    side_answer: str

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/why``."""
        items = self.comparison.items
        return {
            "word": self.comparison.word,
            "model": self.comparison.model,
            "pair": list(self.pair),
            "sentences": [items[use].sentence for use in self.pair],
            "layer": self.layer,
            "cosine": self.cosine,
            "random_pair_cosine": self.random_pair_cosine,
            "asked": "apart" if self.apart else "together",
            "answer": self.answer,
            "decisive": None if self.decisive is None else asdict(self.decisive),
            "ways": list(self.ways),
            "words": [asdict(word) | {"changes": list(word.changes)} for word in self.words],
            "skipped": self.skipped,
            "sides": [asdict(sides) for sides in self.sides],
            "side": self.side,
            "side_answer": self.side_answer,
        }


@dataclass(frozen=True)
class Guess:
    """A word that the model would have written.

    Attributes:
        word: the word.
        probability: from 0 to 1, of all words of the vocabulary.
        is_form: whether it is the compared word itself or a form of it.
    """

    word: str
    probability: float
    is_form: bool = False


@dataclass(frozen=True)
class WrittenHere:
    """What the model would have written in the place of one use.

    Attributes:
        use: position of the use, from 0.
        before: the likeliest words after what stands before the place.
        after: the likeliest words, told by what stands after the place.
        both: the likeliest words, told by both sides.
        rank: which guess from both sides the word itself is, from 1, punctuation not counted; ``None`` if it is not in the
            vocabulary.
        probability: of the word itself, told by both sides; ``None`` if it is not in the vocabulary.
    """

    use: int
    before: tuple[Guess, ...]
    after: tuple[Guess, ...]
    both: tuple[Guess, ...]
    rank: int | None
    probability: float | None


@dataclass(frozen=True)
class Substitutes:
    """What the model would have written in the place of each use.

    Attributes:
        comparison: the uses.
        uses: one entry for each, in order.
        vocabulary: how many words the model can write.
        answer: one or two plain sentences.
    """

    comparison: Comparison
    uses: tuple[WrittenHere, ...]
    vocabulary: int
    answer: str

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/substitutes``."""
        items = self.comparison.items
        return {
            "word": self.comparison.word,
            "model": self.comparison.model,
            "vocabulary": self.vocabulary,
            "answer": self.answer,
            "uses": [
                {
                    "sentence": items[found.use].sentence,
                    "token": items[found.use].token,
                    "index": items[found.use].index,
                    "before": [asdict(guess) for guess in found.before],
                    "after": [asdict(guess) for guess in found.after],
                    "both": [asdict(guess) for guess in found.both],
                    "rank": found.rank,
                    "probability": found.probability,
                }
                for found in self.uses
            ],
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
class TrainingPlan:
    """What a person wants to train.

    Attributes:
        kind: ``"classification"`` (a label per text) or ``"tagging"`` (a tag per word).
        source: ``"sample"`` (comes with the program), ``"upload"`` or ``"hub"`` (a public data set, needs a network).
        data: which of them: the id of an upload, or the short name of a hub data set; nothing for the sample.
        name: what to call the head; made from the data's name if it is empty.
        text_column: of an upload, one of :attr:`DataLook.columns`; ``None`` to guess. Of a tagged file: the column of the words.
        label_column: likewise the column of the labels or tags.
        header: of a table, whether its first line names the columns; ``None`` to guess.
        epochs: passes over the training data.
        hidden: size of the head's hidden layer.
        learning_rate: highest learning rate.
        layers: ``"learned"`` (a learned mix), ``"0"`` (the context-free layer alone) or ``"mean"`` (all alike).
    """

    kind: str
    source: str = "sample"
    data: str = ""
    name: str = ""
    text_column: str | None = None
    label_column: str | None = None
    header: bool | None = None
    epochs: int = 20
    hidden: int = 64
    learning_rate: float = 1e-3
    layers: str = "learned"


@dataclass(frozen=True)
class DataLook:
    """What is in a data set, before anything is trained on it.

    Attributes:
        title: what to call it; of an upload, the file's name as it came.
        rows: how many to train on and to pick the best epoch by; 0 if that is not known before it is downloaded.
        test_rows: how many are kept apart to score the head on.
        labels: each label with how often it occurs: classes, types of names (spans) or tags.
        counted: what was counted there: ``"texts"``, ``"names"`` or ``"words"``.
        columns: names of the columns; ``"column 2"`` where the file names none.
        text_column: the column of the texts or words.
        label_column: the column of the labels.
        header: whether the first line names the columns; ``None`` where files of this kind have no such line.
        examples: the first rows: ``(texts or words, labels or tags)``.
        seconds: estimate of the time before the first epoch and after the last.
        seconds_per_epoch: estimate of the time of one epoch.
    """

    title: str
    rows: int
    test_rows: int
    labels: tuple[tuple[str, int], ...] = ()
    counted: str = "texts"
    columns: tuple[str, ...] = ()
    text_column: str | None = None
    label_column: str | None = None
    header: bool | None = None
    examples: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    seconds: float = 0.0
    seconds_per_epoch: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True)
class TrainingEpoch:
    """A training run after one pass over its data.

    Attributes:
        epoch: which, from 1; 0 is the start, where only the mix is known.
        train_loss: mean loss on the training data.
        validation_loss: loss on the validation data.
        score: on the validation data, from 0 to 1.
        weights: share of each layer.
        gamma: the factor in front of the mix.
    """

    epoch: int
    train_loss: float | None = None
    validation_loss: float | None = None
    score: float | None = None
    weights: tuple[float, ...] = ()
    gamma: float | None = None


@dataclass(frozen=True)
class SplitScore:
    """What a trained head scores, beside what one scores without a model.

    Attributes:
        split: ``"test"`` or ``"validation"``.
        metric: ``"F1"`` or ``"accuracy"``.
        value: from 0 to 1.
        rows: how many rows that is from.
        guess: the same score without a model, if it is known.
        guess_rule: how one guesses: ``"majority"`` (always the most frequent label) or ``"word"`` (each word's most frequent tag).
    """

    split: str
    metric: str
    value: float
    rows: int
    guess: float | None = None
    guess_rule: str = "majority"


@dataclass(frozen=True)
class TrainingJob:
    """A training run, waiting, running or over.

    Attributes:
        name: of the run, and of the head it leaves.
        title: as the person called it.
        kind: as in :class:`TrainingPlan`.
        data: what it is trained on, in words.
        status: ``"queued"``, ``"running"``, ``"done"``, ``"stopped"`` or ``"failed"``.
        phase: of a running one: ``"starting"``, ``"layers"`` (the frozen model reads all texts once), ``"training"``,
            ``"scoring"``.
        created: when it was asked for, in seconds since 1970.
        seconds: how long it has run.
        seconds_left: estimate of what is left.
        epochs: how many were asked for.
        step: training steps done.
        steps: training steps to do, 0 as long as that is not known.
        losses: ``(epochs done, training loss)`` as it goes.
        course: the epochs done, with their scores.
        metric: ``"F1"`` or ``"accuracy"``.
        layers: names of the layers of its mix.
        learned: whether the mix is learned.
        best_epoch: the epoch that was kept.
        scores: at the end.
        head: what to pass as ``head``, once there is one.
        message: why it failed, or what a stop left.
        stopping: it was asked to stop and has not yet.
    """

    name: str
    title: str
    kind: str
    data: str
    status: str
    phase: str = ""
    created: float = 0.0
    seconds: float = 0.0
    seconds_left: float | None = None
    epochs: int = 0
    step: int = 0
    steps: int = 0
    losses: tuple[tuple[float, float], ...] = ()
    course: tuple[TrainingEpoch, ...] = ()
    metric: str = "accuracy"
    layers: tuple[str, ...] = ()
    learned: bool = True
    best_epoch: int | None = None
    scores: tuple[SplitScore, ...] = ()
    head: str | None = None
    message: str = ""
    stopping: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True)
class TrainingOffer:
    """What can be trained here.

    Attributes:
        allowed: whether training and uploads are on.
        hub: the public data sets: short name, kind, words for people.
        max_upload: bytes that an upload may have.
        max_rows: rows that it may have.
    """

    allowed: bool
    hub: tuple[tuple[str, str, str], ...] = ()
    max_upload: int = 20_000_000
    max_rows: int = 50_000


@dataclass(frozen=True)
class LayerProducts:
    """The uses of a word, with all that a mix of the layers needs: any weights give cosines without the model.

    The mix of a use is ``sum_l w_l v_l``, so the inner product of the mixes of uses ``i`` and ``j`` is
    ``sum_lm w_l w_m products[l][m][i][j]``.

    Attributes:
        word: the word.
        model: name of the model.
        items: the ``n`` uses.
        layers: names of the ``L`` layers.
        products: ``[L][L][n][n]`` inner products of use ``i`` at layer ``l`` and use ``j`` at layer ``m``.
    """

    word: str
    model: str
    items: tuple[ComparisonItem, ...]
    layers: tuple[str, ...]
    products: tuple[tuple[tuple[tuple[float, ...], ...], ...], ...]


@dataclass(frozen=True)
class RespelledLayer:
    """How far another spelling moves a word at one layer.

    Attributes:
        name: of the layer.
        cosine: for each sentence, of the word as it stood and of the word put in its place.
        random_pair_cosine: mean cosine of two random words at this layer.
    """

    name: str
    cosine: tuple[float, ...]
    random_pair_cosine: float


@dataclass(frozen=True)
class Respelling:
    """A word put in the place of another one.

    Attributes:
        word: the word as it stood.
        spelling: what was put in its place.
        model: name of the model.
        sentences: the sentences with it, brackets around it.
        layers: what that did, layer by layer, the mean of the layers last.
    """

    word: str
    spelling: str
    model: str
    sentences: tuple[str, ...]
    layers: tuple[RespelledLayer, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/what_if``."""
        return asdict(self)


@dataclass(frozen=True)
class StaticNeighbour:
    """A word near another one, where each has one vector whatever the sentence.

    Attributes:
        word: the neighbour.
        cosine: of the two vectors.
    """

    word: str
    cosine: float


@dataclass(frozen=True)
class StaticNeighbours:
    """The nearest words of a word among static vectors.

    Attributes:
        word: the word that was asked for.
        vectors: name of the vectors.
        vocabulary: how many words have one.
        neighbours: nearest first.
    """

    word: str
    vectors: str
    vocabulary: int
    neighbours: tuple[StaticNeighbour, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/static_neighbours``."""
        return {**asdict(self), "neighbours": [asdict(near) for near in self.neighbours]}


@dataclass(frozen=True)
class GallerySense:
    """A sense of a word in the gallery of example sentences.

    Attributes:
        word: in its base form.
        name: of the sense, unique within the word.
        gloss: the sense in a few words.
        sentences: examples with ``[brackets]`` around the word.
    """

    word: str
    name: str
    gloss: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class FormingStep:
    """A word when only the beginning of its sentence has been read.

    Attributes:
        words: how many words of the sentence have been read.
        cosines: to the average use of the first and of the second sense.
        nearer: name of the sense it stands nearer to; ``None`` where that cannot be told.
    """

    words: int
    cosines: tuple[float, float]
    nearer: str | None


@dataclass(frozen=True)
class MeaningForms:
    """How a word moves between two of its senses while its sentence is read word by word.

    Each step reads the words so far as if they were the whole sentence. ELMo's forward half of the vector is fixed once the
    word has come; only its backward half still changes.

    Attributes:
        word: the word that was asked for.
        model: name of the model.
        layer: name of the layer that was read.
        sentence: as typed, without the brackets.
        tokens: its words.
        offsets: ``(start, end)`` characters of each.
        index: which of them is the word.
        senses: the two senses.
        steps: from the word itself to the end of the sentence.
        known: for the known uses of each sense, the cosine to the first sense minus the cosine to the second, where each use
            is left out of its own sense's average; the steps are on the same scale.
        middle: the value half way between the averages of the two.
        right: how many known uses lie on their own side of the middle.
        right_by_spelling: the same with the spelling alone (layer 0), without any context.
        can_tell: whether ``right`` is enough for a side to be named: four in five.
    """

    word: str
    model: str
    layer: str
    sentence: str
    tokens: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    index: int
    senses: tuple[GallerySense, GallerySense]
    steps: tuple[FormingStep, ...]
    known: tuple[tuple[float, ...], tuple[float, ...]]
    middle: float
    right: int
    right_by_spelling: int
    can_tell: bool

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/meaning_forms``."""
        return {
            **asdict(self),
            "senses": [{"name": sense.name, "gloss": sense.gloss} for sense in self.senses],
            "steps": [
                {"words": step.words, "read": self.tokens[: step.words], "cosines": step.cosines, "nearer": step.nearer}
                for step in self.steps
            ],
        }


@dataclass(frozen=True)
class MapUse:
    """One use of a word on its map.

    Attributes:
        sentence: the sentence.
        start: character offset of the word in it.
        end: character offset one past its end.
        own: from a person's own text, not from the gallery of example sentences.
        sense: the sense the gallery knows it in.
        group: position of its group in :attr:`SenseMap.groups`; ``None`` if no groups are named.
        x: place on the map, -1 to 1, to the right.
        y: place on the map, -1 to 1, upwards.
        nearest: the nearest other uses of the map, nearest first, as ``(position, cosine)``.
    """

    sentence: str
    start: int
    end: int
    own: bool
    sense: str | None
    group: int | None
    x: float
    y: float
    nearest: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class SenseGroup:
    """Uses that go together.

    Attributes:
        letter: ``"A"``, ``"B"``, ...
        n_uses: how many there are.
        words: words around them that are characteristic of the group; may be none.
    """

    letter: str
    n_uses: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class MapView:
    """What uses can be compared by, and how well that was measured to tell senses apart.

    Attributes:
        name: a layer, ``"mean"``, ``"words"`` (the words around a use) or ``"both"`` (these and the layers).
        agreement: adjusted Rand index of groups and known senses, averaged over the gallery's words; ``None`` if not measured.
        named: share of sets of uses in several senses whose groups are clear enough to be named; ``None`` if not measured.
        right: share of pairs of uses, where groups are named, that are rightly together or apart; ``None`` if not measured.
    """

    name: str
    agreement: float | None = None
    named: float | None = None
    right: float | None = None


@dataclass(frozen=True)
class SenseMap:
    """The uses of a word as points, sorted into groups where the numbers carry that.

    Attributes:
        word: as asked.
        model: name of the model.
        view: what the uses are compared by.
        views: all views on offer, each with what was measured.
        uses: the points.
        groups: the groups, the largest first; empty when the model cannot tell.
        asked_groups: the number of groups that was asked for; ``None`` if it was left to the data.
        is_clear: whether the data say that there are these groups.
        verdict: the answer in one or two plain sentences.
        shown: share of all differences between the uses that the map shows, 0 to 1.
        agreement: adjusted Rand index of the groups and the known senses of this word's uses; ``None`` if there are none.
        n_own: how many uses the person's own text has; not all of them need be on the map.
        n_measured_words: words of the gallery that the views were measured on.
    """

    word: str
    model: str
    view: str
    views: tuple[MapView, ...]
    uses: tuple[MapUse, ...]
    groups: tuple[SenseGroup, ...]
    asked_groups: int | None
    is_clear: bool
    verdict: str
    shown: float
    agreement: float | None
    n_own: int
    n_measured_words: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/sense_map``."""
        return asdict(self)


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
    """

    sentence: str
    start: int
    end: int
    token: str
    cosine: float
    same_word: bool


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
        answer: one plain sentence.
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
    answer: str

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/nearest``."""
        return asdict(self)


@dataclass(frozen=True)
class SplitWord:
    """A word of a text, and how clearly its uses there split.

    Attributes:
        word: the spelling that the text has most.
        n_uses: its uses in the text, in all inflections.
        score: how far the split is clearer than those of the text's other words of like frequency, in usual distances.
        is_clear: whether the split is clear, and stands out from those of the other words.
        groups: the groups the uses fall into.
    """

    word: str
    n_uses: int
    score: float
    is_clear: bool
    groups: tuple[SenseGroup, ...]


@dataclass(frozen=True)
class TwoLives:
    """The words of a text, those whose uses split most clearly first.

    Attributes:
        model: name of the model.
        view: what the uses were compared by.
        words: the words.
        n_sentences: sentences of the text.
        n_candidates: content words with enough uses; ``words`` may be fewer.
        verdict: the answer in one or two plain sentences.
    """

    model: str
    view: str
    words: tuple[SplitWord, ...]
    n_sentences: int
    n_candidates: int
    verdict: str

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``/two_lives``."""
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

    def why(
        self,
        word: str,
        sentences: Sequence[str],
        pair: tuple[int, int] | None = None,
        layer: str | None = None,
        model: str | None = None,
    ) -> Explanation:
        """Compare as :meth:`compare` does, and say what the cosine of two uses hangs on.

        ``pair`` holds two positions from 0, the most different two if ``None``; ``layer`` any layer but the context-free one, the
        one of the verdict if ``None``.
        """
        ...

    def substitutes(self, word: str, sentences: Sequence[str], model: str | None = None) -> Substitutes:
        """Say what the model would have written in the place of each use; not every model can."""
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

    def gallery_words(self) -> tuple[str, ...]:
        """The words that the gallery of example sentences has uses of."""
        ...

    def sense_map(
        self,
        word: str,
        text: str = "",
        view: str | None = None,
        n_groups: int | None = None,
        gallery: bool = True,
        name: str = "",
        model: str | None = None,
        progress: Progress | None = None,
    ) -> SenseMap:
        """Map the uses of ``word`` in the gallery and in ``text`` (of the file ``name``, if it was one).

        ``view`` is the one that measures best if ``None``, ``n_groups`` (1 to 6) is left to the data if ``None``; with
        ``gallery=False`` only the text counts.
        """
        ...

    def two_lives(self, text: str, model: str | None = None, progress: Progress | None = None) -> TwoLives:
        """Rank the content words of a text by how clearly their uses split into groups."""
        ...

    def nearest(
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

    def training_offer(self) -> TrainingOffer:
        """What can be trained here, and whether it may."""
        ...

    def keep_upload(self, name: str, content: bytes) -> str:
        """Keep a data file for :meth:`look_at_data` and :meth:`start_training`; gives its id."""
        ...

    def look_at_data(self, plan: TrainingPlan) -> DataLook:
        """Read and check the data of a plan."""
        ...

    def start_training(self, plan: TrainingPlan) -> TrainingJob:
        """Start a run in a process of its own, or let it wait for the one that runs."""
        ...

    def stop_training(self, name: str) -> TrainingJob:
        """Stop a run and keep its best head so far; asked again, stop it at once."""
        ...

    def training_jobs(self) -> tuple[TrainingJob, ...]:
        """The runs, the newest first."""
        ...

    def layer_products(self, word: str, sentences: Sequence[str], model: str | None = None) -> LayerProducts:
        """What mixing the layers by hand needs; the word and sentences are as for :meth:`compare`."""
        ...

    def what_if(self, word: str, sentences: Sequence[str], spelling: str, model: str | None = None) -> Respelling:
        """Put ``spelling`` in the place of ``word`` in 1 to ``limits.max_sentences`` sentences and say how far its vector moves."""
        ...

    def gallery_senses(self, word: str) -> tuple[GallerySense, ...]:
        """The senses of a word in the gallery of example sentences; none for a word that is not in it."""
        ...

    def static_neighbours(self, word: str, n: int = 12) -> StaticNeighbours:
        """The ``n`` (1 to 50) words nearest to a word where every word has one vector whatever the sentence."""
        ...

    def meaning_forms(
        self, word: str, sentence: str, senses: Sequence[str] | None = None, model: str | None = None
    ) -> MeaningForms:
        """Follow ``word`` between two of its gallery senses (the first two if ``None``) while ``sentence`` is read word by word."""
        ...
