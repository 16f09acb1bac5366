"""Runs that continue after a kill, with other settings, or beside an earlier run."""

import os
import random
import signal
import zipfile
from pathlib import Path
from typing import Any

import pytest
import pytorch_lightning as pl
import torch
import yaml

from elmo_tasks.__main__ import main
from elmo_tasks.files import file_lock, lock_of
from elmo_tasks.heads.head_files import find_head
from tests.cli.toy_runs import EPOCHS, STEPS, Killed, curve, files, refused, with_kill, written
from tests.training.experiment import assert_same_weights, checkpoint
from tests.training.toy_task import write_encoder

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.ci]


def same(one: Path, other: Path) -> None:
    """Same weights, same curve, same best epoch, same scores on the card."""
    found, expected = (checkpoint(run / "last.ckpt")["state_dict"] for run in (other, one))
    assert_same_weights(found, expected)
    assert curve(one) == curve(other)
    cards = [find_head(run / "head").card for run in (one, other)]
    assert cards[0]["training"]["best_epoch"] == cards[1]["training"]["best_epoch"]
    assert cards[0]["scores"] == cards[1]["scores"]
    assert cards[0]["layer_weights"] == cards[1]["layer_weights"]


@pytest.fixture(scope="module", params=["classification", "tagging"])
def whole(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    """A run without a break."""
    folder = tmp_path_factory.mktemp(request.param)
    assert main(["fit", "--config", str(written(folder, request.param))]) == 0
    return request.param, folder / "run"


def test_a_killed_and_resumed_run_equals_an_undisturbed_one(whole, tmp_path):
    kind, run = whole
    assert len([row for row in curve(run) if "val_loss" in row]) == EPOCHS
    step = random.Random(3).randrange(STEPS + 1, EPOCHS * STEPS)
    killed = with_kill(written(tmp_path / "killed", kind), step)
    with pytest.raises(Killed):
        main(["fit", "--config", str(killed)])
    here = tmp_path / "killed" / "run"
    assert checkpoint(here / "last.ckpt")["global_step"] == step - step % STEPS or step % STEPS == 0
    random.seed(7), torch.manual_seed(7)
    config = str(killed.with_name("config.yaml"))
    assert main(["fit", "--config", config, "--ckpt_path", str(here / "last.ckpt")]) == 0
    same(run, here)


def test_scoring_leaves_the_curve_alone_and_takes_the_folder_of_the_run(whole, capsys):
    kind, run = whole
    before = (run / "csv" / "metrics.csv").read_bytes()
    assert main(["validate", "--run", str(run)]) == 0
    metrics = curve(run, "csv-validate")[0]
    name = "val_f1" if kind == "tagging" else "val_accuracy"
    best = find_head(run / "head").card["training"]["best_epoch"]
    scored = [row[name] for row in curve(run) if name in row]
    assert float(metrics[name]) == pytest.approx(float(scored[best - 1]))
    assert (run / "csv" / "metrics.csv").read_bytes() == before
    data = run.parent / ("validation.conll" if kind == "tagging" else "validation.tsv")
    assert main(["test", f"--run={run}", "--data.init_args.test", str(data)]) == 0
    assert curve(run, "csv-test")
    assert (run / "csv" / "metrics.csv").read_bytes() == before
    assert (
        main(["fit", "--run", str(run), "--trainer.max_epochs", str(EPOCHS)]) == 0
    )  # it is done: nothing is lost
    assert len([row for row in curve(run) if "val_loss" in row]) == EPOCHS


def test_a_prolonged_run_keeps_its_number_of_epochs(tmp_path):
    path = written(tmp_path)
    run = tmp_path / "run"
    assert main(["fit", "--config", str(path), "--trainer.max_epochs", "1"]) == 0
    assert main(["fit", "--run", str(run), "--trainer.max_epochs", "2"]) == 0
    assert yaml.safe_load((run / "config.yaml").read_text())["trainer"]["max_epochs"] == 2
    assert main(["fit", "--run", str(run)]) == 0
    assert find_head(run / "head").card["training"]["epochs"] == 2


def test_a_run_beside_a_finished_one_gets_a_new_folder(tmp_path, capsys):
    path = written(tmp_path)
    once = ["fit", "--config", str(path), "--trainer.max_epochs", "1"]
    assert main(once) == 0
    before = files(tmp_path / "run")
    with pytest.raises(Killed):  # in its first epoch
        main(["fit", "--config", str(with_kill(path, 2))])
    assert (
        f"{tmp_path / 'run'} holds an earlier run, so this one is written to {tmp_path / 'run-2'}"
        in capsys.readouterr().out
    )
    assert files(tmp_path / "run") == before
    assert "no last.ckpt there: the run did not finish an epoch" in refused(
        capsys, "fit", "--run", str(tmp_path / "run-2")
    )
    assert main(once) == 0
    assert find_head(tmp_path / "run-2" / "head").card["training"]["epochs"] == 1
    assert not (tmp_path / "run-3").exists()


def test_a_replaced_run_cannot_be_resumed(tmp_path, capsys):
    path = written(tmp_path)
    assert main(["fit", "--config", str(path), "--trainer.max_epochs", "1"]) == 0
    before = files(tmp_path / "run")
    assert "no such file" in refused(
        capsys, "fit", "--config", str(path), "--overwrite", "--data.init_args.train", "nothing.tsv"
    )
    assert files(tmp_path / "run") == before
    with pytest.raises(Killed):
        main(["fit", "--config", str(with_kill(path, 2)), "--overwrite"])
    assert not (tmp_path / "run" / "head").exists()
    assert "the run did not finish an epoch" in refused(
        capsys, "fit", "--run", str(tmp_path / "run")
    )
    assert main(["fit", "--config", str(path), "--overwrite", "--trainer.max_epochs", "2"]) == 0
    assert find_head(tmp_path / "run" / "head").card["training"]["epochs"] == 2


def test_unusable_settings_of_a_resumed_run_are_refused_and_change_nothing(tmp_path, capsys):
    path = written(tmp_path)
    run = tmp_path / "run"
    assert main(["fit", "--config", str(path), "--trainer.max_epochs", "1"]) == 0
    before = files(run)
    train = Path(yaml.safe_load(path.read_text())["data"]["init_args"]["train"])
    other = tmp_path / f"other{train.suffix}"
    other.write_text("".join(train.read_text().splitlines(keepends=True)[:-2]))
    write_encoder(tmp_path / "other-toy", shift=0.5)
    for settings, message in (
        (["--data.init_args.train", str(other)], "the training rows of the checkpoint is"),
        (["--data.init_args.batch_size", "4"], "data.batch_size of the checkpoint is 8, here 4"),
        (["--seed_everything", "99"], "seed_everything of the checkpoint is"),
        (["--encoder", str(tmp_path / "other-toy")], "the encoder of the checkpoint is"),
        (["--model.init_args.head.init_args.hidden", "9"], "the checkpoint does not fit the model"),
    ):
        printed = refused(capsys, "fit", "--run", str(run), "--trainer.max_epochs", "2", *settings)
        assert message in printed
        assert {k: v for k, v in files(run).items() if "csv" not in k} == {
            k: v for k, v in before.items() if "csv" not in k
        }
    assert main(["test", "--run", str(run), "--data.init_args.test", str(train)]) == 0


def test_a_changed_rate_is_used_from_then_on(tmp_path):
    path = written(tmp_path)
    run = tmp_path / "run"
    settings = ["--model.init_args.learning_rate=3e-4", "--model.init_args.weight_decay=0.5"]
    assert main(["fit", "--config", str(path), "--trainer.max_epochs", "1"]) == 0
    assert main(["fit", "--run", str(run), "--trainer.max_epochs", "9", *settings]) == 0
    saved = checkpoint(run / "last.ckpt")
    group = saved["optimizer_states"][0]["param_groups"][0]
    assert (group["initial_lr"], group["weight_decay"]) == (0.0003, 0.5)
    assert saved["lr_schedulers"][0]["base_lrs"][0] == 0.0003
    assert (
        yaml.safe_load((run / "config.yaml").read_text())["model"]["init_args"]["learning_rate"]
        == 0.0003
    )


class Signalled(pl.Callback):
    """Gets a signal in a step, or before the layers are computed.

    Args:
        number: the signal.
        step: when; 0 for before.
    """

    def __init__(self, number: int, step: int) -> None:
        self.number, self.step = number, step

    def on_fit_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if not self.step:
            os.kill(os.getpid(), self.number)

    def on_train_batch_end(self, trainer: pl.Trainer, *_: Any) -> None:
        if trainer.global_step == self.step:
            os.kill(os.getpid(), self.number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize(
    ("step", "message"),
    [
        (0, "Interrupted before the first checkpoint: {run} holds nothing to resume from. Start"),
        (STEPS + 1, "Interrupted. Resume with: elmo-tasks fit --run {run}"),
    ],
)
def test_a_signal_ends_a_run_with_its_code_and_the_way_on(number, step, message, tmp_path, capsys):
    path = written(tmp_path)
    raw = yaml.safe_load(path.read_text())
    signalled = {"number": int(number), "step": step}
    raw["trainer"]["callbacks"].append(
        {"class_path": f"{__name__}.Signalled", "init_args": signalled}
    )
    path.write_text(yaml.safe_dump(raw))
    handler = {signal.SIGTERM: signal.SIG_DFL, signal.SIGINT: signal.default_int_handler}[number]
    before = signal.signal(number, handler)  # a background job ignores SIGINT
    try:
        with pytest.raises(SystemExit) as stop:
            main(["fit", "--config", str(path)])
        assert signal.getsignal(number) is handler
    finally:
        signal.signal(number, before)
    assert stop.value.code == 128 + number
    assert message.format(run=tmp_path / "run") in capsys.readouterr().err
    assert not (tmp_path / "run" / "head").exists()


def test_a_run_that_ended_inside_an_epoch_continues(tmp_path):
    path = written(tmp_path)
    run = tmp_path / "run"
    assert main(["fit", "--config", str(path), "--trainer.max_steps", str(STEPS - 2)]) == 0
    assert main(["fit", "--run", str(run), "--trainer.max_steps", str(2 * STEPS)]) == 0
    assert checkpoint(run / "last.ckpt")["global_step"] == 2 * STEPS
    assert [row["step"] for row in curve(run) if "val_loss" in row] == [
        str(STEPS - 1),
        str(2 * STEPS - 1),
    ]


def test_a_bad_checkpoint_is_refused_in_one_sentence(whole, tmp_path, capsys):
    kind, run = whole
    with_config = ["--config", str(run.parent / "config.yaml")]
    resumed = [*with_config, "--ckpt_path", str(tmp_path / "a.ckpt")]
    damaged = "the file is damaged, or not one that `fit` wrote"
    other_file = "expected a checkpoint that `fit` wrote, found something else"
    good = (run / "last.ckpt").read_bytes()
    for content in (b"", b"nothing", good[: len(good) // 2], good[:-900] + b"\0" * 900):
        (tmp_path / "a.ckpt").write_bytes(content)
        assert damaged in refused(capsys, "fit", *resumed)
    with zipfile.ZipFile(run / "last.ckpt") as file:
        largest = max(file.infolist(), key=lambda part: part.file_size)
    flipped = bytearray(good)
    flipped[largest.header_offset + 200 + largest.file_size // 2] ^= 1  # a number nobody would miss
    (tmp_path / "a.ckpt").write_bytes(flipped)
    assert damaged in refused(capsys, "test", *resumed)
    for part in ("loops", "optimizer_states", "pytorch-lightning_version"):
        saved = checkpoint(run / "last.ckpt")
        torch.save({**saved, part: type(saved[part])()}, tmp_path / "a.ckpt")
        assert other_file in refused(capsys, "fit", *resumed)
    torch.save({"weights": 1}, tmp_path / "a.ckpt")
    assert other_file in refused(capsys, "test", *with_config, f"--ckpt_path={tmp_path / 'a.ckpt'}")
    wider = f"--model.init_args.head.init_args.{'lstm_hidden' if kind == 'tagging' else 'hidden'}"
    printed = refused(
        capsys, "validate", *with_config, "--ckpt_path", str(run / "best.ckpt"), wider, "9"
    )
    assert "the checkpoint does not fit the model that these settings describe" in printed
    for stage in ("validate", "test"):
        printed = refused(
            capsys, stage, *with_config, "--data.init_args.test", str(run.parent / "train.tsv")
        )
        assert f"{stage}: no weights: give --run FOLDER, or --ckpt_path FOLDER/best.ckpt" in printed
    printed = refused(capsys, "test", *with_config, "--ckpt_path", "best")
    assert "expected a file, such as runs/NAME/best.ckpt" in printed
    assert "no config.yaml there" in refused(capsys, "test", "--run", str(tmp_path))
    (tmp_path / "config.yaml").write_text("trainer: {}")
    assert "no best.ckpt or last.ckpt there" in refused(capsys, "test", "--run", str(tmp_path))
    assert "--run: expected the folder" in refused(capsys, "test", "--run")


def test_two_runs_in_one_folder(whole, capsys):
    _, run = whole
    with file_lock(lock_of(run), "the folder"):
        printed = refused(capsys, "fit", "--config", str(run.parent / "config.yaml"), "--overwrite")
    assert f"the folder {run} is in use by process" in printed
