"""Static vectors of words joined with what another encoder makes of each word alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch.nn.functional import normalize

from elmo_tasks.encoders.encoder import Encoder
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import ConfigError

_BATCH = 512
#: How much the teacher's vectors weigh beside the others, both at length 1: of .7, 1, 1.2 and 1.4 as good as any, by how the words
#: around a use order pairs of uses on the half of the gallery that calibrations are fitted on.
TEACHER_WEIGHT = 1.2


def join_vectors(
    static: StaticVectors,
    teacher: Encoder,
    size: int = 128,
    weight: float = TEACHER_WEIGHT,
    step: Callable[[int], object] | None = None,
) -> StaticVectors:
    """Each word's vector, and the teacher's context-free layer of the word alone, side by side, in ``size`` principal components.

    Both are centred over running text and brought to length 1 first; of the teacher, the mean of the pieces of a word at layer 0.
    Frequent words weigh more in the components, by the root of how often they come, so the static vectors need counts. ``step`` is
    told how many words more are read.

    Raises:
        ConfigError: there are not as many components.
    """
    if not 0 < size <= static.width + teacher.width:
        raise ConfigError(f"size {size}: expected 1 to {static.width + teacher.width}, the widths of both together")
    shares = torch.tensor([static.share_of(word) for word in static.words]).clamp(min=1e-12).sqrt().unsqueeze(1)
    shares = shares / shares.sum()  # [words, 1]
    known, taught = (
        _centred(part, shares) for part in (static.vectors.cpu(), torch.cat(list(_alone(static, teacher, step))))
    )
    both = torch.cat([known, weight * taught], dim=1).double()
    # Of vectors that are centred, the components are the eigenvectors of their second moments.
    _, components = torch.linalg.eigh((both * shares).t() @ both)
    kept = both @ components.flip(1)[:, :size]
    return StaticVectors(static.words, normalize(kept, dim=1).float(), static.counts, static.name)


def _alone(static: StaticVectors, teacher: Encoder, step: Callable[[int], object] | None) -> Iterator[Tensor]:
    for start in range(0, len(static.words), _BATCH):
        words = static.words[start : start + _BATCH]
        yield teacher.encode([[word] for word in words]).values[0, :, 0].float().cpu()
        if step is not None:
            step(len(words))


def _centred(vectors: Tensor, shares: Tensor) -> Tensor:
    at_length_1 = normalize(vectors.float(), dim=1)
    return normalize(at_length_1 - (shares * at_length_1).sum(dim=0), dim=1)
