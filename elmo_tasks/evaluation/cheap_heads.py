"""Tagging and sentiment with minimal heads, so that the layers decide the score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from elmo_tasks.data.conll import read_tagged
from elmo_tasks.data.labelled_texts import read_labelled
from elmo_tasks.data.records import TaggedSentence
from elmo_tasks.data.tables import TextColumns
from elmo_tasks.evaluation.probing import CLASS_STEPS, SPAN_STEPS, Rows, Step, class_accuracy, span_tags
from elmo_tasks.evaluation.reader import Reader, progress
from elmo_tasks.evaluation.rows import Row
from elmo_tasks.tasks import find_task
from elmo_tasks.tasks.task_scores import micro, span_counts
from elmo_tasks.text.tag_schemes import convert, detect_scheme

POS = ("tagging/ud_ewt/en_ewt-ud-train.conllu.xz", "tagging/ud_ewt/en_ewt-ud-dev.conllu.xz")
CHUNKS = ("tagging/conll2000/train.txt", "tagging/conll2000/test.txt")
NER = ("ner/conll2003/eng.train", "ner/conll2003/eng.testa")
SST2 = ("sentiment/sst2/train.tsv", "sentiment/sst2/dev.tsv")

#: Vectors ``[n, D]`` of all training tokens and of all held-out ones, and a progress callback -> a score.
Score = Callable[[Rows, Rows, Step], float]


def parts_of_speech(reader: Reader, data: Path) -> list[Row]:
    """Universal parts of speech of the English Web Treebank, by softmax regression."""
    train, dev = (read_tagged(data / file, tag_column="upos") for file in POS)
    labels, gold = ([tag for sentence in split for tag in sentence.tags] for split in (train, dev))

    def score(mine: Rows, wanted: Rows, step: Step) -> float:
        return class_accuracy(mine, labels, wanted, gold, step)

    read = {"UD EWT, train": _tokens(train), "UD EWT, dev": _tokens(dev)}
    scores = _by_layer(reader, read, "parts of speech", CLASS_STEPS, score)
    baseline = find_task("tagging").baseline_scores(_pairs(train), _pairs(dev), None)["word accuracy"]
    note = f"Parts of speech: a linear layer, {CLASS_STEPS:,} steps on the training part of UD English EWT."
    how = "commonest tag of the word"
    return [Row("pos", "Parts of speech, UD EWT dev, accuracy", scores, without=baseline, without_name=how, note=note)]


def chunks(reader: Reader, data: Path) -> list[Row]:
    """CoNLL-2000 chunks (non-nested phrases), by a linear layer and a CRF."""
    return [_spans(reader, data, CHUNKS, "chunks", "CoNLL-2000", "Chunks, CoNLL-2000 test, F1")]


def names(reader: Reader, data: Path) -> list[Row]:
    """Entities of CoNLL-2003, by a linear layer and a CRF."""
    return [_spans(reader, data, NER, "ner", "CoNLL-2003", "Entities, CoNLL-2003 dev, F1")]


def _spans(reader: Reader, data: Path, files: tuple[str, str], task: str, corpus: str, title: str) -> Row:
    train, held_out = (_in_bioes(read_tagged(data / file)) for file in files)
    tags, gold = ([sentence.tags for sentence in split] for split in (train, held_out))
    what = title.partition(",")[0]

    def score(mine: Rows, wanted: Rows, step: Step) -> float:
        predicted = span_tags(mine, tags, wanted, [len(row) for row in gold], "BIOES", step)
        return micro(span_counts(predicted, gold, "BIOES").values()).f1

    read = {f"{corpus}, train": _tokens(train), corpus: _tokens(held_out)}
    scores = _by_layer(reader, read, what.lower(), SPAN_STEPS, score)
    baseline = find_task("tagging").baseline_scores(_pairs(train), _pairs(held_out), "BIOES")["word f1"]
    note = f"{what}: a linear layer and a CRF, {SPAN_STEPS:,} steps on the training part of {corpus}."
    return Row(task, title, scores, without=baseline, without_name="commonest tag of the word", note=note)


def _by_layer(
    reader: Reader, read: Mapping[str, Sequence[tuple[str, ...]]], what: str, steps: int, score: Score
) -> dict[str, float]:
    """Score of each layer, given vectors of the training and held-out sentences."""
    train_vectors, test_vectors = (reader.tokens(sentences, name) for name, sentences in read.items())
    scores = {}
    for (view, mine), (_, wanted) in zip(train_vectors, test_vectors, strict=True):
        with progress(f"{what}, {view}", steps, "step") as bar:
            scores[view] = score(mine, wanted, bar.update)
    return scores


def _tokens(sentences: Sequence[TaggedSentence]) -> list[tuple[str, ...]]:
    return [sentence.tokens for sentence in sentences]


def _pairs(sentences: Sequence[TaggedSentence]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(sentence.tokens, sentence.tags) for sentence in sentences]


def _in_bioes(sentences: Sequence[TaggedSentence]) -> list[TaggedSentence]:
    scheme = detect_scheme(sentence.tags for sentence in sentences)
    return [TaggedSentence(s.tokens, tuple(convert(s.tags, scheme, "BIOES")), s.line) for s in sentences]


def sentiment(reader: Reader, data: Path) -> list[Row]:
    """Sentences of SST-2, by softmax regression on the mean of their tokens."""
    train, dev = (read_labelled(data / file, columns=TextColumns(text=0, label=1, header=False)) for file in SST2)
    sentences = [[tuple(row.text.split()) for row in split] for split in (train, dev)]
    labels, gold = ([row.label for row in split] for split in (train, dev))
    lengths = [np.array([len(sentence) for sentence in split]) for split in sentences]

    def score(mine: Rows, wanted: Rows, step: Step) -> float:
        train_vectors, test_vectors = (
            np.add.reduceat(rows.astype(np.float32), np.cumsum(n) - n) / n[:, None]
            for rows, n in zip((mine, wanted), lengths, strict=True)
        )
        return class_accuracy(train_vectors, labels, test_vectors, gold, step)

    read = dict(zip(("SST-2, train", "SST-2, dev"), sentences, strict=True))
    scores = _by_layer(reader, read, "sentiment", CLASS_STEPS, score)
    commonest = Counter(labels).most_common(1)[0][0]
    baseline = sum(label == commonest for label in gold) / len(gold)
    note = f"Sentiment: a linear layer on the mean of the tokens, {CLASS_STEPS:,} steps on the training part of SST-2."
    title = "Sentiment, SST-2 dev, accuracy"
    return [Row("sentiment", title, scores, without=baseline, without_name="commonest class", note=note)]
