"""Meanings of words: pairs of uses, senses by the nearest neighbour, clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.metrics import adjusted_rand_score, f1_score, pairwise_distances_argmin

from elmo_tasks.data.sense_uses import (
    GradedPair,
    WordPair,
    read_coarse_wsd,
    read_cosimlex,
    read_first_senses,
    read_mcl_wic,
    read_semcor,
    read_senseval,
    read_unified,
    read_wic,
)
from elmo_tasks.evaluation.reader import Reader
from elmo_tasks.evaluation.results import ResultRow, rows_by_label
from elmo_tasks.senses.clustering import directions, k_means
from elmo_tasks.senses.features import unit

WIC = tuple(
    f"wsd/wic/{split}.{kind}.txt" for split in ("train", "dev") for kind in ("data", "gold")
)
MCL_WIC = tuple(
    f"wsd/mcl_wic/{split}.en-en.{kind}"
    for split in ("training", "dev")
    for kind in ("data", "gold")
)
COSIMLEX = ("wsd/cosimlex/cosimlex_en.csv",)
_N_EXAMPLES = 5

Numbers = NDArray[np.floating]


def _same_meaning(
    reader: Reader,
    data: Path,
    task: str,
    title: str,
    files: Sequence[str],
    read: Callable[[Path, Path], list[WordPair]],
) -> list[ResultRow]:
    """Pairs of uses of one word: do they share a meaning?"""
    train, dev = read(data / files[0], data / files[1]), read(data / files[2], data / files[3])
    pairs = [*train, *dev]
    vectors = reader.words([word for pair in pairs for word in (pair.a, pair.b)], title)
    same, n = np.array([pair.same for pair in pairs]), len(train)
    scores = {}
    for view in reader.views:
        words = vectors.view(view)
        cosine = (words[0::2] * words[1::2]).sum(axis=1)
        scores[view] = accuracy_at(best_threshold(cosine[:n], same[:n]), cosine[n:], same[n:])
    commoner = float(max(same[n:].mean(), 1 - same[n:].mean()))
    note = (
        "WiC and MCL-WiC: one meaning from a cosine on, which is learned from the training pairs."
    )
    return [
        ResultRow(
            task, title, scores, without=commoner, without_name="one answer always", note=note
        )
    ]


#: Pilehvar and Camacho-Collados (2019), and Martelli et al. (2021).
wic = partial(_same_meaning, task="wic", title="WiC dev, accuracy", files=WIC, read=read_wic)
mcl_wic = partial(
    _same_meaning,
    task="mclwic",
    title="MCL-WiC dev (English), accuracy",
    files=MCL_WIC,
    read=read_mcl_wic,
)


def best_threshold(cosines: Numbers, same: NDArray[np.bool_]) -> float:
    """Threshold with the highest accuracy, half way between two of the ``[n]`` cosines.

    Pairs at or above it have one meaning; it is infinite if none should pass.
    """
    order = np.argsort(-cosines, kind="stable")
    ordered = cosines[order]
    # After letting the first k pairs pass, this many more are right than with none; equal cosines
    # pass together.
    gain = np.concatenate([[0], np.cumsum(np.where(same[order], 1, -1))])
    possible = np.concatenate([[True], ordered[1:] < ordered[:-1], [True]])
    k = int(np.argmax(np.where(possible, gain, gain.min() - 1)))
    edges = np.concatenate([[np.inf], ordered, [-np.inf]])
    return float(edges[k] + edges[k + 1]) / 2


def accuracy_at(threshold: float, cosines: Numbers, same: NDArray[np.bool_]) -> float:
    """Accuracy of the threshold on the pairs."""
    return float(np.mean((cosines >= threshold) == same))


def graded_similarity(reader: Reader, data: Path) -> list[ResultRow]:
    """CoSimLex, English, scored as in SemEval-2020 task 3."""
    pairs = read_cosimlex(data / COSIMLEX[0])
    vectors = reader.words(
        [use for pair in pairs for text in pair.uses for use in text], "CoSimLex"
    )
    people = np.array([pair.similarities for pair in pairs])  # [n, texts]
    judged = people[:, 1] - people[:, 0]
    both = {}
    rank = {}
    change = {}
    change_rank = {}
    moved = {}
    for view in reader.views:
        words = vectors.view(view).reshape(len(pairs), 2, 2, -1)  # [n, texts, words, D]
        cosines = (words[:, :, 0] * words[:, :, 1]).sum(axis=-1)
        rank[view] = spearman(cosines.ravel(), people.ravel())
        both[view] = harmonic_mean(rank[view], pearson(cosines.ravel(), people.ravel()))
        moved[view] = cosines[:, 1] - cosines[:, 0]
        change[view], change_rank[view] = (
            uncentred(moved[view], judged),
            spearman(moved[view], judged),
        )
    top = str(reader.encoder.n_layers - 1)
    how = (
        "CoSimLex: the cosine of two words in one text against how alike people found them there"
        " (task 2 of SemEval-2020 task 3: harmonic mean of Pearson's and Spearman's correlation),"
        " and its change from one text to the other (task 1: Pearson's correlation without"
        " centring)."
    )
    most_moved = (
        f"CoSimLex, moved most by the text: for people {_named(pairs, judged)}; "
        f"at layer {top} {_named(pairs, moved[top])}."
    )
    lines = (
        ("likeness in a text, both correlations", both, how),
        ("likeness in a text, rank correlation", rank, how),
        ("change from text to text, correlation", change, most_moved),
        ("change from text to text, rank correlation", change_rank, how),
    )
    return [
        ResultRow(
            task="cosimlex",
            title=f"CoSimLex, {title}",
            scores=by_view,
            unit="index",
            without=0.0,
            without_name="chance",
            note=note,
            is_main=by_view is both,
        )
        for title, by_view, note in lines
    ]


def spearman(a: Numbers, b: Numbers) -> float:
    """Correlation of the ranks; equals share their mean rank."""
    return pearson(rankdata(a), rankdata(b))


def pearson(a: Numbers, b: Numbers) -> float:
    """Linear correlation; 0 where one of them does not vary."""
    return uncentred(a - a.mean(), b - b.mean())


def uncentred(a: Numbers, b: Numbers) -> float:
    """Pearson's correlation around 0, so that signs count; 0 where undefined."""
    sizes = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / sizes if sizes > 1e-9 else 0.0


def harmonic_mean(a: float, b: float) -> float:
    """Harmonic mean of two correlations; 0 where one of them is not above 0."""
    return 2 * a * b / (a + b) if min(a, b) > 0 else 0.0


def _named(pairs: Sequence[GradedPair], change: Numbers) -> str:
    """Name the pairs whose similarity changes most, and the direction."""
    order = np.argsort(-np.abs(change), kind="stable")[:_N_EXAMPLES]
    return ", ".join(f"{'/'.join(pairs[k].words)} ({change[k]:+.2f})" for k in order)


#: SemCor, and the unified sets with their senses.
ALL_WORDS = (
    "wsd/semcor3/semcor.jsonl.xz",
    "wsd/unified_eval/ALL.data.xml",
    "wsd/unified_eval/ALL.gold.key.txt",
)
#: Optional: WordNet's list of senses, for words that SemCor lacks.
FIRST_SENSES = "wsd/wordnet/index.sense"
#: CoarseWSD-20: twenty nouns with well separated senses, from Wikipedia.
COARSE_WSD = ("wsd/coarsewsd20/train.tsv.xz", "wsd/coarsewsd20/test.tsv.xz")
SENSEVAL_WORDS = ("hard", "interest", "line", "serve")
SENSEVAL = tuple(f"wsd/senseval/{word}.jsonl.xz" for word in SENSEVAL_WORDS)


def sense_means(
    vectors: Numbers, senses: Sequence[Sequence[str]]
) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    """Mean vector of each sense, of length 1, and the sense names in order.

    ``vectors [n, D]`` of uses with one or more senses give ``[senses, D]`` (Peters et al., 2018,
    section 5.3).
    """
    uses: dict[str, list[int]] = {}
    for k, row in enumerate(senses):
        for sense in row:
            uses.setdefault(sense, []).append(k)
    return unit(np.stack([vectors[rows].mean(axis=0) for rows in uses.values()])), tuple(uses)


def sense_scores(predicted: Sequence[str], gold: Sequence[str]) -> tuple[float, float]:
    """Accuracy and macro F1 of the predicted senses of one word."""
    accuracy = float(np.mean([a == b for a, b in zip(predicted, gold, strict=True)]))
    labels = sorted(set(gold))
    return accuracy, float(
        f1_score(gold, predicted, labels=labels, average="macro", zero_division=0)
    )


def all_words_f1(predicted: Sequence[str | None], gold: Sequence[Sequence[str]]) -> float:
    """F1 as in Raganato et al. (2017): any gold sense counts as correct.

    A missing prediction (``None``) costs recall only; without any, F1 is the accuracy.
    """
    right = sum(sense in row for sense, row in zip(predicted, gold, strict=True))
    n_predicted = sum(sense is not None for sense in predicted)
    return 2 * right / max(1, n_predicted + len(gold))


def predict_all_words(
    vectors: Numbers,
    lemmas: Sequence[str],
    senses: Sequence[Sequence[str]],
    queries: Numbers,
    query_lemmas: Sequence[str],
    first_senses: Mapping[str, str] | None = None,
) -> list[str | None]:
    """Predict the nearest sense of its lemma for each of ``queries [n, D]``.

    A lemma that is missing from the training uses ``vectors [m, D]`` gets its first sense, or
    ``None``.
    """
    predicted: list[str | None] = [(first_senses or {}).get(lemma) for lemma in query_lemmas]
    rows = rows_by_label(lemmas)
    for lemma, query_rows in rows_by_label(query_lemmas).items():
        if lemma in rows:
            means, names = sense_means(vectors[rows[lemma]], [senses[k] for k in rows[lemma]])
            for row, best in zip(query_rows, nearest(queries[query_rows], means), strict=True):
                predicted[row] = names[best]
    return predicted


def nearest(queries: Numbers, vectors: Numbers) -> list[int]:
    """Return the row of ``vectors [m, D]`` with the highest cosine to each of ``[n, D]``."""
    rows: list[int] = pairwise_distances_argmin(queries, vectors, metric="cosine").tolist()
    return rows


def most_frequent(senses: Sequence[Sequence[str]]) -> str:
    """Return the most frequent sense; the first one wins a tie."""
    return Counter(sense for row in senses for sense in row).most_common(1)[0][0]


def all_words(reader: Reader, data: Path) -> list[ResultRow]:
    """The unified test sets (Raganato et al., 2017), by SemCor's nearest sense mean."""
    queries = read_unified(data / ALL_WORDS[1], data / ALL_WORDS[2])
    query_lemmas = [use.lemma for use in queries]
    # Encoding SemCor takes most of the time: words that are not in the tests are left out.
    wanted = set(query_lemmas)
    train = [use for use in read_semcor(data / ALL_WORDS[0]) if use.lemma in wanted]
    lemmas, senses = [use.lemma for use in train], [use.senses for use in train]
    first = read_first_senses(data / FIRST_SENSES) if (data / FIRST_SENSES).is_file() else {}
    vectors = reader.words([use.use for use in train], "SemCor")
    query_vectors = reader.words([use.use for use in queries], "unified sets")
    rows_of = rows_by_label(lemmas)
    commonest = {lemma: most_frequent([senses[k] for k in rows]) for lemma, rows in rows_of.items()}
    # The baseline is a view without a name, so that it is scored as the others are.
    predicted: dict[str, list[str | None]] = {
        "": [(commonest | first).get(lemma) for lemma in query_lemmas]
    }
    for view in reader.views:
        values, query_values = vectors.view(view), query_vectors.view(view)
        predicted[view] = predict_all_words(
            values, lemmas, senses, query_values, query_lemmas, first
        )
    unseen = sum(lemma not in rows_of for lemma in query_lemmas)
    answer = (
        f"get WordNet's first sense, from {FIRST_SENSES}"
        if first
        else f"have no answer ({FIRST_SENSES} is not here)"
    )
    note = (
        "WSD: nearest mean of the senses of the word in SemCor, any gold sense is right."
        f" {unseen:,} of {len(queries):,} uses are of words that SemCor lacks; they {answer}."
    )
    rows, how = [], "first sense" if first else "commonest sense in SemCor"
    for group in (*dict.fromkeys(use.group for use in queries), "ALL"):
        selected = [k for k, use in enumerate(queries) if group in (use.group, "ALL")]
        gold = [queries[k].senses for k in selected]
        scores = {
            view: all_words_f1([answers[k] for k in selected], gold)
            for view, answers in predicted.items()
        }
        row = ResultRow(
            "wsd", f"WSD {group}, F1", scores, without=scores.pop(""), without_name=how, note=note
        )
        rows.append(replace(row, is_main=group == "ALL"))
    return rows


def coarse_wsd(reader: Reader, data: Path) -> list[ResultRow]:
    """CoarseWSD-20 (Loureiro et al., 2021), by the nearest sense mean and single use."""
    train, test = (read_coarse_wsd(data / file) for file in COARSE_WSD)
    vectors = reader.words([use.use for use in train], "CoarseWSD-20, training uses")
    query_vectors = reader.words([use.use for use in test], "CoarseWSD-20, test uses")
    rows, query_rows = (rows_by_label([use.lemma for use in split]) for split in (train, test))
    words = sorted(query_rows)
    senses = {word: [train[k].senses for k in rows[word]] for word in words}
    gold = {word: [test[k].senses[0] for k in query_rows[word]] for word in words}
    accuracy = {}
    f1 = {}
    single = {}
    for view in reader.views:
        values, query_values = vectors.view(view), query_vectors.view(view)
        scores = []
        for word in words:
            uses, queries = values[rows[word]], query_values[query_rows[word]]  # [n, D], [m, D]
            means, names = sense_means(uses, senses[word])
            by_mean = sense_scores([names[k] for k in nearest(queries, means)], gold[word])
            by_use = sense_scores([senses[word][k][0] for k in nearest(queries, uses)], gold[word])
            scores.append((*by_mean, by_use[0]))
        # A mean over words, as published: one with many uses weighs no more than the others.
        accuracy[view], f1[view], single[view] = np.mean(scores, axis=0).tolist()
    commonest = [
        sense_scores([most_frequent(senses[word])] * len(gold[word]), gold[word]) for word in words
    ]
    baseline, baseline_f1 = np.mean(commonest, axis=0).tolist()
    note = (
        "CoarseWSD-20: test uses, by what is nearest among the training uses; mean over the 20"
        " words."
    )
    lines = (
        ("nearest mean of a sense, accuracy", accuracy, baseline),
        ("nearest mean of a sense, macro F1", f1, baseline_f1),
        ("nearest single use, accuracy", single, baseline),
    )
    how = "commonest sense"
    return [
        ResultRow(
            task="coarsewsd",
            title=f"CoarseWSD-20, {title}",
            scores=by_view,
            unit="percent",
            without=without,
            without_name=how,
            high_is_good=True,
            note=note,
            is_main=by_view is accuracy,
        )
        for title, by_view, without in lines
    ]


def senseval(reader: Reader, data: Path) -> list[ResultRow]:
    """Cluster uses of four words (Leacock et al., 1993) into sense groups."""
    scores = {}
    for word, file in zip(SENSEVAL_WORDS, SENSEVAL, strict=True):
        uses = read_senseval(data / file)
        vectors = reader.words([use.use for use in uses], f"senseval, {word}")
        senses = [use.senses[0] for use in uses]
        scores[word] = {
            view: groups_match_senses(vectors.view(view), senses) for view in reader.views
        }
    mean = {
        view: float(np.mean([scores[word][view] for word in SENSEVAL_WORDS]))
        for view in reader.views
    }
    note = (
        "Groups: k-means, as many groups as senses; 1 where groups and senses are the same, 0 where"
        " they have nothing in common."
    )
    return [
        ResultRow(
            task="senseval",
            title=f"Groups of senseval uses, {word}, adjusted Rand index",
            scores=row,
            unit="index",
            without=0.0,
            without_name="chance",
            note=note,
        )
        for word, row in {"mean of the four words": mean, **scores}.items()
    ]


def groups_match_senses(vectors: Numbers, senses: Sequence[str]) -> float:
    """Adjusted Rand index (Hubert and Arabie, 1985) of senses and k-means groups ``[n, D]``.

    1 is a perfect match; 0 is chance, or too few distinct uses.
    """
    points = directions(vectors).astype(np.float32)
    n_groups = len(set(senses))
    if len(np.unique(points.round(5), axis=0)) < n_groups:
        return 0.0
    return float(adjusted_rand_score(list(senses), k_means(points, n_groups, 5)))
