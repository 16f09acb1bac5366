"""Fit how a use is embedded: the layers, the weights of the views, and the projection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.use_vectors import use_vectors
from elmo_tasks.senses.features import Vectors, join
from elmo_tasks.text.uses import Use

_MIN_WEIGHT = 0.05  # minimum weight of a view that is kept
_WIDTH = 384  # number of dimensions of the projection
_EPOCHS = 10
_WORDS_A_STEP = 16
_RATE = 1e-3
_DECAY = 0.1
_DROPOUT = 0.4
_SMOOTHING = 0.1
#: Of the centroids of a word: strength of the penalty on moving them, factor of the cosines, and
#: steps of L-BFGS.
_MOVE_PENALTY = 10.0
_MOVE_SLOPE = 15.0
_MOVE_STEPS = 10
_N_CHOICE_WORDS = 60  # words on which the layers of an encoder are compared


@dataclass(frozen=True)
class UseRows:
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


def choose_layers(encoder: Encoder, uses: Sequence[Use], words: Sequence[UseRows]) -> list[int]:
    """Select the layers to read.

    These are the layers above the context-free one, if there are two; else the two that alone
    separate meanings best on a sample.
    """
    if encoder.n_layers <= 3:
        return list(range(min(1, encoder.n_layers - 1), encoder.n_layers))
    sample = words[:: max(1, len(words) // _N_CHOICE_WORDS)]
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


def fit_weights(
    views: Mapping[str, Vectors], centres: Mapping[str, Vectors], words: Sequence[UseRows]
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
    """Return ``[n, S]`` cosines of uses ``[n, H]`` to the :func:`_left_out_means`."""
    return torch.einsum("nh,nsh->ns", embedded, _left_out_means(embedded, senses, n_senses))


def _left_out_means(embedded: Tensor, senses: Tensor, n_senses: int) -> Tensor:
    """Return ``[n, S, H]`` means of the meanings for each use, of length 1.

    A use does not contribute to the mean of its own meaning.
    """
    sums = embedded.new_zeros(n_senses, embedded.shape[1]).index_add(0, senses, embedded)
    own = F.one_hot(senses, n_senses).to(embedded).unsqueeze(-1) * embedded.unsqueeze(1)
    return F.normalize(sums - own, dim=-1)


def fit_projection(joined: Tensor, words: Sequence[UseRows]) -> Tensor:
    """Fit ``[sum of D, H]`` so that cosines to the meanings separate them.

    Each use is left out of the centroid of its own meaning.
    """
    generator = torch.Generator().manual_seed(0)
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


def _development_cosines(embedded: Tensor, words: Sequence[UseRows]) -> list[tuple[Tensor, Tensor]]:
    """Return the cosines of development sentences, and their meanings, for each word.

    The cosines ``[n, S]`` are to the meanings, whose centroids consist of the other sentences.
    """
    found = []
    for word in words:
        rows, senses = word.part(development=False)
        queries, gold = word.part(development=True)
        found.append(
            (embedded[queries] @ sense_means(embedded[rows], senses, word.n_senses).T, gold)
        )
    return [(cosines, right) for cosines, right in found if len(right)]


def sense_means(embedded: Tensor, senses: Tensor, n_senses: int) -> Tensor:
    """Return ``[S, H]`` means of the uses ``[n, H]`` of each meaning, of length 1."""
    sums = embedded.new_zeros(n_senses, embedded.shape[1]).index_add(0, senses, embedded)
    return F.normalize(sums, dim=-1)


def contrasted_means(embedded: Tensor, senses: Tensor, n_senses: int) -> Tensor:
    """Return ``[S, H]`` centroids of a word's meanings, of length 1, moved apart.

    Means are moved to where their cosines separate the uses ``[n, H]`` of the word best: logistic
    regression on the cosines, with a penalty on moving. Each use is left out of the mean of its own
    meaning; else the means would seem to separate the uses already.
    """
    means = sense_means(embedded, senses, n_senses)
    if n_senses < 2:
        return means
    left_out = _left_out_means(embedded, senses, n_senses)
    moves = torch.zeros_like(means, requires_grad=True)
    optimizer = torch.optim.LBFGS([moves], max_iter=_MOVE_STEPS)

    def closure() -> Tensor:
        optimizer.zero_grad()
        cosines = torch.einsum("nh,nsh->ns", embedded, F.normalize(left_out + moves, dim=-1))
        loss = F.cross_entropy(_MOVE_SLOPE * cosines, senses, reduction="sum")
        loss = loss + _MOVE_PENALTY * moves.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return F.normalize(means + moves.detach(), dim=-1)


def accuracy(embedded: Tensor, words: Sequence[UseRows]) -> float:
    """Return the share of development sentences that are nearest to their own meaning."""
    right = [
        (cosines.argmax(dim=1) == senses).float()
        for cosines, senses in _development_cosines(embedded, words)
    ]
    return float(torch.cat(right).mean())
