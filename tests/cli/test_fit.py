"""Runs from the command line: gone on with after a kill, scored from their folder, refused in one
sentence."""

import csv
import json
import os
import random
import signal
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import pytorch_lightning as pl
import torch
import yaml
from pytorch_lightning.loggers import CSVLogger

from elmo_tasks.__main__ import main
from elmo_tasks.cli import fit
from elmo_tasks.cli.fit import train
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import file_lock, lock_of
from elmo_tasks.heads.head_files import find_head
from tests.training.toy_task import write_config, write_encoder

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.ci]
EPOCHS, STEPS = 5, 4  # of 25 rows, 8 a batch


class UnmetLogger(CSVLogger):
    """A logger whose package is not installed, as WandbLogger without wandb."""

    def __init__(self) -> None:
        raise ModuleNotFoundError("Requirement 'nowhere_logger>=0.1' not met. HINT: Try pip")


class Killed(Exception):
    """In place of a signal: nothing is saved or closed."""


class KillAt(pl.Callback):
    """Ends the run after a step. tests/cli/test_kills.py kills processes."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_train_batch_end(self, trainer: pl.Trainer, *_: Any) -> None:
        if trainer.global_step == self.step:
            raise Killed


def written(folder: Path, kind: str = "classification", **changes: Any) -> Path:
    """A toy experiment with dropout and a curve."""
    folder.mkdir(exist_ok=True)
    if not (folder / "toy").exists():
        write_encoder(folder / "toy")
    path = write_config(folder, folder / "toy", kind)
    raw = yaml.safe_load(path.read_text())
    raw["model"]["init_args"]["head"]["init_args"]["dropout"] = 0.5
    curve = {
        "class_path": "elmo_tasks.training.run_files.CurveLogger",
        "init_args": {"save_dir": str(folder / "run")},
    }
    raw["trainer"] |= {"max_epochs": EPOCHS, "logger": [curve], "log_every_n_steps": 1}
    raw["data"]["init_args"] |= changes
    path.write_text(yaml.safe_dump(raw))
    return path


def with_kill(path: Path, step: int) -> Path:
    raw = yaml.safe_load(path.read_text())
    kill = {"class_path": "tests.cli.test_fit.KillAt", "init_args": {"step": step}}
    raw["trainer"]["callbacks"].append(kill)
    other = path.with_name("killed.yaml")
    other.write_text(yaml.safe_dump(raw))
    return other


def curve(run: Path, log: str = "csv") -> list[dict[str, str]]:
    with (run / log / "metrics.csv").open(newline="") as file:
        return [{k: v for k, v in row.items() if v} for row in csv.DictReader(file)]


def weights(run: Path) -> dict[str, torch.Tensor]:
    return torch.load(run / "last.ckpt", weights_only=True)["state_dict"]


def same(one: Path, other: Path) -> None:
    """Same weights, same curve, same best epoch, same scores on the card."""
    a, b = weights(one), weights(other)
    assert set(a) == set(b)
    for name in a:
        assert torch.equal(a[name], b[name]), name
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
    assert (
        torch.load(here / "last.ckpt", weights_only=True)["global_step"] == step - step % STEPS
        or step % STEPS == 0
    )
    random.seed(7), torch.manual_seed(7)
    assert (
        main(
            [
                "fit",
                "--config",
                str(killed.with_name("config.yaml")),
                "--ckpt_path",
                str(here / "last.ckpt"),
            ]
        )
        == 0
    )
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


def test_of_epochs_with_the_same_score_the_one_with_the_least_loss_is_kept(tmp_path):
    """Five rows to validate on: most epochs score alike."""
    path = written(tmp_path / "a", validation=None, validation_share=0.2)
    assert main(["fit", "--config", str(path)]) == 0
    rows = [
        (float(r["val_accuracy"]), -float(r["val_loss"]))
        for r in curve(tmp_path / "a" / "run")
        if "val_loss" in r
    ]
    assert len({score for score, _ in rows}) < len(rows)
    best = find_head(tmp_path / "a" / "run" / "head").card["training"]["best_epoch"]
    assert rows[best - 1] == max(rows)


STOPPING = {
    "class_path": "pytorch_lightning.callbacks.EarlyStopping",
    "init_args": {"patience": 2, "mode": "max"},
}


@pytest.mark.parametrize(
    ("kind", "monitor", "changes", "printed", "epoch"),
    [
        (
            "classification",
            "val_accuracy",
            {"validation": None},
            "Nothing to validate on: the run goes",
            EPOCHS,
        ),
        (
            "tagging",
            "val_f1",
            {"scheme": None},
            "The tags do not mark spans: val_accuracy is watched instead of",
            None,
        ),
    ],
)
def test_the_advice_of_messages_can_be_followed(
    tmp_path, capsys, kind, monitor, changes, printed, epoch
):
    path = written(tmp_path / "a", kind, **changes)
    raw = yaml.safe_load(path.read_text())
    stopping = {**STOPPING, "init_args": {**STOPPING["init_args"], "monitor": monitor}}
    raw["trainer"]["callbacks"].insert(0, stopping)
    path.write_text(yaml.safe_dump(raw))
    assert main(["fit", "--config", str(path)]) == 0
    assert printed in capsys.readouterr().out
    best = find_head(tmp_path / "a" / "run" / "head").card["training"]["best_epoch"]
    assert epoch is None or best == epoch


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(list(arguments)) == 2
    printed = capsys.readouterr().err.strip()
    assert "Traceback" not in printed
    assert "\n" not in printed
    return printed


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
        saved = torch.load(run / "last.ckpt", weights_only=True)
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
    stopping = json.dumps({**STOPPING, "init_args": {"monitor": "val_nonsense"}})
    printed = refused(
        capsys,
        "fit",
        *with_config,
        "--trainer.callbacks+",
        stopping,
        "--run_dir",
        str(tmp_path / "x"),
    )
    assert "Early stopping conditioned on metric `val_nonsense` which is not available" in printed


@pytest.mark.parametrize(
    ("option", "value", "printed"),
    [
        ("data.init_args.batch_size", "0", "data.batch_size: expected 1 or more, found 0"),
        (
            "data.init_args.validation_share",
            "1.5",
            "data.validation_share: expected a share from 0 to below 1",
        ),
        (
            "model.init_args.learning_rate",
            "-1",
            "model.learning_rate: expected a number, 0 or more, found -1.0",
        ),
        (
            "model.init_args.encoder_learning_rate",
            "-1",
            "model.encoder_learning_rate: expected a number above 0, or",
        ),
        (
            "model.init_args.class_weights",
            "foo",
            "model.class_weights: expected 'balanced' or null, found foo",
        ),
        ("model.init_args.nonsense", "3", "model: option 'nonsense' is not accepted"),
        ("model.class_path", "no.such.Thing", "model: no module named 'no'"),
        (
            "trainer.logger",
            "tests.cli.test_fit.UnmetLogger",
            "the settings need the package nowhere_logger, which is not installed: run pip install"
            " nowhere_logger",
        ),
        ("trainer.max_epochs", "abc", "trainer.max_epochs: expected int or null, found abc"),
        ("data.init_args.batch_size", "x", "data.batch_size: expected int, found x"),
        ("nonsense", "3", "unrecognized arguments: --nonsense"),
        ("trainer.max_epoch", "3", "unrecognized arguments: --trainer.max_epoch"),
        ("device", "banana", "device 'banana' cannot be used here"),
    ],
)
def test_a_wrong_setting_is_one_sentence(tmp_path, capsys, option, value, printed):
    capsys.readouterr()
    assert main(["fit", "--config", str(written(tmp_path / "a")), f"--{option}", value]) == 2
    assert capsys.readouterr().err.strip().splitlines()[-1].startswith(f"fit: {printed}")


def test_a_test_file_of_other_data_is_found_before_the_training(tmp_path, capsys):
    (tmp_path / "other.tsv").write_text("dull\tA long evening at home.\n" * 5)
    path = written(tmp_path / "a", test=str(tmp_path / "other.tsv"))
    assert main(["fit", "--config", str(path)]) == 2
    printed = capsys.readouterr().err.strip().splitlines()[-1]
    assert "'dull': no such label in the training data" in printed
    assert not (tmp_path / "a" / "run" / "last.ckpt").exists()
    assert printed.endswith("leave it out: --data.init_args.test null")
    assert (
        main(
            [
                "fit",
                "--config",
                str(path),
                "--data.init_args.test",
                "null",
                "--trainer.max_epochs",
                "1",
            ]
        )
        == 0
    )


def test_two_runs_in_one_folder(whole, capsys):
    _, run = whole
    with file_lock(lock_of(run), "the folder"):
        printed = refused(capsys, "fit", "--config", str(run.parent / "config.yaml"), "--overwrite")
    assert f"the folder {run} is in use by process" in printed


def test_a_malformed_configuration_is_refused(tmp_path):
    path = tmp_path / "a.yaml"
    for content, message in (
        ("a: [", "expected YAML"),
        ("[" * 5_000, "expected YAML"),
        ("- a", "expected settings"),
    ):
        path.write_text(content)
        with pytest.raises(ConfigError, match=message):
            fit.run(["fit", "--config", str(path)])


@pytest.mark.parametrize(
    "settings", [["--trainer.max_steps", "3"], ["--trainer.limit_val_batches", "0"]]
)
def test_without_a_validation_the_last_state_is_a_head(tmp_path, capsys, settings):
    path = written(tmp_path)
    assert main(["fit", "--config", str(path), "--trainer.max_epochs", "2", *settings]) == 0
    files = find_head(tmp_path / "run" / "head")
    assert files.card["scores"]
    printed = capsys.readouterr().out
    assert ("before its first validation" in printed) == ("--trainer.max_steps" in settings)


def test_a_training_that_diverges_leaves_no_head_and_one_sentence(tmp_path, capsys):
    path = written(tmp_path)
    assert main(["fit", "--config", str(path), "--model.init_args.learning_rate", "1e30"]) == 2
    assert "the training diverged" in capsys.readouterr().err
    assert not (tmp_path / "run" / "head" / "head.json").exists()


def test_a_prolonged_run_keeps_its_number_of_epochs(tmp_path):
    path = written(tmp_path)
    run = tmp_path / "run"
    assert main(["fit", "--config", str(path), "--trainer.max_epochs", "1"]) == 0
    assert main(["fit", "--run", str(run), "--trainer.max_epochs", "2"]) == 0
    assert yaml.safe_load((run / "config.yaml").read_text())["trainer"]["max_epochs"] == 2
    assert main(["fit", "--run", str(run)]) == 0
    assert find_head(run / "head").card["training"]["epochs"] == 2


def test_the_card_of_a_head_names_the_users_file(tmp_path):
    path = written(tmp_path)
    raw = yaml.safe_load(path.read_text())
    export = next(c for c in raw["trainer"]["callbacks"] if c["class_path"].endswith("ExportHead"))
    about = {"title": "Entities (small sample)", "data": "the sample", "licence": "as the program"}
    export["init_args"]["about"] = about
    path.write_text(yaml.safe_dump(raw))
    train = Path(raw["data"]["init_args"]["train"])
    own = tmp_path / f"mine{train.suffix}"
    own.write_bytes(train.read_bytes())
    assert main(["fit", "--config", str(path), "--trainer.max_epochs", "1"]) == 0
    assert find_head(tmp_path / "run" / "head").card["title"] == "Entities (small sample)"
    settings = ["--data.init_args.train", str(own), "--trainer.max_epochs", "1"]
    assert main(["fit", "--config", str(path), *settings]) == 0
    card = find_head(tmp_path / "run-2" / "head").card
    assert (card["title"], card["data"]) == (f"Trained on {own.name}", own.name)
    assert "sample" not in json.dumps({key: card[key] for key in ("title", "data", "licence")})


def files(run: Path) -> dict[str, bytes]:
    return {str(p.relative_to(run)): p.read_bytes() for p in sorted(run.rglob("*")) if p.is_file()}


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


def test_a_run_that_is_replaced_leaves_nothing_to_resume_from(tmp_path, capsys):
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


def test_what_a_resumed_run_cannot_use_is_refused_and_changes_nothing(tmp_path, capsys):
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
    settings = [
        "--model.init_args.learning_rate",
        "0.0003",
        "--model.init_args.weight_decay",
        "0.5",
    ]
    assert main(["fit", "--config", str(path), "--trainer.max_epochs", "1"]) == 0
    assert main(["fit", "--run", str(run), "--trainer.max_epochs", "9", *settings]) == 0
    saved = torch.load(run / "last.ckpt", weights_only=True)
    group = saved["optimizer_states"][0]["param_groups"][0]
    assert (group["initial_lr"], group["weight_decay"]) == (0.0003, 0.5)
    assert saved["lr_schedulers"][0]["base_lrs"][0] == 0.0003
    assert (
        yaml.safe_load((run / "config.yaml").read_text())["model"]["init_args"]["learning_rate"]
        == 0.0003
    )


class Terminated(pl.Callback):
    """Gets SIGTERM in a step, as a scheduler of jobs sends it."""

    def on_train_batch_end(self, trainer: pl.Trainer, *_: Any) -> None:
        if trainer.global_step == STEPS + 1:
            os.kill(os.getpid(), signal.SIGTERM)


def test_sigterm_ends_a_run_with_its_code_and_the_command_to_resume(tmp_path, capsys):
    path = written(tmp_path)
    raw = yaml.safe_load(path.read_text())
    raw["trainer"]["callbacks"].append({"class_path": "tests.cli.test_fit.Terminated"})
    path.write_text(yaml.safe_dump(raw))
    with pytest.raises(SystemExit) as stop:
        main(["fit", "--config", str(path)])
    assert stop.value.code == 143
    assert (
        f"Interrupted. Resume with: elmo-tasks fit --run {tmp_path / 'run'}"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "run" / "head").exists()


def test_a_run_that_a_number_of_steps_ended_inside_an_epoch_trains_further(tmp_path):
    path = written(tmp_path)
    run = tmp_path / "run"
    assert main(["fit", "--config", str(path), "--trainer.max_steps", str(STEPS - 2)]) == 0
    assert main(["fit", "--run", str(run), "--trainer.max_steps", str(2 * STEPS)]) == 0
    assert torch.load(run / "last.ckpt", weights_only=True)["global_step"] == 2 * STEPS
    assert [row["step"] for row in curve(run) if "val_loss" in row] == [
        str(STEPS - 1),
        str(2 * STEPS - 1),
    ]


ROWS = [
    {"text": f"{word} film number {k}", "label": label}
    for k in range(12)
    for word, label in (("good", "up"), ("bad", "down"))
]


@pytest.mark.parametrize("kind", ["list", "frame", "dataset"])
def test_rows_of_a_program_are_training_data(tmp_path, kind):
    path = written(tmp_path)
    rows: Any = ROWS
    if kind == "frame":
        rows = pd.DataFrame(ROWS)
    elif kind == "dataset":
        datasets = pytest.importorskip("datasets")
        rows = datasets.Dataset.from_list(ROWS).class_encode_column("label")
    run = train(
        path, tmp_path / "runs" / "mine", data__init_args__train=rows, trainer__max_epochs=1
    )
    card = find_head(run / "head").card
    assert card["trained_on"].startswith("train 20 rows")
    assert find_head(run / "head").task.labels == ("down", "up")
    assert len(list((tmp_path / "runs" / "data").iterdir())) == 1


def test_values_other_than_rows_are_refused(tmp_path):
    with pytest.raises(
        ConfigError, match="train: expected a file, a DataFrame, .* found list without rows"
    ):
        train(written(tmp_path), tmp_path / "run", data__init_args__train=[])
    with pytest.raises(ConfigError, match="train: expected a file, a DataFrame, .* found list"):
        train(written(tmp_path), tmp_path / "run", data__init_args__train=["a", "b"])
