"""Names of the tasks on pages, in commands and in messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class TaskWords:
    """Texts about one task."""

    kind: str  #: its name in files, arguments and endpoints
    title: str  #: default title of a head, such as ``"Entities"``
    choice: str  #: its label in the form: ``"Entities in a text"``
    output: str  #: output of a head: ``"a tag for each word"``
    training_rows: str  #: its training data: ``"tagged words"``
    unit: str  #: its rows: ``"sentences"``
    #: unit of its accuracy: ``"words"``. If this is not the row, the cases of one row depend on each other.
    counts: str
    model: str  #: label of the choice between such heads
    about: str  #: purpose of such a head, in one sentence
    files: str  #: format of a training file
    typing: str  #: format of typed examples, one a line
    endings: tuple[str, ...]  #: extensions of such files
    purpose: str  #: ``"for names (entities)"``, after "a model"
    train: str  #: command that trains one on the sample
    epochs: int = 30  #: defaults of the form: number of epochs,
    hidden: int = 64  #: hidden size of the head,
    learning_rate: float = 1e-3  #: and highest learning rate

    @property
    def one_label(self) -> bool:
        """Return whether a row has one label as a whole."""
        return self.counts == self.unit


#: By name, in the order of the UI.
TASK_WORDS: Mapping[str, TaskWords] = {
    words.kind: words
    for words in (
        TaskWords(
            kind="classification",
            title="Sentiment or topic",
            choice="A label per text",
            output="a label for a text",
            training_rows="labelled texts",
            unit="texts",
            counts="texts",
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
            output="a tag for each word",
            training_rows="tagged words",
            unit="sentences",
            counts="words",
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

#: Titles of scores, by their name in files.
METRIC_WORDS: Mapping[str, str] = {"f1": "F1", "accuracy": "accuracy"}
