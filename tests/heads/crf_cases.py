"""Small CRFs and batches for the tests of the CRF."""

from __future__ import annotations

import torch
from torch import Tensor

from elmo_tasks.heads.crf import CRF
from elmo_tasks.text.tag_schemes import Scheme, Span, labels_of

BIO = labels_of("XY", "BIO")
BIOES = labels_of("X", "BIOES")
SCHEMED: list[tuple[tuple[str, ...], Scheme]] = [(BIO, "BIO"), (BIOES, "BIOES")]


def a_crf(labels: tuple[str, ...] = BIO, scheme: Scheme | None = None, seed: int = 0) -> CRF:
    """Transitions large enough to matter."""
    crf = CRF(labels, scheme)
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in crf.parameters():
            parameter.normal_(generator=draw)
    return crf


def a_batch(lengths: list[int], n_tags: int, seed: int = 0, scale: float = 2.0) -> tuple[Tensor, Tensor, Tensor]:
    """Emissions ``[B, T, K]``, tags ``[B, T]`` and mask ``[B, T]``, all of it random under the padding as well."""
    draw = torch.Generator().manual_seed(seed)
    shape = len(lengths), max(lengths, default=0)
    mask = torch.arange(shape[1]) < torch.tensor(lengths, dtype=torch.long).unsqueeze(1)
    emissions = scale * torch.randn(*shape, n_tags, generator=draw)
    return emissions, torch.randint(n_tags, shape, generator=draw), mask


def every_span(length: int) -> list[Span]:
    return [Span(s, e, x) for s in range(length) for e in range(s + 1, length + 1) for x in "XY"]
