"""What the layers may learn besides the next word: the topic of the sentence, and from a teacher which uses are alike.

The losses need maps of their own, which help in training only: they are in the resume file, not in the exported model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.data.language_batches import StreamBatch
from elmo_tasks.data.taught_uses import N_USES, TaughtBatch
from elmo_tasks.encoders.static_vectors import StaticVectors, rarity
from elmo_tasks.text.vocabulary import BEGIN_ID, END_ID, SPECIAL_WORDS

#: Words this far ahead are predicted: the next one is the language model's own.
NEAREST, FARTHEST = 2, 12
# One word in so many (the hundred commonest of 50,000) stands in every sentence: to guess it teaches nothing about this one.
_COMMON_SHARE = 500
# Fewer wrong words are enough for a helper, and keep it cheap.
_SHARE_OF_DRAWS = 4
# Positions of one direction whose pairs are compared in a step: all pairs of so many are cheap.
_COMPARED = 512


class DistantWords(nn.Module):
    """The top state of each direction predicts a word further ahead, through a map of its own and the softmax as it is.

    States have size ``dim``; the commonest of the ``n_words`` words of the softmax are not predicted.
    """

    def __init__(self, dim: int, n_words: int) -> None:
        super().__init__()
        self.first = len(SPECIAL_WORDS) + n_words // _COMMON_SHARE
        maps = [nn.Linear(dim, dim, bias=False) for _ in range(2)]
        for linear in maps:
            nn.init.eye_(linear.weight)  # the words just ahead are a good first guess of those further on
        self.maps = nn.ModuleList(maps)

    def forward(self, tops: Tensor, targets: Tensor, step: int, softmax: LMSoftmax, n_draws: int) -> Tensor:
        """Mean sampled loss at the distance whose turn it is; the softmax itself learns nothing from it.

        Distances take turns by the number of the step, so that a resumed run goes on as it would have. ``tops`` are the
        ``[2, B, T, P]`` top states of the two directions, ``targets`` the ``[2, B, T]`` ids of the words that come next.
        """
        distance = distance_of(step, targets.shape[2])
        counts = distant_counts(targets, distance, self.first)  # [2, B, T - distance + 1]
        if not counts.any():
            return _nothing(self)
        starts = tops[:, :, : counts.shape[2]]
        hidden = torch.cat([linear(x[c]) for linear, x, c in zip(self.maps, starts, counts, strict=True)])
        words = targets[:, :, distance - 1 :][counts]
        return softmax.sampled_loss(hidden, words, max(1, n_draws // _SHARE_OF_DRAWS), learn=False)


def distance_of(step: int, window: int) -> int:
    """How far ahead the words of a step are, from :data:`NEAREST` to :data:`FARTHEST`, never past the window."""
    return NEAREST + step % max(1, min(FARTHEST, window) - NEAREST + 1)


def distant_counts(targets: Tensor, distance: int, first: int) -> Tensor:
    """Where there is a word to predict: in the window, in the same sentence, and not too common.

    Targets are ``[..., T]`` vocabulary ids of the words that come next (distance 1); ``first`` is the lowest id to predict, and the
    special words, ``<UNK>`` too, are below it. The result is ``[..., max(0, T - distance + 1)]``.
    """
    n = max(0, targets.shape[-1] - distance + 1)
    boundary = _is_boundary(targets)
    counts = targets[..., distance - 1 :] >= first
    for k in range(distance - 1):  # no end of the sentence on the way
        counts = counts & ~boundary[..., k : k + n]
    return counts


class SideBags(nn.Module):
    """Each half of the top layer says which words it has read: the frequency-weighted bag of their static vectors.

    The word itself is not in its bag, only those read before it in the same sentence. Two losses: one minus the cosine of a
    linear map of the half (of size ``dim``) with the bag; and, so that cosines of the layer as it is carry it, the squared
    difference of the cosines of two halves and of their two bags. For ``table`` and ``rows`` see :func:`weighted_vectors`.
    """

    table: Tensor
    rows: Tensor

    def __init__(self, dim: int, table: Tensor, rows: Tensor) -> None:
        super().__init__()
        self.maps = nn.ModuleList(nn.Linear(dim, table.shape[1]) for _ in range(2))
        self.register_buffer("table", table, persistent=False)
        self.register_buffer("rows", rows, persistent=False)
        #: ``[2, B, D]`` what the unfinished sentences have so far; ``None`` before the first step.
        self.sums: Tensor | None = None

    def targets(self, batch: StreamBatch, keep: Tensor | None) -> Tensor:
        """The bags of a window, ``[2, B, T, D]``, and the sums carried on; zero where nothing known has been read.

        ``keep`` is ``[B, 1]`` 1 where the state of the stream was kept, 0 where it was forgotten; ``None`` if there was none.
        """
        vectors = self.table[self.rows[batch.corpus_ids]][batch.words]  # [2, B, T, D]
        start = vectors.new_zeros(vectors.shape[:2] + vectors.shape[3:])
        if self.sums is not None and keep is not None:
            start = self.sums.to(vectors) * keep
        bags, self.sums = running_sums(vectors, _is_boundary(batch.corpus_ids)[batch.words], start)
        return bags

    def forward(self, tops: Tensor, bags: Tensor) -> tuple[Tensor, Tensor]:
        """Both losses, of ``[2, B, T, P]`` top states of the two directions and ``[2, B, T, D]`` :meth:`targets`."""
        cosines, differences = [], []
        for linear, x, bag in zip(self.maps, tops, bags, strict=True):
            counts = bag.any(dim=-1)
            x, bag = x[counts], bag[counts]
            if len(x):
                cosines.append(F.cosine_similarity(linear(x).float(), bag))
                sample = slice(None, None, -(-len(x) // _COMPARED))
                differences.append(pairwise_difference(x[sample], bag[sample]))
        if len(cosines) < len(self.maps):
            return _nothing(self), _nothing(self)
        return 1 - torch.cat(cosines).mean(), torch.stack(differences).mean()


def weighted_vectors(static: StaticVectors, words: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Static vectors so that their plain sum is a frequency-weighted bag around zero.

    A word's vector, at length 1 and minus the mean over running text of all such vectors, is multiplied by ``a / (a + share)``
    (SIF: Arora, Liang and Ma, 2017). The special words of the corpus come first.

    Returns:
        ``[S + 1, D]`` weighted vectors, the last one zero; ``[n_words]`` row of each word, the last for unknown and special ones.
    """
    shares = torch.tensor([static.share_of(word) for word in static.words]).unsqueeze(1)
    weights = rarity(shares)
    vectors = F.normalize(static.vectors.cpu(), dim=1)
    # What a bag of running text is expected to hold, per unit of weight.
    centre = (shares * weights * vectors).sum(dim=0) / (shares * weights).sum().clamp(min=1e-12)
    table = torch.cat([weights * (vectors - centre), vectors.new_zeros(1, static.width)])
    rows = static.rows_of(words).cpu()
    rows[: len(SPECIAL_WORDS)] = len(static)
    return table, rows


def running_sums(vectors: Tensor, boundary: Tensor, start: Tensor) -> tuple[Tensor, Tensor]:
    """What each stream has read of its sentence before each word, and after the last one: ``[..., T, D]`` and ``[..., D]`` sums.

    The ``[..., T, D]`` vectors are zero at boundaries, where ``boundary`` ``[..., T]`` is True; ``start`` ``[..., D]`` is what was
    read before the window.
    """
    total, sums = start, []
    for vector, ends in zip(vectors.unbind(-2), boundary.unbind(-1), strict=True):
        total = total.masked_fill(ends.unsqueeze(-1), 0.0)
        sums.append(total)
        total = total + vector
    return torch.stack(sums, dim=-2), total


def pairwise_difference(halves: Tensor, bags: Tensor) -> Tensor:
    """Mean squared difference of the cosines of ``[n, P]`` and of those of ``[n, D]``, over all pairs of different rows."""
    # The diagonal is 1 in both and adds nothing.
    return (_cosines(halves) - _cosines(bags)).square().sum() / max(1, len(halves) * (len(halves) - 1))


class Distillation(nn.Module):
    """Two losses on sentences that a teacher has read.

    One minus the cosine of a linear map of the top layer with the teacher's vector, over all words; and, so that cosines of the
    layers as they are tell meanings apart, the squared difference of the cosines of the student and of the teacher between uses of
    the same word (Park et al., 2019, "Relational Knowledge Distillation", within a word). The student's layers have size ``width``.
    """

    def __init__(self, width: int, teacher_width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, teacher_width)

    def forward(self, layers: Tensor, batch: TaughtBatch) -> tuple[Tensor, Tensor]:
        """Both losses, of ``[L, B, T, 2 P]`` all layers of the student, layer 0 first.

        The second is the mean over the LSTM layers, the top one counting as much as all others together.
        """
        inside = batch.vectors.any(dim=-1)  # [B, T]
        cosine = F.cosine_similarity(self.linear(layers[-1][inside]).float(), batch.vectors[inside]).mean()
        rows = torch.arange(len(batch.places), device=batch.places.device)
        wanted = cosines_of_uses(batch.vectors[rows, batch.places])
        found = [(cosines_of_uses(layer[rows, batch.places]) - wanted).square().mean() for layer in layers[1:]]
        lower = torch.stack(found[:-1]).mean() if len(found) > 1 else found[-1]
        return 1 - cosine, (found[-1] + lower) / 2


def cosines_of_uses(vectors: Tensor) -> Tensor:
    """``[W, n]`` float32 cosines of the ``n`` pairs of different uses of each word, each once.

    Vectors are ``[W * N_USES, D]``, the uses of a word one after another.
    """
    first, second = torch.triu_indices(N_USES, N_USES, 1, device=vectors.device)
    return _cosines(vectors.unflatten(0, (-1, N_USES)))[:, first, second]


def learned_from(settings: Mapping[str, Any], teacher: str | None, n_taught: int) -> list[str]:
    """What the weights of a :class:`BiLMModule` with these settings were asked for, a sentence each, for the model's card."""
    asked = ["the next word of the text, in each direction (the language model)"]
    if settings["freeze_reader"]:
        asked.append(f"layer 0, which reads single words, was not trained: it is that of {settings['start_from']}")
    if settings["distant_weight"]:
        asked.append(
            f"words {NEAREST} to {FARTHEST} further on in the same sentence, predicted by the top layer, the commonest "
            f"words left out (weight {settings['distant_weight']:g})"
        )
    if settings["bag_weight"]:
        asked.append(
            "which words stand on each side of a word in its sentence, asked of the top layer: their fixed vectors "
            f"({settings['static']}) added up, rare words weighing more (weight {settings['bag_weight']:g})"
        )
    if settings["pair_weight"]:
        asked.append(
            "how alike two words are in what stands on each side of them: the top layer at two words is to be as alike, by "
            f"cosine, as those fixed vectors ({settings['static']}) added up (weight {settings['pair_weight']:g})"
        )
    if settings["teacher_weight"]:
        asked.append(
            f"what another model, {teacher}, gives for each word of {n_taught:,} sentences, asked of "
            f"the top layer through a linear map (weight {settings['teacher_weight']:g})"
        )
    if settings["teacher_pair_weight"]:
        asked.append(
            f"how alike two uses of a word are to {teacher}, asked of the cosines of the LSTM layers (weight "
            f"{settings['teacher_pair_weight']:g})"
        )
    return asked


def _cosines(vectors: Tensor) -> Tensor:
    """``[..., n, n]`` float32 cosines of ``[..., n, D]`` with each other."""
    # In bfloat16 a cosine is off by as much as there is to learn in the end.
    with torch.autocast(vectors.device.type, enabled=False):
        unit = F.normalize(vectors.float(), dim=-1)
        return unit @ unit.transpose(-1, -2)


def _is_boundary(ids: Tensor) -> Tensor:
    return (ids == BEGIN_ID) | (ids == END_ID)


def _nothing(module: nn.Module) -> Tensor:
    """Zero, by way of every weight: several processes wait for each other's gradients."""
    return torch.stack([p.sum() for p in module.parameters()]).sum() * 0.0
