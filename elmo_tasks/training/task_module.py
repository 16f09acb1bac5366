"""Lightning module that trains any task head on an encoder."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeGuard

import pytorch_lightning as pl
import torch
from torch import Tensor

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.model_files import default_model
from elmo_tasks.data.batches import RowBatch
from elmo_tasks.data.split_data import Split, SplitData
from elmo_tasks.encoders import Encoder, load
from elmo_tasks.encoders.layer_cache import LayerCache
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.classification import ClassificationHead, balanced_weights
from elmo_tasks.heads.head import HeadTask, TaskHead, TokenFeatures
from elmo_tasks.heads.head_files import Source
from elmo_tasks.prediction import features_of
from elmo_tasks.tasks import find_task
from elmo_tasks.training.rates import check_rates, falling, scheduled, set_rates


def is_validated_epoch(module: pl.LightningModule, trainer: pl.Trainer) -> TypeGuard[TaskModule]:
    """Return True after the validation that follows an epoch of a head's training."""
    in_training = trainer.state.fn == "fit" and not trainer.sanity_checking
    return in_training and isinstance(module, TaskModule)


class TaskModule(pl.LightningModule):
    """A trainable head on a frozen encoder, or on a biLM that trains at its own rate.

    A frozen encoder's layers are computed once and kept on disk (see :class:`LayerCache`), or
    computed again for each batch.

    Args:
        head: the head's class and settings; its task comes from the data and the encoder.
        encoder: name or folder of an encoder; the default one if ``None``.
        static: name or folder of static vectors that the head reads beside the layers.
        layer_store: folder to keep layers in; ``None`` encodes each batch again.
        max_store_gb: maximum size of one split's layers on disk.
        learning_rate: highest learning rate of Adam.
        decay_fraction: last part of the longest possible run (``max_epochs``) over which it falls
            to zero.
        weight_decay: of Adam (decoupled), not of the mix.
        mix_l2: weight of the squared scalars of the mix in the loss (Peters et al., 2018, section
            3.2).
        mix_learning_rate: of the mix, whose few parameters learn slowly at the other rate.
        class_weights: ``balanced`` gives all classes the same total weight in training; scores are
            unweighted.
        encoder_learning_rate: trains the biLM at this rate, far below the head's, and keeps no
            layers; ``None`` freezes it.
    """

    head: TaskHead

    def __init__(
        self,
        head: Callable[[HeadTask], TaskHead],
        encoder: str | None = None,
        static: str | None = None,
        *,
        layer_store: str | None = "runs/layers",
        max_store_gb: float = 16.0,
        learning_rate: float = 1e-3,
        decay_fraction: float = 0.5,
        weight_decay: float = 0.0,
        mix_l2: float = 1e-3,
        mix_learning_rate: float = 3e-3,
        class_weights: Literal["balanced"] | None = None,
        encoder_learning_rate: float | None = None,
    ) -> None:
        super().__init__()
        self.make_head = head
        self.encoder_name = encoder if encoder is not None else default_model()
        self.static_name = static
        self.layer_store = layer_store
        self.max_store_gb = max_store_gb
        self.learning_rate = learning_rate
        self.decay_fraction = decay_fraction
        self.weight_decay = weight_decay
        self.mix_l2 = mix_l2
        self.mix_learning_rate = mix_learning_rate
        self.class_weights = class_weights
        check_rates(learning_rate=learning_rate, mix_learning_rate=mix_learning_rate)
        if encoder_learning_rate is not None and not encoder_learning_rate > 0:
            raise ConfigError(
                "model.encoder_learning_rate: expected a number above 0, or null, got"
                f" {encoder_learning_rate}"
            )
        self.encoder_learning_rate = encoder_learning_rate
        #: The biLM that is trained, a part of the checkpoint; ``None`` if it is frozen.
        self.tuned: BiLM | None = None
        self.tuned_from: Source | None = None
        self._stores: dict[str, LayerCache] = {}
        self._rates: list[tuple[float, float]] = []
        self.seconds = 0.0
        self._since = 0.0

    @cached_property
    def encoder(self) -> Encoder:
        """The frozen encoder; no submodule, as frozen weights do not belong in a resume file."""
        return load(self.encoder_name)

    @cached_property
    def static(self) -> StaticVectors | None:
        """The static vectors, if there are any."""
        return None if self.static_name is None else StaticVectors.load(self.static_name)

    @property
    def data(self) -> SplitData[Any, Any]:
        """The data module of the run."""
        data = self.trainer.datamodule  # type: ignore[attr-defined]
        assert isinstance(data, SplitData)
        return data

    def configure_model(self) -> None:
        """Build the head for the labels of the data."""
        if hasattr(self, "head"):
            return
        width = 0 if self.static is None else self.static.width
        head_task = HeadTask(
            labels=self.data.labels,
            input_dim=self.encoder.width,
            n_layers=self.encoder.n_layers,
            scheme=self.data.scheme,
            static_dim=width,
        )
        self.head = self.make_head(head_task)
        task = find_task(self.head.kind)
        if self.data.kind != task.name:
            raise ConfigError(
                f"model.head: {type(self.head).__name__} does not fit {type(self.data).__name__}: a"
                f" head that gives {task.words.output} needs {task.data.__name__}"
            )
        self.scores = task.scores(head_task)
        if self.encoder_learning_rate is not None:
            model = self.encoder.language_model
            if model is None:
                raise ConfigError(
                    f"model.encoder_learning_rate: {self.encoder_name} is not a biLM, so it"
                    " stays frozen; leave the rate out, or name a biLM"
                )
            self.tuned_from = Source(self.encoder_name, self.encoder.checksum)
            self.tuned = model.unfrozen()
        if self.class_weights is not None and not isinstance(self.head, ClassificationHead):
            raise ConfigError(
                f"model.class_weights: {type(self.head).__name__} gives {task.words.output}; only"
                " labels of whole texts can weigh alike. Leave it out"
            )

    def setup(self, stage: str) -> None:
        """Print a summary of the data."""
        if self.trainer.is_global_zero:
            print(self.data.describe(), flush=True)

    def _store(self, split: Split) -> LayerCache | None:
        """Return the cached layers of a split; ``None`` to encode each batch again."""
        if self.layer_store is None or self.tuned is not None:
            return None
        if split not in self._stores:
            self._stores[split] = LayerCache.build(
                self._loaded_encoder(),
                self.data.tokens(split),
                Path(self.layer_store),
                pooled="mean" if self.head.accepts_pooled else None,
                max_bytes=round(self.max_store_gb * 1e9),
            )
        return self._stores[split]

    def _loaded_encoder(self) -> Encoder:
        if self.encoder.device != self.device:
            self.encoder.to(self.device)
        return self.encoder

    def on_fit_start(self) -> None:
        """Prepare the layers before the clock of the training starts."""
        for split in self.data.rows:
            if split != "test":
                self._store(split)
        if isinstance(self.head, ClassificationHead) and self.class_weights is not None:
            targets = [row.target for row in self.data.rows["train"]]
            self.head.class_weights = balanced_weights(targets, len(self.head.labels))
        self._since = time.monotonic()

    def on_train_start(self) -> None:
        """Use the rates of the settings, also where a checkpoint brought others back."""
        set_rates(self.trainer, self._rates)

    def made_of(self) -> dict[str, str]:
        """Return what a resumed run must share with the run of its checkpoint."""
        static = {} if self.static is None else {"the static vectors": self.static.checksum[:12]}
        return {"the encoder": self.encoder.checksum[:12], **static}

    def training_seconds(self) -> float:
        """Training time of the run, over all resumes."""
        return self.seconds + time.monotonic() - self._since

    def inputs(
        self, batch: RowBatch, split: Split
    ) -> tuple[Tensor, Tensor | None, Tensor, TokenFeatures]:
        """Layers, mask, target and features of a batch, on the module's device."""
        store = self._store(split)
        mask: Tensor | None = None
        if store is not None and store.pooled:
            values = store.pooled_batch(batch.index)
        else:
            if store is None:
                tunes = self.tuned is not None and split == "train"
                with torch.autocast(self.device.type, enabled=False), torch.set_grad_enabled(tunes):
                    layers = self._loaded_encoder().encode(batch.tokens)
            else:
                layers = store.batch(batch.index, batch.tokens)
            values = layers.values
            mask = layers.mask.to(self.device, non_blocking=True)
        features = features_of(batch.tokens, self.head, self.static, pooled=mask is None).to(
            self.device
        )
        return (
            values.to(self.device, non_blocking=True),
            mask,
            batch.target.to(self.device),
            features,
        )

    def training_step(self, batch: RowBatch, batch_idx: int) -> Tensor:
        """Loss of the head plus the penalty of its mix."""
        loss = self.head.loss(*self.inputs(batch, "train"))
        self.log("train_loss", loss, prog_bar=True, batch_size=len(batch))
        return loss + self.mix_l2 * self.head.mix.l2()

    def _held_out(self) -> tuple[Split, str]:
        """Return the split that is scored, and the prefix of its scores."""
        return ("test", "test_") if self.trainer.testing else ("validation", "val_")

    def validation_step(self, batch: RowBatch, batch_idx: int) -> None:
        """Update the metrics."""
        split, prefix = self._held_out()
        loss, predicted = self.head.scored(*self.inputs(batch, split))
        self.log(f"{prefix}loss", loss, batch_size=len(batch), sync_dist=True)
        self.scores.update(predicted, self.data.gold(split, batch.index.tolist()))

    def on_validation_epoch_end(self) -> None:
        """Log the scores, over all processes."""
        values = self.scores.compute()
        (_, prefix) = self._held_out()
        main = self.scores.main
        self.scores.reset()
        self.log(f"{prefix}{main}", values.pop(main), prog_bar=True, rank_zero_only=False)
        self.log_dict({f"{prefix}{name}": value for name, value in values.items()})

    test_step, on_test_epoch_end = validation_step, on_validation_epoch_end

    def on_train_epoch_end(self) -> None:
        """Log the weights of the mix."""
        mix = {f"layer_{k}": weight for k, weight in enumerate(self.head.mix.weights())}
        mix["gamma"] = self.head.mix.gamma.item()
        self.log_dict(mix, sync_dist=False, logger=False)
        for logger in self.loggers:
            # The line above is written after the checkpoint, and would be lost in a kill between
            # the two.
            logger.log_metrics({**mix, "epoch": self.current_epoch}, self.global_step - 1)
            logger.save()

    def configure_optimizers(self) -> Any:
        """Adam; the rates fall to zero at the end of the longest possible run."""
        mix = set(self.head.mix.parameters())
        groups = [
            {
                "params": [p for p in self.head.parameters() if p not in mix],
                "weight_decay": self.weight_decay,
            },
            {"params": list(mix), "lr": self.mix_learning_rate},
        ]
        if self.tuned is not None:
            tuned = [p for p in self.tuned.parameters() if p.requires_grad]
            groups.append({"params": tuned, "lr": self.encoder_learning_rate})
        optimizer = torch.optim.AdamW(groups, lr=self.learning_rate, weight_decay=0.0)
        self._rates = [(group["lr"], group["weight_decay"]) for group in optimizer.param_groups]
        total = max(1, int(self.trainer.estimated_stepping_batches))
        return scheduled(optimizer, lambda step: falling(step, total, self.decay_fraction))

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Save the training time."""
        checkpoint["seconds"] = self.training_seconds()

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Resume the clock."""
        self.seconds = float(checkpoint.get("seconds", 0.0))
