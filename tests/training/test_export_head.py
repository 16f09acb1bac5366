"""What a run leaves: a head that loads, with a card whose scores are those that `evaluate` prints."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import re
from pathlib import Path

import pytest
import yaml

from elmo_tasks.__main__ import main
from elmo_tasks.heads.head_files import find_head
from elmo_tasks.training.predictor import Predictor
from tests.training.toy_task import EPOCHS, write_config, write_encoder

pytestmark = pytest.mark.filterwarnings("ignore:.*isinstance.treespec, LeafSpec.*")
KINDS = ("tagging", "classification")


@pytest.fixture(scope="module", params=KINDS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that is done."""
    folder = tmp_path_factory.mktemp(request.param)
    write_encoder(folder / "toy")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        assert main(["fit", "--config", str(write_config(folder, folder / "toy", request.param))]) == 0
    (folder / "said.txt").write_text(said.getvalue())
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
    assert epochs[0] == {"epoch": 0, "weights": [pytest.approx(1 / 3, abs=1e-5)] * 3, "gamma": 1.0, "score": None}
    assert all(sum(row["weights"]) == pytest.approx(1, abs=1e-4) for row in epochs)
    assert card["layer_weights"]["learned"]
    assert (card["training"]["seed"], card["training"]["epochs"]) == (1, EPOCHS)


def test_the_report_has_the_score_beside_the_same_score_without_a_model(run: Path) -> None:
    line = next(line for line in (run / "said.txt").read_text().splitlines() if line.startswith("  validation: "))
    main_score = "f1" if "f1" in line else "accuracy"
    rule = "each word tagged as it was most often" if main_score == "f1" else "always the most frequent label"
    number = r"[01]\.\d{3}"
    assert re.fullmatch(
        rf"  validation: {main_score} {number} on 25 rows \(without a model: {main_score} {number} with {rule}\)", line
    )


def test_each_epoch_has_its_own_score(run: Path) -> None:
    card = find_head(run / "run" / "head").card
    epochs, best = card["layer_weights"]["epochs"], card["training"]["best_epoch"]
    noted = [row["score"] for row in epochs[1:]]
    assert noted[best - 1] == max(noted)
    scores = card["scores"]["validation"]
    # The exported head has float16 weights, so a token on the border may fall to the other side.
    assert noted[best - 1] == pytest.approx(scores[scores["main"]], abs=0.05)


def test_the_files_hold_no_place_of_the_machine_but_the_encoder_s(run: Path) -> None:
    head, card = ((run / "run" / "head" / name).read_text() for name in ("head.json", "card.json"))
    assert str(run) not in card
    assert head.count(str(run)) == 1
    assert find_head(run / "run" / "head").encoder.name == str(run / "toy")


def test_evaluate_prints_the_score_of_the_card(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = find_head(run / "run" / "head").card
    (data,) = run.glob("validation.*")
    capsys.readouterr()
    assert main(["evaluate", "--head", str(run / "run" / "head"), "--data", str(data), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    expected = card["scores"]["validation"]
    assert printed["main"] == expected["main"]
    assert {name: round(value, 5) for name, value in printed["scores"].items()} == {
        name: expected[name] for name in printed["scores"]
    }


def test_the_exported_head_predicts(run: Path) -> None:
    predictor = Predictor.load(find_head(run / "run" / "head"))
    if predictor.head.kind == "tagging":
        assert predictor.tag([["we", "Ada", "in", "Rome", "."]])[0].tags == ("O", "B-PER", "O", "B-LOC", "O")
    else:
        assert predictor.classify([["it", "was", "warm", "kind", "."]])[0].label == "positive"


def test_a_trial_run_replaces_no_head(run: Path) -> None:
    before = (run / "run" / "head" / "head.json").stat().st_mtime_ns
    assert main(["fit", "--config", str(run / "config.yaml"), "--trainer.fast_dev_run=true"]) == 0
    assert (run / "run" / "head" / "head.json").stat().st_mtime_ns == before


def test_another_folder_for_the_run_moves_everything(run: Path, tmp_path: Path) -> None:
    before = sorted(path.stat().st_mtime_ns for path in (run / "run").rglob("*"))
    short = ["--trainer.max_epochs=1", "--run_dir", str(tmp_path / "mine")]
    assert main(["fit", "--config", str(run / "config.yaml"), *short]) == 0
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == [
        "best.ckpt",
        "config.yaml",
        "head",
        "last.ckpt",
    ]
    assert sorted(path.stat().st_mtime_ns for path in (run / "run").rglob("*")) == before


def test_another_encoder_replaces_that_of_the_file(run: Path, tmp_path: Path) -> None:
    write_encoder(tmp_path / "another", shift=0.1)
    short = ["--trainer.max_epochs=1", "--run_dir", str(tmp_path / "mine"), "--encoder", str(tmp_path / "another")]
    assert main(["fit", "--config", str(run / "config.yaml"), *short]) == 0
    assert find_head(tmp_path / "mine" / "head").encoder.name == str(tmp_path / "another")


def test_a_folder_with_something_else_is_refused_before_the_training(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine" / "head").mkdir(parents=True)
    (tmp_path / "mine" / "head" / "notes.txt").write_text("mine")
    capsys.readouterr()
    assert main(["fit", "--config", str(run / "config.yaml"), "--run_dir", str(tmp_path / "mine")]) == 2
    printed = capsys.readouterr()
    assert "holds something that is not a head (notes.txt)" in printed.err
    assert not list(tmp_path.rglob("*.ckpt"))


def test_a_test_file_that_is_not_there_is_named_before_the_training(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ["--data.init_args.test", str(tmp_path / "tset"), "--run_dir", str(tmp_path / "mine")]
    assert main(["fit", "--config", str(run / "config.yaml"), *more]) == 2
    assert "tset: no such file, and data.test says that the head is scored on it" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.ckpt"))


def test_nothing_is_advertised(run: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    short = ["--trainer.max_epochs=1", "--trainer.logger=true", "--run_dir", str(tmp_path / "mine")]
    with caplog.at_level(logging.INFO):
        assert main(["fit", "--config", str(run / "config.yaml"), *short]) == 0
    assert "GPU available" in caplog.text
    assert "Tip:" not in caplog.text


@pytest.mark.parametrize("spelling", [["--ckpt_path", "nothing.ckpt"], ["--ckpt_path=nothing.ckpt"]])
def test_a_resume_file_that_is_not_there_is_named(
    spelling: list[str], run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", "--config", str(run / "config.yaml"), *spelling]) == 2
    assert "--ckpt_path nothing.ckpt: no such file; leave it out to start again" in capsys.readouterr().err


def test_a_resume_file_of_another_head_is_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = yaml.safe_load((run / "config.yaml").read_text())
    raw["model"]["init_args"]["head"]["init_args"]["fixed_weights"] = [1, 0, 0]
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(raw))
    last = str(run / "run" / "last.ckpt")
    own = ["--config", str(tmp_path / "config.yaml"), "--run_dir", str(tmp_path / "r")]
    assert main(["fit", *own, "--ckpt_path", last]) == 2
    assert "the checkpoint is of another model than these settings describe" in capsys.readouterr().err
