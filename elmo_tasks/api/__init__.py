"""What the screen and the commands talk about: frozen results and the :class:`Service` that gives them, one file per topic.

Standard library only, so that the screen needs neither torch nor a model to be built and tested.
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
    Reading,
    Score,
    TaggedSentence,
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
from elmo_tasks.api.training import (
    DataLook,
    SplitScore,
    TrainingEpoch,
    TrainingJob,
    TrainingOffer,
    TrainingPlan,
    TrainingService,
)
from elmo_tasks.api.why import Explanation, HiddenWord, Sides, WhyService


class Service(Protocol):
    """What the screen asks for.

    Every method, also of a part, may raise :class:`elmo_tasks.errors.InputError` with a message for people.
    """

    limits: Limits
    sentences: SentenceService  #: whole sentences, without a word
    why: WhyService  #: what a cosine hangs on
    maps: MapService  #: uses as points
    nearest: NearestService  #: the nearest uses of any word
    heads: HeadService  #: what was trained to read names and feelings
    probes: ProbeService  #: what each layer knows
    training: TrainingService  #: runs that train more of them
    present: PresentService  #: ready sentences, static neighbours, mistakes, and meanings that form

    def models(self) -> tuple[ModelInfo, ...]:
        """The models on offer, the default one first."""

    def compare(
        self, word: str, sentences: Sequence[str], model: str | None = None, own_meanings: str = ""
    ) -> Comparison:
        """Compare the uses of ``word`` in ``sentences``; ``[brackets]`` in a sentence mark another word there.

        ``own_meanings`` is a dictionary in the format of ``docs/dictionary.md``, which counts before ours.
        """

    def substitutes(self, word: str, sentences: Sequence[str], model: str | None = None) -> Substitutes:
        """Return the words that the model expects in the place of each use; not every model can."""

    def side_by_side(
        self, word: str, sentences: Sequence[str], models: Sequence[str], senses: Sequence[str] = ()
    ) -> SideBySide:
        """:meth:`compare` by one to ``limits.max_models`` models.

        ``senses`` are the meanings of the uses; where none are given, those of sentences that come with the program are known.
        """
