"""Runs from the command line: their files and the settings that they refuse."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from pytorch_lightning.loggers import CSVLogger

from elmo_tasks.__main__ import main
from elmo_tasks.cli import fit
from elmo_tasks.cli.fit import train
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.head_files import find_head
from tests.cli.toy_runs import EPOCHS, curve, refused, written

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.ci]


class UnmetLogger(CSVLogger):
    """A logger whose package is not installed, as WandbLogger without wandb."""

    def __init__(self) -> None:
        raise ModuleNotFoundError("Requirement 'nowhere_logger>=0.1' not met. HINT: Try pip")


def test_of_epochs_with_equal_scores_the_lowest_loss_is_kept(tmp_path):
    """With five validation rows, most epochs have equal scores."""
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


def test_an_unknown_metric_is_refused(tmp_path, capsys):
    stopping = json.dumps({**STOPPING, "init_args": {"monitor": "val_nonsense"}})
    printed = refused(
        capsys, "fit", "--config", str(written(tmp_path)), "--trainer.callbacks+", stopping
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
def test_a_wrong_setting_is_reported_in_one_sentence(tmp_path, capsys, option, value, printed):
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


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([], "list without rows"),
        (pd.DataFrame(), "DataFrame without rows"),
        (["a", "b"], "list"),
        ({"text": ["a"]}, "dict"),
        (3, "int"),
    ],
)
def test_values_other_than_rows_are_refused(tmp_path, rows, found):
    expected = "train: expected a file, a DataFrame, a datasets.Dataset or a list of dictionaries"
    with pytest.raises(ConfigError, match=f"^{expected}, found {found}$"):
        train(written(tmp_path), tmp_path / "run", data__init_args__train=rows)
