"""Pretraining of a biLM with Lightning."""

from __future__ import annotations

import time
from dataclasses import astuple
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor

from elmo_tasks.bilm.bilm import BiLM, DirectionState
from elmo_tasks.bilm.model_files import find_model, take_over
from elmo_tasks.bilm.options import BiLMOptions, CharCNNOptions, LSTMOptions
from elmo_tasks.bilm.perplexity import Perplexity, sentence_losses
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.bilm.word_readers import WordCache
from elmo_tasks.data.language_batches import SentenceBatch, StreamBatch
from elmo_tasks.data.language_model import LanguageModelData
from elmo_tasks.data.taught_uses import TaughtBatch
from elmo_tasks.encoders.static_vectors import DEFAULT_NAME, StaticVectors
from elmo_tasks.errors import ConfigError
from elmo_tasks.text.vocabulary import BEGIN_ID, END_ID, UNKNOWN_ID, Vocabulary
from elmo_tasks.training.auxiliary import DistantWords, Distillation, SideBags, learned_from, weighted_vectors
from elmo_tasks.training.rates import check_rates, falling, risen, scheduled


class BiLMModule(pl.LightningModule):
    """A biLM, its softmax, and how they learn: truncated back-propagation over parallel streams with carried state.

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
        dropout: share of each LSTM layer's input and of the softmax's input that is dropped.
        n_draws: draws of negative words per step, shared by all positions and both directions.
        learning_rate: highest learning rate of Adam.
        warmup_steps: steps over which it rises.
        decay_fraction: last part of the run over which it falls to zero. Until then the run's length may still be changed.
        start_from: name or folder of a biLM to go on training (fine-tuning). Its softmax comes along for the words that the new
            vocabulary shares with it; the sizes above must be those of the model.
        reset_rate: share of the streams whose state is forgotten at each step, so that the model also learns to start from
            nothing, as it does when it encodes a single sentence.
        distant_weight: weight of a second loss, see :class:`DistantWords`; 0 for none.
        bag_weight: weight of the first loss of :class:`SideBags`, which asks for the words on each side; 0 for none.
        pair_weight: weight of its second loss, which asks two uses to be as alike as the words on their sides are; 0 for none.
        static: static vectors that these two losses ask for: a name in ``checkpoints/`` or a folder.
        teacher_weight: weight of the first loss of :class:`Distillation`, which asks for what ``data.teacher`` gives; 0 for none.
        teacher_pair_weight: weight of its second loss, which asks two uses of a word to be as alike as they are to it; 0 for none.
        freeze_reader: the character CNN of ``start_from`` is not trained; the words of the corpus are read once, see
            :class:`WordCache`.

    Raises:
        ConfigError: a weight is negative, or the word reader is to be frozen and there is none.
    """

    def __init__(
        self,
        filters: list[tuple[int, int]],
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
        distant_weight: float = 0.0,
        bag_weight: float = 0.0,
        pair_weight: float = 0.0,
        static: str = DEFAULT_NAME,
        freeze_reader: bool = False,
        teacher_weight: float = 0.0,
        teacher_pair_weight: float = 0.0,
    ) -> None:
        super().__init__()
        weights = {
            "distant_weight": distant_weight,
            "bag_weight": bag_weight,
            "pair_weight": pair_weight,
            "teacher_weight": teacher_weight,
            "teacher_pair_weight": teacher_pair_weight,
        }
        if min(weights.values()) < 0:
            given = ", ".join(f"model.{name} {weight}" for name, weight in weights.items())
            raise ConfigError(f"{given}: expected 0 (off) or more")
        if freeze_reader and start_from is None:
            raise ConfigError(
                "model.freeze_reader true: expected model.start_from, a biLM whose word reader has learned something; found none"
            )
        self.save_hyperparameters()
        self.options = BiLMOptions(
            LSTMOptions(dim, projection_dim, n_layers, cell_clip, proj_clip, use_skip_connections),
            CharCNNOptions(tuple((w, n) for w, n in filters), n_highway, embedding_dim),
        )
        self.dropout, self.n_draws = dropout, n_draws
        check_rates(learning_rate=learning_rate)
        self.learning_rate, self.warmup_steps, self.decay_fraction = learning_rate, warmup_steps, decay_fraction
        self.reset_rate, self.start_from = reset_rate, start_from
        self.distant_weight, self.bag_weight, self.pair_weight = distant_weight, bag_weight, pair_weight
        self.teacher_weight, self.teacher_pair_weight = teacher_weight, teacher_pair_weight
        self.static = static
        self.bilm = BiLM(self.options)
        self.bilm.token_encoder.requires_grad_(not freeze_reader)
        self.freeze_reader = freeze_reader
        self._word_cache: WordCache | None = None
        self.softmax: LMSoftmax | None = None
        self.distant_words: DistantWords | None = None
        self.side_bags: SideBags | None = None
        self.distillation: Distillation | None = None
        self._states: list[DirectionState] | None = None
        self._perplexity = Perplexity()
        self._seconds, self._positions, self._since = 0.0, 0, 0.0

    def configure_model(self) -> None:
        """Make what the data decides, the softmax first; take over the weights of ``start_from``."""
        if self.softmax is not None:
            return
        vocabulary = self.data.vocabulary
        assert vocabulary is not None
        self.softmax = LMSoftmax(len(vocabulary), self.options.lstm.projection_dim)
        if self.start_from is not None:
            take_over(find_model(self.start_from), self.bilm, self.softmax, vocabulary)
        width = self.options.lstm.projection_dim
        if self.distant_weight:
            self.distant_words = DistantWords(width, len(vocabulary))
        if self.bag_weight or self.pair_weight:
            corpus = self.data.corpus
            assert corpus is not None
            self.side_bags = SideBags(width, *weighted_vectors(StaticVectors.load(self.static), corpus.words))
        if self.teacher_weight or self.teacher_pair_weight:
            if self.data.taught is None:
                raise ConfigError(
                    f"model.teacher_weight {self.teacher_weight:g}, model.teacher_pair_weight {self.teacher_pair_weight:g}: "
                    "expected data.teacher, an encoder to learn from; found none"
                )
            self.distillation = Distillation(2 * width, self.data.taught.width)

    @property
    def data(self) -> LanguageModelData:
        """The data module of the run."""
        data = self.trainer.datamodule  # type: ignore[attr-defined]
        assert isinstance(data, LanguageModelData)
        return data

    def on_fit_start(self) -> None:
        """Say what is ahead before it begins."""
        self._since = time.monotonic()
        if self.trainer.is_global_zero:
            print(self.data.summary(), flush=True)

    def on_train_start(self) -> None:
        """Make room for the vectors of a frozen word reader, now that its weights are there."""
        if self.freeze_reader:
            assert self.data.corpus is not None
            self._word_cache = WordCache(self.bilm.token_encoder, len(self.data.corpus.words))

    def seen(self) -> dict[str, Any]:
        """What the run has read so far, and how long that took, resumed parts included."""
        return {"positions": self._positions, "seconds": round(self._seconds + time.monotonic() - self._since)}

    def exported(self) -> tuple[BiLM, LMSoftmax | None, Vocabulary | None]:
        """What the run is for, as it is written at its end."""
        return self.bilm, self.softmax, self.data.vocabulary

    def learned_from(self) -> list[str]:
        """What the weights were asked for, in words, for the model's card."""
        return learned_from(dict(self.hparams), self.data.teacher_name, self.data.n_taught)

    def training_step(self, batch: StreamBatch, batch_idx: int) -> Tensor:
        """Mean sampled loss of both directions, and what else is asked for; ``train_loss`` is the language model's alone."""
        assert self.softmax is not None
        self._positions += batch.words[0].numel() * self.trainer.world_size
        vectors = self._read_words(batch)
        directions = (self.bilm.forward_lm, self.bilm.backward_lm)
        keep = self._kept_streams(batch.words.shape[1])
        states = self._start_states(keep)
        tops = []
        ends = []
        for k, lm in enumerate(directions):
            outputs, end = lm(vectors[batch.words[k]], None if states is None else states[k], dropout=self.dropout)
            tops.append(outputs[-1])
            ends.append(tuple((h.detach(), c.detach()) for h, c in end))
        self._states = ends
        hidden = torch.nn.functional.dropout(torch.stack(tops), self.dropout)  # [2, B, T, P]
        # After one boundary comes the other, always: nothing to learn, and nothing that counts in the perplexity.
        near = torch.tensor([BEGIN_ID, END_ID], device=self.device).view(2, 1, 1)
        counts = batch.targets != near
        loss = self.softmax.sampled_loss(hidden[counts], batch.targets[counts], self.n_draws)
        self.log("train_loss", loss, prog_bar=True)
        if self.distant_words is not None:
            distant = self.distant_words(hidden, batch.targets, batch_idx, self.softmax, self.n_draws)
            self.log("train_distant", distant)
            loss = loss + self.distant_weight * distant
        if self.side_bags is not None:
            # As the product shows the layer: without the dropout of the softmax's input.
            bag, pairs = self.side_bags(torch.stack(tops), self.side_bags.targets(batch, keep))
            self.log_dict({"train_bag": bag, "train_bag_pairs": pairs})
            loss = loss + self.bag_weight * bag + self.pair_weight * pairs
        if self.distillation is not None:
            assert self.data.taught is not None
            taught = self.data.taught.batch(self.global_step, self.global_rank).to(self.device)
            # From the constant start state, as a sentence is read when the model is used.
            layers = self.bilm.read(self._read_words(taught)[taught.words], taught.lengths, dropout=self.dropout).layers
            cosine, pairs = self.distillation(layers, taught)
            self.log_dict({"train_teacher": cosine, "train_teacher_pairs": pairs})
            loss = loss + self.teacher_weight * cosine + self.teacher_pair_weight * pairs
        return loss

    def _read_words(self, batch: StreamBatch | TaughtBatch) -> Tensor:
        """``[U, P]`` vectors of the distinct words of a batch."""
        if self._word_cache is None:
            return self.bilm.token_encoder(batch.characters)
        return self._word_cache.read(batch.characters, batch.corpus_ids)

    def _kept_streams(self, batch_size: int) -> Tensor | None:
        """``[B, 1]`` 0 where a stream's state is forgotten, else 1; ``None`` where there is no state to keep."""
        if self._states is None or self._states[0][0][0].shape[1] != batch_size:
            return None
        return (torch.rand(batch_size, 1, device=self.device) >= self.reset_rate).float()

    def _start_states(self, keep: Tensor | None) -> list[DirectionState] | None:
        if keep is None or self._states is None:
            return None
        # A resume file brings the states to the CPU first.
        return [
            tuple(((h.to(keep) * keep).to(h.dtype), (c.to(keep) * keep).to(c.dtype)) for h, c in d)
            for d in self._states
        ]

    def validation_step(self, batch: SentenceBatch, batch_idx: int) -> None:
        """Add the losses of a batch of sentences, over the whole vocabulary."""
        assert self.softmax is not None
        self._perplexity += sentence_losses(
            self.bilm, self.softmax, batch.characters, batch.words, batch.lengths, batch.targets, UNKNOWN_ID
        )

    def on_validation_epoch_end(self) -> None:
        """Log perplexities and the unknown rate, summed over all processes."""
        self._log_perplexity("val")

    def test_step(self, batch: SentenceBatch, batch_idx: int) -> None:
        """As in validation, over all held-out sentences."""
        self.validation_step(batch, batch_idx)

    def on_test_epoch_end(self) -> None:
        """Log perplexities and the unknown rate, summed over all processes."""
        self._log_perplexity("test")

    def _log_perplexity(self, stage: str) -> None:
        found, self._perplexity = self._perplexity, Perplexity()
        sums = torch.tensor(astuple(found), dtype=torch.float64, device=self.device)
        forward, backward, *counts = self.trainer.strategy.reduce(sums, reduce_op="sum").tolist()
        p = Perplexity(forward, backward, *map(int, counts))
        if not p.n_targets:
            return
        self.log_dict({f"{stage}_{name}": value for name, value in p.scores().items()}, rank_zero_only=True)

    def configure_optimizers(self) -> Any:
        """Adam; the rate rises, stays, and falls to zero at the end."""
        on_gpu = self.device.type == "cuda"
        optimizer = torch.optim.Adam(
            (p for p in self.parameters() if p.requires_grad), lr=self.learning_rate, fused=True if on_gpu else None
        )
        total = int(self.trainer.estimated_stepping_batches)
        return scheduled(
            optimizer, lambda step: min(risen(step, self.warmup_steps), falling(step, total, self.decay_fraction))
        )

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Keep the carried state of the streams (of the process that writes), the vocabulary, and what was read."""
        checkpoint["stream_states"] = self._states
        checkpoint["bag_sums"] = None if self.side_bags is None else self.side_bags.sums
        checkpoint["vocabulary"] = list(self.data.vocabulary.words) if self.data.vocabulary else []
        checkpoint["seen"] = self.seen()

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Take the carried state up again."""
        seen = checkpoint.get("seen", {})
        self._positions, self._seconds = seen.get("positions", 0), seen.get("seconds", 0.0)
        # The file has the states of the process that wrote it; the streams of several begin anew from zero.
        states = checkpoint.get("stream_states") if self.trainer.world_size == 1 else None
        self._states = None if states is None else [tuple(tuple(part for part in s) for s in d) for d in states]  # type: ignore[misc]
        if self.side_bags is not None:
            self.side_bags.sums = None if states is None else checkpoint.get("bag_sums")
