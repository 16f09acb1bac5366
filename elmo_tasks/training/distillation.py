"""Layers that learn from a teacher which uses of a word are alike."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from elmo_tasks.data.taught_uses import N_USES, TaughtBatch


class Distillation(nn.Module):
    """Two losses on sentences that a teacher has read.

    One minus the cosine of a linear map of the top layer with the teacher's vector, over all words; and, so that cosines of the
    layers as they are tell meanings apart, the squared difference of the cosines of the student and of the teacher between uses of
    the same word (Park et al., 2019, "Relational Knowledge Distillation", within a word).

    The map helps in training only: it is in the resume file, not in the exported model.

    Args:
        width: size ``2 P`` of the student's layers.
        teacher_width: size ``D`` of the teacher's vectors.
    """

    def __init__(self, width: int, teacher_width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, teacher_width)

    def forward(self, layers: Tensor, batch: TaughtBatch) -> tuple[Tensor, Tensor]:
        """Both losses; the second is the mean over the LSTM layers, the top one counting as much as all others together.

        Args:
            layers: ``[L, B, T, 2 P]`` all layers of the student, layer 0 first.
            batch: what was read.
        """
        inside = batch.vectors.any(dim=-1)  # [B, T]
        cosine = F.cosine_similarity(self.linear(layers[-1][inside]).float(), batch.vectors[inside]).mean()
        rows = torch.arange(len(batch.places), device=batch.places.device)
        wanted = cosines_of_uses(batch.vectors[rows, batch.places])
        found = [(cosines_of_uses(layer[rows, batch.places]) - wanted).square().mean() for layer in layers[1:]]
        lower = torch.stack(found[:-1]).mean() if len(found) > 1 else found[-1]
        return 1 - cosine, (found[-1] + lower) / 2


def cosines_of_uses(vectors: Tensor) -> Tensor:
    """Cosines between the uses of each word.

    Args:
        vectors: ``[W * N_USES, D]``, the uses of a word one after another.

    Returns:
        ``[W, n]`` float32, the ``n`` pairs of different uses of each word, each once.
    """
    # In bfloat16 a cosine is off by as much as there is to learn in the end.
    with torch.autocast(vectors.device.type, enabled=False):
        unit = F.normalize(vectors.float(), dim=-1).unflatten(0, (-1, N_USES))
        first, second = torch.triu_indices(N_USES, N_USES, 1, device=vectors.device)
        return (unit @ unit.transpose(1, 2))[:, first, second]
