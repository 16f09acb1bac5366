"""Linear probes of a layer: classes of words, and spans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from elmo_tasks.heads.crf import CRF
from elmo_tasks.text.tag_schemes import Scheme

CLASS_STEPS, _TOKENS = 1500, 512
SPAN_STEPS, _SENTENCES = 1000, 32
_HIGHEST_RATE = 0.01

Rows = NDArray[np.floating]
Tags = Sequence[Sequence[str]]
Step = Callable[[int], object]


class _Standardized:
    """Vectors standardized by the training vectors, so that one rate suits all."""

    def __init__(self, train: Rows) -> None:
        sample = train[:: max(1, len(train) // 20_000)].astype(np.float32)
        self.mean, self.deviation = sample.mean(axis=0), sample.std(axis=0) + 1e-6

    def __call__(self, rows: Rows) -> Tensor:
        return torch.from_numpy((rows.astype(np.float32) - self.mean) / self.deviation)


def class_accuracy(
    train: Rows, train_labels: Sequence[str], held_out: Rows, held_out_labels: Sequence[str], step: Step | None = None
) -> float:
    """Accuracy of softmax regression on single tokens ``[m, D]``.

    Trained on ``[n, D]`` with a fixed number of steps and a fixed seed; ``step`` is called for each. Labels that do not
    occur in training count as wrong.
    """
    ids = {label: k for k, label in enumerate(sorted(set(train_labels)))}
    target = torch.tensor([ids[label] for label in train_labels])
    prepared, generator = _Standardized(train), torch.Generator().manual_seed(0)
    linear = _zero_linear(train.shape[1], len(ids))

    def loss() -> Tensor:
        chosen = torch.randint(len(train), (_TOKENS,), generator=generator)
        return nn.functional.cross_entropy(linear(prepared(train[chosen.numpy()])), target[chosen])

    _descend([*linear.parameters()], loss, CLASS_STEPS, step)
    with torch.no_grad():
        predicted = linear(prepared(held_out)).argmax(dim=1)
    gold = torch.tensor([ids.get(label, -1) for label in held_out_labels])
    return float((predicted == gold).double().mean())


def span_tags(
    train: Rows, train_tags: Tags, held_out: Rows, lengths: Sequence[int], scheme: Scheme, step: Step | None = None
) -> list[tuple[str, ...]]:
    """Predict held-out tags by a linear layer and a CRF.

    Trained for a fixed number of steps (``step`` is called for each) with a fixed seed, on batches of similar length. ``[n, D]``
    and ``[m, D]`` are the vectors of all tokens, sentence by sentence, and ``lengths`` the tokens of each held-out sentence.
    """
    labels = tuple(sorted({tag for row in train_tags for tag in row}))
    ids = {label: k for k, label in enumerate(labels)}
    prepared, random = _Standardized(train), np.random.default_rng(0)
    linear = _zero_linear(train.shape[1], len(labels))
    torch.manual_seed(0)
    crf = CRF(labels, scheme)
    places = _places([len(row) for row in train_tags])
    # Sentences of like length share a batch, so that little is padding; all batches are full, for which a few of the shortest go.
    order = np.argsort([len(row) for row in train_tags], kind="stable")
    order = order[len(order) % _SENTENCES :] if len(order) > _SENTENCES else order
    batches = [order[k : k + _SENTENCES] for k in range(0, len(order), _SENTENCES)]

    def loss() -> Tensor:
        chosen = batches[random.integers(len(batches))]
        emissions, mask = _padded(linear, prepared, train, [places[k] for k in chosen])
        tags = torch.zeros(mask.shape, dtype=torch.long)
        tags[mask] = torch.tensor([ids[tag] for k in chosen for tag in train_tags[k]])
        return -crf(emissions, tags, mask, reduction="token_mean")

    _descend([*linear.parameters(), *crf.parameters()], loss, SPAN_STEPS, step)
    predicted: list[tuple[str, ...]] = [()] * len(lengths)
    where = _places(lengths)
    by_length = np.argsort(lengths, kind="stable")
    with torch.no_grad():
        for start in range(0, len(by_length), 4 * _SENTENCES):
            chosen = by_length[start : start + 4 * _SENTENCES]
            found = crf.decode(*_padded(linear, prepared, held_out, [where[k] for k in chosen]))
            for k, row in zip(chosen, found, strict=True):
                predicted[k] = tuple(labels[tag] for tag in row)
    return predicted


def _zero_linear(width: int, n_labels: int) -> nn.Linear:
    linear = nn.Linear(width, n_labels)
    nn.init.zeros_(linear.weight)  # a convex loss needs no random start
    nn.init.zeros_(linear.bias)
    return linear


def _descend(parameters: Sequence[Tensor], loss: Callable[[], Tensor], steps: int, step: Step | None) -> None:
    optimizer = torch.optim.Adam(parameters, _HIGHEST_RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(steps):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
        schedule.step()
        if step is not None:
            step(1)


def _places(lengths: Sequence[int]) -> list[tuple[int, int]]:
    return list(pairwise(np.concatenate([[0], np.cumsum(lengths)]).astype(int).tolist()))


def _padded(
    linear: nn.Linear, prepared: _Standardized, rows: Rows, places: Sequence[tuple[int, int]]
) -> tuple[Tensor, Tensor]:
    """Padded emissions ``[B, T, K]`` and mask ``[B, T]`` of some sentences."""
    lengths = torch.tensor([end - start for start, end in places])
    mask = torch.arange(int(lengths.max())) < lengths.unsqueeze(1)
    emissions = torch.zeros(*mask.shape, linear.out_features)
    emissions[mask] = linear(prepared(np.concatenate([rows[start:end] for start, end in places])))
    return emissions, mask
