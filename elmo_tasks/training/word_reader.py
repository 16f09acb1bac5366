"""The word reader (character CNN, layer 0) learns what words mean, on word types, before a language model learns on top of it."""

from __future__ import annotations

import math
import time
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor
from torch.nn import functional as F

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.char_cnn import CharacterCNN
from elmo_tasks.bilm.model_files import find_model, has_softmax, load_softmax
from elmo_tasks.bilm.options import BiLMOptions, CharCNNOptions, LSTMOptions
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.bilm.word_readers import embed_reader, with_reader
from elmo_tasks.data.word_types import WordBatch, WordTypes
from elmo_tasks.errors import ConfigError
from elmo_tasks.text.vocabulary import Vocabulary
from elmo_tasks.training.auxiliary import pairwise_difference
from elmo_tasks.training.rates import check_rates, risen, scheduled

# Cosines of pairs differ by little: at this weight they count about as much as the two other parts.
_PAIR_WEIGHT = 10.0
# How a word counts in the map from new vectors to old ones, by its count: nearly as in running text.
_MAP_POWER = 0.75


class WordReaderModule(pl.LightningModule):
    """A word reader, and how it learns the vectors that :class:`WordTypes` asks for.

    Args:
        filters: ``[width, number]`` of each character convolution. With a biLM to start from, at least its own: the reader begins
            as that one, mapped to the new vectors.
        n_highway: highway layers.
        embedding_dim: size of a character's vector.
        dim: cells of an LSTM layer of the exported biLM. With a biLM to start from, these sizes must be its.
        projection_dim: outputs of an LSTM layer, and size of a word's vector.
        n_layers: LSTM layers in each direction.
        learning_rate: highest learning rate of Adam; it falls to zero along a half cosine.
        warmup_steps: steps over which it rises.
    """

    def __init__(
        self,
        filters: list[tuple[int, int]],
        n_highway: int = 1,
        embedding_dim: int = 16,
        dim: int = 512,
        projection_dim: int = 128,
        n_layers: int = 2,
        learning_rate: float = 1e-3,
        warmup_steps: int = 50,
    ) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.lstm = LSTMOptions(dim, projection_dim, n_layers)
        check_rates(learning_rate=learning_rate)
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps
        self.reader = CharacterCNN(
            CharCNNOptions(tuple((w, n) for w, n in filters), n_highway, embedding_dim), projection_dim
        )
        self.targets: Tensor  # [n, P]
        self._kept: float | None = None
        self._words, self._seconds, self._since = 0, 0.0, 0.0

    def configure_model(self) -> None:
        """Make the targets; begin as the word reader of the biLM to start from. Raises ConfigError: that biLM has other sizes."""
        if hasattr(self, "targets"):
            return
        data, options = self.data, self.lstm
        if data.old is not None:
            old = data.old.options.lstm
            sizes, expected = ((o.dim, o.projection_dim, o.n_layers) for o in (options, old))
            if sizes != expected:
                raise ConfigError(
                    f"model: expected dim, projection_dim and n_layers of {data.start_from}, {expected}; found {sizes}"
                )
        targets = data.targets(options.projection_dim)
        if data.old is not None and targets.linear is not None and targets.bias is not None:
            embed_reader(self.reader, data.old.token_encoder, targets.linear, targets.bias)
        self.register_buffer("targets", targets.values, persistent=False)
        self._size = float(targets.values.square().sum(1).mean())

    @property
    def data(self) -> WordTypes:
        """The data module of the run."""
        data = self.trainer.datamodule  # type: ignore[attr-defined]
        assert isinstance(data, WordTypes)
        return data

    def on_fit_start(self) -> None:
        """Say what is ahead before it begins."""
        self._since = time.monotonic()
        data = self.data
        if self.trainer.is_global_zero:
            print(
                f"{len(data.words):,} words, {int(data.held_out.sum()):,} of them held out; {data.n_batches:,} steps of "
                f"{data.batch_size:,} words; {sum(p.numel() for p in self.reader.parameters()):,} numbers to learn.",
                flush=True,
            )

    def loss(self, vectors: Tensor, targets: Tensor) -> Tensor:
        """How far ``[B, P]`` vectors are from their targets: relative squared distance, cosine, and the cosines of all pairs."""
        vectors = vectors.float()
        distance = (vectors - targets).square().sum(1).mean() / self._size
        cosine = F.cosine_similarity(vectors, targets).mean()
        return distance + (1 - cosine) + _PAIR_WEIGHT * pairwise_difference(vectors, targets)

    def training_step(self, batch: WordBatch, batch_idx: int) -> Tensor:
        """The loss of a batch of words."""
        self._words += len(batch.rows) * self.trainer.world_size
        loss = self.loss(self.reader(batch.characters), self.targets[batch.rows])
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch: WordBatch, batch_idx: int) -> None:
        """Log how near the vectors of held-out words come to theirs: whether letters say what an unseen word means."""
        vectors = self.reader(batch.characters).float()
        cosine = F.cosine_similarity(vectors, self.targets[batch.rows]).mean()
        self.log("val_cosine", cosine, batch_size=len(batch.rows), on_epoch=True, prog_bar=True)

    def configure_optimizers(self) -> Any:
        """Adam; the rate rises, then falls along a half cosine."""
        optimizer = torch.optim.Adam(self.parameters(), lr=self.learning_rate, betas=(0.9, 0.99))
        total = int(self.trainer.estimated_stepping_batches)

        def rate(step: int) -> float:
            return risen(step, self.warmup_steps) * 0.5 * (1 + math.cos(math.pi * min(1.0, step / total)))

        return scheduled(optimizer, rate)

    def seen(self) -> dict[str, Any]:
        """What the run has drawn so far, how long that took, and what the LSTMs keep of the vectors that they knew."""
        kept = {} if self._kept is None else {"old_variance_kept": round(self._kept, 4)}
        return {"words": self._words, "seconds": round(self._seconds + time.monotonic() - self._since), **kept}

    def learned_from(self) -> list[str]:
        """What the weights were asked for, in words, for the model's card."""
        data = self.data
        vectors = f"fixed vectors of words ({data.static})"
        if data.start_from is None:
            return [
                f"{vectors}, given by the word reader from the letters alone; the LSTM layers have learned nothing yet"
            ]
        return [
            f"{vectors} joined with layer 0 of {data.start_from} (weight {data.old_weight:g}), given by the word reader from the "
            f"letters alone; the LSTM layers are those of {data.start_from}, and read it through a linear map"
        ]

    def exported(self) -> tuple[BiLM, LMSoftmax | None, Vocabulary | None]:
        """The reader under the LSTMs that it started from, with their softmax; under new ones if there are none."""
        data = self.data
        if data.old is None or data.start_from is None:
            bilm = BiLM(BiLMOptions(self.lstm, self.reader.options))
            bilm.token_encoder.load_state_dict(self.reader.state_dict())
            return bilm, None, None
        counts = torch.from_numpy(data.counts).double() ** _MAP_POWER
        bilm, self._kept = with_reader(data.old, self.reader.cpu(), data.characters, counts)
        print(
            f"Of the word vectors of {data.start_from}, a linear map of the new ones keeps {self._kept:.1%}.",
            flush=True,
        )
        files = find_model(data.start_from)
        return (bilm, *load_softmax(files)) if has_softmax(files) else (bilm, None, None)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Keep what was drawn."""
        checkpoint["seen"] = self.seen()

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Count on from there."""
        self._words, self._seconds = checkpoint["seen"]["words"], checkpoint["seen"]["seconds"]
