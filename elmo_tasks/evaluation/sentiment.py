"""Sentiment, by the cheapest head there is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from elmo_tasks.data.classification_readers import read_labelled
from elmo_tasks.data.table_columns import TextColumns
from elmo_tasks.evaluation.probing import CLASS_STEPS, class_accuracy
from elmo_tasks.evaluation.reader import Reader, progress
from elmo_tasks.evaluation.rows import Row

SST2 = ("sentiment/sst2/train.tsv", "sentiment/sst2/dev.tsv")


def sentiment(reader: Reader, data: Path) -> list[Row]:
    """Sentences of SST-2, by softmax regression on the mean of their tokens."""
    train, dev = (read_labelled(data / file, columns=TextColumns(text=0, label=1, header=False)) for file in SST2)
    sentences = [[tuple(row.text.split()) for row in split] for split in (train, dev)]
    known, asked = reader.tokens(sentences[0], "SST-2, train"), reader.tokens(sentences[1], "SST-2, dev")
    labels, gold = ([row.label for row in split] for split in (train, dev))
    lengths = [np.array([len(sentence) for sentence in split]) for split in sentences]
    scores = {}
    for (view, mine), (_, wanted) in zip(known.layers(), asked.layers(), strict=True):
        means = [
            np.add.reduceat(rows.astype(np.float32), np.cumsum(n) - n) / n[:, None]
            for rows, n in zip((mine, wanted), lengths, strict=True)
        ]
        with progress(f"sentiment, {view}", CLASS_STEPS, "step") as bar:
            scores[view] = class_accuracy(means[0], labels, means[1], gold, bar.update)
    commonest = Counter(labels).most_common(1)[0][0]
    least = sum(label == commonest for label in gold) / len(gold)
    note = f"Sentiment: a linear layer on the mean of the tokens, {CLASS_STEPS:,} steps on the training part of SST-2."
    title = "Sentiment, SST-2 dev, accuracy"
    return [Row("sentiment", title, scores, without=least, without_name="commonest class", note=note)]
