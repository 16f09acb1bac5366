"""Small CRFs and batches, and the CRF by enumeration: every tag sequence of a short sentence,
scored one by one."""

from __future__ import annotations

import itertools
import math

import torch
from torch import Tensor

from elmo_tasks.heads.crf import CRF
from elmo_tasks.text.tag_schemes import Scheme, Span, labels_of, spans_of

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


def a_batch(
    lengths: list[int], n_tags: int, seed: int = 0, scale: float = 2.0
) -> tuple[Tensor, Tensor, Tensor]:
    """Emissions ``[B, T, K]``, tags ``[B, T]`` and mask ``[B, T]``, all of it random under the
    padding as well."""
    draw = torch.Generator().manual_seed(seed)
    shape = len(lengths), max(lengths, default=0)
    mask = torch.arange(shape[1]) < torch.tensor(lengths, dtype=torch.long).unsqueeze(1)
    emissions = scale * torch.randn(*shape, n_tags, generator=draw)
    return emissions, torch.randint(n_tags, shape, generator=draw), mask


def every_span(length: int) -> list[Span]:
    return [Span(s, e, x) for s in range(length) for e in range(s + 1, length + 1) for x in "XY"]


Path = tuple[int, ...]


def allowed_paths(crf: CRF, emissions: Tensor) -> dict[Path, float]:
    """Score of every allowed tag sequence of one sentence ``[T, K]``, best first."""
    start, move, end = (
        p.tolist() for p in (crf.start_transitions, crf.transitions, crf.end_transitions)
    )
    may_start, may_follow, may_end = (
        m.tolist() for m in (crf.may_start, crf.may_follow, crf.may_end)
    )
    emitted = emissions.tolist()
    scores: dict[Path, float] = {}
    for path in itertools.product(range(crf.num_tags), repeat=len(emitted)):
        pairs = list(itertools.pairwise(path))
        if not path:
            scores[path] = 0.0
        elif may_start[path[0]] and may_end[path[-1]] and all(may_follow[a][b] for a, b in pairs):
            score = start[path[0]] + end[path[-1]] + sum(move[a][b] for a, b in pairs)
            scores[path] = score + sum(row[k] for row, k in zip(emitted, path, strict=True))
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def enumerated_log_z(paths: dict[Path, float]) -> float:
    """Log-sum over the sequences."""
    return math.log(math.fsum(math.exp(score) for score in paths.values()))


def probabilities(crf: CRF, emissions: Tensor) -> dict[Path, float]:
    """Probability of every allowed tag sequence, best first."""
    paths = allowed_paths(crf, emissions)
    z = enumerated_log_z(paths) if paths else 0.0
    return {path: math.exp(score - z) for path, score in paths.items()}


def enumerated_span_probabilities(crf: CRF, emissions: Tensor) -> dict[Span, float]:
    """Of every span: summed over the sequences that hold it, each read as the CoNLL scorer reads
    it."""
    assert crf.scheme is not None
    table: dict[Span, float] = {}
    for path, probability in probabilities(crf, emissions).items():
        for span in spans_of([crf.labels[k] for k in path], crf.scheme):
            table[span] = table.get(span, 0.0) + probability
    return table
