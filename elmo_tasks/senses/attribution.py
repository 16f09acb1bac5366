"""Attribution of a cosine to single words and to the two sides of the compared word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from elmo_tasks.text.uses import Use

#: Ways of hiding a word: leave it out, or replace it by one of these. ELMo was trained without a
#: mask or a word for "nothing", so each way leaves its own trace; their common effect is due to the
#: hidden word.
REPLACEMENTS = ("", "something", "the")
# Smallest share of the total effect in one direction at which a word is decisive.
_MIN_SHARE = 0.5
# Halves of a layer whose distances differ by less than this count as equal.
_EQUAL_DISTANCES = 0.1
# Cosine of halves that have read the same words.
_IDENTICAL_COSINE = 0.999


def hidden(use: Use, at: int, way: str) -> Use:
    """Return the use with the token at ``at`` hidden in one of :data:`REPLACEMENTS`."""
    tokens = (*use.tokens[:at], *([way] if way else []), *use.tokens[at + 1 :])
    shift = 0 if way or at > use.token_start else 1
    return Use.of_tokens(tokens, use.token_start - shift, use.token_end - shift)


def nearest(n_tokens: int, index: int, max_words: int) -> list[int]:
    """Return the positions of the other words nearest to ``index``, in order.

    There are at most ``max_words`` of them.
    """
    others = sorted((k for k in range(n_tokens) if k != index), key=lambda k: (abs(k - index), k))
    return sorted(others[:max_words])


def cosine_changes(without: Tensor, other: Tensor, cosine: float) -> Tensor:
    """Change of the cosine for each hidden word: occlusion.

    ``without`` holds ``[..., D]`` vectors of a use with a word of its sentence hidden, ``other`` is
    ``[D]``, and ``cosine`` is the cosine with no word hidden. The result ``[...]`` is above 0 if
    hiding makes the two more similar (Zeiler and Fergus, 2014; Li, Monroe and Jurafsky, 2016).
    """
    return F.cosine_similarity(without.double(), other.double(), dim=-1) - cosine


def decisive(changes: NDArray[np.float64], apart: bool) -> int | None:
    """Return the position of the one decisive word among ``n``, or ``None``.

    ``changes`` is ``[W, n]``, one row per way of hiding. If ``apart`` is True, the word must
    separate the two uses (hiding raises the cosine); otherwise it must connect them.

    Hiding also leaves a trace of its own. So every way of hiding must rank the word first, and the
    word must account for at least half of the total effect in that direction, averaged over the
    ways.
    """
    if not changes.size:
        return None
    signed = changes if apart else -changes
    mean = signed.mean(axis=0)
    first = int(mean.argmax())
    moved = np.clip(mean, 0.0, None).sum()
    agreed = bool((signed.argmax(axis=1) == first).all()) and bool((signed[:, first] > 0).all())
    return first if agreed and mean[first] >= _MIN_SHARE * moved else None


def halved_cosines(first: Tensor, second: Tensor) -> Tensor:
    """Cosines ``[..., 2]`` of the two halves of ELMo vectors ``[..., D]``.

    The first half of an ELMo layer has read the word and the text before it, the second half the
    word and the text after it (Peters et al., 2018, equation 1).
    """
    pairs = zip(first.double().chunk(2, dim=-1), second.double().chunk(2, dim=-1), strict=True)
    return torch.stack([F.cosine_similarity(a, b, dim=-1) for a, b in pairs], dim=-1)


def informative_direction(
    before: Sequence[tuple[float, float]], after: Sequence[tuple[float, float]]
) -> str:
    """Return the side of the word that separates two uses more.

    The result is ``"before"``, ``"after"``, ``"both"`` (about equal at every layer) or
    ``"unclear"`` (the layers disagree). The arguments are ``(cosine, cosine of two random words)``
    of the first and of the second halves, at each layer above the context-free one. Each half has
    its own scale: 0 if the two are identical, 1 if they are as distant as two random words.
    """
    distances = [
        (1 - b) / (1 - random_b) - (1 - a) / (1 - random_a)
        for (b, random_b), (a, random_a) in zip(before, after, strict=True)
    ]
    # A side that reads alike in both uses cannot separate them, however small the other's effect.
    same_before, same_after = (
        all(cosine >= _IDENTICAL_COSINE for cosine, _ in side) for side in (before, after)
    )
    if all(d >= _EQUAL_DISTANCES for d in distances) or (
        same_after and max(distances) >= _EQUAL_DISTANCES
    ):
        return "before"
    if all(d <= -_EQUAL_DISTANCES for d in distances) or (
        same_before and min(distances) <= -_EQUAL_DISTANCES
    ):
        return "after"
    return "both" if all(abs(d) < _EQUAL_DISTANCES for d in distances) else "unclear"
