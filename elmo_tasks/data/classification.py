"""Data module for text classification, such as sentiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from elmo_tasks.data.labelled_texts import (
    TextFormat,
    format_of,
    read_labelled_hub,
    read_labelled_table,
)
from elmo_tasks.data.records import (
    LabelledText,
    check_known,
    check_labels,
    counted,
    in_quotes,
    plain_number,
    renamed,
    sorted_labels,
)
from elmo_tasks.data.split_data import InputRow, Split, SplitData, shared
from elmo_tasks.data.tables import Column, TableLayout, TextColumns
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.text.tokens import plain_token, tokenize


class ClassificationData(SplitData[LabelledText, int]):
    """Labelled texts. No file is read before :meth:`setup`.

    Args:
        train: training file, or split of ``hub``; see
            :func:`elmo_tasks.data.labelled_texts.read_labelled_table`.
        file_format: ``tsv``, ``csv``, ``json``, ``jsonl``, ``parquet``, ``xlsx`` or ``trees``; by
            default found from the files.
        text_column: name or place of the column of the text; by default it is found from the header
            or the first rows, and reported. Other files are read as the training file is.
        label_column: name or place of the column of the label; likewise.
        header: whether the first line of TSV and CSV files names the columns; by default it is
            found out.
        encoding: of text files; by default it is found.
        delimiter: between the columns of text files; by default it is found.
        skip_incomplete: leave out rows without a text or a label; their number is reported.
        escaped_newlines: the two characters ``\\n`` in a text stand for a line break.
        phrases: of training trees, take every phrase, not only whole sentences.
        label_names: label in the files -> its name; the ids follow the order here, two labels with
            one name become one, and rows whose label has the name ``null`` are left out. By default
            labels are their own names, sorted.
        pretokenized: the texts are tokens with spaces between them; else they are tokenized as
            pretraining text is.
        plain_tokens: of pretokenized texts, read ``-LRB-``, ``` `` ``` and ``''`` as the characters
            they stand for.
        splits: see :class:`SplitData`.
    """

    kind = "classification"

    def __init__(
        self,
        train: str,
        *,
        file_format: TextFormat | None = None,
        text_column: Column | None = None,
        label_column: Column | None = None,
        header: bool | None = None,
        encoding: str | None = None,
        delimiter: str | None = None,
        skip_incomplete: bool = False,
        escaped_newlines: bool = False,
        phrases: bool = False,
        label_names: dict[str, str | None] | None = None,
        pretokenized: bool = False,
        plain_tokens: bool = True,
        **splits: Any,
    ) -> None:
        super().__init__(train, **splits)
        for name in ("validation_share", "test_share"):
            if phrases and splits.get(name):
                raise ConfigError(
                    f"data.phrases with data.{name} would score on pieces of training sentences"
                )
        if phrases and self.hub is not None:
            raise ConfigError(
                f"data.phrases needs files of trees; the hub data set '{self.hub}' has none"
            )
        self.file_format, self.phrases = file_format, phrases
        self.columns = TextColumns(
            text=text_column,
            label=label_column,
            header=header,
            escaped_newlines=escaped_newlines,
            encoding=encoding,
            delimiter=delimiter,
            skip_incomplete=skip_incomplete,
        )
        #: Layout of the training file, in which other files are read.
        self.like: TableLayout | None = None
        # YAML and JSON may give 0 for "0".
        self.label_names: Mapping[str, str | None] | None = (
            None
            if label_names is None
            else {plain_number(str(label)): name for label, name in label_names.items()}
        )
        self.pretokenized, self.plain_tokens = pretokenized, plain_tokens

    def read(self, split: Split, source: str) -> list[LabelledText]:
        """See :class:`SplitData`."""
        if self.hub is not None:
            rows = read_labelled_hub(self.hub, source, self.columns)
        else:
            phrases = self.phrases and split == "train"
            if phrases and self.more:  # of several files, those that are trees have phrases
                phrases = format_of(Path(source), self.columns.encoding) == "trees"
            rows, layout = read_labelled_table(
                source, self.file_format, self.columns, phrases, self.like
            )
            if layout is not None:
                labels = counted(Counter(row.label for row in rows))
                self.notes.append(f"{source}: {layout.describe()}. Labels: {labels}.")
                self.like = self.like or layout
        return (
            rows
            if self.label_names is None
            else renamed(rows, self.label_names, self.name_of(split))
        )

    def learn_labels(self, records: Sequence[LabelledText]) -> list[str]:
        """Return names in the order of ``label_names``, or the labels that occur."""
        labels = sorted_labels(row.label for row in records)
        if self.label_names is not None:
            names = list(
                dict.fromkeys(name for name in self.label_names.values() if name is not None)
            )
            if unused := [name for name in names if name not in labels]:
                raise DataError(
                    f"{self.name_of('train')}: label_names has {in_quotes(unused)}, but no training"
                    " row has it"
                )
            labels = names
        check_labels(labels, len(records), self.name_of("train"))
        return labels

    def make_rows(self, split: Split, records: Sequence[LabelledText]) -> list[InputRow[int]]:
        """See :class:`SplitData`."""
        check_known(
            (row.label for row in records), self.labels, self.name_of(split), self.name_of("train")
        )
        texts = [tokens_of(record.text, self.pretokenized, self.plain_tokens) for record in records]
        self.truncated[split] = sum(
            self.max_tokens is not None and len(tokens) > self.max_tokens for tokens in texts
        )
        return [
            InputRow(shared(tokens[: self.max_tokens]), self.ids[record.label])
            for tokens, record in zip(texts, records, strict=True)
        ]


def tokens_of(text: str, pretokenized: bool, plain_tokens: bool = True) -> list[str]:
    """Split a text into tokens; for the arguments see :class:`ClassificationData`."""
    if not pretokenized:
        return [token.text for token in tokenize(text)]
    # Spaces only: a token may hold another kind of white space.
    words = [word for word in text.split(" ") if word]
    return [plain_token(word) for word in words] if plain_tokens else words
