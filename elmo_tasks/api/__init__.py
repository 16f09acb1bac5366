"""What the screen and the commands talk about: frozen results and the :class:`Service` that gives them, one file per topic.

Standard library only, so that the screen needs neither torch nor a model to be built and tested.
"""

from elmo_tasks.api.compare import Choice, Comparison, ComparisonItem, LayerComparison, ModelInfo
from elmo_tasks.api.heads import HeadInfo, HeadService, Score
from elmo_tasks.api.maps import (
    LandedUse,
    MapRequest,
    MapService,
    MapUse,
    MapView,
    NearOnMap,
    PolysemyRanking,
    RankedWord,
    SenseGroup,
    SenseMap,
)
from elmo_tasks.api.nearest import NearestService, NearestUses, NearUse
from elmo_tasks.api.predictions import ClassifiedText, Entity, Reading, TaggedSentence, WordOcclusion
from elmo_tasks.api.present import GallerySense, IncrementalReading, PresentService, ReadingStep
from elmo_tasks.api.probes import LayerScore, ModelProbes, PaperScores, ProbeResult, ProbeService
from elmo_tasks.api.request import Limits, NoLongerWanted, Progress, check_wanted, for_everybody, wanted_while
from elmo_tasks.api.said import Said
from elmo_tasks.api.sentences import SentenceComparison, SentenceLayer, SentenceService
from elmo_tasks.api.service import Service
from elmo_tasks.api.side_by_side import SideBySide, partition
from elmo_tasks.api.static_neighbours import StaticNeighbour, StaticNeighbours
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
from elmo_tasks.api.two_texts import MovedWord, TwoTexts, TwoTextService
from elmo_tasks.api.votes import VoteCount, VoteRoom, VoteService, VoteState
from elmo_tasks.api.weights import LayerWeights, MixWeights
from elmo_tasks.api.what_if import LayerProducts, RespelledLayer, Respelling, WhatIfService
from elmo_tasks.api.why import Explanation, HiddenWord, Sides, WhyService

__all__ = [
    "Choice",
    "ClassifiedText",
    "Comparison",
    "ComparisonItem",
    "DataLook",
    "Entity",
    "Explanation",
    "GallerySense",
    "Guess",
    "HeadInfo",
    "HeadService",
    "HiddenWord",
    "IncrementalReading",
    "LandedUse",
    "LayerComparison",
    "LayerProducts",
    "LayerScore",
    "LayerWeights",
    "Limits",
    "MapRequest",
    "MapService",
    "MapUse",
    "MapView",
    "MixWeights",
    "ModelInfo",
    "ModelProbes",
    "MovedWord",
    "NearOnMap",
    "NearUse",
    "NearestService",
    "NearestUses",
    "NoLongerWanted",
    "PaperScores",
    "PolysemyRanking",
    "PresentService",
    "ProbeResult",
    "ProbeService",
    "Progress",
    "RankedWord",
    "Reading",
    "ReadingStep",
    "RespelledLayer",
    "Respelling",
    "Said",
    "Score",
    "SenseGroup",
    "SenseMap",
    "SentenceComparison",
    "SentenceLayer",
    "SentenceService",
    "Service",
    "SideBySide",
    "Sides",
    "SplitScore",
    "StaticNeighbour",
    "StaticNeighbours",
    "SubstituteService",
    "Substitutes",
    "TaggedSentence",
    "TrainingEpoch",
    "TrainingJob",
    "TrainingOffer",
    "TrainingPlan",
    "TrainingService",
    "TwoTextService",
    "TwoTexts",
    "VoteCount",
    "VoteRoom",
    "VoteService",
    "VoteState",
    "WhatIfService",
    "WhyService",
    "WordOcclusion",
    "WrittenHere",
    "check_wanted",
    "for_everybody",
    "partition",
    "wanted_while",
]
