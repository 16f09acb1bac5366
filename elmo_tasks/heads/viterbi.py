"""Viterbi decoding (1967) from both ends at once: half as many steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elmo_tasks.heads.lattice import Lattice

Scores = NDArray[np.floating]


def best_paths(lattice: Lattice) -> list[list[int]]:
    """Return the best tag ids of each sentence, without padding.

    Beginnings are scored from the first token to the middle one, ends from the last token back to it; where they meet,
    their sum gives the best tag, from which both ends are traced back. These are many small steps, which
    are faster in NumPy than on any device: the scores are copied once, and nothing else waits for a GPU.
    """
    lengths = lattice.lengths.cpu().numpy()
    emissions = lattice.emissions.detach().cpu().numpy()  # [B, T, K]
    moves = lattice.transitions.detach().cpu().numpy()  # [K from, K to]
    n_rows, n_steps, n_tags = emissions.shape
    half = n_steps // 2 + 1
    # [B, half] positions from the last token on, counted through all rows
    back = np.maximum(lengths[:, None] - 1 - np.arange(half), 0) + n_steps * np.arange(n_rows)[:, None]
    # Rows innermost, twice: a step adds and compares adjacent memory.
    both = np.empty((half, n_tags, 2, n_rows), emissions.dtype)
    both[:, :, 0] = emissions[:, :half].transpose(1, 2, 0)
    both[:, :, 1] = emissions.reshape(-1, n_tags).take(back, axis=0).transpose(1, 2, 0)
    edges = np.empty(both.shape[1:], both.dtype)  # [K, 2, B]
    edges[:, 0] = lattice.start.detach().cpu().numpy()[:, None]
    edges[:, 1] = lattice.end.detach().cpu().numpy()[:, None]
    spread = np.empty((n_tags, *edges.shape), both.dtype)  # [K from, K to, 2, B]
    spread[:, :, 0] = moves[:, :, None]
    spread[:, :, 1] = moves.T[:, :, None]
    taken, reached = _best_beginnings(*(x.reshape(*x.shape[:-2], -1) for x in (both, edges, spread)))
    return _walk(lengths, taken, reached, np.concatenate([moves.T, moves]))


def _best_beginnings(emissions: Scores, edges: Scores, moves: Scores) -> tuple[Scores, Scores]:
    """Best scores ``[half, K, 2 B]`` up to each token, with and without its emission.

    Args:
        emissions: ``[half, K, 2 B]``.
        edges: ``[K, 2 B]`` scores of the tags to begin with.
        moves: ``[K from, K to, 2 B]``.
    """
    taken, reached, pairs = np.empty_like(emissions), np.empty_like(emissions), np.empty_like(moves)
    reached[0] = edges
    np.add(edges, emissions[0], out=taken[0])
    for before, here, after, result in zip(taken[:, :, None], emissions[1:], reached[1:], taken[1:], strict=False):
        np.add(before, moves, out=pairs)
        np.maximum.reduce(pairs, axis=0, out=after)
        np.add(after, here, out=result)
    return taken, reached


def _walk(lengths: NDArray[np.integer], taken: Scores, reached: Scores, into: Scores) -> list[list[int]]:
    """Back from the middle of each sentence, both ways.

    Args:
        lengths: ``[B]``.
        taken: see :func:`_best_beginnings`.
        reached: likewise.
        into: ``[2 K, K]`` scores of the moves to tag ``k`` on the way from the beginning (row ``k``), and on the way from
            the end (row ``K + k``).
    """
    n_rows, (half, n_tags, _) = len(lengths), taken.shape
    rows = np.arange(n_rows)
    last = np.maximum(lengths - 1, 0)
    middle = last // 2  # counted from the beginning
    other = last - middle  # counted from the end
    met = (taken[middle, :, rows] + reached[other, :, n_rows + rows]).argmax(axis=1)  # [B]
    tag = np.concatenate([met, met])  # [2 B]
    # At and past the middle the tag is fixed: one tag scores infinitely more than the others there.
    still = np.arange(half)[:, None] >= np.concatenate([middle, other])  # [half, 2 B]
    stays = np.where(np.arange(n_tags) == tag[:, None], np.inf, 0).astype(taken.dtype)  # [2 B, K]
    scores = taken.transpose(0, 2, 1).copy()  # [half, 2 B, K]
    step, row = still.nonzero()
    scores[step, row] = stays[row]
    block = np.repeat([0, n_tags], n_rows)  # [2 B]
    tags = np.empty((half, 2 * n_rows), np.int64)
    ways = np.empty(scores.shape[1:], scores.dtype)
    for here, found in zip(scores[::-1], tags[::-1], strict=True):
        into.take(tag + block, axis=0, out=ways, mode="clip")  # the default mode would copy once more
        np.add(ways, here, out=ways)
        tag = ways.argmax(axis=1, out=found)
    first, second = tags[:, :n_rows].T.tolist(), tags[::-1, n_rows:].T.tolist()
    sizes = zip(lengths.tolist(), middle.tolist(), other.tolist(), strict=True)
    return [first[b][: m + 1] + second[b][half - o :] if n else [] for b, (n, m, o) in enumerate(sizes)]
