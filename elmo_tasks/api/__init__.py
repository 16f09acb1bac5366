"""What the screen and the commands talk about: frozen results and the :class:`Service` that gives them, one file per topic.

Standard library only, so that the screen needs neither torch nor a model to be built and tested.
"""

# ruff: noqa: F401 (this is where they are imported from)

from elmo_tasks.api.compare import (
    Choice,
    Comparison,
    ComparisonItem,
    LayerComparison,
    ModelInfo,
    SentenceComparison,
    SentenceLayer,
    SentenceService,
    SideBySide,
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
    LandedUse,
    MapRequest,
    MapService,
    MapUse,
    MapView,
    MovedWord,
    NearOnMap,
    PolysemyRanking,
    RankedWord,
    SenseGroup,
    SenseMap,
    TwoTexts,
    TwoTextService,
)
from elmo_tasks.api.nearest import NearestService, NearestUses, NearUse, StaticNeighbour, StaticNeighbours
from elmo_tasks.api.present import GallerySense, IncrementalReading, PresentService, ReadingStep
from elmo_tasks.api.probes import LayerScore, ModelProbes, PaperScores, ProbeResult, ProbeService
from elmo_tasks.api.request import LIMITS, Limits, NoLongerWanted, Progress, check_wanted, for_everybody, wanted_while
from elmo_tasks.api.said import Answer, Result, Said, Verdict
from elmo_tasks.api.service import Service
from elmo_tasks.api.substitutes import Guess, Substitutes, SubstituteService, WrittenHere
from elmo_tasks.api.training import (
    DataLook,
    SplitScore,
    TrainingEpoch,
    TrainingJob,
    TrainingOffer,
    TrainingPlan,
    TrainingService,
)
from elmo_tasks.api.votes import VoteCount, VoteRoom, VoteService, VoteState
from elmo_tasks.api.what_if import LayerProducts, RespelledLayer, Respelling, WhatIfService
from elmo_tasks.api.why import Explanation, HiddenWord, Sides, WhyService
