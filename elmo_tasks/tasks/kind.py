"""Interface of a task; each task is a file like `tagging.py`, see `kinds.py`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from elmo_tasks.data.records import LabelledText, TaggedSentence
from elmo_tasks.data.tables import Column
from elmo_tasks.heads.head import HeadTask, Prediction
from elmo_tasks.messages.training import TaskWords
from elmo_tasks.text.tag_schemes import Scheme
from elmo_tasks.text.tokens import Token

if TYPE_CHECKING:  # they take Lightning and torchmetrics along, which those who only predict do without
    from elmo_tasks.data.split_data import SplitData
    from elmo_tasks.tasks.task_scores import TaskScores

#: Tokens, and their tags or class.
LabelledRow = tuple[Sequence[str], Prediction]
Record = LabelledText | TaggedSentence


class TaskResult(Protocol):
    """Result of a head for one text."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """Of the text."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        ...


@dataclass(frozen=True)
class UploadColumns:
    """Columns of an uploaded file: all names, the input column, the label column.

    ``header`` says whether the first line names them; it is ``None`` where files of this format have no such line. ``said`` states
    in words what was read.
    """

    names: tuple[str, ...]
    text: str
    label: str
    header: bool | None
    said: str = ""


def chosen(wanted: str | None, names: Sequence[str], guess: str) -> str:
    """The column that a person wants, if there is one of this name; else the guess."""
    return wanted if wanted is not None and wanted in names else guess


@dataclass(frozen=True)
class HubData:
    """A public data set of the hub, with its title and its splits.

    Where there is none to pick the best epoch by, a share of the training rows does it.
    """

    words: str
    train: str
    validation: str | None
    test: str


@dataclass(frozen=True)
class Cost:
    """Seconds per row read, and per row and epoch, on two cores."""

    read: float
    epoch: float


class TaskKind(ABC):
    """A kind of task.

    Attributes:
        words: display names; ``words.kind`` is the ``kind`` of its heads and data modules.
        file_formats: how its files may be laid out, for ``file_format`` of the data module.
        columns: arguments of the data module for the input column and the label column.
        truncates: True if a head reads no more tokens of a sentence than it saw in training.
        one_label: whether a text gets one label as a whole.
        sample: the configuration that trains a head on the sample that comes with the program, and the beginning of the
            names of its files.
        sample_columns: places of the columns of those files that are read and said, from 0; None where the format tells.
        size_setting: the argument of that configuration's head that says how large it is.
        uploads: endings of files that people may send, and the format of each.
        hub: public data sets by short name, see :data:`elmo_tasks.data.row_files.HUB_DATA_SETS`.
        cost: how long training takes.
        line: keys of :meth:`TaskResult.to_dict` that ``predict`` writes beside the tokens.
        guess_rules: the keys of :meth:`guesses`, the best rule first, with a description of each.
    """

    words: ClassVar[TaskWords]
    file_formats: ClassVar[tuple[str, ...]]
    columns: ClassVar[tuple[str, str]]
    truncates: ClassVar[bool]
    one_label: ClassVar[bool]
    sample: ClassVar[str]
    sample_columns: ClassVar[tuple[Column | None, Column | None]]
    size_setting: ClassVar[str]
    uploads: ClassVar[Mapping[str, str]]
    hub: ClassVar[Mapping[str, HubData]]
    cost: ClassVar[Cost]
    line: ClassVar[tuple[str, ...]]
    guess_rules: ClassVar[Mapping[str, str]]

    @property
    def name(self) -> str:
        """Name of the task in files, arguments and endpoints."""
        return self.words.kind

    @property
    @abstractmethod
    def data(self) -> type[SplitData[Any, Any]]:
        """Its data module."""

    @abstractmethod
    def read(
        self, path: Path, file_format: str | None = None, reads: Column | None = None, says: Column | None = None
    ) -> Sequence[Record]:
        """Read a labelled file.

        The format is one of :attr:`file_formats`, by default from its name; the input and label columns are
        places or names, by default as the format has it.

        Raises:
            DataError: it is not as expected.
        """

    def format_of(self, path: Path, file_format: str | None = None) -> str | None:
        """Tell the format in which a file is read, where one kind of files has labels of its own."""
        return file_format

    @abstractmethod
    def read_upload(
        self, path: Path, file_format: str, text: str | None, label: str | None, header: bool | None
    ) -> tuple[UploadColumns, Sequence[Record]]:
        """Read an uploaded file in a format of :attr:`uploads`; guess open settings.

        Raises:
            DataError: it is not as expected.
        """

    @abstractmethod
    def main_score(self, scheme: Scheme | None) -> str:
        """Name of the score that models are chosen by: ``f1`` (of spans) or ``accuracy``."""

    @abstractmethod
    def scores(self, task: HeadTask, alone: bool = False) -> TaskScores:
        """Create the metrics of a head; with ``alone``, for this process only."""

    @abstractmethod
    def guesses(
        self, train: Sequence[LabelledRow], held_out: Sequence[LabelledRow], scheme: Scheme | None
    ) -> dict[str, float]:
        """Main score of each baseline of :attr:`guess_rules`; empty without rows."""

    @abstractmethod
    def result(self, text: str, tokens: Sequence[Token], prediction: Any) -> TaskResult:
        """Convert a prediction to the result for one text; see :meth:`TaskHead.predict`."""
