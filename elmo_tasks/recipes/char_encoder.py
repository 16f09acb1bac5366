"""Recipe: train the character encoder on static vectors of single words.

``lightning_configs/char_encoder.yaml`` runs it, for elmo-mini before the last three parts of its
training. From top to bottom: the words and their target vectors (:class:`WordTypes`), the module
that learns them, and how the LSTMs are adapted to the new encoder.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.char_cnn import CharacterCNN, encode_words, word_lengths
from elmo_tasks.bilm.model_files import find_model, has_softmax, load_bilm, load_softmax
from elmo_tasks.bilm.options import BiLMOptions
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.data.batches import BucketedBatches, FixedBatches, TensorBatch
from elmo_tasks.data.language_model import TextFiles
from elmo_tasks.encoders.static_vectors import DEFAULT_NAME, StaticVectors
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.recipes.context_bags import pairwise_difference
from elmo_tasks.text.vocabulary import BEGIN_ID, END_ID, SPECIAL_WORDS, Vocabulary
from elmo_tasks.training.rates import check_rates, risen, scheduled

# Number of batches that are drawn together.
_BATCHES_AT_ONCE = 32
# Weight of the old layer 0 in the targets; that of the static vectors is 1.
_OLD_WEIGHT = 0.4
# Words are drawn in proportion to their count to this power.
_DRAW_POWER = 0.45
# Cosines of pairs differ little: with this weight they contribute about as much as the other parts.
_PAIR_WEIGHT = 10.0
# Power of a word's count in the map from new vectors to old ones: nearly as in running text.
_MAP_POWER = 0.75
# Scale of the new filters at first: large enough to learn, too small to disturb.
_NEW_FILTERS = 0.1
# Added to the variances, which are near 1: keeps the map small in directions in which the words
# hardly vary.
_RIDGE = 1e-4


@dataclass(frozen=True)
class WordBatch(TensorBatch):
    """Words of similar length: ``characters [B, C]`` and their target ``rows [B]``."""

    characters: Tensor
    rows: Tensor


class WordTypes(TextFiles):
    """The words to learn, with their sampling weights.

    They are words with letters that have static vectors, and numbers, punctuation and sentence
    ends, which keep their old vectors.

    Args:
        files: text files or patterns, as in :class:`LanguageModelData`.
        start_from: name or folder of the biLM whose layer 0 is joined to the targets, so that case
            and form stay readable.
        cache_dir: folder for the word ids of the files.
        static: static vectors as targets: a name in ``checkpoints/`` or a folder.
        min_count: leave out less frequent words.
        batch_size: words per step.
        n_batches: number of steps.
        held_out_share: share of the words, except the commonest tenth, that is measured and not
            learned; spellings that share a static vector are held out together.
        seed: of the draws and of the held-out words.
    """

    def __init__(
        self,
        files: list[str],
        *,
        start_from: str,
        cache_dir: str = "runs/corpus",
        static: str = DEFAULT_NAME,
        min_count: int = 8,
        batch_size: int = 512,
        n_batches: int = 2500,
        held_out_share: float = 0.04,
        seed: int = 1,
    ) -> None:
        super().__init__(files, cache_dir)
        if not 0 <= held_out_share < 1 or min(min_count, batch_size, n_batches) < 1:
            raise ConfigError(
                f"data.held_out_share {held_out_share}, min_count {min_count}, batch_size"
                f" {batch_size}, n_batches {n_batches}: expected a share from 0 to below 1, and"
                " numbers of at least 1"
            )
        self.save_hyperparameters()
        self.static = static
        self.start_from = start_from
        self.min_count = min_count
        self.batch_size = batch_size
        self.n_batches = n_batches
        self.held_out_share = held_out_share
        self.seed = seed
        self.words: list[str] = []

    def setup(self, stage: str | None = None) -> None:
        """Choose the words."""
        if self.words:
            return
        corpus = self.read_corpus()
        static = StaticVectors.load(self.static)
        self.old = load_bilm(find_model(self.start_from))
        frequent = [
            k
            for k in range(len(SPECIAL_WORDS), len(corpus.words))
            if corpus.counts[k] >= self.min_count
        ]
        with_letters = {k for k in frequent if any(map(str.isalpha, corpus.words[k]))}
        lexical = [k for k in frequent if k in with_letters and corpus.words[k] in static]
        formal = [BEGIN_ID, END_ID, *(k for k in frequent if k not in with_letters)]
        if not lexical:
            raise DataError(
                f"data.files: none of the words that come {self.min_count} times or more is among"
                f" the {len(static):,} of {static.name}; give more text, or lower data.min_count"
            )
        chosen = np.array(lexical + formal)
        self.words = [corpus.words[k] for k in chosen]
        self.counts = corpus.counts[chosen]
        self.characters = torch.from_numpy(corpus.characters[chosen])
        rows = static.rows_of(self.words[: len(lexical)]).numpy()
        rare = np.setdiff1d(rows, rows[: max(1, len(rows) // 10)])
        out = np.random.default_rng(self.seed).random(len(rare)) < self.held_out_share
        self.held_out = np.concatenate([np.isin(rows, rare[out]), np.zeros(len(formal), bool)])
        meaning = F.normalize(static.vectors_of(self.words[: len(lexical)]), dim=1)
        meaning = F.normalize(
            meaning - (_shares(self.counts[: len(lexical)]) * meaning).sum(0), dim=1
        )
        self._meaning = torch.cat([meaning, torch.zeros(len(formal), meaning.shape[1])])

    def targets(self, dim: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return ``dim`` principal components of the static vectors beside the old layer 0.

        Returns:
            ``[n, dim]`` a target for each word; the map from the old layer 0 to its part of them,
            ``[dim, P]`` and ``[dim]`` added.
        """
        share = _shares(self.counts)
        old = encode_words(self.old.token_encoder, self.characters)
        mean = (share * old).sum(0)
        scale = _OLD_WEIGHT / (share * (old - mean) ** 2).sum().sqrt()
        joint = torch.cat([self._meaning, scale * (old - mean)], dim=1)
        # [J, D]
        components = torch.linalg.eigh((share * joint).T @ joint).eigenvectors.flip(1)[:, :dim]
        components = F.pad(components, (0, dim - components.shape[1]))
        linear = scale * components[self._meaning.shape[1] :].T  # [D, P]
        return joint @ components, linear, -(linear @ mean)

    def train_dataloader(self) -> WordLoader:
        """Return the loader of random words; each process makes its own draws."""
        chance = np.where(self.held_out, 0.0, self.counts.astype(np.float64) ** _DRAW_POWER)
        seed = (self.seed, self.share()[0])
        return self.resumed(
            WordLoader(
                characters=self.characters,
                chance=chance,
                batch_size=self.batch_size,
                n_batches=self.n_batches,
                seed=seed,
            )
        )

    def val_dataloader(self) -> FixedBatches[WordBatch]:
        """Return the held-out words, once each, in batches of similar length."""
        rows = torch.from_numpy(np.flatnonzero(self.held_out))
        rows = rows[torch.argsort(word_lengths(self.characters[rows]), stable=True)]
        parts = rows.split(self.batch_size)
        return FixedBatches(
            [WordBatch(self.characters[part].long(), part) for part in parts if len(part)]
        )


class WordLoader(BucketedBatches[WordBatch]):
    """Batches of words, sampled by their weights."""

    def __init__(
        self,
        characters: Tensor,
        *,
        chance: NDArray[np.float64],
        batch_size: int,
        n_batches: int,
        seed: tuple[int, ...],
    ) -> None:
        lengths = word_lengths(characters).numpy()
        super().__init__(
            n_batches, batch_size=batch_size, pool=_BATCHES_AT_ONCE, lengths=lengths, seed=seed
        )
        self.characters, self._up_to = characters, chance.cumsum()

    def draw(self, rng: np.random.Generator, n: int) -> NDArray[np.int64]:
        """Draw ``[n]`` words."""
        return np.searchsorted(self._up_to, rng.random(n) * self._up_to[-1], side="right")

    def batch(self, k: int) -> WordBatch:
        """Return the ``k``-th batch."""
        rows = self.rows(k)
        return WordBatch(self.characters[rows].long(), torch.from_numpy(rows))


def _shares(counts: NDArray[np.int64]) -> Tensor:
    """Weigh words ``[n, 1]`` by the square root of their frequency; weights sum to 1."""
    roots = torch.from_numpy(counts).double().sqrt()
    return (roots / roots.sum()).float().unsqueeze(1)


class CharEncoderModule(pl.LightningModule):
    """Training of a character encoder on the targets of :class:`WordTypes`.

    Args:
        filters: ``[width, number]`` of each character convolution, at least those of the biLM to
            start from: the new encoder begins as the old one, mapped to the new vectors. All other
            sizes are those of the biLM.
        learning_rate: highest learning rate of Adam; it falls to zero along a half cosine.
        warmup_steps: steps over which it rises.
    """

    def __init__(
        self, filters: list[tuple[int, int]], learning_rate: float = 1e-3, warmup_steps: int = 50
    ) -> None:
        super().__init__()
        self.save_hyperparameters()
        check_rates(learning_rate=learning_rate)
        self.filters = filters
        self.learning_rate = learning_rate
        self.warmup_steps = warmup_steps
        self.reader: CharacterCNN
        self.targets: Tensor  # [n, P]
        self._kept: float | None = None
        self._words = 0
        self._seconds = 0.0
        self._since = 0.0

    def configure_model(self) -> None:
        """Build the targets, and the new character encoder from the old one."""
        if hasattr(self, "targets"):
            return
        old = self.data.old
        dim = old.options.lstm.projection_dim
        targets, linear, bias = self.data.targets(dim)
        filters = tuple((width, number) for width, number in self.filters)
        self.reader = CharacterCNN(replace(old.options.char_cnn, filters=filters), dim)
        embed_char_encoder(self.reader, old.token_encoder, linear, bias)
        self.register_buffer("targets", targets, persistent=False)
        self._size = float(targets.square().sum(1).mean())

    @property
    def data(self) -> WordTypes:
        """The data module of the run."""
        return self.trainer.datamodule  # type: ignore[attr-defined,no-any-return]

    def on_fit_start(self) -> None:
        """Print the plan of the run."""
        self._since = time.monotonic()
        if self.trainer.is_global_zero:
            data, n_numbers = self.data, sum(map(torch.numel, self.reader.parameters()))
            print(
                f"{len(data.words):,} words, {int(data.held_out.sum()):,} of them held out;"
                f" {data.n_batches:,} steps of {data.batch_size:,} words; {n_numbers:,} numbers to"
                " learn.",
                flush=True,
            )

    def loss(self, vectors: Tensor, targets: Tensor) -> Tensor:
        """Compute the distance of ``[B, P]`` vectors to their targets, from three parts."""
        vectors = vectors.float()
        distance = (vectors - targets).square().sum(1).mean() / self._size
        cosine = F.cosine_similarity(vectors, targets).mean()
        return distance + (1 - cosine) + _PAIR_WEIGHT * pairwise_difference(vectors, targets)

    def training_step(self, batch: WordBatch, batch_idx: int) -> Tensor:
        """Return the loss of a batch of words."""
        self._words += len(batch.rows) * self.trainer.world_size
        loss = self.loss(self.reader(batch.characters), self.targets[batch.rows])
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch: WordBatch, batch_idx: int) -> None:
        """Log the distance of held-out words to their targets."""
        vectors = self.reader(batch.characters).float()
        cosine = F.cosine_similarity(vectors, self.targets[batch.rows]).mean()
        self.log("val_cosine", cosine, batch_size=len(batch.rows), on_epoch=True, prog_bar=True)

    def configure_optimizers(self) -> Any:
        """Return Adam with a rate that rises, then falls along a half cosine."""
        optimizer = torch.optim.Adam(self.parameters(), lr=self.learning_rate, betas=(0.9, 0.99))
        total = int(self.trainer.estimated_stepping_batches)

        def rate(step: int) -> float:
            return (
                risen(step, self.warmup_steps)
                * 0.5
                * (1 + math.cos(math.pi * min(1.0, step / total)))
            )

        return scheduled(optimizer, rate)

    def seen(self) -> dict[str, Any]:
        """Return the words sampled, the training time, and the share of the old variance kept."""
        kept = {} if self._kept is None else {"old_variance_kept": round(self._kept, 4)}
        return {
            "words": self._words,
            "seconds": round(self._seconds + time.monotonic() - self._since),
            **kept,
        }

    def learned_from(self) -> list[str]:
        """Describe the training target, for the model's card."""
        start = self.data.start_from
        return [
            f"fixed vectors of words ({self.data.static}) joined with layer 0 of {start} (weight"
            f" {_OLD_WEIGHT:g}), computed by the character encoder alone; the LSTM layers are those"
            f" of {start}, and read it through a linear map"
        ]

    def exported(self) -> tuple[BiLM, LMSoftmax | None, Vocabulary | None]:
        """Return the encoder with the LSTMs and the softmax of the biLM it started from."""
        data = self.data
        counts = torch.from_numpy(data.counts).double() ** _MAP_POWER
        bilm, self._kept = with_char_encoder(data.old, self.reader.cpu(), data.characters, counts)
        print(
            f"A linear map of the new word vectors keeps {self._kept:.1%} of those of"
            f" {data.start_from}.",
            flush=True,
        )
        files = find_model(data.start_from)
        return (bilm, *load_softmax(files)) if has_softmax(files) else (bilm, None, None)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Save the counts of the run."""
        checkpoint["seen"] = self.seen()

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Restore the counts of the run."""
        self._words, self._seconds = checkpoint["seen"]["words"], checkpoint["seen"]["seconds"]


@torch.no_grad()
def embed_char_encoder(new: CharacterCNN, old: CharacterCNN, linear: Tensor, bias: Tensor) -> None:
    """Initialize a CNN as a smaller one followed by a linear map.

    ``new`` has every filter of ``old``, and others, which start small. The map is ``linear [P_new,
    P_old]`` and ``bias [P_new]``.
    """
    numbers = dict(new.options.filters)
    if any(numbers.get(width, 0) < number for width, number in old.options.filters):
        expected, given = (list(map(list, cnn.options.filters)) for cnn in (old, new))
        raise ConfigError(
            f"model.filters: expected at least those of the biLM to start from, {expected}, found"
            f" {given}"
        )
    new.embedding.weight.copy_(old.embedding.weight)
    convolutions = dict(zip(numbers, new.convolutions, strict=True))
    starts = dict(zip(numbers, np.cumsum([0, *numbers.values()]).tolist(), strict=False))
    places: list[int] = []  # of the old filters among the new ones
    for (width, number), convolution in zip(old.options.filters, old.convolutions, strict=True):
        for name in ("weight", "bias"):
            convolutions[width].get_parameter(name)[:number] = convolution.get_parameter(name)
        places += range(starts[width], starts[width] + number)
    at = torch.tensor(places)
    for highway, old_highway in zip(new.highways, old.highways, strict=True):
        for gate in ("transform", "carry"):
            layer, old_layer = getattr(highway, gate), getattr(old_highway, gate)
            layer.weight[at] = 0.0
            layer.weight[at[:, None], at] = old_layer.weight
            layer.bias[at] = old_layer.bias
    new.projection.weight.mul_(_NEW_FILTERS)
    new.projection.weight[:, at] = linear @ old.projection.weight
    new.projection.bias.copy_(linear @ old.projection.bias + bias)


@torch.no_grad()
def with_char_encoder(
    old: BiLM, encoder: CharacterCNN, characters: Tensor, weights: Tensor
) -> tuple[BiLM, float]:
    """Attach a biLM's LSTMs to another character CNN, by a linear map.

    It is the least-squares solution for the old vectors of the given words, of ``[U, C]`` character
    ids and ``[U]`` weights, and is folded into the input weights of the first layers.

    Returns:
        the new biLM, and the share of the old vectors' variance that the map keeps, 1 at best.
    """
    bilm = BiLM(BiLMOptions(old.options.lstm, encoder.options))
    bilm.load_state_dict(
        {
            **old.state_dict(),
            **{f"token_encoder.{name}": value for name, value in encoder.state_dict().items()},
        }
    )
    share = (weights.double() / weights.sum()).unsqueeze(1)  # [U, 1]
    new_vectors, old_vectors = (
        encode_words(cnn, characters).double().cpu() for cnn in (encoder, old.token_encoder)
    )
    new_mean, old_mean = (share * new_vectors).sum(0), (share * old_vectors).sum(0)
    new_vectors, old_vectors = new_vectors - new_mean, old_vectors - old_mean
    gram = (share * new_vectors).T @ new_vectors
    ridge = _RIDGE * gram.diagonal().mean() * torch.eye(len(gram), dtype=gram.dtype)
    linear = torch.linalg.solve(gram + ridge, (share * new_vectors).T @ old_vectors)  # [P, P]
    lost = (share * (old_vectors - new_vectors @ linear) ** 2).sum()
    kept = 1 - float(lost / (share * old_vectors**2).sum())
    bias = old_mean - new_mean @ linear
    for direction in (bilm.forward_lm, bilm.backward_lm):
        weight, first_bias = (
            direction.layers[0].get_parameter(f"{name}_ih_l0") for name in ("weight", "bias")
        )
        first_bias.add_((weight.double() @ bias).float())
        weight.copy_((weight.double() @ linear.T).float())
    return bilm, kept
