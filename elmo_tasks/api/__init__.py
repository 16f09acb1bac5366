"""Interface between the UI, the CLI and the models: results and services.

Each file holds the frozen result types and the service protocol of one topic.

Standard library only, so that the UI can be built and tested without torch or a model.
"""

# ruff: noqa: F401 (this is where they are imported from)

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from elmo_tasks.api.compare import (
    Candidate,
    Certainty,
    Choice,
    Comparison,
    ComparisonItem,
    LayerComparison,
    Meaning,
    ModelInfo,
    SentenceComparison,
    SentenceLayer,
    SentenceService,
    SideBySide,
    Source,
    Substitutes,
    UseMeaning,
    partition,
)
from elmo_tasks.api.heads import (
    ClassifiedText,
    Entity,
    HeadInfo,
    HeadService,
    LayerWeights,
    MixWeights,
    Score,
    TaggedSentence,
    TagSequence,
    WordOcclusion,
)
from elmo_tasks.api.maps import (
    EXAMPLES,
    INDEX,
    TEXT_A,
    TEXT_B,
    LandedMeaning,
    LandedUse,
    MapRequest,
    MapService,
    MapUse,
    MapView,
    NearOnMap,
    SenseGroup,
    SenseMap,
)
from elmo_tasks.api.nearest import NearestService, NearestUses, NearUse, StaticNeighbour, StaticNeighbours
from elmo_tasks.api.present import (
    DictionaryTest,
    IncrementalReading,
    Mistake,
    PresentService,
    ReadingStep,
    ReadyWord,
)
from elmo_tasks.api.probes import LayerScore, ModelProbes, PaperScores, ProbeResult, ProbeService
from elmo_tasks.api.request import LIMITS, Limits, NoLongerWanted, Progress, check_wanted, for_everybody, wanted_while
from elmo_tasks.api.said import Answer, Result, Said, Verdict
from elmo_tasks.api.senses import TextSenses, TextWord
from elmo_tasks.api.training import (
    DatasetPreview,
    SplitScore,
    TrainingEpoch,
    TrainingJob,
    TrainingOffer,
    TrainingPlan,
    TrainingService,
)
from elmo_tasks.api.why import Explanation, HiddenWord, Sides, WhyService


class Service(Protocol):
    """Application service behind the UI and the CLI.

    Every method, also of a part, may raise :class:`elmo_tasks.errors.InputError` with a message for people.
    """

    limits: Limits
    sentences: SentenceService  #: compares whole sentences
    why: WhyService  #: explains a cosine
    maps: MapService  #: draws sense maps
    nearest: NearestService  #: searches the nearest uses of any word
    heads: HeadService  #: runs trained heads
    probes: ProbeService  #: lists what each layer encodes
    training: TrainingService  #: trains heads
    present: PresentService  #: supplies ready sentences, static neighbours, errors and incremental readings

    def models(self) -> tuple[ModelInfo, ...]:
        """Return the available models, the default one first."""

    def compare(
        self, word: str, sentences: Sequence[str], model: str | None = None, own_meanings: str = ""
    ) -> Comparison:
        """Compare the uses of ``word`` in ``sentences``; ``[brackets]`` mark another word.

        ``own_meanings`` is a dictionary in the format of ``docs/dictionary.md``, which counts before ours.
        """

    def substitutes(self, word: str, sentences: Sequence[str], model: str | None = None) -> Substitutes:
        """Predict the words for the place of each use, if the model can."""

    def senses(self, text: str, model: str | None = None, own_meanings: str = "") -> TextSenses:
        """Find the meaning of each word of a text that the dictionary lists.

        ``own_meanings`` is as in :meth:`compare`.
        """

    def language_warning(self, texts: Sequence[str]) -> str:
        """Return a warning if too few of the words are English, else an empty string."""

    def side_by_side(
        self, word: str, sentences: Sequence[str], models: Sequence[str], senses: Sequence[str] = ()
    ) -> SideBySide:
        """Compare the same uses by one to ``limits.max_models`` models.

        ``senses`` are the meanings of the uses; where none are given, those of sentences that come with the program are known.
        """
