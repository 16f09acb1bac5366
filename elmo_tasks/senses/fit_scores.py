"""Fit the weights of the evidence for the meanings of a use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import DataError
from elmo_tasks.senses.disambiguation import word_of_key
from elmo_tasks.senses.entries import NOUN_AND_VERB, PARTS_OF_SPEECH, Entry, is_development
from elmo_tasks.senses.features import Vectors
from elmo_tasks.senses.fit_views import UseRows, contrasted_means
from elmo_tasks.senses.scoring import Evidence, near_meanings, nearest_others, part_scores
from elmo_tasks.senses.word_matches import context_words, gloss_words, joined_words, match
from elmo_tasks.text.uses import Use
from elmo_tasks.text.word_forms import folded

#: Share of development sentences that may count as an unlisted meaning; of new sentences it is
#: about one in twenty.
MAX_FALSE_ALARMS = 0.033
_PART_C = 1.0  # inverse strength of the regularization for parts of speech
# A part of speech that a use alone determines.
_SINGLE_PARTS = frozenset(PARTS_OF_SPEECH) - {NOUN_AND_VERB, "expression"}
#: Weights of cosine, word matches and part of speech in the score of a meaning.
ScoreWeights = tuple[float, float, float]


def development_evidence(
    entries: Sequence[Entry],
    uses: Sequence[Use],
    embedded: Tensor,
    words: Sequence[UseRows],
    static: StaticVectors,
    centroids: Mapping[str, Vectors],
    parts: tuple[Vectors, tuple[str, ...]],
) -> list[tuple[Evidence, NDArray[np.int64]]]:
    """Return the evidence and the meanings of development sentences, for each word.

    The centroids of the meanings are computed from the other sentences.
    """
    by_word = {entry.word: entry for entry in entries}
    all_centroids = np.stack(list(centroids.values()))
    rows_of: dict[str, list[int]] = {}
    for row, key in enumerate(centroids):
        rows_of.setdefault(word_of_key(key), []).append(row)
    found = []
    for word in words:
        rows, senses = word.part(development=False)
        queries, gold = word.part(development=True)
        if not len(queries):
            continue
        around = [context_words(static, uses[row]) for row in rows.tolist()]
        glosses = [gloss_words(static, word.word, sense) for sense in by_word[word.word].all_senses]
        meanings = [
            joined_words(
                [*(around[k] for k in (senses == s).nonzero().flatten().tolist()), glosses[s]]
            )
            for s in range(word.n_senses)
        ]
        query_vectors = embedded[queries]
        own = rows_of[folded(word.word)]
        evidence = Evidence(
            cosines=(query_vectors @ contrasted_means(embedded[rows], senses, word.n_senses).T)
            .double()
            .numpy(),
            matches=match([context_words(static, uses[row]) for row in queries.tolist()], meanings),
            others=nearest_others(
                near_meanings(query_vectors.numpy(), all_centroids, len(own)), own
            ),
            parts=part_scores(
                query_vectors.numpy(),
                *parts,
                [s.part_of_speech for s in by_word[word.word].all_senses],
            ),
        )
        found.append((evidence, gold.numpy()))
    return found


def fit_parts(
    entries: Sequence[Entry], owners: Sequence[tuple[int, int, int]], embedded: Vectors
) -> tuple[tuple[str, ...], Vectors]:
    """Fit the scores of parts of speech, ``[H + 1, P]``.

    They are fitted on the training examples of words that are not held out.
    """
    from sklearn.linear_model import LogisticRegression

    chosen = [
        row
        for row, (e, s, k) in enumerate(owners)
        if not entries[e].is_held_out
        and not is_development(k)
        and entries[e].all_senses[s].part_of_speech in _SINGLE_PARTS
    ]
    labels = [entries[owners[row][0]].all_senses[owners[row][1]].part_of_speech for row in chosen]
    if len(set(labels)) < 2:
        return (), np.zeros((embedded.shape[1] + 1, 0), np.float32)
    fitted = LogisticRegression(C=_PART_C, max_iter=200).fit(embedded[chosen], labels)
    coefficients = np.vstack([fitted.coef_.T, fitted.intercept_])
    if (
        coefficients.shape[1] == 1
    ):  # for two classes, scikit-learn keeps only the scores of the second
        coefficients = np.hstack([np.zeros_like(coefficients), coefficients])
    return tuple(map(str, fitted.classes_)), np.asarray(coefficients, np.float32)


def fit_scores(evidence: Sequence[tuple[Evidence, NDArray[np.int64]]]) -> ScoreWeights:
    """Fit the weights of cosine, word matches and part of speech.

    They maximize the likelihood of development sentences.
    """
    most = max(e.cosines.shape[1] for e, _ in evidence)

    def padded(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.pad(values, ((0, 0), (0, most - values.shape[1])), constant_values=np.nan)

    inputs = zip(*((e.cosines, e.matches.total, e.parts) for e, _ in evidence), strict=True)
    values = torch.from_numpy(
        np.stack([np.concatenate([padded(v) for v in one]) for one in inputs], axis=-1)
    )
    labels = torch.from_numpy(np.concatenate([right for _, right in evidence]))
    missing = values[..., 0].isnan()
    values = values.nan_to_num()
    scale = torch.stack(
        [values[..., k][~missing].std().clamp(min=1e-6) for k in range(values.shape[-1])]
    )
    raw = torch.ones(len(scale), dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([raw], max_iter=100)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(
            ((values / scale) @ F.softplus(raw)).masked_fill(missing, -1e9), labels
        )
        loss.backward()
        return loss

    optimizer.step(closure)
    slope, match_weight, part = (
        round(weight, 4) for weight in (F.softplus(raw.detach()) / scale).tolist()
    )
    return slope, match_weight, part


def fit_unknown(
    evidence: Sequence[tuple[Evidence, NDArray[np.int64]]], weights: ScoreWeights
) -> tuple[float, ...]:
    """Fit the log-odds of an unlisted meaning so that few known uses count as one.

    A use is known among all meanings of its word, and unknown with its own meaning left out. Known
    uses also count with one of the wrong meanings left out: the number of meanings must not decide.
    """
    from sklearn.linear_model import LogisticRegression

    known_scores: list[NDArray[np.float64]] = []
    known: list[NDArray[np.float64]] = []
    fewer: list[NDArray[np.float64]] = []
    unknown: list[NDArray[np.float64]] = []
    for of_word, right in evidence:
        scores = of_word.scores(*weights)
        known.append(of_word.unknown_features(scores))
        known_scores += [row - row.max() for row in scores]
        n = scores.shape[1]
        for use, meaning in enumerate(right.tolist()) if n > 2 else ():
            for rows, left_out in ((unknown, meaning), (fewer, (meaning + 1 + use % (n - 1)) % n)):
                rest = of_word.without(use, left_out)
                rows.append(rest.unknown_features(rest.scores(*weights)))
    if not unknown:
        raise DataError(
            "expected a dictionary with words of three meanings or more to fit on, found none"
        )
    listed = np.concatenate(known)
    values = np.concatenate([listed, *fewer, *unknown])
    labels = np.r_[np.zeros(len(listed) + len(fewer)), np.ones(len(unknown))]
    mean, scale = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-6)
    fitted = LogisticRegression(C=100.0, class_weight="balanced", max_iter=1_000).fit(
        (values - mean) / scale, labels
    )
    coefficients = fitted.coef_[0] / scale
    # probability of the likeliest listed meaning
    top = np.array([1 / np.exp(row).sum() for row in known_scores])
    odds = listed @ coefficients
    # An unlisted meaning wins where its odds exceed the probability of the likeliest listed one.
    threshold = float(np.quantile(odds - np.log(top), 1 - MAX_FALSE_ALARMS))
    return (round(-threshold, 4), *(round(float(c), 6) for c in coefficients))


def fit_same(embedded: Tensor, words: Sequence[UseRows]) -> tuple[float, float]:
    """Log-odds that two uses share a sense: a logistic regression on their cosines.

    It is fitted on pairs of a development sentence and another one, at even odds.
    """
    from sklearn.linear_model import LogisticRegression

    cosines, same = [], []
    for word in words:
        rows, senses = word.part(development=False)
        queries, gold = word.part(development=True)
        if len(queries):
            cosines.append((embedded[queries] @ embedded[rows].T).flatten())
            same.append((gold[:, None] == senses[None]).flatten())
    fitted = LogisticRegression(C=100.0, class_weight="balanced").fit(
        torch.cat(cosines).numpy()[:, None], torch.cat(same).numpy()
    )
    return round(float(fitted.intercept_[0]), 4), round(float(fitted.coef_[0][0]), 4)
