"""What each kind of task is called on the screen, in the commands and in messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class TaskWords:
    """The words of a kind of task.

    Attributes:
        kind: its name in files, arguments and endpoints.
        title: a head of this kind that was given no name, such as ``"Names"``.
        choice: what a person chooses to train one: ``"Names in a text"``.
        gives: what a head of this kind says: ``"a tag for each word"``.
        reads: what it is trained on: ``"tagged words"``.
        unit: what its rows are: ``"sentences"``.
        counts: what its accuracy counts: ``"words"``.
        purpose: ``"for names (entities)"``, after "a model".
        train: the line that trains one on the sample.
        epochs: what the screen's form starts with: passes over the data,
        hidden: the size of the head's hidden layer,
        learning_rate: and the highest learning rate.
    """

    kind: str
    title: str
    choice: str
    gives: str
    reads: str
    unit: str
    counts: str
    purpose: str
    train: str
    epochs: int = 30
    hidden: int = 64
    learning_rate: float = 1e-3


#: By name, in the order in which the screen offers them.
TASK_WORDS: Mapping[str, TaskWords] = {
    words.kind: words
    for words in (
        TaskWords(
            kind="classification",
            title="Feeling or topic",
            choice="A label per text",
            gives="a label for a text",
            reads="labelled texts",
            unit="texts",
            counts="texts",
            purpose="for feeling (sentiment)",
            train="make train-sentiment",
        ),
        TaskWords(
            kind="tagging",
            title="Names",
            choice="Names in a text",
            gives="a tag for each word",
            reads="tagged words",
            unit="sentences",
            counts="words",
            purpose="for names (entities)",
            train="make train-ner",
            hidden=100,
        ),
    )
}

#: What a score is called, by its name in files.
METRIC_WORDS: Mapping[str, str] = {"f1": "F1", "accuracy": "accuracy"}
