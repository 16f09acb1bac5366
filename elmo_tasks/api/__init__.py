"""Results and the service between the UI, the CLI and the models.

Standard library only, so that the UI can be built and tested without torch or a model.
"""

# ruff: noqa: F401 (this is where they are imported from)

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from elmo_tasks.api.basics import (
    LIMITS,
    NO_MESSAGE,
    Answer,
    Cancelled,
    Limits,
    Message,
    Progress,
    Result,
    cancellable,
    check_cancelled,
    uncancellable,
)
from elmo_tasks.api.compare import (
    NO_MEANING,
    Candidate,
    Certainty,
    Comparison,
    DirectionSimilarity,
    Explanation,
    HeadMix,
    JudgedUse,
    LayerComparison,
    Meaning,
    MeaningSource,
    ModelInfo,
    Products,
    SentenceComparison,
    SentenceLayer,
    SideBySide,
    Substitutes,
    TextSenses,
    UseMeaning,
    Views,
    WordEffect,
    group_by,
    partition,
)
from elmo_tasks.api.explore import (
    EXAMPLES,
    INDEX,
    TEXT_A,
    TEXT_B,
    DictionaryTest,
    IncrementalReading,
    MapRequest,
    MapUse,
    MapView,
    NearestRequest,
    NearestUses,
    NearUse,
    ProjectedMeaning,
    ProjectedUse,
    ReadingStep,
    ReadyWord,
    SenseGroup,
    SenseMap,
    StaticNeighbour,
    StaticNeighbours,
)
from elmo_tasks.api.heads import (
    ClassifiedText,
    DatasetPreview,
    Entity,
    HeadInfo,
    LayerScore,
    LayerWeights,
    MixWeights,
    ModelProbes,
    PaperScores,
    ProbeResult,
    Score,
    SplitScore,
    TaggedText,
    TagReading,
    TaskWords,
    TrainingEpoch,
    TrainingJob,
    TrainingOffer,
    TrainingPlan,
)


class Service(Protocol):
    """Application service behind the UI and the CLI.

    ``[brackets]`` in a sentence mark the word that is meant. ``model`` names one of :meth:`models`;
    ``None`` selects the default one. ``own_meanings`` is a dictionary in the format of
    ``docs/dictionary.md``, which counts before ours.

    Every method may raise :class:`elmo_tasks.errors.InputError` with a message for people.
    """

    limits: Limits
    index_title: str  #: title of the user's index; empty without one
    training: Training

    def models(self) -> tuple[ModelInfo, ...]:
        """Return the available models, the default one first."""

    def compare(
        self, word: str, sentences: Sequence[str], model: str | None = None, own_meanings: str = ""
    ) -> Comparison:
        """Compare the uses of ``word`` in 2 to ``limits.max_sentences`` sentences."""

    def side_by_side(
        self, word: str, sentences: Sequence[str], models: Sequence[str], senses: Sequence[str] = ()
    ) -> SideBySide:
        """Compare uses by several models; meanings of bundled sentences are known."""

    def sentence_similarity(
        self, sentences: Sequence[str], model: str | None = None
    ) -> SentenceComparison:
        """Compare 2 to ``limits.max_sentences`` sentences by their vectors.

        These are the mean of the words at each layer and, if the model was trained for it, its own
        sentence embedding.
        """

    def substitutes(
        self, word: str, sentences: Sequence[str], model: str | None = None
    ) -> Substitutes:
        """Predict the words for the place of each use, if the model can."""

    def explain(
        self,
        word: str,
        sentences: Sequence[str],
        pair: tuple[int, int] | None = None,
        layer: str | None = None,
        model: str | None = None,
    ) -> Explanation:
        """Compare as :meth:`compare` does, and explain the cosine of two uses.

        ``pair`` holds two positions from 0; ``None`` selects the most different two. ``layer`` is
        any layer above the context-free one, ``"verdict"`` if there is one (the default for
        ``None``), or ``"words"`` if the verdict uses the words around.
        """

    def disambiguate(
        self, text: str, model: str | None = None, own_meanings: str = ""
    ) -> TextSenses:
        """Find the meaning of each word of a text that the dictionary lists."""

    def language_warning(self, texts: Sequence[str]) -> str:
        """Return a warning if too few of the words are English, else an empty string."""

    def dictionary_words(self) -> tuple[str, ...]:
        """Return the words of the dictionary that have several meanings."""

    def sense_map(self, request: MapRequest, progress: Progress | None = None) -> SenseMap:
        """Map the uses of a word."""

    def project_use(self, sentence: str, request: MapRequest) -> ProjectedUse:
        """Place the use of the word in ``sentence`` on an existing map."""

    def nearest(self, request: NearestRequest, progress: Progress | None = None) -> NearestUses:
        """Find the uses of any word nearest to a word in a sentence."""

    def static_neighbours(self, word: str, n: int = 12) -> StaticNeighbours:
        """Return the ``n`` (1 to 50) words nearest to a word among static vectors."""

    def ready_sentences(self, word: str) -> ReadyWord | None:
        """Return test sentences for the most familiar meanings of a word, if there are any."""

    def entry_text(self, word: str) -> str:
        """Return the entry of a word in the format of own meanings; empty if it has none."""

    def dictionary_test(self, model: str | None = None) -> DictionaryTest:
        """Classify one test sentence for each meaning of some held-out words."""

    def incremental_reading(
        self,
        word: str,
        sentence: str,
        senses: Sequence[str] | None = None,
        model: str | None = None,
    ) -> IncrementalReading:
        """Follow two meanings, by their keys or the first, while a sentence is read."""

    def tasks(self) -> Mapping[str, TaskWords]:
        """Return the kinds of tasks by name, in the order of the pages."""

    def heads(self) -> tuple[HeadInfo, ...]:
        """Return heads: defaults first, each before its baseline, local ones last."""

    def tag(
        self, sentences: Sequence[str], head: str | None = None, n_readings: int = 1
    ) -> tuple[TaggedText, ...]:
        """Tag 1 to ``limits.max_texts`` sentences by a head; ``None`` selects the default one."""

    def classify(
        self, texts: Sequence[str], head: str | None = None, occlusion: bool = True
    ) -> tuple[ClassifiedText, ...]:
        """Classify 1 to ``limits.max_texts`` texts by a head; ``None`` selects the default one."""

    def layer_weights(self) -> tuple[LayerWeights, ...]:
        """Return the learned layer weights of the heads that have a scalar mix, in order."""

    def probes(self) -> tuple[ModelProbes, ...]:
        """Return the measurements of the default model and of each other measured model."""


class Training(Protocol):
    """Training of heads, one run at a time; its methods raise as those of :class:`Service` do."""

    def offer(self) -> TrainingOffer:
        """Return the available training options."""

    def store_upload(self, name: str, content: bytes) -> str:
        """Store a data file for :meth:`preview` and :meth:`start` and return its id."""

    def examples(self, kind: str) -> str:
        """Return examples, one per line: ``label: text``, or a sentence with marked spans."""

    def store_examples(self, kind: str, text: str) -> None:
        """Replace the examples of a kind."""

    def keep_example(self, kind: str, line: str) -> int:
        """Add a line to the examples of a kind unless it exists; return their number."""

    def preview(self, plan: TrainingPlan) -> DatasetPreview:
        """Read and check the data of a plan."""

    def start(self, plan: TrainingPlan) -> TrainingJob:
        """Start a run in a process of its own, unless one is running."""

    def resume(self, name: str) -> TrainingJob:
        """Continue a run that was stopped or failed, from its last finished epoch."""

    def stop(self, name: str) -> TrainingJob:
        """Stop a run and keep its best head so far; called again, stop it at once."""

    def delete(self, name: str) -> None:
        """Remove a run that is over, with its head and its data."""

    def jobs(self) -> tuple[TrainingJob, ...]:
        """Return the runs, the newest first."""
