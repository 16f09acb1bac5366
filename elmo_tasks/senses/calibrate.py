"""Fit the calibration of an encoder's sense model on the words of the dictionary.

Held-out words and test sentences are never read here. One example in five of each meaning is a
*development* sentence: it fits the weights of the score and the detection of unlisted meanings, and
is part of no centroid meanwhile. The steps are:

1. the weight of each view: softmax regression on the cosines of a use to the meanings of its word,
   each use left out of its own;
2. a projection of all views with which the same cosines separate meanings better (prototypes: Snell
   et al., 2017), kept only if
   it does so on development sentences;
3. the scores of parts of speech, by a logistic regression on the embedded examples;
4. the weights of cosine, word matches and part of speech in the score of a meaning, the log-odds of
   an unlisted meaning (each
   meaning left out in turn), and those of a shared meaning of two uses of an unlisted word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.encoders.use_vectors import use_vectors
from elmo_tasks.errors import DataError
from elmo_tasks.senses.disambiguation import (
    Evidence,
    SenseCalibration,
    models_checksum,
    nearest_others,
    part_scores,
    sense_key,
    word_of_key,
)
from elmo_tasks.senses.expected_words import ExpectedWords
from elmo_tasks.senses.features import Vectors, extract, join, unit
from elmo_tasks.senses.lexicon import PARTS_OF_SPEECH, Entry, Lexicon, is_development
from elmo_tasks.senses.word_matches import context_words, gloss_words, joined_words, match
from elmo_tasks.text.mentions import find_mention
from elmo_tasks.text.uses import Use
from elmo_tasks.text.word_forms import folded

#: Share of development sentences that may count as an unlisted meaning; of new sentences it is
#: about one in twenty.
MAX_FALSE_ALARMS = 0.033
_MIN_WORDS = 40
_MIN_WEIGHT = 0.05  # of a view that is read
_WIDTH = 384  # of the projection
_EPOCHS = 10
_WORDS_A_STEP = 16
_RATE = 1e-3
_DECAY = 0.1
_DROPOUT = 0.4
_SMOOTHING = 0.1
_PART_C = 1.0  # of the parts of speech: inverse strength of their regularization
_TRIED = 60  # words on which the layers of an encoder are compared


#: Weights of cosine, word matches and part of speech in the score of a meaning.
ScoreWeights = tuple[float, float, float]


@dataclass(frozen=True)
class LabelledUses:
    """The labelled uses of one word: rows of a matrix of uses, and the meaning of each."""

    word: str
    rows: Tensor  #: ``[n]``
    senses: Tensor  #: ``[n]`` from 0
    n_senses: int
    is_development: Tensor  #: ``[n]`` bool

    def part(self, development: bool) -> tuple[Tensor, Tensor]:
        """Return rows and meanings of the development sentences, or of the others."""
        chosen = self.is_development == development
        return self.rows[chosen], self.senses[chosen]


def calibrate(
    encoder: Encoder,
    static: StaticVectors,
    expected: ExpectedWords | None,
    lexicon: Lexicon,
    max_uses: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> tuple[SenseCalibration, dict[str, Vectors]]:
    """Fit the calibration of an encoder, and compute the centroids of all meanings.

    Args:
        encoder: the model.
        static: vectors of the words around a use.
        expected: what the model expects in a place, if it has an output layer.
        lexicon: the dictionary.
        max_uses: read only some of its words, about so many sentences; all by default.
        progress: called with the share of the sentences that is read, from 0 to 1.

    Raises:
        DataError: the dictionary has too few words with several meanings, or none with three.
    """
    entries = _some([*lexicon.ambiguous, *lexicon.expressions], max_uses)
    uses, owners = _uses_of(entries)
    words = _words(entries, owners)
    if len(words) < _MIN_WORDS:
        raise DataError(
            f"expected a dictionary with at least {_MIN_WORDS} words of several meanings to fit on,"
            f" found {len(words)}; read more of it"
        )
    layers = _layers(encoder, uses, words)
    done = 0

    def on_done(n: int) -> None:
        nonlocal done
        done += n
        if progress is not None:
            progress(done / len(uses))

    views = extract(encoder, static, expected, uses, layers, on_done)
    centres = {name: np.asarray(part.mean(axis=0)) for name, part in views.items()}
    weights = _fit_weights(views, centres, words)
    joined = torch.from_numpy(join(views, centres, weights))
    projection = _fit_projection(joined, words)
    before, after = (
        _accuracy(F.normalize(x, dim=-1), words) for x in (joined, joined @ projection)
    )
    kept = projection if after > before else None
    embedded = F.normalize(joined if kept is None else joined @ kept, dim=-1)
    centroids = _centroids(entries, owners, embedded.numpy())
    parts, part_matrix = _fit_parts(entries, owners, embedded.numpy())
    evidence = _development_evidence(
        entries, uses, embedded, words, static, centroids, (part_matrix, parts)
    )
    weights_of_scores = _fit_scores(evidence)
    calibration = SenseCalibration(
        checksum=models_checksum(encoder, static, expected),
        layers=tuple(layers),
        weights=weights,
        centres=centres,
        projection=None if kept is None else kept.numpy(),
        slope=weights_of_scores[0],
        match=weights_of_scores[1],
        part=weights_of_scores[2],
        parts=parts,
        part_matrix=part_matrix,
        unknown=_fit_unknown(evidence, weights_of_scores),
        same=_fit_same(embedded, words),
    )
    return calibration, centroids


def _some(entries: Sequence[Entry], max_uses: int | None) -> list[Entry]:
    """Return all entries, or entries at even distances with about ``max_uses`` sentences."""
    total = sum(len(sense.sentences) for entry in entries for sense in entry.senses)
    if max_uses is None or total <= max_uses:
        return list(entries)
    step = total / max(1, max_uses)
    return [entries[int(k * step)] for k in range(int(len(entries) / step))]


def _uses_of(entries: Sequence[Entry]) -> tuple[list[Use], list[tuple[int, int, int]]]:
    """Return the examples of entries as uses, with entry, meaning and number of each."""
    uses: list[Use] = []
    owners: list[tuple[int, int, int]] = []
    for e, entry in enumerate(entries):
        for s, sense in enumerate(entry.senses):
            for k, sentence in enumerate(sense.examples):
                uses.append(find_mention(entry.word, sentence))
                owners.append((e, s, k))
    return uses, owners


def _layers(encoder: Encoder, uses: Sequence[Use], words: Sequence[LabelledUses]) -> list[int]:
    """Select the layers to read.

    These are the layers above the context-free one, if there are two; else the two that alone
    separate meanings best on a sample.
    """
    if encoder.n_layers <= 3:
        return list(range(min(1, encoder.n_layers - 1), encoder.n_layers))
    sample = words[:: max(1, len(words) // _TRIED)]
    rows = torch.cat([word.rows for word in sample])
    vectors = use_vectors(encoder, [uses[row] for row in rows.tolist()])  # [L, n, D]
    centred = F.normalize(vectors - vectors.mean(dim=1, keepdim=True), dim=-1)
    scores = []
    for layer in range(1, encoder.n_layers):
        right, first = 0, 0
        for word in sample:
            part = centred[layer, first : first + len(word.rows)]
            first += len(word.rows)
            right += int(
                (
                    _left_out_cosines(part, word.senses, word.n_senses).argmax(dim=1) == word.senses
                ).sum()
            )
        scores.append(right)
    return sorted(sorted(range(1, encoder.n_layers), key=lambda k: -scores[k - 1])[:2])


def _words(entries: Sequence[Entry], owners: Sequence[tuple[int, int, int]]) -> list[LabelledUses]:
    """Return the words to fit on: not held out, with two meanings or more."""
    rows: dict[int, list[int]] = {}
    for row, (e, _, _) in enumerate(owners):
        rows.setdefault(e, []).append(row)
    found = []
    for e, entry_rows in rows.items():
        entry = entries[e]
        if entry.is_held_out or len(entry.senses) < 2:
            continue
        senses = torch.tensor([owners[row][1] for row in entry_rows])
        development = torch.tensor([is_development(owners[row][2]) for row in entry_rows])
        found.append(
            LabelledUses(
                word=entry.word,
                rows=torch.tensor(entry_rows),
                senses=senses,
                n_senses=len(entry.senses),
                is_development=development,
            )
        )
    return found


def _fit_weights(
    views: Mapping[str, Vectors], centres: Mapping[str, Vectors], words: Sequence[LabelledUses]
) -> dict[str, float]:
    """Fit the non-negative weights of the views."""
    names = list(views)
    one_view = [torch.from_numpy(join({n: views[n]}, centres, {n: 1.0})) for n in names]
    batches = []
    for word in words:
        rows, senses = word.part(development=False)
        scores = torch.stack(
            [_left_out_cosines(view[rows], senses, word.n_senses) for view in one_view], dim=-1
        )
        batches.append((scores, senses))
    most = max(word.n_senses for word in words)
    # [n, S, views]
    scores = torch.cat([F.pad(s, (0, 0, 0, most - s.shape[1])) for s, _ in batches])
    missing = torch.cat([(torch.arange(most) >= s.shape[1]).expand(len(s), -1) for s, _ in batches])
    labels = torch.cat([y for _, y in batches])
    raw = torch.full((len(names),), 1.5, requires_grad=True)
    optimizer = torch.optim.LBFGS([raw], max_iter=100)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy((scores @ F.softplus(raw)).masked_fill(missing, -1e9), labels)
        loss.backward()
        return loss

    optimizer.step(closure)
    fitted = F.softplus(raw).tolist()
    min_weight = min(_MIN_WEIGHT, max(fitted))  # a model that separates nothing still keeps a view
    return {
        name: round(weight, 6)
        for name, weight in zip(names, fitted, strict=True)
        if weight >= min_weight
    }


def _left_out_cosines(embedded: Tensor, senses: Tensor, n_senses: int) -> Tensor:
    """Return ``[n, S]`` cosines of uses ``[n, H]`` to meanings, leaving each use out.

    A use does not contribute to the centroid of its own meaning.
    """
    sums = embedded.new_zeros(n_senses, embedded.shape[1]).index_add(0, senses, embedded)
    # [n, S, H]
    own = F.one_hot(senses, n_senses).to(embedded).unsqueeze(-1) * embedded.unsqueeze(1)
    return torch.einsum("nh,nsh->ns", embedded, F.normalize(sums - own, dim=-1))


def _fit_projection(joined: Tensor, words: Sequence[LabelledUses], seed: int = 0) -> Tensor:
    """Fit ``[sum of D, H]`` so that cosines to the meanings separate them.

    Each use is left out of the centroid of its own meaning.
    """
    generator = torch.Generator().manual_seed(seed)
    width = min(_WIDTH, joined.shape[1])
    start = torch.linalg.qr(torch.randn(joined.shape[1], width, generator=generator))[0]
    projection, slope = nn.Parameter(start), nn.Parameter(torch.tensor(15.0))
    optimizer = torch.optim.AdamW([projection, slope], lr=_RATE, weight_decay=_DECAY)
    parts = [word.part(development=False) for word in words]
    total = _EPOCHS * max(1, len(words) // _WORDS_A_STEP)
    for step in range(total):
        for group in optimizer.param_groups:
            group["lr"] = _RATE * max(0.02, 0.5 * (1 + np.cos(np.pi * step / total)))
        chosen = torch.randperm(len(words), generator=generator)[:_WORDS_A_STEP].tolist()
        loss, n = torch.zeros(()), 0
        for k in chosen:
            rows, senses = parts[k]
            keep = (torch.rand(joined[rows].shape, generator=generator) >= _DROPOUT).float() / (
                1 - _DROPOUT
            )
            embedded = F.normalize((joined[rows] * keep) @ projection, dim=-1)
            cosines = _left_out_cosines(embedded, senses, words[k].n_senses)
            loss = loss + F.cross_entropy(
                slope * cosines, senses, reduction="sum", label_smoothing=_SMOOTHING
            )
            n += len(rows)
        optimizer.zero_grad()
        (loss / n).backward()
        optimizer.step()
    return projection.detach()


def _development_cosines(
    embedded: Tensor, words: Sequence[LabelledUses]
) -> list[tuple[Tensor, Tensor]]:
    """Return the cosines of development sentences, and their meanings, for each word.

    The cosines ``[n, S]`` are to the meanings, whose centroids consist of the other sentences.
    """
    found = []
    for word in words:
        rows, senses = word.part(development=False)
        queries, gold = word.part(development=True)
        found.append(
            (embedded[queries] @ _sense_means(embedded[rows], senses, word.n_senses).T, gold)
        )
    return [(cosines, right) for cosines, right in found if len(right)]


def _sense_means(embedded: Tensor, senses: Tensor, n_senses: int) -> Tensor:
    """Return ``[S, H]`` means of the uses ``[n, H]`` of each meaning, of length 1."""
    sums = embedded.new_zeros(n_senses, embedded.shape[1]).index_add(0, senses, embedded)
    return F.normalize(sums, dim=-1)


def _accuracy(embedded: Tensor, words: Sequence[LabelledUses]) -> float:
    right = [
        (cosines.argmax(dim=1) == senses).float()
        for cosines, senses in _development_cosines(embedded, words)
    ]
    return float(torch.cat(right).mean())


def _development_evidence(
    entries: Sequence[Entry],
    uses: Sequence[Use],
    embedded: Tensor,
    words: Sequence[LabelledUses],
    static: StaticVectors,
    centroids: Mapping[str, Vectors],
    parts: tuple[Vectors, tuple[str, ...]],
) -> list[tuple[Evidence, NDArray[np.int64]]]:
    """Return the evidence and the meanings of development sentences, for each word.

    The meanings consist of the other sentences meanwhile.
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
        glosses = [gloss_words(static, word.word, sense) for sense in by_word[word.word].senses]
        meanings = [
            joined_words(
                [*(around[k] for k in (senses == s).nonzero().flatten().tolist()), glosses[s]]
            )
            for s in range(word.n_senses)
        ]
        asked = embedded[queries]
        evidence = Evidence(
            cosines=(asked @ _sense_means(embedded[rows], senses, word.n_senses).T)
            .double()
            .numpy(),
            matches=match([context_words(static, uses[row]) for row in queries.tolist()], meanings),
            others=nearest_others(asked.numpy(), all_centroids, rows_of[folded(word.word)]),
            parts=part_scores(
                asked.numpy(), *parts, [s.part_of_speech for s in by_word[word.word].senses]
            ),
        )
        found.append((evidence, gold.numpy()))
    return found


def _fit_parts(
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
        and entries[e].senses[s].part_of_speech in PARTS_OF_SPEECH[:-1]
    ]
    labels = [entries[owners[row][0]].senses[owners[row][1]].part_of_speech for row in chosen]
    if len(set(labels)) < 2:
        return (), np.zeros((embedded.shape[1] + 1, 0), np.float32)
    fitted = LogisticRegression(C=_PART_C, max_iter=200).fit(embedded[chosen], labels)
    coefficients = np.vstack([fitted.coef_.T, fitted.intercept_])
    if (
        coefficients.shape[1] == 1
    ):  # of two classes scikit-learn keeps the second one's scores alone
        coefficients = np.hstack([np.zeros_like(coefficients), coefficients])
    return tuple(map(str, fitted.classes_)), np.asarray(coefficients, np.float32)


def _fit_scores(evidence: Sequence[tuple[Evidence, NDArray[np.int64]]]) -> ScoreWeights:
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


def _fit_unknown(
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


def _fit_same(embedded: Tensor, words: Sequence[LabelledUses]) -> tuple[float, float]:
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


def _centroids(
    entries: Sequence[Entry], owners: Sequence[tuple[int, int, int]], embedded: Vectors
) -> dict[str, Vectors]:
    """Return the centroid ``[H]`` of every meaning, by its fingerprint."""
    rows: dict[tuple[int, int], list[int]] = {}
    for row, (e, s, _) in enumerate(owners):
        rows.setdefault((e, s), []).append(row)
    return {
        sense_key(entries[e].word, entries[e].senses[s]): unit(embedded[sense_rows].mean(axis=0))
        for (e, s), sense_rows in rows.items()
    }
