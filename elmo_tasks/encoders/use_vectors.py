"""Vectors of the uses of words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from elmo_tasks.encoders.batches import encoded_batches
from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.text.uses import Use

__all__ = ["Use", "UseVectors", "progress_fraction", "read_uses", "use_batches", "use_vectors"]


@dataclass(frozen=True)
class UseVectors:
    """Vectors of ``n`` uses by one encoder, in float32 on the CPU."""

    layers: Tensor  #: ``[L, n, D]``; a word of several tokens is the mean of them
    #: ``[L - 1, n, D / 2]`` states of a language model one step before the word, which have not
    #: read it; the top layer last. None for any other encoder.
    before: Tensor | None = None
    #: ``[L - 1, n, D / 2]`` states of the backward direction one step after the word
    after: Tensor | None = None
    #: for each use ``[L + 1, T]``: the length of the vector of every token of its sentence, the
    #: mean of the layers last; empty unless requested
    token_norms: tuple[Tensor, ...] = ()


def use_vectors(encoder: Encoder, uses: Sequence[Use]) -> Tensor:
    """Return ``[L, n, D]`` vectors of ``n`` uses, in order; see :func:`read_uses`."""
    return read_uses(encoder, uses).layers


def read_uses(encoder: Encoder, uses: Sequence[Use], *, with_norms: bool = False) -> UseVectors:
    """Encode each sentence once, by length; keep the words of the uses, and lengths if asked."""
    n = len(uses)
    width = encoder.width
    two_ways = encoder.language_model is not None
    layers = torch.zeros(encoder.n_layers, n, width)
    before, after = (
        torch.zeros(encoder.n_layers - 1, n, width // 2) if two_ways else None for _ in range(2)
    )
    norms: dict[int, Tensor] = {}
    for numbers, batch in use_batches(encoder, uses, with_norms=with_norms):
        layers[:, numbers] = batch.layers
        norms |= zip(numbers, batch.token_norms, strict=False)
        for whole, part in ((before, batch.before), (after, batch.after)):
            if whole is not None and part is not None:
                whole[:, numbers] = part
    return UseVectors(
        layers=layers,
        before=before,
        after=after,
        token_norms=tuple(norms[k] for k in sorted(norms)),
    )


def use_batches(
    encoder: Encoder, uses: Sequence[Use], *, with_norms: bool = False
) -> Iterator[tuple[list[int], UseVectors]]:
    """Yield positions and vectors of uses batch by batch, where all may exceed the memory."""
    for batch in encoded_batches(encoder, [use.tokens for use in uses]):
        numbers, rows = batch.numbers, torch.tensor(batch.rows)
        starts = torch.tensor([uses[k].token_start for k in numbers]) + batch.first
        ends = torch.tensor([uses[k].token_end for k in numbers]) + batch.first
        layers = batch.values[:, rows, starts].float().cpu()  # [L, uses, D]
        for j in (ends - starts > 1).nonzero().flatten().tolist():
            layers[:, j] = batch.values[:, rows[j], starts[j] : ends[j]].float().mean(dim=1).cpu()
        norms: tuple[Tensor, ...] = ()
        if with_norms:
            lengths = torch.stack(
                [
                    layer.float().norm(dim=-1)
                    for layer in (*batch.values, batch.values.float().mean(0))
                ]
            )
            norms = tuple(
                lengths[:, row, batch.first : batch.first + len(uses[k].tokens)].cpu()
                for k, row in zip(numbers, batch.rows, strict=True)
            )
        if encoder.language_model is None:
            yield numbers, UseVectors(layers, token_norms=norms)
        else:
            lstms, half = batch.values[1:], encoder.width // 2  # [L - 1, B, T, D]
            before, after = lstms[:, rows, starts - 1, :half], lstms[:, rows, ends, half:]
            yield (
                numbers,
                UseVectors(
                    layers=layers,
                    before=before.float().cpu(),
                    after=after.float().cpu(),
                    token_norms=norms,
                ),
            )


def progress_fraction(
    progress: Callable[[float], object] | None, total: int
) -> Callable[[int], None]:
    """Wrap a fraction callback so that it can be called with item counts."""
    n_done = 0

    def step(n: int) -> None:
        nonlocal n_done
        n_done += n
        if progress is not None:
            progress(min(1.0, n_done / max(1, total)))

    return step
