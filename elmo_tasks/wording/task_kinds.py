"""What each kind of task is called on the screen, in the commands and in messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class TaskWords:
    """The words of a kind of task."""

    kind: str  #: its name in files, arguments and endpoints
    title: str  #: a head of this kind that was given no name, such as ``"Names"``
    choice: str  #: what a person chooses to train one: ``"Names in a text"``
    gives: str  #: what a head of this kind says: ``"a tag for each word"``
    reads: str  #: what it is trained on: ``"tagged words"``
    unit: str  #: what its rows are: ``"sentences"``
    #: what its accuracy counts: ``"words"``. Where that is not the unit, the cases of one row depend on each other.
    counts: str
    task: str  #: what a person looks for with such a head, in links: ``"names"``
    look: str  #: the same, to choose from
    model: str  #: what the choice between such heads is called
    about: str  #: what such a head is for, in one sentence
    files: str  #: what a file to train one from looks like
    endings: tuple[str, ...]  #: of the names of such files
    purpose: str  #: ``"for names (entities)"``, after "a model"
    train: str  #: the line that trains one on the sample
    epochs: int = 30  #: what the screen's form starts with: passes over the data,
    hidden: int = 64  #: the size of the head's hidden layer,
    learning_rate: float = 1e-3  #: and the highest learning rate


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
            task="feeling",
            look="Feeling",
            model="Model for feeling",
            about="Positive or negative, a topic, a language: one label for each text.",
            files="A table (CSV or TSV) with a text and its label in each row, or JSON lines. A few hundred rows are a good start; "
            "50,000 at most.",
            endings=(".csv", ".tsv", ".jsonl", ".json"),
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
            task="names",
            look="Names",
            model="Model for names",
            about="People, places, products: which words of a sentence are a name of what.",
            files="CoNLL: a word and its tag (B-PER, I-PER, O) on each line, an empty line after each sentence; or JSON lines with "
            "tokens and tags; or a .marked file of lines such as [Ada Marsh](PER) flew to [Oslo](LOC).",
            endings=(".conll", ".txt", ".tsv", ".csv", ".iob", ".bio", ".conllu", ".jsonl", ".json", ".marked"),
            purpose="for names (entities)",
            train="make train-ner",
            hidden=100,
        ),
    )
}

#: What a score is called, by its name in files.
METRIC_WORDS: Mapping[str, str] = {"f1": "F1", "accuracy": "accuracy"}
