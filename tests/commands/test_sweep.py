"""A sweep is a table of runs, each of which is done once."""

from __future__ import annotations

import csv
import json
import statistics
from pathlib import Path

import pytest

from elmo_tasks.__main__ import main
from elmo_tasks.commands import fit
from elmo_tasks.commands.sweep import config_digest
from elmo_tasks.heads.head_files import find_head
from tests.training.toy_task import write_config, write_encoder

pytestmark = pytest.mark.filterwarnings("ignore")
DROPOUT = "model.init_args.head.init_args.dropout"


@pytest.mark.long
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
    ],
)
def test_wrong_settings(settings: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
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
