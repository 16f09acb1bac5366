"""Names of the tasks on pages, in commands and in messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class TaskWords:
    """The words of a kind of task."""

    kind: str  #: its name in files, arguments and endpoints
    title: str  #: a head of this kind that was given no name, such as ``"Entities"``
    choice: str  #: what a person chooses to train one: ``"Entities in a text"``
    gives: str  #: what a head of this kind says: ``"a tag for each word"``
    reads: str  #: what it is trained on: ``"tagged words"``
    unit: str  #: what its rows are: ``"sentences"``
    #: what its accuracy counts: ``"words"``. Where that is not the unit, the cases of one row depend on each other.
    counts: str
    task: str  #: what a person looks for with such a head, in links: ``"entities"``
    model: str  #: what the choice between such heads is called
    about: str  #: what such a head is for, in one sentence
    files: str  #: what a file to train one from looks like
    typing: str  #: how examples are typed, one a line
    endings: tuple[str, ...]  #: of the names of such files
    purpose: str  #: ``"for names (entities)"``, after "a model"
    train: str  #: the line that trains one on the sample
    epochs: int = 30  #: what the screen's form starts with: passes over the data,
    hidden: int = 64  #: the size of the head's hidden layer,
    learning_rate: float = 1e-3  #: and the highest learning rate

    @property
    def one_label(self) -> bool:
        """Return whether a row has one label as a whole."""
        return self.counts == self.unit


#: By name, in the order in which the screen offers them.
TASK_WORDS: Mapping[str, TaskWords] = {
    words.kind: words
    for words in (
        TaskWords(
            kind="classification",
            title="Sentiment or topic",
            choice="A label per text",
            gives="a label for a text",
            reads="labelled texts",
            unit="texts",
            counts="texts",
            task="sentiment",
            model="Model for labels",
            about="Positive or negative, a topic, a language: one label for each text.",
            files="A table (CSV or TSV) with a text and its label in each row, or JSON lines. A few hundred rows are a good start; "
            "50,000 at most.",
            typing="A label, a colon and a text on each line, such as “praise: They mended it at once.” Twenty or more in all, "
            "a few hundred for a useful result. They stay on the machine that runs this app.",
            endings=(".csv", ".tsv", ".jsonl", ".json"),
            purpose="for sentiment",
            train="make train-sentiment",
        ),
        TaskWords(
            kind="tagging",
            title="Entities",
            choice="Entities in a text",
            gives="a tag for each word",
            reads="tagged words",
            unit="sentences",
            counts="words",
            task="entities",
            model="Model for entities",
            about="People, places, products: which words of a sentence name what.",
            files="CoNLL: a word and its tag (B-PER, I-PER, O) on each line, an empty line after each sentence; or JSON lines with "
            "tokens and tags; or a .marked file of lines such as [Ada Marsh](PER) flew to [Oslo](LOC).",
            typing="Square brackets around an entity, its type behind them: [Mara Lind](PER) moved to [Lisbon](LOC). Twenty "
            "sentences or more, a few hundred for a useful result. They stay on the machine that runs this app.",
            endings=(".conll", ".txt", ".tsv", ".csv", ".iob", ".bio", ".conllu", ".jsonl", ".json", ".marked"),
            purpose="for entities",
            train="make train-ner",
            hidden=100,
        ),
    )
}

#: What a score is called, by its name in files.
METRIC_WORDS: Mapping[str, str] = {"f1": "F1", "accuracy": "accuracy"}
