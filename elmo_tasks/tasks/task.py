"""Description of a task; `tagging.py` and `classification.py` each define one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from elmo_tasks.data.records import LabelledText, TaggedSentence
from elmo_tasks.data.tables import Column
from elmo_tasks.heads.head import Prediction
from elmo_tasks.messages.training import TaskWords
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


def choose_column(requested: str | None, names: Sequence[str], guess: str) -> str:
    """Return the requested column if it exists, else the guess."""
    return requested if requested is not None and requested in names else guess


@dataclass(frozen=True)
class HubData:
    """A public data set: its title and its splits.

    Without a validation split, a share of the training rows selects the best epoch.
    """

    title: str
    train: str
    validation: str | None
    test: str


@dataclass(frozen=True)
class Cost:
    """Seconds per row read, and per row and epoch, on two cores."""

    read: float
    epoch: float


@dataclass(frozen=True)
class Task:
    """Description of a task: its files, its metrics and its results."""

    words: TaskWords  # display names; words.kind is the kind of its heads and data modules
    data_class: str  # class path of its data module
    file_formats: tuple[str, ...]  # values of file_format of the data module
    columns: tuple[str, str]  # arguments of the data module for the input column and the label column
    truncates: bool  # True if a head reads no more tokens of a sentence than it saw in training
    sample: str  # name of the configuration that trains a head on the bundled sample, and prefix of the sample's files
    #: places of the input and label columns of those files, from 0; None where the format implies them
    sample_columns: tuple[Column | None, Column | None]
    size_setting: str  # argument of that configuration's head for its size
    uploads: Mapping[str, str]  # extensions of files that people may send, and the format of each
    hub: Mapping[str, HubData]  # public data sets by short name, see :data:`elmo_tasks.data.row_files.HUB_DATA_SETS`
    cost: Cost  # how long training takes
    output_fields: tuple[str, ...]  # keys of a result that predict writes beside the tokens
    baselines: Mapping[str, str]  # the keys of baseline_scores, the best one first, with a description of each
    #: reads a labelled file. Arguments: the path; a format, by default from the file's name; input and label columns, places
    #: or names, by default those of the format
    read: Callable[..., Sequence[Record]]
    #: reads an uploaded file. Arguments: the path, its format, the input and label columns and whether there is a header, all
    #: three None to guess
    read_upload: Callable[..., tuple[UploadColumns, Sequence[Record]]]
    #: the format in which a file is read, where files of one format have labels of their own
    format_of: Callable[..., str | None]
    #: creates the metrics of a head; with a second argument True, for this process only
    scores: Callable[..., TaskScores]
    #: the main score of each baseline from training and held-out rows and a tag scheme; empty without rows
    baseline_scores: Callable[[Sequence[LabelledRow], Sequence[LabelledRow], Scheme | None], dict[str, float]]
    #: converts a prediction for one text and its tokens; see :meth:`TaskHead.predict`
    result: Callable[[str, Sequence[Token], Any], Any]

    @property
    def name(self) -> str:
        """Name of the task in files, arguments and endpoints."""
        return self.words.kind

    @property
    def one_label(self) -> bool:
        """True if a text gets one label as a whole."""
        return self.words.counts == self.words.unit

    @property
    def data(self) -> type[SplitData[Any, Any]]:
        """Its data module."""
        module, name = self.data_class.rsplit(".", 1)
        return getattr(import_module(module), name)  # type: ignore[no-any-return]

    @staticmethod
    def main_score(scheme: Scheme | None) -> str:
        """Name of the score that selects models: ``f1`` (of spans) or ``accuracy``."""
        return "accuracy" if scheme is None else "f1"
