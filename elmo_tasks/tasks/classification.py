"""A label for a text, such as its sentiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import cast, get_args

from elmo_tasks.api import ClassifiedText, TaskWords
from elmo_tasks.data.labelled_texts import TextFormat, read_labelled, read_labelled_table
from elmo_tasks.data.records import LabelledText
from elmo_tasks.data.tables import Column, TextColumns, find_columns, read_table
from elmo_tasks.errors import DataError
from elmo_tasks.heads.classification import TextPrediction
from elmo_tasks.tasks.task import HubData, LabelledRow, Task, UploadColumns
from elmo_tasks.text.tag_schemes import Scheme
from elmo_tasks.text.tokens import Token


def _read(
    path: Path,
    file_format: TextFormat | None = None,
    text: Column | None = None,
    label: Column | None = None,
) -> Sequence[LabelledText]:
    return read_labelled(path, file_format, TextColumns(text, label))


def _read_upload(
    path: Path, file_format: str, text: str | None, label: str | None, header: bool | None
) -> tuple[UploadColumns, Sequence[LabelledText]]:
    table = read_table(path, file_format)
    # The page lets users choose the columns, so an unclear one only adds a remark.
    columns = find_columns(table, TextColumns(header=header), ask=False)
    text = text if text in columns.names else columns.names[columns.text]
    is_chosen = label in columns.names
    label = label if label in columns.names else columns.names[columns.label or 0]
    if text == label:
        raise DataError(
            f"{path}: the texts and the labels cannot be in one and the same column; choose"
            " another one"
        )
    key = (lambda name: name) if columns.header is None else columns.names.index
    # Nothing else on the page can leave out rows that lack a value; their number is in the
    # description.
    layout = TextColumns(
        text=key(text), label=key(label), header=columns.header, skip_incomplete=True
    )
    rows, layout_read = read_labelled_table(path, cast(TextFormat, file_format), layout)
    assert layout_read is not None
    questions = () if is_chosen else columns.remarks[len(table.remarks) :]
    description = "; ".join([layout_read.describe(), *questions])
    return UploadColumns(
        names=columns.names, text=text, label=label, header=columns.header, description=description
    ), rows


def _baseline_scores(
    train: Sequence[LabelledRow], held_out: Sequence[LabelledRow], scheme: Scheme | None
) -> dict[str, float]:
    if not held_out:
        return {}
    majority = Counter(label for _, label in train).most_common(1)[0][0]
    return {"majority": sum(label == majority for _, label in held_out) / len(held_out)}


def _result(text: str, tokens: Sequence[Token], prediction: TextPrediction) -> ClassifiedText:
    words = tuple(token.text for token in tokens)
    return ClassifiedText(
        text=text,
        tokens=words,
        label=prediction.label,
        probabilities=prediction.probabilities,
        is_sure=prediction.is_sure,
    )


_UPLOADS = {f".{name}": name for name in ("csv", "tsv", "jsonl", "json")}

CLASSIFICATION = Task(
    words=TaskWords(
        kind="classification",
        title="Sentiment or topic",
        choice="A label per text",
        output="a label for a text",
        training_rows="labelled texts",
        unit="texts",
        counts="texts",
        model="Model for labels",
        about="Positive or negative, a topic, a language: one label for each text.",
        files=(
            "A table (CSV or TSV) with a text and its label in each row, or JSON lines. A few"
            " hundred rows are a good start; 50,000 at most."
        ),
        typing=(
            "A label, a colon and a text on each line, such as “praise: They mended it at"
            " once.” Twenty or more in all, a few hundred for a useful result. They stay on the"
            " machine that runs this app."
        ),
        endings=tuple(_UPLOADS),
        purpose="for sentiment",
        train="make train-sentiment",
    ),
    data_class="elmo_tasks.data.classification.ClassificationData",
    scores_class="elmo_tasks.tasks.task_scores.ClassScores",
    file_formats=get_args(TextFormat),
    columns=("text_column", "label_column"),
    sample="sentiment_sample",
    sample_columns=(1, 0),
    size_setting="hidden",
    uploads=_UPLOADS,
    hub={
        # The labels of the test split are hidden.
        "sst2": HubData(
            title="SST-2: film reviews, two classes",
            train="train",
            validation=None,
            test="validation",
        ),
        "sst5": HubData(
            title="SST-5: film reviews, five classes",
            train="train",
            validation="validation",
            test="test",
        ),
        "imdb": HubData(
            title="IMDB: whole film reviews", train="train", validation=None, test="test"
        ),
    },
    read_seconds=0.004,
    epoch_seconds=0.0018,
    output_fields=("label", "is_sure", "probabilities"),
    baselines={"majority": "always the most frequent label"},
    read=_read,
    read_upload=_read_upload,
    baseline_scores=_baseline_scores,
    result=_result,
)
