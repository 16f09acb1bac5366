"""Pretraining of a biLM with Lightning."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor

from elmo_tasks.bilm.bilm import BiLM, DirectionState
from elmo_tasks.bilm.char_cnn import WordCache
from elmo_tasks.bilm.model_files import find_model, take_over
from elmo_tasks.bilm.options import BiLMOptions, CharCNNOptions, LSTMOptions
from elmo_tasks.bilm.softmax import LMSoftmax, Perplexity, sentence_losses
from elmo_tasks.data.language_batches import SentenceBatch, StreamBatch
from elmo_tasks.data.language_model import LanguageModelData
from elmo_tasks.errors import ConfigError
from elmo_tasks.text.vocabulary import BEGIN_ID, END_ID, UNKNOWN_ID, Vocabulary
from elmo_tasks.training.rates import check_rates, falling, risen, scheduled, set_rates


class BiLMModule(pl.LightningModule):
    """A biLM and its softmax, trained by truncated back-propagation.

    A recipe that adds an objective is a subclass that overrides :meth:`extra_loss`
    (``recipes/context_bags.py`` is one).

    Args:
        filters: ``[width, number]`` of each character convolution.
        n_highway: highway layers.
        embedding_dim: size of a character's vector.
        dim: cells of an LSTM layer.
        projection_dim: outputs of an LSTM layer.
        n_layers: LSTM layers in each direction.
        cell_clip: see :class:`LSTMOptions`; training without clipping is faster.
        proj_clip: see :class:`LSTMOptions`.
        use_skip_connections: see :class:`LSTMOptions`.
        dropout: of each LSTM layer's input and of the softmax's input.
        n_draws: draws of negative words per step, shared by all positions and both directions.
        learning_rate: highest learning rate of Adam.
        warmup_steps: steps over which it rises.
        decay_fraction: last part of the run over which it falls to zero. Until then the run's
            length may still be changed.
        start_from: name or folder of a biLM of the same sizes to fine-tune, with its softmax for
            the words that the vocabularies share.
        reset_rate: share of the streams whose state is reset at each step, so that the model also
            learns to start from nothing, as it does when it encodes a single sentence.
        freeze_reader: the character CNN of ``start_from`` is not trained; each word is read once,
            see :class:`WordCache`.
    """

    def __init__(
        self,
        filters: list[tuple[int, int]],
        *,
        n_highway: int = 1,
        embedding_dim: int = 16,
        dim: int = 512,
        projection_dim: int = 128,
        n_layers: int = 2,
        cell_clip: float | None = None,
        proj_clip: float | None = None,
        use_skip_connections: bool = True,
        dropout: float = 0.1,
        n_draws: int = 8192,
        learning_rate: float = 2e-3,
        warmup_steps: int = 500,
        decay_fraction: float = 0.5,
        reset_rate: float = 0.1,
        start_from: str | None = None,
        freeze_reader: bool = False,
    ) -> None:
        super().__init__()
        if freeze_reader and start_from is None:
            raise ConfigError(
                "model.freeze_reader true: expected model.start_from, a biLM with a trained"
                " character encoder; found none"
            )
        self.save_hyperparameters()
        self.options = BiLMOptions(
            LSTMOptions(
                dim=dim,
                projection_dim=projection_dim,
                n_layers=n_layers,
                cell_clip=cell_clip,
                proj_clip=proj_clip,
                use_skip_connections=use_skip_connections,
            ),
            CharCNNOptions(tuple((width, n) for width, n in filters), n_highway, embedding_dim),
        )
        self.dropout = dropout
        self.n_draws = n_draws
        check_rates(learning_rate=learning_rate)
        self.learning_rate = learning_rate
        self.warmup_steps = warmup_steps
        self.decay_fraction = decay_fraction
        self.reset_rate = reset_rate
        self.start_from = start_from
        self.bilm = BiLM(self.options)
        self.bilm.token_encoder.requires_grad_(not freeze_reader)
        self.freeze_reader = freeze_reader
        self._word_cache: WordCache | None = None
        self.softmax: LMSoftmax | None = None
        #: ``[B, 1]`` 1 where a stream kept its state in this step, 0 where it was reset; ``None``
        #: if none was carried.
        self.kept_streams: Tensor | None = None
        self._states: list[DirectionState] | None = None
        self._perplexity = Perplexity()
        self._seconds = 0.0
        self._positions = 0
        self._since = 0.0

    def configure_model(self) -> None:
        """Build the softmax for the vocabulary of the data; load ``start_from``."""
        if self.softmax is not None:
            return
        vocabulary = self.data.vocabulary
        assert vocabulary is not None
        self.softmax = LMSoftmax(len(vocabulary), self.options.lstm.projection_dim)
        if self.start_from is not None:
            take_over(find_model(self.start_from), self.bilm, self.softmax, vocabulary)

    @property
    def data(self) -> LanguageModelData:
        """The data module of the run."""
        data = self.trainer.datamodule  # type: ignore[attr-defined]
        assert isinstance(data, LanguageModelData)
        return data

    def on_fit_start(self) -> None:
        """Print the plan of the run."""
        self._since = time.monotonic()
        if self.trainer.is_global_zero:
            print(self.data.summary(), flush=True)

    def on_train_start(self) -> None:
        """Use the rates of the settings; allocate the vectors of a frozen character encoder."""
        set_rates(self.trainer, [(self.learning_rate, 0.0)])
        if self.freeze_reader:
            assert self.data.corpus is not None
            self._word_cache = WordCache(self.bilm.token_encoder, len(self.data.corpus.words))

    def seen(self) -> dict[str, Any]:
        """Tokens read by the run and its training time, over all resumes."""
        return {
            "positions": self._positions,
            "seconds": round(self._seconds + time.monotonic() - self._since),
        }

    def exported(self) -> tuple[BiLM, LMSoftmax | None, Vocabulary | None]:
        """The model to export at the end of the run."""
        return self.bilm, self.softmax, self.data.vocabulary

    def learned_from(self) -> list[str]:
        """Describe the training objectives, a sentence each, for the model's card."""
        objectives = ["the next word of the text, in each direction (the language model)"]
        if self.freeze_reader:
            objectives.append(
                "layer 0, which reads single words, was not trained: it is that of"
                f" {self.start_from}"
            )
        return objectives

    def extra_loss(self, batch: StreamBatch, layers: Sequence[Tensor]) -> Tensor | None:
        """Return an additional, weighted loss; recipes override this.

        ``layers`` are the outputs of the LSTM layers, the top one last, each ``[2, B, T, P]``: the
        forward direction on ``batch.words[0]``, the backward one on ``batch.words[1]``. A loss on
        sentences of its own reads them with
        ``self.bilm.read(self.bilm.token_encoder(characters)[words], lengths)``, chosen by
        ``self.global_step`` so that a resumed run draws the same ones.
        """
        return None

    def training_step(self, batch: StreamBatch, batch_idx: int) -> Tensor:
        """Mean sampled loss of both directions, logged as ``train_loss``, plus
        :meth:`extra_loss`.
        """
        assert self.softmax is not None
        self._positions += batch.words[0].numel() * self.trainer.world_size
        vectors = self.encode_words(batch.characters, batch.corpus_ids)
        directions = (self.bilm.forward_lm, self.bilm.backward_lm)
        states = self._start_states(batch.words.shape[1])
        outputs = []
        ends = []
        for k, lm in enumerate(directions):
            layers, end = lm(
                vectors[batch.words[k]], None if states is None else states[k], dropout=self.dropout
            )
            outputs.append(layers)
            ends.append(tuple((h.detach(), c.detach()) for h, c in end))
        self._states = ends
        # a layer each, [2, B, T, P]
        both = [torch.stack(pair) for pair in zip(*outputs, strict=True)]
        hidden = torch.nn.functional.dropout(both[-1], self.dropout)
        # One boundary always follows the other: nothing to learn.
        near = torch.tensor([BEGIN_ID, END_ID], device=self.device).view(2, 1, 1)
        counts = batch.targets != near
        loss = self.softmax.sampled_loss(hidden[counts], batch.targets[counts], self.n_draws)
        self.log("train_loss", loss, prog_bar=True)
        extra = self.extra_loss(batch, both)
        return loss if extra is None else loss + extra

    def encode_words(self, characters: Tensor, corpus_ids: Tensor) -> Tensor:
        """Vectors ``[U, P]`` of distinct words from characters and ids."""
        if self._word_cache is None:
            return self.bilm.token_encoder(characters)
        return self._word_cache.read(characters, corpus_ids)

    def _start_states(self, batch_size: int) -> list[DirectionState] | None:
        """Return the carried states, those of some streams reset; update :attr:`kept_streams`."""
        self.kept_streams = None
        if self._states is None or self._states[0][0][0].shape[1] != batch_size:
            return None
        self.kept_streams = keep = (
            torch.rand(batch_size, 1, device=self.device) >= self.reset_rate
        ).float()
        # A resume file brings the states to the CPU first.
        return [
            tuple(
                ((h.to(keep) * keep).to(h.dtype), (c.to(keep) * keep).to(c.dtype))
                for h, c in direction
            )
            for direction in self._states
        ]

    def validation_step(self, batch: SentenceBatch, batch_idx: int) -> None:
        """Add the losses of a batch of sentences, over the whole vocabulary."""
        assert self.softmax is not None
        self._perplexity += sentence_losses(
            self.bilm,
            self.softmax,
            batch.characters,
            batch.words,
            batch.lengths,
            batch.targets,
            UNKNOWN_ID,
        )

    def on_validation_epoch_end(self) -> None:
        """Log perplexities and the unknown rate, summed over all processes."""
        sums = torch.tensor(astuple(self._perplexity), dtype=torch.float64, device=self.device)
        self._perplexity = Perplexity()
        forward, backward, *counts = self.trainer.strategy.reduce(sums, reduce_op="sum").tolist()
        total = Perplexity(forward, backward, *map(int, counts))
        if not total.n_targets:
            return
        stage = "test" if self.trainer.testing else "val"
        self.log_dict(
            {f"{stage}_{name}": value for name, value in total.scores().items()},
            rank_zero_only=True,
        )

    test_step, on_test_epoch_end = validation_step, on_validation_epoch_end

    def configure_optimizers(self) -> Any:
        """Adam; the rate rises, stays, and falls to zero at the end."""
        trained = (p for p in self.parameters() if p.requires_grad)
        optimizer = torch.optim.Adam(
            trained, lr=self.learning_rate, fused=self.device.type == "cuda" or None
        )
        total = int(self.trainer.estimated_stepping_batches)
        return scheduled(
            optimizer,
            lambda step: min(
                risen(step, self.warmup_steps), falling(step, total, self.decay_fraction)
            ),
        )

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Save the carried state of the streams, the vocabulary and the counts."""
        checkpoint["stream_states"] = self._states
        checkpoint["vocabulary"] = list(self.data.vocabulary.words) if self.data.vocabulary else []
        checkpoint["seen"] = self.seen()

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Restore the carried state and the counts."""
        words = list(self.data.vocabulary.words) if self.data.vocabulary else []
        if (
            self.trainer.state.fn == "fit"
            and words
            and checkpoint.get("vocabulary", words) != words
        ):
            raise ConfigError(
                "--ckpt_path: this run learned to predict the words of another text; resume it with"
                " the same files, or start a new run with --init_from"
            )
        seen = checkpoint.get("seen", {})
        self._positions = seen.get("positions", 0)
        self._seconds = seen.get("seconds", 0.0)
        # The file has the states of one process; with several, the streams start from zero again.
        self._states = checkpoint.get("stream_states") if self.trainer.world_size == 1 else None
