"""The result of a run: a head that loads, with the scores of `evaluate` on its card."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest

from elmo_tasks.__main__ import main
from elmo_tasks.heads.head_files import find_head
from elmo_tasks.prediction import Predictor
from elmo_tasks.training.export_head import no_better
from tests.training.toy_task import EPOCHS, write_config, write_encoder

pytestmark = pytest.mark.filterwarnings("ignore:.*isinstance.treespec, LeafSpec.*")


@pytest.fixture(scope="module", params=["tagging", "classification"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that is done."""
    folder = tmp_path_factory.mktemp(request.param)
    write_encoder(folder / "toy")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert (
            main(["fit", "--config", str(write_config(folder, folder / "toy", request.param))]) == 0
        )
    (folder / "printed.txt").write_text(printed.getvalue())
    return folder


def test_the_card_has_scores_guesses_and_the_mix_of_every_epoch(run: Path) -> None:
    card = find_head(run / "run" / "head").card
    assert (card["title"], card["data"], card["kind"]) == ("a toy", "toy data", "head")
    scores = card["scores"]["validation"]
    assert set(card["scores"]) == {"validation"}
    assert set(scores["guess"]) == {"word f1" if scores["main"] == "f1" else "majority"}
    assert 0 <= max(scores["guess"].values()) <= scores[scores["main"]] <= 1
    assert scores["rows"] == 25
    epochs = card["layer_weights"]["epochs"]
    assert [row["epoch"] for row in epochs] == list(range(EPOCHS + 1))
    assert epochs[0] == {
        "epoch": 0,
        "weights": [pytest.approx(1 / 3, abs=1e-5)] * 3,
        "gamma": 1.0,
        "score": None,
    }
    assert all(sum(row["weights"]) == pytest.approx(1, abs=1e-4) for row in epochs)
    assert card["layer_weights"]["learned"]
    assert (card["training"]["seed"], card["training"]["epochs"]) == (1, EPOCHS)
    recorded = [row["score"] for row in epochs[1:]]
    assert recorded[card["training"]["best_epoch"] - 1] == max(recorded)
    # The exported head has float16 weights, so a token on the border may fall to the other side.
    assert max(recorded) == pytest.approx(scores[scores["main"]], abs=0.05)


def test_the_report_has_the_score_beside_the_same_score_without_a_model(run: Path) -> None:
    line = next(
        line
        for line in (run / "printed.txt").read_text().splitlines()
        if line.startswith("  validation: ")
    )
    main_score = "f1" if "f1" in line else "accuracy"
    rule = (
        "each word tagged as it was most often"
        if main_score == "f1"
        else "always the most frequent label"
    )
    number = r"[01]\.\d{3}"
    guess = rf"\(without a model: {main_score} {number} with {rule}\)"
    assert re.fullmatch(
        rf"  validation: {main_score} {number}(, macro-F1 {number})? on 25 rows {guess}", line
    )


def test_the_files_hold_no_place_of_the_machine_but_the_encoder_s(run: Path) -> None:
    head, card = ((run / "run" / "head" / name).read_text() for name in ("head.json", "card.json"))
    assert str(run) not in card
    assert head.count(str(run)) == 1
    assert find_head(run / "run" / "head").encoder.name == str(run / "toy")


def test_evaluate_prints_the_score_of_the_card(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = find_head(run / "run" / "head").card
    (data,) = run.glob("validation.*")
    capsys.readouterr()
    assert (
        main(["evaluate", "--head", str(run / "run" / "head"), "--data", str(data), "--json"]) == 0
    )
    printed = json.loads(capsys.readouterr().out)
    expected = card["scores"]["validation"]
    assert printed["main"] == expected["main"]
    assert {name: round(value, 5) for name, value in printed["scores"].items()} == {
        name: expected[name] for name in printed["scores"]
    }


def test_the_exported_head_predicts(run: Path) -> None:
    predictor = Predictor.load(find_head(run / "run" / "head"))
    if predictor.head.kind == "tagging":
        assert predictor.predict_batch([["we", "Ada", "in", "Rome", "."]])[0].tags == (
            "O",
            "B-PER",
            "O",
            "B-LOC",
            "O",
        )
    else:
        assert predictor.predict_batch([["it", "was", "warm", "kind", "."]])[0].label == "positive"


def test_a_trial_run_replaces_no_head(run: Path) -> None:
    before = (run / "run" / "head" / "head.json").stat().st_mtime_ns
    assert main(["fit", "--config", str(run / "config.yaml"), "--trainer.fast_dev_run=true"]) == 0
    assert (run / "run" / "head" / "head.json").stat().st_mtime_ns == before


def test_another_folder_and_encoder_replace_those_of_the_file(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "last.ckpt").touch()
    before = sorted(path.stat().st_mtime_ns for path in (run / "run").rglob("*"))
    write_encoder(tmp_path / "another", shift=0.1)
    short = [
        "--trainer.max_epochs=1",
        "--run_dir",
        str(tmp_path / "mine"),
        "--encoder",
        str(tmp_path / "another"),
    ]
    assert main(["fit", "--config", str(run / "config.yaml"), *short]) == 0
    assert "mine holds an earlier run, so this one is written to" in capsys.readouterr().out
    assert find_head(tmp_path / "mine-2" / "head").encoder.name == str(tmp_path / "another")
    assert {path.name for path in (tmp_path / "mine-2").iterdir()} == {
        "best.ckpt",
        "config.yaml",
        "head",
        "last.ckpt",
    }
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["last.ckpt"]
    assert sorted(path.stat().st_mtime_ns for path in (run / "run").rglob("*")) == before


def test_problems_of_the_export_are_found_before_the_training(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fit = ["fit", "--config", str(run / "config.yaml"), "--run_dir", str(tmp_path / "mine")]
    assert main([*fit, "--data.init_args.test", str(tmp_path / "tset")]) == 2
    assert (
        "tset: no such file, and data.test says that the head is scored on it"
        in capsys.readouterr().err
    )
    (tmp_path / "mine" / "head").mkdir(parents=True)
    (tmp_path / "mine" / "head" / "notes.txt").write_text("mine")
    assert main(fit) == 2
    assert "holds something that is not a head (notes.txt)" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.ckpt"))


def test_lightning_tips_are_hidden(
    run: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    short = ["--trainer.max_epochs=1", "--trainer.logger=true", "--run_dir", str(tmp_path / "mine")]
    with caplog.at_level(logging.INFO):
        assert main(["fit", "--config", str(run / "config.yaml"), *short]) == 0
    assert "GPU available" in caplog.text
    assert "Tip:" not in caplog.text


@pytest.mark.parametrize(
    ("scores", "guess", "warning"),
    [
        (
            {"main": "accuracy", "accuracy": 0.96, "macro_f1": 0.7, "recall/a": 1, "recall/b": 0.4},
            0.95,
            "",
        ),
        (
            {"main": "accuracy", "accuracy": 0.95, "macro_f1": 0.487, "recall/a": 1, "recall/b": 0},
            0.95,
            "NO BETTER THAN WITHOUT",
        ),
        (
            {
                "main": "accuracy",
                "accuracy": 0.93,
                "macro_f1": 0.66,
                "recall/a": 1,
                "recall/b": 0.5,
            },
            0.95,
            "it does know rare classes",
        ),
        ({"main": "f1", "f1": 0.3}, 0.31, "NO BETTER THAN WITHOUT A MODEL"),
    ],
)
def test_a_head_no_better_than_a_rule_is_reported(
    scores: dict[str, Any], guess: float, warning: str
) -> None:
    message = no_better(scores, guess)
    assert warning in message
    assert bool(message) == bool(warning)
