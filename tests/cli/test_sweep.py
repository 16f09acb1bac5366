"""A sweep is a table of runs, each of which is done once."""

from __future__ import annotations

import csv
import json
import statistics
from pathlib import Path

import pytest

from elmo_tasks.__main__ import main
from elmo_tasks.cli import fit, sweep
from elmo_tasks.cli.sweep import Line, config_digest, encoder_input, run_name, table
from elmo_tasks.heads.head_files import find_head
from tests.training.toy_task import write_config, write_encoder

pytestmark = pytest.mark.filterwarnings("ignore")
DROPOUT = "model.init_args.head.init_args.dropout"


@pytest.mark.ci
def test_a_table_with_mean_and_spread_that_is_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_encoder(tmp_path / "toy")
    config = str(write_config(tmp_path, tmp_path / "toy", "classification"))
    out = tmp_path / "sweep"
    command = ["sweep", "--config", config, "--seeds", "1", "2", "--fractions", "0.5", "1.0", "--out", str(out)]
    command += ["--set", f"{DROPOUT}=0.0", "--set", "trainer.max_epochs=2"]
    begun: list[str] = []
    really = fit.run

    def counted(arguments: list[str]) -> int:
        if len(begun) == 3:
            raise KeyboardInterrupt
        begun.append(next(word for word in arguments if word.startswith("--run_dir")))
        return really(arguments)

    monkeypatch.setattr(fit, "run", counted)
    assert main(command) == 130
    assert len(begun) == 3
    monkeypatch.setattr(fit, "run", lambda arguments: begun.append(arguments[2]) or really(arguments))  # type: ignore[func-returns-value]
    files = ["--json", str(tmp_path / "a.json"), "--csv", str(tmp_path / "a.csv")]
    capsys.readouterr()
    assert main([*command, *files]) == 0
    assert len(begun) == len(set(begun)) == 4  # each of the four runs once
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].split() == [
        "dropout",
        "trainer.max_epochs",
        "share",
        "runs",
        "validation",
        "accuracy",
        "layers",
        "seconds",
    ]
    assert [line.split()[:4] for line in printed[1:]] == [["0.0", "2", "0.5", "2"], ["0.0", "2", "1", "2"]]
    lines = json.loads((tmp_path / "a.json").read_text())["lines"]
    for line in lines:
        runs = [f for f in out.iterdir() if f"share={line['fraction']:g}_" in f.name]
        cards = [find_head(folder / "head").card for folder in runs]
        scores = [card["scores"]["validation"]["accuracy"] for card in cards]
        assert line["scores"]["validation"]["mean"] == pytest.approx(statistics.fmean(scores))
        assert line["scores"]["validation"]["spread"] == pytest.approx(statistics.stdev(scores))
        assert len(line["layer_weights"]) == len(cards[0]["layer_weights"]["epochs"][0]["weights"])
        assert {card["training"]["seed"] for card in cards} == {1, 2}
        rows = int(cards[0]["trained_on"].split()[1])
        assert rows == (25 if line["fraction"] == 1 else 12)
    with (tmp_path / "a.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [float(row["validation_mean"]) for row in table] == [line["scores"]["validation"]["mean"] for line in lines]
    assert {"layer_0", "layer_1", "layer_2", DROPOUT, "fraction"} <= set(table[0])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["--set", "dropout"], "--set dropout: expected KEY=VALUE,VALUE"),
        (["--set", "a=1,2", "--set", "a=3"], "--set: a key is given twice; give all its values at once"),
        (["--set", "a=[1"], "expected KEY=VALUE,VALUE"),
        (["--fractions", "0"], "--fractions: expected shares above 0, up to 1, found 0.0"),
        (["--device", "banana"], "device 'banana' cannot be used here"),
        (
            ["--encoders", "elmo-mini:layer-7"],
            "--encoders elmo-mini:layer-7: expected layer-0 to layer-2, the layers that",
        ),
        (["--config", "nothing.yaml"], "--config nothing.yaml: no such file"),
        (["--config", "ner_sample", "ner_sample"], "--config: two configurations have the same name"),
        (["--config", "empty.yaml", "--encoders", "elmo-mini"], "--config empty.yaml: expected trainer.max_epochs"),
    ],
)
def test_wrong_settings(
    settings: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.yaml").write_text("trainer: {}\n")
    monkeypatch.setattr(sweep, "card_of_run", lambda *_: pytest.fail("trained all the same"))
    assert main(["sweep", "--config", "ner_sample", *settings]) == 2
    assert message in capsys.readouterr().err


def test_other_data_or_another_encoder_is_another_run(tmp_path: Path) -> None:
    write_encoder(tmp_path / "toy")
    config = str(write_config(tmp_path, tmp_path / "toy", "classification"))
    own = tmp_path / "own.tsv"
    own.write_text("good\tA day.\n")
    settings = {"data.init_args.train": str(own)}
    digests = [config_digest(config), config_digest(config, settings)]
    own.write_text("bad\tA day.\n")
    digests.append(config_digest(config, settings))
    write_encoder(tmp_path / "toy", shift=1.0)
    digests.append(config_digest(config, settings))
    (tmp_path / "train.tsv").write_text("bad\tAn evening.\n")
    digests.append(config_digest(config, settings))
    assert len(set(digests)) == 5
    assert config_digest(config, settings) == digests[-1]


@pytest.mark.ci
def test_encoders_are_trained_once_with_few_examples_read_oftener(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a short name, so that those of the runs are not cut
    write_encoder(tmp_path / "toy")
    config = str(write_config(tmp_path, tmp_path / "toy", "classification"))
    command = ["sweep", "--config", config, "--out", str(tmp_path / "runs"), "--fractions", "1.0", "0.25"]
    command += ["--encoders", "toy", "toy:layer-0", "--set", "trainer.max_epochs=2"]
    begun: list[list[str]] = []
    really = fit.run
    monkeypatch.setattr(fit, "run", lambda arguments: begun.append(arguments) or really(arguments))  # type: ignore[func-returns-value]
    files = ["--json", str(tmp_path / "a.json"), "--csv", str(tmp_path / "a.csv"), "--plot", str(tmp_path / "a.svg")]
    assert main([*command, *files]) == 0
    assert len(begun) == 4
    for arguments in begun:
        times = 2 if "--data.init_args.train_share=0.25" in arguments else 1
        assert f"--trainer.max_epochs={2 * times}" in arguments
        assert f"--trainer.check_val_every_n_epoch={times}" in arguments
        assert "--model.init_args.static=null" in arguments
    assert [any("fixed_weights=[1.0, 0.0, 0.0]" in word for word in one) for one in begun] == [False] * 2 + [True] * 2
    lines = json.loads((tmp_path / "a.json").read_text())["lines"]
    assert [(line["encoder"], line["fraction"]) for line in lines] == [
        (encoder, share) for encoder in ("toy", "toy:layer-0") for share in (1.0, 0.25)
    ]
    heads = sorted((tmp_path / "runs").glob("*/head"))
    scores = {find_head(head).card["scores"]["validation"]["accuracy"] for head in heads}
    assert {line["scores"]["validation"]["mean"] for line in lines} == scores
    assert lines[2]["layer_weights"] == [1.0, 0.0, 0.0]
    assert "polyline" in (tmp_path / "a.svg").read_text()
    with (tmp_path / "a.csv").open(newline="") as file:
        assert [row["encoder"] for row in csv.DictReader(file)] == ["toy", "toy", "toy:layer-0", "toy:layer-0"]
    printed = capsys.readouterr().out
    assert [row.split()[0] for row in printed.splitlines()] == ["encoder", "toy", "toy", "toy:layer-0", "toy:layer-0"]
    assert main(command) == 0  # all is done: only printed again
    assert len(begun) == 4
    assert capsys.readouterr().out == printed


def line(task: str, encoder: str, *scores: float, name: str = "f1") -> Line:
    spread = None if len(scores) == 1 else 0.01
    found = {"test": {"name": name, "mean": sum(scores) / len(scores), "spread": spread, "values": list(scores)}}
    return Line(task, encoder, {}, 1.0, len(scores), found, [1.0], 60.0)


def test_each_task_has_a_line_for_each_encoder_with_the_name_of_its_score() -> None:
    rows = table([line("ner", "a", 0.5), line("ner", "b", 0.6, 0.7), line("mood", "a", 0.9, name="accuracy")])
    assert [row.split() for row in rows.splitlines()] == [
        ["task", "encoder", "share", "runs", "test", "layers", "seconds"],
        ["ner", "a", "1", "1", "f1", "50.00", "1.00", "60"],
        ["ner", "b", "1", "2", "f1", "65.00", "±", "1.00", "1.00", "60"],
        ["mood", "a", "1", "1", "accuracy", "90.00", "1.00", "60"],
    ]


@pytest.mark.parametrize(
    ("asked", "weights"),
    [("", None), (":mix", None), (":mean", (1 / 3, 1 / 3, 1 / 3)), (":layer-2", (0.0, 0.0, 1.0))],
)
def test_what_of_an_encoder_is_read(asked: str, weights: tuple[float, ...] | None, tmp_path: Path) -> None:
    toy = write_encoder(tmp_path / "toy")
    found = encoder_input(f"{toy}{asked}")
    assert (found.encoder, found.weights) == (str(toy), weights)


def test_static_vectors_have_one_layer() -> None:
    assert encoder_input("static-mini").weights is None
    assert encoder_input("static-mini:layer-0").weights == (1.0,)


def test_a_run_of_another_configuration_or_encoder_is_another_run(tmp_path: Path) -> None:
    config = tmp_path / "one.yaml"
    config.write_text("trainer: {max_epochs: 1}\n")
    before = config_digest(str(config))
    config.write_text("trainer: {max_epochs: 2}\n")
    assert config_digest(str(config)) != before
    names = {run_name({"encoder": "toy"}, 1.0, 1, made_of) for made_of in (before, config_digest(str(config)))}
    assert len(names) == 2
    assert {name.rpartition("_")[0] for name in names} == {"encoder=toy_share=1_seed=1"}
    assert encoder_input("static-mini").checksum != encoder_input("elmo-mini").checksum
