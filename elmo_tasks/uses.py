"""Uses of words -> their vectors: the one place where that is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from elmo_tasks.encoders.batches import encoded_batches
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.text.use import Use

__all__ = ["Use", "UseVectors", "read_uses", "told_as_share", "use_batches", "use_vectors"]


@dataclass(frozen=True)
class UseVectors:
    """What an encoder makes of ``n`` uses, in float32 on the CPU."""

    layers: Tensor  #: ``[L, n, D]``; a word of several tokens is the mean of them
    #: ``[L - 1, n, D / 2]`` what a language model knows of the place before it has read the word: the states of the reading up to
    #: it, one step earlier, the top layer last. None for any other encoder.
    before: Tensor | None = None
    after: Tensor | None = None  #: ``[L - 1, n, D / 2]`` the same of the reading back to it, one step later


def use_vectors(encoder: Encoder, uses: Sequence[Use]) -> Tensor:
    """``[L, n, D]`` vectors of ``n`` uses, in their order, in float32 on the CPU; see :func:`read_uses`."""
    return read_uses(encoder, uses).layers


def read_uses(encoder: Encoder, uses: Sequence[Use]) -> UseVectors:
    """Read each sentence once, those of like length together; of a sentence no more is kept than its words in question."""
    n, width, two_ways = len(uses), encoder.width, encoder.language_model is not None
    layers = torch.zeros(encoder.n_layers, n, width)
    before, after = (torch.zeros(encoder.n_layers - 1, n, width // 2) if two_ways else None for _ in range(2))
    for numbers, found in use_batches(encoder, uses):
        layers[:, numbers] = found.layers
        for known, new in ((before, found.before), (after, found.after)):
            if known is not None and new is not None:
                known[:, numbers] = new
    return UseVectors(layers, before, after)


def use_batches(encoder: Encoder, uses: Sequence[Use]) -> Iterator[tuple[list[int], UseVectors]]:
    """As :func:`read_uses`, batch by batch, for more uses than should be in memory in float32: which were read, their vectors."""
    at: dict[tuple[str, ...], list[int]] = {}
    for k, use in enumerate(uses):
        at.setdefault(use.tokens, []).append(k)
    for batch in encoded_batches(encoder, list(at)):
        numbers = [k for sentence in batch.sentences for k in at[sentence]]
        rows = torch.tensor([b for b, sentence in enumerate(batch.sentences) for _ in at[sentence]])
        starts = torch.tensor([uses[k].token_start for k in numbers]) + batch.first
        ends = torch.tensor([uses[k].token_end for k in numbers]) + batch.first
        layers = batch.values[:, rows, starts].float().cpu()  # [L, uses, D]
        for j in (ends - starts > 1).nonzero().flatten().tolist():
            layers[:, j] = batch.values[:, rows[j], starts[j] : ends[j]].float().mean(dim=1).cpu()
        if encoder.language_model is None:
            yield numbers, UseVectors(layers)
        else:
            lstms, half = batch.values[1:], encoder.width // 2  # [L - 1, B, T, D]
            before, after = lstms[:, rows, starts - 1, :half], lstms[:, rows, ends, half:]
            yield numbers, UseVectors(layers, before.float().cpu(), after.float().cpu())


def told_as_share(progress: Callable[[float], None] | None, total: int) -> Callable[[int], None]:
    """A ``step``, which is told how many more are done, that tells the share of ``total`` that is done."""
    n_done = 0

    def step(n: int) -> None:
        nonlocal n_done
        n_done += n
        if progress is not None:
            progress(min(1.0, n_done / max(1, total)))

    return step
