"""A head learns on a frozen encoder, and an interrupted run ends as an undisturbed one."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint
from torch import Tensor, distributed

from elmo_tasks.__main__ import main
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.classification import balanced_weights
from elmo_tasks.heads.head_files import build_head, find_head
from elmo_tasks.training.export_head import ExportHead
from elmo_tasks.training.run_files import CurveLogger, RunCheckpoint
from elmo_tasks.training.task_module import TaskModule
from tests.training.experiment import assert_same_weights, checkpoint
from tests.training.toy_task import (
    ner,
    opinion_data,
    sentiment,
    tagging_data,
    trained,
    write_config,
    write_encoder,
    write_static,
)

REPOSITORY = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*isinstance.treespec, LeafSpec.*", "ignore:The dirpath has changed"
)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("models") / "toy")


@pytest.fixture(scope="module")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_static(tmp_path_factory.mktemp("models") / "vectors")


TASK_DATA: dict[str, Any] = {
    "tags": (ner, tagging_data, {}),
    "texts": (sentiment, opinion_data, {"pooling": "max"}),
    "pooled texts": (sentiment, opinion_data, {"pooling": "mean"}),
}


class NotesLosses(pl.Callback):
    def __init__(self) -> None:
        self.losses: list[float] = []

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, *more: Any
    ) -> None:
        self.losses.append(float(outputs["loss"]))


def head_of(module: TaskModule) -> dict[str, Tensor]:
    return module.head.state_dict()


@pytest.mark.parametrize("kind", list(TASK_DATA))
def test_stored_layers_train_like_computed_ones(
    kind: str, encoder: Path, static: Path, tmp_path: Path
) -> None:
    head, data, settings = TASK_DATA[kind]
    losses = []
    for store in (None, str(tmp_path / "layers")):
        noted = NotesLosses()
        module = TaskModule(
            head(**settings),
            str(encoder),
            None if kind == "tags" else str(static),
            layer_store=store,
        )
        trainer = trained(module, data(tmp_path), tmp_path, callbacks=[noted])
        losses.append(noted.losses)
        assert (module._stores != {}) == (store is not None)
        assert all(
            (s.pooled == "mean") == (kind == "pooled texts") for s in module._stores.values()
        )
    assert len(losses[0]) == 6
    assert losses[1] == pytest.approx(losses[0], abs=2e-3)
    assert 0 < trainer.callback_metrics["val_loss"] < 10


def test_it_learns(encoder: Path, tmp_path: Path) -> None:
    layers = str(tmp_path / "layers")
    module = TaskModule(ner(lstm_hidden=12), str(encoder), layer_store=layers, learning_rate=0.05)
    trainer = trained(module, tagging_data(tmp_path), tmp_path, epochs=15)
    assert trainer.callback_metrics["val_f1"] > 0.9


def test_frozen_weights_stay_frozen_and_out_of_the_checkpoint(
    encoder: Path, static: Path, tmp_path: Path
) -> None:
    module = TaskModule(ner(), str(encoder), str(static), layer_store=None)
    before = {name: value.clone() for name, value in module.encoder.bilm.state_dict().items()}
    trainer = trained(module, tagging_data(tmp_path), tmp_path)
    assert all(not p.requires_grad and p.grad is None for p in module.encoder.bilm.parameters())
    assert all(
        torch.equal(value, before[name]) for name, value in module.encoder.bilm.state_dict().items()
    )
    assert module.static is not None
    assert not module.static.vectors.requires_grad
    trainer.save_checkpoint(tmp_path / "c.ckpt")
    saved = torch.load(tmp_path / "c.ckpt", weights_only=True)
    assert set(saved["state_dict"]) == {f"head.{name}" for name in head_of(module)}
    parameters = [
        k for group in saved["optimizer_states"][0]["param_groups"] for k in group["params"]
    ]
    assert len(parameters) == len(list(module.head.parameters()))  # type: ignore[union-attr]


def test_static_vectors_reach_the_head(encoder: Path, static: Path, tmp_path: Path) -> None:
    module = TaskModule(ner(), str(encoder), str(static), layer_store=None)
    trained(module, tagging_data(tmp_path), tmp_path, epochs=1)
    assert module.head.task.static_dim == 5
    batch = next(iter(module.data.train_dataloader()))
    features = module.inputs(batch, "train")[3]
    assert features.static is not None
    assert module.static is not None
    assert torch.equal(
        features.static[0, : len(batch.tokens[0])], module.static.vectors_of(batch.tokens[0])
    )


def test_the_mix_has_its_own_rate_and_no_weight_decay(encoder: Path, tmp_path: Path) -> None:
    module = TaskModule(sentiment(), str(encoder), layer_store=None, weight_decay=0.1)
    trainer = trained(module, opinion_data(tmp_path), tmp_path, epochs=1)
    groups = trainer.optimizers[0].param_groups
    assert [(group["weight_decay"], group["initial_lr"]) for group in groups] == [
        (0.1, 1e-3),
        (0.0, 3e-3),
    ]
    assert set(groups[1]["params"]) == set(module.head.mix.parameters())


def test_l2_pulls_the_mix_to_the_plain_mean(encoder: Path, tmp_path: Path) -> None:
    spread = []
    for l2 in (0.0, 10.0):
        module = TaskModule(
            sentiment(), str(encoder), layer_store=None, mix_l2=l2, mix_learning_rate=0.05
        )
        trained(module, opinion_data(tmp_path), tmp_path, epochs=6)
        weights = module.head.mix.weights()
        spread.append(max(weights) - min(weights))
    assert spread[1] < 0.1 * spread[0]


def test_the_rates_stay_and_then_fall_to_zero(encoder: Path, tmp_path: Path) -> None:
    rates: list[list[float]] = []

    class Notes(pl.Callback):
        def on_train_batch_start(self, trainer: pl.Trainer, *more: Any) -> None:
            rates.append([group["lr"] for group in trainer.optimizers[0].param_groups])

    settings = {"learning_rate": 0.4, "mix_learning_rate": 0.1, "decay_fraction": 0.5}
    module = TaskModule(sentiment(), str(encoder), layer_store=None, **settings)
    trained(module, opinion_data(tmp_path), tmp_path, epochs=2, callbacks=[Notes()])
    assert rates == [pytest.approx([0.4 * f, 0.1 * f]) for f in (1, 1, 1, 1, 2 / 3, 1 / 3)]


@pytest.mark.parametrize(("head", "data"), [(ner, opinion_data), (sentiment, tagging_data)])
def test_a_head_for_other_data_is_refused(
    head: Any, data: Any, encoder: Path, tmp_path: Path
) -> None:
    module = TaskModule(head(), str(encoder), layer_store=None)
    with pytest.raises(ConfigError, match=r"needs (Tagging|Classification)Data"):
        trained(module, data(tmp_path), tmp_path)


def test_a_store_that_would_be_too_large_is_refused(encoder: Path, tmp_path: Path) -> None:
    module = TaskModule(
        ner(), str(encoder), layer_store=str(tmp_path / "layers"), max_store_gb=1e-6
    )
    with pytest.raises(ConfigError, match="layer cache|layers"):
        trained(module, tagging_data(tmp_path), tmp_path)


def callbacks(folder: Path, **checkpoint: Any) -> list[pl.Callback]:
    settings = {"save_last": True, "save_top_k": -1, "enable_version_counter": False, **checkpoint}
    return [ModelCheckpoint(folder, **settings), ExportHead(str(folder / "head"))]


@pytest.mark.parametrize("after", [2, 4, 3, 6])
def test_an_interrupted_run_ends_as_one_that_was_not(
    after: int, encoder: Path, tmp_path: Path
) -> None:
    """Without dropout, whose random state Lightning does not save. An epoch has 3 steps: 2 and 4
    are inside one."""

    def run(folder: Path, **arguments: Any) -> dict[str, Any]:
        module = TaskModule(
            ner(), str(encoder), layer_store=str(tmp_path / "layers"), learning_rate=0.02
        )
        # After 3 and 6, as the shipped configurations save: behind the validation of an epoch.
        watched = callbacks(folder, **({} if after % 3 == 0 else {"every_n_train_steps": 2}))
        trainer = trained(
            module,
            tagging_data(tmp_path),
            folder,
            3,
            enable_checkpointing=True,
            callbacks=watched,
            **arguments,
        )
        trainer.save_checkpoint(folder / "end.ckpt")
        return torch.load(folder / "end.ckpt", weights_only=True)

    whole = run(tmp_path / "whole")
    halfway = next((tmp_path / "whole").glob(f"*step={after}.ckpt"))
    resumed = run(tmp_path / "resumed", ckpt_path=halfway)
    assert_same_weights(resumed["state_dict"], whole["state_dict"], atol=1e-6)
    assert resumed["TaggingData"] == whole["TaggingData"]
    assert resumed["global_step"] == whole["global_step"]
    assert resumed["lr_schedulers"] == whole["lr_schedulers"]
    first, second = (
        find_head(tmp_path / name / "head").card["layer_weights"] for name in ("whole", "resumed")
    )
    assert [row["epoch"] for row in first["epochs"]] == [0, 1, 2, 3]
    assert second == first


class ReadsTheCurve(pl.Callback):
    """The mix of an epoch is in the curve before a state is written, and survives a kill just after
    it."""

    def __init__(self, path: Path) -> None:
        self.path, self.epochs = path, list[list[str]]()

    def on_save_checkpoint(self, *args: Any) -> None:
        with self.path.open(encoding="utf-8", newline="") as file:
            self.epochs.append([row["epoch"] for row in csv.DictReader(file) if row.get("gamma")])


def test_the_curve_has_the_mix_of_an_epoch_before_its_state_is_written(
    encoder: Path, tmp_path: Path
) -> None:
    reads = ReadsTheCurve(tmp_path / "run" / "csv" / "metrics.csv")
    module = TaskModule(ner(), str(encoder), layer_store=None)
    trained(
        *(module, tagging_data(tmp_path), tmp_path, 2),
        logger=CurveLogger(str(tmp_path / "run")),
        enable_checkpointing=True,
        callbacks=[reads, RunCheckpoint(str(tmp_path / "run"))],
    )
    assert [reads.epochs[0], reads.epochs[-1]] == [["0"], ["0", "1"]]


def test_the_clock_of_a_resumed_run_continues(encoder: Path, tmp_path: Path) -> None:
    module = TaskModule(ner(), str(encoder), layer_store=None)
    trainer = trained(module, tagging_data(tmp_path), tmp_path, epochs=1)
    trainer.save_checkpoint(tmp_path / "c.ckpt")
    saved = torch.load(tmp_path / "c.ckpt", weights_only=True)
    assert 0 < saved["seconds"] < 100
    torch.save(saved | {"seconds": 1000.0}, tmp_path / "c.ckpt")
    again = TaskModule(ner(), str(encoder), layer_store=None)
    trained(again, tagging_data(tmp_path), tmp_path, epochs=2, ckpt_path=tmp_path / "c.ckpt")
    assert 1000 < again.training_seconds() < 1100


def test_the_best_epoch_is_exported_not_the_last(encoder: Path, tmp_path: Path) -> None:
    """Each validation finds the head at its best in the second epoch, after which the run stops
    early."""
    seen: list[dict[str, Tensor]] = []

    class SecondIsBest(pl.Callback):
        def on_validation_epoch_end(
            self, trainer: pl.Trainer, pl_module: pl.LightningModule
        ) -> None:
            assert isinstance(pl_module, TaskModule)
            seen.append({name: value.clone() for name, value in head_of(pl_module).items()})
            pl_module.log("quality", [0.2, 0.9, 0.5, 0.4][len(seen) - 1])

    stop = EarlyStopping("quality", mode="max", patience=2)
    watched = callbacks(
        tmp_path / "run", filename="best", monitor="quality", mode="max", save_top_k=1
    )
    module = TaskModule(ner(), str(encoder), layer_store=None, learning_rate=0.02)
    trainer = trained(
        module,
        tagging_data(tmp_path),
        tmp_path,
        epochs=9,
        enable_checkpointing=True,
        callbacks=[SecondIsBest(), stop, *watched],
    )
    assert len(seen) == 4
    assert trainer.should_stop
    files = find_head(tmp_path / "run" / "head")
    assert (files.card["training"]["best_epoch"], files.card["training"]["epochs"]) == (2, 4)
    exported = build_head(files).state_dict()
    for name, value in seen[1].items():
        assert torch.equal(exported[name], value.half().float()), name
    assert any(
        not torch.equal(exported[name], value.half().float()) for name, value in seen[3].items()
    )


@pytest.mark.ci
@pytest.mark.skipif(not distributed.is_available(), reason="this PyTorch has no torch.distributed")
def test_two_processes_train_and_score_as_one(encoder: Path, tmp_path: Path) -> None:
    """Both validate on their share of 25 sentences; the exported head is scored on all of them by
    one process alone."""
    few = ["--config", str(write_config(tmp_path, encoder)), "--trainer.max_epochs=3"]
    few += ["--trainer.precision=32-true", "--data.init_args.limit_train=24"]
    two = ["--trainer.devices=2", "--trainer.strategy=ddp"]
    done = subprocess.run(
        [sys.executable, "-m", "elmo_tasks", "fit", *few, *two],
        cwd=REPOSITORY,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PL_TORCH_DISTRIBUTED_BACKEND": "gloo"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    card = find_head(tmp_path / "run" / "head").card
    assert card["training"]["epochs"] == 3
    best = card["layer_weights"]["epochs"][card["training"]["best_epoch"]]
    assert card["scores"]["validation"]["rows"] == 25
    assert 0 < card["scores"]["validation"]["f1"] < 1
    assert best["score"] == pytest.approx(card["scores"]["validation"]["f1"], abs=1e-4)
    assert done.stdout.count("train 24 rows") == 1  # one process speaks
    assert "sync_dist" not in done.stderr
    assert main(["fit", *few, "--run_dir", str(tmp_path / "one")]) == 0
    found, expected = (
        checkpoint(tmp_path / run / "last.ckpt")["state_dict"] for run in ("run", "one")
    )
    assert_same_weights(found, expected, atol=2e-4, rtol=1e-3)


def test_weights_that_make_classes_weigh_alike() -> None:
    weights = balanced_weights([0, 0, 0, 1], 3)
    torch.testing.assert_close(weights[:2], torch.tensor([4 / 9, 4 / 3]))
    assert 3 * weights[0].item() == pytest.approx(weights[1].item())


def test_they_are_those_of_the_loss_in_training_only(tmp_path: Path) -> None:
    encoder = write_encoder(tmp_path / "toy")
    data = opinion_data(tmp_path)
    train = tmp_path / "train.tsv"
    train.write_text(
        "".join(f"positive\tit was warm {k} .\n" for k in range(15))
        + "negative\tit was cold .\n" * 5
    )
    module = TaskModule(sentiment(), str(encoder), layer_store=None, class_weights="balanced")
    trained(module, data, tmp_path, epochs=1)
    weights = module.head.class_weights
    # negative, positive
    torch.testing.assert_close(weights, torch.tensor([20 / (2 * 5), 20 / (2 * 15)]))
    assert "class_weights" not in module.head.state_dict()
    values, target = (
        torch.randn(module.encoder.n_layers, 2, 3, module.encoder.width),
        torch.tensor([0, 1]),
    )
    mask = torch.ones(2, 3, dtype=torch.bool)
    scores = module.head(values, mask)
    for in_training, used in ((True, weights), (False, None)):
        expected = torch.nn.functional.cross_entropy(scores, target, used)
        torch.testing.assert_close(
            module.head.train(in_training).loss_of(scores, mask, target), expected
        )


def test_tags_cannot_weigh_alike(tmp_path: Path) -> None:
    module = TaskModule(ner(), str(write_encoder(tmp_path / "toy")), class_weights="balanced")
    with pytest.raises(ConfigError, match="only labels of whole texts can weigh alike"):
        trained(module, tagging_data(tmp_path), tmp_path)
