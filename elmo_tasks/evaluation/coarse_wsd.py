"""CoarseWSD-20: twenty nouns with well separated senses, from Wikipedia."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from elmo_tasks.data.sense_uses import read_coarse_wsd
from elmo_tasks.evaluation.nearest_sense import most_frequent, nearest, sense_means, sense_scores
from elmo_tasks.evaluation.reader import Reader
from elmo_tasks.evaluation.rows import Row

FILES = ("wsd/coarsewsd20/train.tsv.xz", "wsd/coarsewsd20/test.tsv.xz")


def coarse_wsd(reader: Reader, data: Path) -> list[Row]:
    """CoarseWSD-20 (Loureiro et al., 2021): the sense whose mean is nearest, as published, and the nearest single use."""
    train, test = (read_coarse_wsd(data / file) for file in FILES)
    known = reader.words([use.use for use in train], "CoarseWSD-20, training uses")
    asked = reader.words([use.use for use in test], "CoarseWSD-20, test uses")
    words = sorted({use.lemma for use in test})
    rows = {word: [k for k, use in enumerate(train) if use.lemma == word] for word in words}
    uses = {word: [k for k, use in enumerate(test) if use.lemma == word] for word in words}
    gold = {word: [test[k].senses[0] for k in uses[word]] for word in words}
    accuracy, f1, single = {}, {}, {}
    for view in reader.views:
        known_here, asked_here = known.view(view), asked.view(view)
        found = []
        for word in words:
            mine, wanted = known_here[rows[word]], asked_here[uses[word]]  # [n, D], [m, D]
            means, names = sense_means(mine, [train[k].senses for k in rows[word]])
            by_mean = sense_scores([names[k] for k in nearest(wanted, means)], gold[word])
            by_use = sense_scores([train[rows[word][k]].senses[0] for k in nearest(wanted, mine)], gold[word])
            found.append((by_mean.accuracy, by_mean.macro_f1, by_use.accuracy))
        # A mean over words, as published: one with many uses weighs no more than the others.
        accuracy[view], f1[view], single[view] = np.mean(found, axis=0).tolist()
    commonest = [
        sense_scores([most_frequent([train[k].senses for k in rows[w]])] * len(gold[w]), gold[w]) for w in words
    ]
    least, least_f1 = (float(np.mean([getattr(s, name) for s in commonest])) for name in ("accuracy", "macro_f1"))
    note = "CoarseWSD-20: test uses, by what is nearest among the training uses; mean over the 20 words."
    how = "commonest sense"
    return [
        Row(
            "coarsewsd",
            "CoarseWSD-20, nearest mean of a sense, accuracy",
            accuracy,
            without=least,
            without_name=how,
            note=note,
        ),
        Row(
            "coarsewsd",
            "CoarseWSD-20, nearest mean of a sense, macro F1",
            f1,
            without=least_f1,
            without_name=how,
            note=note,
            is_main=False,
        ),
        Row(
            "coarsewsd",
            "CoarseWSD-20, nearest single use, accuracy",
            single,
            without=least,
            without_name=how,
            note=note,
            is_main=False,
        ),
    ]
