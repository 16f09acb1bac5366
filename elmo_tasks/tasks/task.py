"""Description of a task; `tagging.py` and `classification.py` each define one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from elmo_tasks.api import TaskWords
from elmo_tasks.data.records import LabelledText, TaggedSentence
from elmo_tasks.data.tables import Column
from elmo_tasks.heads.head import HeadTask, Prediction
from elmo_tasks.text.tag_schemes import Scheme
from elmo_tasks.text.tokens import Token

if TYPE_CHECKING:  # they import Lightning and torchmetrics, which prediction does without
    from elmo_tasks.data.split_data import SplitData
    from elmo_tasks.tasks.task_scores import TaskScores

#: Tokens, and their tags or class.
LabelledRow = tuple[Sequence[str], Prediction]
Record = LabelledText | TaggedSentence


@dataclass(frozen=True)
class UploadColumns:
    """Columns of an uploaded file."""

    names: tuple[str, ...]  # all columns
    text: str  # the input column
    label: str  # the label column
    #: whether the first line names the columns; None where files of this format have no such line
    header: bool | None
    description: str = ""  # how the file was read, in words


@dataclass(frozen=True)
class HubData:
    """A public data set: its title and its splits."""

    title: str
    train: str
    validation: str | None  # None: a share of the training rows selects the best epoch
    test: str


@dataclass(frozen=True)
class Task:
    """Description of a task: its files, its metrics and its results."""

    words: TaskWords  # display names; words.kind is the kind of its heads and data modules
    data_class: str  # class path of its data module
    scores_class: str  # class path of its metrics
    file_formats: tuple[str, ...]  # values of file_format of the data module
    # arguments of the data module for the input column and the label column
    columns: tuple[str, str]
    # name of the configuration that trains a head on the bundled sample, and prefix of the sample's
    # files
    sample: str
    #: places of the input and label columns of those files, from 0; None where the format implies
    #: them
    sample_columns: tuple[Column | None, Column | None]
    size_setting: str  # argument of that configuration's head for its size
    uploads: Mapping[str, str]  # extensions of files that people may send, and the format of each
    # public data sets by short name, see :data:`elmo_tasks.data.row_files.HUB_DATA_SETS`
    hub: Mapping[str, HubData]
    read_seconds: float  # per row that is read, on two cores
    epoch_seconds: float  # per row and epoch of training
    output_fields: tuple[str, ...]  # keys of a result that predict writes beside the tokens
    # the keys of baseline_scores, the best one first, with a description of each
    baselines: Mapping[str, str]
    #: reads a labelled file. Arguments: the path; a format, by default from the file's name; input
    #: and label columns, places or names, by default those of the format
    read: Callable[..., Sequence[Record]]
    #: reads an uploaded file. Arguments: the path, its format, the input and label columns and
    #: whether there is a header, all three None to guess
    read_upload: Callable[..., tuple[UploadColumns, Sequence[Record]]]
    #: the main score of each baseline from training and held-out rows and a tag scheme; empty
    #: without rows
    baseline_scores: Callable[
        [Sequence[LabelledRow], Sequence[LabelledRow], Scheme | None], dict[str, float]
    ]
    #: converts a prediction for one text and its tokens; see :meth:`TaskHead.predict`
    result: Callable[[str, Sequence[Token], Any], Any]

    @property
    def name(self) -> str:
        """Name of the task in files, arguments and endpoints."""
        return self.words.kind

    @property
    def one_label(self) -> bool:
        """True if a text gets one label as a whole.

        Its heads read no more tokens of a text than they saw in training.
        """
        return self.words.one_label

    @property
    def data(self) -> type[SplitData[Any, Any]]:
        """Class of its data module."""
        return resolve_name(self.data_class)  # type: ignore[no-any-return]

    def scores(self, head_task: HeadTask, alone: bool = False) -> TaskScores:
        """Create the metrics of a head; if ``alone``, for this process only."""
        return resolve_name(self.scores_class)(head_task, alone)  # type: ignore[no-any-return]

    def watched_score(self, scheme: Scheme | None) -> str:
        """Name of the score that selects the best epoch; accuracy would overlook rare classes."""
        return "macro_f1" if self.one_label else self.main_score(scheme)

    def main_score(self, scheme: Scheme | None) -> str:
        """Name of the score that is reported first: ``f1`` (of spans) or ``accuracy``."""
        return "accuracy" if self.one_label or scheme is None else "f1"
