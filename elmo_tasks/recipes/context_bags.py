"""Recipe: a biLM whose top layer also learns bags of context words.

``lightning_configs/bilm_mini_context.yaml`` and ``bilm_mini_senses.yaml`` run it, for the second to
fifth parts of the training of elmo-mini. From top to bottom: the module, its two losses, and their
targets. The linear maps of the losses are in the resume file and not in the exported model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from elmo_tasks.data.language_batches import StreamBatch
from elmo_tasks.encoders.static_vectors import DEFAULT_NAME, StaticVectors, rarity
from elmo_tasks.errors import ConfigError
from elmo_tasks.text.vocabulary import BEGIN_ID, END_ID, SPECIAL_WORDS
from elmo_tasks.training.bilm_module import BiLMModule

# Positions of one direction whose pairs are compared in each step.
_COMPARED_POSITIONS = 512


class ContextBagModule(BiLMModule):
    """A biLM trained as a language model and with :class:`ContextBagLoss`.

    Args:
        bag_weight: weight of the prediction of the words on each side.
        pair_weight: weight of the match of pairwise cosines of uses and of their contexts.
        static: static vectors of both losses: a name in ``checkpoints/`` or a folder.
        language_model: see :class:`BiLMModule`.
    """

    def __init__(
        self,
        bag_weight: float = 1.0,
        pair_weight: float = 10.0,
        static: str = DEFAULT_NAME,
        **language_model: Any,
    ) -> None:
        super().__init__(**language_model)
        if min(bag_weight, pair_weight) < 0:
            raise ConfigError(
                f"model.bag_weight {bag_weight}, model.pair_weight {pair_weight}: expected 0 (off)"
                " or more"
            )
        self.bag_weight = bag_weight
        self.pair_weight = pair_weight
        self.static = static
        self.side_bags: ContextBagLoss

    def configure_model(self) -> None:
        """Make the language model, then the bags of the corpus."""
        super().configure_model()
        if not hasattr(self, "side_bags"):
            vectors, weights = weighted_vectors(
                StaticVectors.load(self.static), self.data.corpus.words
            )
            self.side_bags = ContextBagLoss(self.options.lstm.projection_dim, vectors, weights)

    def extra_loss(self, batch: StreamBatch, layers: Sequence[Tensor]) -> Tensor:
        """Both losses of the top layer, weighted."""
        bag, pairs = self.side_bags(layers[-1], self.side_bags.targets(batch, self.kept_streams))
        self.log_dict({"train_bag": bag, "train_bag_pairs": pairs})
        return self.bag_weight * bag + self.pair_weight * pairs

    def learned_from(self) -> list[str]:
        """Describe the training objectives, a sentence each, for the model's card."""
        objectives = {
            "the words on each side of a word in its sentence, predicted by the top layer: their"
            f" fixed vectors ({self.static}) added up, rare words weighing more"
            f" (weight {self.bag_weight:g})": self.bag_weight,
            "how alike two words are in what stands on each side of them: the top layer at two"
            " words is to be as alike, by cosine, as those fixed vectors"
            f" ({self.static}) added up (weight {self.pair_weight:g})": self.pair_weight,
        }
        return [*super().learned_from(), *(text for text, weight in objectives.items() if weight)]

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Keep the bags of the unfinished sentences, too."""
        super().on_save_checkpoint(checkpoint)
        checkpoint["bag_sums"] = self.side_bags.sums

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Restore the bags if the stream states are restored, that is, in a single process."""
        super().on_load_checkpoint(checkpoint)
        self.side_bags.sums = checkpoint.get("bag_sums") if self.trainer.world_size == 1 else None


class ContextBagLoss(nn.Module):
    """Two losses that let the top layer predict the bag of words on each side.

    The bag of a word holds the words read before it in the same sentence. The losses are one minus
    the cosine of the bag and a linear map of the half (of size ``dim``); and the squared difference
    of the cosines of two halves and of their two bags. For ``table`` and ``rows`` see
    :func:`weighted_vectors`.
    """

    table: Tensor
    rows: Tensor

    def __init__(self, dim: int, table: Tensor, rows: Tensor) -> None:
        super().__init__()
        self.maps = nn.ModuleList(nn.Linear(dim, table.shape[1]) for _ in range(2))
        self.register_buffer("table", table, persistent=False)
        self.register_buffer("rows", rows, persistent=False)
        #: ``[2, B, D]`` sums of the unfinished sentences; ``None`` before the first step.
        self.sums: Tensor | None = None

    def targets(self, batch: StreamBatch, keep: Tensor | None) -> Tensor:
        """Bags ``[2, B, T, D]`` of a window, and the sums to carry on.

        ``keep`` is ``[B, 1]`` 1 where the state of the stream was kept, 0 where it was forgotten;
        ``None`` if there was none.
        """
        vectors = self.table[self.rows[batch.corpus_ids]][batch.words]  # [2, B, T, D]
        start = vectors.new_zeros(vectors.shape[:2] + vectors.shape[3:])
        if self.sums is not None and keep is not None:
            start = self.sums.to(vectors) * keep
        is_boundary = (batch.corpus_ids == BEGIN_ID) | (batch.corpus_ids == END_ID)
        bags, self.sums = running_sums(vectors, is_boundary[batch.words], start)
        return bags

    def forward(self, tops: Tensor, bags: Tensor) -> tuple[Tensor, Tensor]:
        """Both losses, from top states ``[2, B, T, P]`` and targets ``[2, B, T, D]``."""
        cosines, differences = [], []
        for linear, x, bag in zip(self.maps, tops, bags, strict=True):
            counts = bag.any(dim=-1)
            x, bag = x[counts], bag[counts]
            if len(x):
                cosines.append(F.cosine_similarity(linear(x).float(), bag))
                sample = slice(None, None, -(-len(x) // _COMPARED_POSITIONS))
                differences.append(pairwise_difference(x[sample], bag[sample]))
        if len(cosines) < len(self.maps):
            # Zero, but with gradients for all weights, so that processes can exchange them.
            zero = torch.stack([p.sum() for p in self.parameters()]).sum() * 0.0
            return zero, zero
        return 1 - torch.cat(cosines).mean(), torch.stack(differences).mean()


def weighted_vectors(static: StaticVectors, words: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Weight static vectors so that their plain sum is a frequency-weighted bag around zero.

    A word's vector, at length 1 and centred over running text, is multiplied by ``a / (a + share)``
    (SIF: Arora, Liang and Ma, 2017). The special words of the corpus are first.

    Returns:
        ``[S + 1, D]`` weighted vectors, the last one zero; ``[n_words]`` row of each word, the last
        for unknown and special ones.
    """
    shares = torch.tensor([static.share_of(word) for word in static.words]).unsqueeze(1)
    weights = rarity(shares)
    vectors = F.normalize(static.vectors.cpu(), dim=1)
    # Expected bag of running text, per unit of weight.
    centre = (shares * weights * vectors).sum(dim=0) / (shares * weights).sum().clamp(min=1e-12)
    table = torch.cat([weights * (vectors - centre), vectors.new_zeros(1, static.width)])
    rows = static.rows_of(words).cpu()
    rows[: len(SPECIAL_WORDS)] = len(static)
    return table, rows


def running_sums(vectors: Tensor, boundary: Tensor, start: Tensor) -> tuple[Tensor, Tensor]:
    """Sums before each word and after the last, ``[..., T, D]`` and ``[..., D]``.

    A boundary ``[..., T]``, whose vector is zero, begins a new sum; ``start`` ``[..., D]`` is the
    sum before the window.
    """
    total, sums = start, []
    for vector, ends in zip(vectors.unbind(-2), boundary.unbind(-1), strict=True):
        total = total.masked_fill(ends.unsqueeze(-1), 0.0)
        sums.append(total)
        total = total + vector
    return torch.stack(sums, dim=-2), total


def pairwise_difference(halves: Tensor, bags: Tensor) -> Tensor:
    """Mean squared difference of the cosines of two sets of rows, over all pairs."""
    # The diagonal is 1 in both and adds nothing.
    return (_cosines(halves) - _cosines(bags)).square().sum() / max(
        1, len(halves) * (len(halves) - 1)
    )


def _cosines(vectors: Tensor) -> Tensor:
    """``[..., n, n]`` float32 cosines of ``[..., n, D]`` with each other."""
    # In bfloat16, the rounding error of a cosine is as large as the loss late in training.
    with torch.autocast(vectors.device.type, enabled=False):
        unit = F.normalize(vectors.float(), dim=-1)
        return unit @ unit.transpose(-1, -2)
