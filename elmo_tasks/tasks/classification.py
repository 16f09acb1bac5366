"""A label for a text, such as its sentiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast, get_args

from elmo_tasks.api import ClassifiedText
from elmo_tasks.data.labelled_texts import TextFormat, format_of, read_labelled, read_labelled_table
from elmo_tasks.data.records import LabelledText
from elmo_tasks.data.tables import Column, TextColumns, find_columns, read_table
from elmo_tasks.errors import DataError
from elmo_tasks.heads.classification import TextPrediction
from elmo_tasks.heads.head import HeadTask
from elmo_tasks.messages.training import TASK_WORDS
from elmo_tasks.tasks.kind import Cost, HubData, LabelledRow, TaskKind, UploadColumns, chosen
from elmo_tasks.text.tag_schemes import Scheme
from elmo_tasks.text.tokens import Token

if TYPE_CHECKING:
    from elmo_tasks.data.classification import ClassificationData
    from elmo_tasks.tasks.task_scores import TaskScores


class Classification(TaskKind):
    """See :class:`TaskKind`."""

    words = TASK_WORDS["classification"]
    file_formats = get_args(TextFormat)
    columns = ("text_column", "label_column")
    truncates = True
    one_label = True
    sample = "sentiment_sample"
    sample_columns = (1, 0)
    size_setting = "hidden"
    uploads: ClassVar[Mapping[str, str]] = {f".{name}": name for name in ("tsv", "csv", "jsonl", "json")}
    hub: ClassVar[Mapping[str, HubData]] = {
        # The labels of the test split are hidden.
        "sst2": HubData("SST-2: film reviews, two classes", "train", None, "validation"),
        "sst5": HubData("SST-5: film reviews, five classes", "train", "validation", "test"),
        "imdb": HubData("IMDB: whole film reviews", "train", None, "test"),
    }
    cost = Cost(read=0.004, epoch=0.0018)
    line = ("label", "is_sure", "probabilities")
    guess_rules: ClassVar[Mapping[str, str]] = {"majority": "always the most frequent label"}

    @property
    def data(self) -> type[ClassificationData]:
        """See :class:`TaskKind`."""
        from elmo_tasks.data.classification import ClassificationData

        return ClassificationData

    def read(
        self, path: Path, file_format: str | None = None, reads: Column | None = None, says: Column | None = None
    ) -> Sequence[LabelledText]:
        """See :class:`TaskKind`."""
        return read_labelled(path, cast("TextFormat | None", file_format), TextColumns(reads, says))

    def format_of(self, path: Path, file_format: str | None = None) -> str | None:
        """See :class:`TaskKind`."""
        return file_format or format_of(path)

    def read_upload(
        self, path: Path, file_format: str, text: str | None, label: str | None, header: bool | None
    ) -> tuple[UploadColumns, Sequence[LabelledText]]:
        """See :class:`TaskKind`."""
        table = read_table(path, file_format)
        found = find_columns(table, TextColumns(header=header))
        text = chosen(text, found.names, found.names[found.text])
        label = chosen(label, found.names, found.names[found.label or 0])
        if text == label:
            raise DataError(
                f"{path}: the texts and the labels cannot be in one and the same column; choose another one"
            )
        at = (lambda name: name) if found.header is None else found.names.index
        layout = TextColumns(at(text), at(label), found.header)
        rows, read = read_labelled_table(path, cast(TextFormat, file_format), layout)
        assert read is not None
        return UploadColumns(found.names, text, label, found.header, read.said()), rows

    def main_score(self, scheme: Scheme | None) -> str:
        """See :class:`TaskKind`."""
        return "accuracy"

    def scores(self, task: HeadTask, alone: bool = False) -> TaskScores:
        """See :class:`TaskKind`."""
        from elmo_tasks.tasks.task_scores import ClassScores

        return ClassScores(task, alone)

    def guesses(
        self, train: Sequence[LabelledRow], held_out: Sequence[LabelledRow], scheme: Scheme | None
    ) -> dict[str, float]:
        """See :class:`TaskKind`."""
        if not held_out:
            return {}
        majority = Counter(label for _, label in train).most_common(1)[0][0]
        return {"majority": sum(label == majority for _, label in held_out) / len(held_out)}

    def result(self, text: str, tokens: Sequence[Token], prediction: TextPrediction) -> ClassifiedText:
        """See :class:`TaskKind`."""
        words = tuple(token.text for token in tokens)
        return ClassifiedText(text, words, prediction.label, prediction.probabilities, is_sure=prediction.is_sure)
