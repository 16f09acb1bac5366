"""Word senses by the nearest neighbour: a sense's mean, or a single use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.data.sense_uses import read_coarse_wsd, read_first_senses, read_semcor, read_unified
from elmo_tasks.evaluation.reader import Reader
from elmo_tasks.evaluation.rows import Row, places_of
from elmo_tasks.senses.features import unit

#: SemCor, and the unified sets with their senses.
ALL_WORDS = ("wsd/semcor3/semcor.jsonl.xz", "wsd/unified_eval/ALL.data.xml", "wsd/unified_eval/ALL.gold.key.txt")
#: Not needed: WordNet's list of senses, for words that SemCor has not.
FIRST_SENSES = "wsd/wordnet/index.sense"
#: CoarseWSD-20: twenty nouns with well separated senses, from Wikipedia.
COARSE_WSD = ("wsd/coarsewsd20/train.tsv.xz", "wsd/coarsewsd20/test.tsv.xz")
_ROWS = 2048


def sense_means(
    vectors: NDArray[np.floating], senses: Sequence[Sequence[str]]
) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    """Mean vector of each sense, of length 1, and the sense names in order.

    ``vectors [n, D]`` of uses with one or more senses give ``[senses, D]`` (Peters et al., 2018, section 5.3).
    """
    uses: dict[str, list[int]] = {}
    for k, row in enumerate(senses):
        for sense in row:
            uses.setdefault(sense, []).append(k)
    return unit(np.stack([vectors[rows].mean(axis=0) for rows in uses.values()]).astype(np.float32)), tuple(uses)


def nearest(wanted: NDArray[np.floating], known: NDArray[np.floating]) -> NDArray[np.int64]:
    """Row of ``known [m, D]`` with the highest cosine to each of ``wanted [n, D]``.

    The first one wins a tie.
    """
    of_length_1 = unit(known)
    rows = range(0, len(wanted), _ROWS)
    return np.concatenate([(wanted[k : k + _ROWS] @ of_length_1.T).argmax(axis=1) for k in rows])


def sense_scores(predicted: Sequence[str], gold: Sequence[str]) -> tuple[float, float]:
    """Accuracy and macro F1 of the predicted senses of one word."""
    from sklearn.metrics import f1_score

    right = float(np.mean([a == b for a, b in zip(predicted, gold, strict=True)]))
    labels = sorted(set(gold))
    return right, float(f1_score(gold, predicted, labels=labels, average="macro", zero_division=0))


def all_words_f1(predicted: Sequence[str | None], gold: Sequence[Sequence[str]]) -> float:
    """F1 as in Raganato et al. (2017): any gold sense counts as correct.

    A missing prediction (``None``) costs recall only; without any, F1 is the accuracy.
    """
    right = sum(sense in row for sense, row in zip(predicted, gold, strict=True))
    n_predicted = sum(sense is not None for sense in predicted)
    return 2 * right / max(1, n_predicted + len(gold))


def say_all_words(
    known: NDArray[np.floating],
    known_lemmas: Sequence[str],
    known_senses: Sequence[Sequence[str]],
    wanted: NDArray[np.floating],
    wanted_lemmas: Sequence[str],
    first_senses: Mapping[str, str] | None = None,
) -> list[str | None]:
    """Predict the nearest sense mean of the lemma for each use ``wanted [n, D]``.

    A lemma that is missing from the training uses ``known [m, D]`` gets its first sense, or ``None``.
    """
    predicted: list[str | None] = [(first_senses or {}).get(lemma) for lemma in wanted_lemmas]
    rows, wanted_rows = places_of(known_lemmas), places_of(wanted_lemmas)
    for lemma, uses in wanted_rows.items():
        if lemma in rows:
            means, names = sense_means(known[rows[lemma]], [known_senses[k] for k in rows[lemma]])
            for use, best in zip(uses, nearest(wanted[uses], means).tolist(), strict=True):
                predicted[use] = names[best]
    return predicted


def most_frequent(senses: Sequence[Sequence[str]]) -> str:
    """Return the most frequent sense; the first one wins a tie."""
    return Counter(sense for row in senses for sense in row).most_common(1)[0][0]


def all_words(reader: Reader, data: Path) -> list[Row]:
    """The unified test sets (Raganato et al., 2017), by SemCor's nearest sense mean."""
    queries = read_unified(data / ALL_WORDS[1], data / ALL_WORDS[2])
    lemmas = {use.lemma for use in queries}
    # Encoding SemCor takes most of the time: words that are not in the tests are left out.
    known = [use for use in read_semcor(data / ALL_WORDS[0]) if use.lemma in lemmas]
    first = read_first_senses(data / FIRST_SENSES) if (data / FIRST_SENSES).is_file() else {}
    known_vectors = reader.words([use.use for use in known], "SemCor")
    query_vectors = reader.words([use.use for use in queries], "unified sets")
    of_lemma = places_of([use.lemma for use in known])
    commonest = {lemma: most_frequent([known[k].senses for k in uses]) for lemma, uses in of_lemma.items()}
    # The answer without vectors goes along as a view without a name, so that it is scored as the others are.
    predicted: dict[str, list[str | None]] = {"": [(commonest | first).get(use.lemma) for use in queries]}
    for view in reader.views:
        predicted[view] = say_all_words(
            known_vectors.view(view),
            [use.lemma for use in known],
            [use.senses for use in known],
            query_vectors.view(view),
            [use.lemma for use in queries],
            first,
        )
    unseen = sum(use.lemma not in of_lemma for use in queries)
    note_on_unseen = f"stay without an answer ({FIRST_SENSES} is not here)"
    if first:
        note_on_unseen = f"get WordNet's first sense, from {FIRST_SENSES}"
    note = (
        f"WSD: nearest mean of the senses of the word in SemCor, any gold sense is right. {unseen:,} of {len(queries):,} uses are "
        f"of words that SemCor has not; they {note_on_unseen}."
    )
    rows, how = [], "first sense" if first else "commonest sense in SemCor"
    for group in (*dict.fromkeys(use.group for use in queries), "ALL"):
        selected = [k for k, use in enumerate(queries) if group in (use.group, "ALL")]
        gold = [queries[k].senses for k in selected]
        scores = {view: all_words_f1([found[k] for k in selected], gold) for view, found in predicted.items()}
        row = Row("wsd", f"WSD {group}, F1", scores, without=scores.pop(""), without_name=how, note=note)
        rows.append(replace(row, is_main=group == "ALL"))
    return rows


def coarse_wsd(reader: Reader, data: Path) -> list[Row]:
    """CoarseWSD-20 (Loureiro et al., 2021), by the nearest sense mean and single use."""
    train, test = (read_coarse_wsd(data / file) for file in COARSE_WSD)
    known = reader.words([use.use for use in train], "CoarseWSD-20, training uses")
    queries = reader.words([use.use for use in test], "CoarseWSD-20, test uses")
    rows, uses = (places_of([use.lemma for use in split]) for split in (train, test))
    words = sorted(uses)
    gold = {word: [test[k].senses[0] for k in uses[word]] for word in words}
    accuracy, f1, single = {}, {}, {}
    for view in reader.views:
        train_here, query_here = known.view(view), queries.view(view)
        found = []
        for word in words:
            selected, wanted = train_here[rows[word]], query_here[uses[word]]  # [n, D], [m, D]
            means, names = sense_means(selected, [train[k].senses for k in rows[word]])
            by_mean = sense_scores([names[k] for k in nearest(wanted, means)], gold[word])
            by_use = sense_scores([train[rows[word][k]].senses[0] for k in nearest(wanted, selected)], gold[word])
            found.append((*by_mean, by_use[0]))
        # A mean over words, as published: one with many uses weighs no more than the others.
        accuracy[view], f1[view], single[view] = np.mean(found, axis=0).tolist()
    commonest = [
        sense_scores([most_frequent([train[k].senses for k in rows[w]])] * len(gold[w]), gold[w]) for w in words
    ]
    baseline, baseline_f1 = (float(np.mean(values)) for values in zip(*commonest, strict=True))
    note = "CoarseWSD-20: test uses, by what is nearest among the training uses; mean over the 20 words."
    rows_of_table = (
        ("nearest mean of a sense, accuracy", accuracy, baseline, True),
        ("nearest mean of a sense, macro F1", f1, baseline_f1, False),
        ("nearest single use, accuracy", single, baseline, False),
    )
    return [
        Row(
            "coarsewsd",
            f"CoarseWSD-20, {what}",
            scores,
            "percent",
            by_commonest,
            "commonest sense",
            True,
            note,
            is_main,
        )
        for what, scores, by_commonest, is_main in rows_of_table
    ]
