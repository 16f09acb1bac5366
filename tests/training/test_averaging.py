"""The moving average of a head's weights: its values, and resuming with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import ModelCheckpoint
from torch import Tensor

from elmo_tasks.errors import ConfigError
from elmo_tasks.training.averaging import AveragedHead
from elmo_tasks.training.task_module import TaskModule
from tests.training.experiment import assert_same_weights, checkpoint
from tests.training.toy_task import ner, tagging_data, trained, write_encoder

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*isinstance.treespec, LeafSpec.*", "ignore:The dirpath has changed"
)
DECAY = 0.5


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("models") / "toy")


class HeadWeights(pl.Callback):
    """The weights of the head before the training, after each step and in each validation."""

    def __init__(self) -> None:
        self.steps: list[dict[str, Tensor]] = []
        self.validations: list[dict[str, Tensor]] = []

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self.steps.append(weights(pl_module))

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, *more: Any
    ) -> None:
        self.steps.append(weights(pl_module))

    def on_validation_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self.validations.append(weights(pl_module))


def weights(module: pl.LightningModule) -> dict[str, Tensor]:
    assert isinstance(module, TaskModule)
    return {name: value.detach().clone() for name, value in module.head.named_parameters()}


def run(encoder: Path, folder: Path, *callbacks: pl.Callback, **arguments: Any) -> pl.Trainer:
    module = TaskModule(ner(), str(encoder), layer_store=None, learning_rate=0.02)
    data = tagging_data(folder)
    return trained(module, data, folder, callbacks=list(callbacks), **arguments)


def test_the_average_is_validated_and_saved_and_the_training_stays_the_same(
    encoder: Path, tmp_path: Path
) -> None:
    plain, seen = HeadWeights(), HeadWeights()
    run(encoder, tmp_path, plain)
    trainer = run(encoder, tmp_path, seen, AveragedHead(DECAY))
    trainer.save_checkpoint(tmp_path / "end.ckpt")
    average = seen.steps[0]
    averages = []
    for step, now in enumerate(seen.steps[1:], 1):
        decay = min(DECAY, (1 + step) / (10 + step))
        average = {name: decay * value + (1 - decay) * now[name] for name, value in average.items()}
        averages.append(average)
    saved = torch.load(tmp_path / "end.ckpt", weights_only=True)["state_dict"]
    for name, value in averages[-1].items():
        torch.testing.assert_close(saved[f"head.{name}"], value)
        torch.testing.assert_close(seen.validations[0][name], averages[2][name])  # 3 steps an epoch
        torch.testing.assert_close(seen.steps[-1][name], plain.steps[-1][name])
        assert not torch.equal(seen.steps[-1][name], value)


@pytest.mark.parametrize("after", [2, 3])
def test_an_interrupted_run_ends_with_the_same_average(
    after: int, encoder: Path, tmp_path: Path
) -> None:
    """An epoch has three steps: two are inside one."""

    def ended(folder: Path, **arguments: Any) -> dict[str, Any]:
        every = {} if after == 3 else {"every_n_train_steps": 2}
        kept = ModelCheckpoint(folder, save_top_k=-1, enable_version_counter=False, **every)
        watched = (AveragedHead(DECAY), kept)
        trainer = run(encoder, folder, *watched, epochs=3, enable_checkpointing=True, **arguments)
        trainer.save_checkpoint(folder / "end.ckpt")
        return checkpoint(folder / "end.ckpt")

    (tmp_path / "whole").mkdir()
    (tmp_path / "resumed").mkdir()
    whole = ended(tmp_path / "whole")
    halfway = next((tmp_path / "whole").glob(f"*step={after}.ckpt"))
    resumed = ended(tmp_path / "resumed", ckpt_path=halfway)
    for part in ("state_dict", "trained_head"):
        assert_same_weights(resumed[part], whole[part], atol=1e-6)
    assert any(
        not torch.equal(value, whole["state_dict"][f"head.{name}"])
        for name, value in whole["trained_head"].items()
    )


@pytest.mark.parametrize("decay", [0.0, 1.0])
def test_a_decay_outside_of_0_to_1_is_refused(decay: float) -> None:
    with pytest.raises(ConfigError, match="decay of the average: expected a number from 0 to 1"):
        AveragedHead(decay)
