"""The sense of a use is that of what is nearest to it by cosine: the mean of a sense's uses, or a single use."""

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
    """``[n, D]`` uses in one or more senses, counting for all of them -> ``[senses, D]`` where those of each are on average, of
    length 1, and the senses in the order in which they first come (Peters et al., 2018, section 5.3; Loureiro et al., 2021).
    """
    uses: dict[str, list[int]] = {}
    for k, row in enumerate(senses):
        for sense in row:
            uses.setdefault(sense, []).append(k)
    return unit(np.stack([vectors[rows].mean(axis=0) for rows in uses.values()]).astype(np.float32)), tuple(uses)


def nearest(wanted: NDArray[np.floating], known: NDArray[np.floating]) -> NDArray[np.int64]:
    """``[n]`` row of ``known [m, D]`` with the highest cosine to each row of ``wanted [n, D]``; the first of equals."""
    of_length_1 = unit(known)
    rows = range(0, len(wanted), _ROWS)
    return np.concatenate([(wanted[k : k + _ROWS] @ of_length_1.T).argmax(axis=1) for k in rows])


def sense_scores(said: Sequence[str], gold: Sequence[str]) -> tuple[float, float]:
    """Of the senses that were said of the uses of one word: accuracy, and mean F1 over the senses there are."""
    from sklearn.metrics import f1_score

    right = float(np.mean([a == b for a, b in zip(said, gold, strict=True)]))
    labels = sorted(set(gold))
    return right, float(f1_score(gold, said, labels=labels, average="macro", zero_division=0))


def all_words_f1(said: Sequence[str | None], gold: Sequence[Sequence[str]]) -> float:
    """Score as Raganato et al. (2017) do: any of the gold senses of a use is right, and silence (``None``) costs recall only; where
    something is said of every use it is the accuracy.
    """
    right = sum(sense in row for sense, row in zip(said, gold, strict=True))
    spoken = sum(sense is not None for sense in said)
    return 2 * right / max(1, spoken + len(gold))


def say_all_words(
    known: NDArray[np.floating],
    known_lemmas: Sequence[str],
    known_senses: Sequence[Sequence[str]],
    wanted: NDArray[np.floating],
    wanted_lemmas: Sequence[str],
    first_senses: Mapping[str, str] | None = None,
) -> list[str | None]:
    """The nearest mean of the senses that the lemma of each wanted use ``[n, D]`` has among the known uses ``[m, D]`` of the
    training text; the first sense, if there is one, for a lemma that is not there, else ``None``.
    """
    said: list[str | None] = [(first_senses or {}).get(lemma) for lemma in wanted_lemmas]
    rows, asked = places_of(known_lemmas), places_of(wanted_lemmas)
    for lemma, uses in asked.items():
        if lemma in rows:
            means, names = sense_means(known[rows[lemma]], [known_senses[k] for k in rows[lemma]])
            for use, best in zip(uses, nearest(wanted[uses], means).tolist(), strict=True):
                said[use] = names[best]
    return said


def most_frequent(senses: Sequence[Sequence[str]]) -> str:
    """The sense that most of the uses have; the first of equals."""
    return Counter(sense for row in senses for sense in row).most_common(1)[0][0]


def all_words(reader: Reader, data: Path) -> list[Row]:
    """The unified sets (Raganato et al., 2017), by the nearest mean of a sense in SemCor (Peters et al., 2018, section 5.3)."""
    asked = read_unified(data / ALL_WORDS[1], data / ALL_WORDS[2])
    lemmas = {use.lemma for use in asked}
    # Encoding SemCor is what takes long: the senses of words that nobody asks for are left out.
    known = [use for use in read_semcor(data / ALL_WORDS[0]) if use.lemma in lemmas]
    first = read_first_senses(data / FIRST_SENSES) if (data / FIRST_SENSES).is_file() else {}
    known_vectors = reader.words([use.use for use in known], "SemCor")
    asked_vectors = reader.words([use.use for use in asked], "unified sets")
    of_lemma = places_of([use.lemma for use in known])
    commonest = {lemma: most_frequent([known[k].senses for k in uses]) for lemma, uses in of_lemma.items()}
    # The answer without vectors goes along as a view without a name, so that it is scored as the others are.
    said: dict[str, list[str | None]] = {"": [(commonest | first).get(use.lemma) for use in asked]}
    for view in reader.views:
        said[view] = say_all_words(
            known_vectors.view(view),
            [use.lemma for use in known],
            [use.senses for use in known],
            asked_vectors.view(view),
            [use.lemma for use in asked],
            first,
        )
    unseen = sum(use.lemma not in of_lemma for use in asked)
    told = f"stay without an answer ({FIRST_SENSES} is not here)"
    if first:
        told = f"get WordNet's first sense, from {FIRST_SENSES}"
    note = (
        f"WSD: nearest mean of the senses of the word in SemCor, any gold sense is right. {unseen:,} of {len(asked):,} uses are of "
        f"words that SemCor has not; they {told}."
    )
    rows, how = [], "first sense" if first else "commonest sense in SemCor"
    for group in (*dict.fromkeys(use.group for use in asked), "ALL"):
        mine = [k for k, use in enumerate(asked) if group in (use.group, "ALL")]
        gold = [asked[k].senses for k in mine]
        scores = {view: all_words_f1([found[k] for k in mine], gold) for view, found in said.items()}
        row = Row("wsd", f"WSD {group}, F1", scores, without=scores.pop(""), without_name=how, note=note)
        rows.append(replace(row, is_main=group == "ALL"))
    return rows


def coarse_wsd(reader: Reader, data: Path) -> list[Row]:
    """CoarseWSD-20 (Loureiro et al., 2021): the sense whose mean is nearest, as published, and the nearest single use."""
    train, test = (read_coarse_wsd(data / file) for file in COARSE_WSD)
    known = reader.words([use.use for use in train], "CoarseWSD-20, training uses")
    asked = reader.words([use.use for use in test], "CoarseWSD-20, test uses")
    rows, uses = (places_of([use.lemma for use in split]) for split in (train, test))
    words = sorted(uses)
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
            found.append((*by_mean, by_use[0]))
        # A mean over words, as published: one with many uses weighs no more than the others.
        accuracy[view], f1[view], single[view] = np.mean(found, axis=0).tolist()
    commonest = [
        sense_scores([most_frequent([train[k].senses for k in rows[w]])] * len(gold[w]), gold[w]) for w in words
    ]
    least, least_f1 = (float(np.mean(values)) for values in zip(*commonest, strict=True))
    note = "CoarseWSD-20: test uses, by what is nearest among the training uses; mean over the 20 words."
    told = (
        ("nearest mean of a sense, accuracy", accuracy, least, True),
        ("nearest mean of a sense, macro F1", f1, least_f1, False),
        ("nearest single use, accuracy", single, least, False),
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
        for what, scores, by_commonest, is_main in told
    ]
