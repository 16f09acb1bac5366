"""A sweep is a table of runs, each of which is done once."""

import csv
import json
import statistics

import pytest

from elmo_tasks.cli import fit, sweep
from elmo_tasks.cli.sweep import config_digest, encoder_input, run_name
from elmo_tasks.cli.sweep_table import SweepLine, table
from elmo_tasks.heads.head_files import find_head
from tests.training.toy_task import write_config, write_encoder

pytestmark = pytest.mark.filterwarnings("ignore")
DROPOUT = "model.init_args.head.init_args.dropout"


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a short name, so that those of the runs are not cut
    write_encoder(tmp_path / "toy")
    return str(write_config(tmp_path, tmp_path / "toy", "classification"))


@pytest.fixture
def begun(monkeypatch):
    """The arguments of the runs that were begun; the one at ``begun.stop`` is interrupted."""

    class Begun(list):
        stop = None

    begun, really = Begun(), fit.run

    def counted(arguments):
        if len(begun) == begun.stop:
            raise KeyboardInterrupt
        begun.append(arguments)
        return really(arguments)

    monkeypatch.setattr(fit, "run", counted)
    return begun


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.ci
def test_a_resumed_table_has_mean_and_spread(config, begun, tmp_path, run):
    command = [
        "sweep",
        "--config",
        config,
        "--seeds",
        "1",
        "2",
        "--fractions",
        "0.5",
        "1.0",
        "--out",
        "sweep",
    ]
    command += ["--set", f"{DROPOUT}=0.0", "--set", "trainer.max_epochs=2"]
    begun.stop = 3
    assert run(*command)[0] == 130
    begun.stop = None
    out = run.done(*command, "--json", "a.json", "--csv", "a.csv")
    assert (
        len({arguments[2] for arguments in begun}) == len(begun) == 4
    )  # each of the four runs once
    header, *lines = (line.split() for line in out.splitlines())
    assert header == ["share", "runs", "validation", "accuracy", "layers", "seconds"]
    assert [line[:2] for line in lines] == [["0.5", "2"], ["1", "2"]]
    lines = json.loads((tmp_path / "a.json").read_text())["lines"]
    for line in lines:
        runs = [
            f for f in (tmp_path / "sweep").iterdir() if f"share={line['fraction']:g}_" in f.name
        ]
        cards = [find_head(folder / "head").card for folder in runs]
        scores = [card["scores"]["validation"]["accuracy"] for card in cards]
        assert line["scores"]["validation"]["mean"] == pytest.approx(statistics.fmean(scores))
        assert line["scores"]["validation"]["spread"] == pytest.approx(statistics.stdev(scores))
        assert len(line["layer_weights"]) == len(cards[0]["layer_weights"]["epochs"][0]["weights"])
        assert {card["training"]["seed"] for card in cards} == {1, 2}
        assert int(cards[0]["trained_on"].split()[1]) == (25 if line["fraction"] == 1 else 12)
    rows = rows_of(tmp_path / "a.csv")
    assert [float(row["validation_mean"]) for row in rows] == [
        line["scores"]["validation"]["mean"] for line in lines
    ]
    numbers = [
        "fraction",
        "runs",
        "validation_mean",
        "validation_spread",
        "layer_0",
        "layer_1",
        "layer_2",
        "seconds",
    ]
    assert list(rows[0]) == [DROPOUT, "trainer.max_epochs", *numbers]


@pytest.mark.ci
def test_encoders_are_trained_once_and_few_examples_for_more_epochs(config, begun, tmp_path, run):
    command = ["sweep", "--config", config, "--out", "runs", "--fractions", "1.0", "0.25"]
    command += ["--encoders", "toy", "toy:layer-0", "--set", "trainer.max_epochs=2"]
    printed = run.done(*command, "--json", "a.json", "--csv", "a.csv", "--plot", "a.svg")
    assert len(begun) == 4
    for arguments in begun:
        times = 2 if "--data.init_args.train_share=0.25" in arguments else 1
        assert f"--trainer.max_epochs={2 * times}" in arguments
        assert f"--trainer.check_val_every_n_epoch={times}" in arguments
        assert "--model.init_args.static=null" in arguments
    assert [any("fixed_weights=[1.0, 0.0, 0.0]" in word for word in one) for one in begun] == [
        False
    ] * 2 + [True] * 2
    lines = json.loads((tmp_path / "a.json").read_text())["lines"]
    places = [(encoder, share) for encoder in ("toy", "toy:layer-0") for share in (1.0, 0.25)]
    assert [(line["encoder"], line["fraction"]) for line in lines] == places
    heads = sorted((tmp_path / "runs").glob("*/head"))
    scores = {find_head(head).card["scores"]["validation"]["accuracy"] for head in heads}
    assert {line["scores"]["validation"]["mean"] for line in lines} == scores
    assert lines[2]["layer_weights"] == [1.0, 0.0, 0.0]
    assert "polyline" in (tmp_path / "a.svg").read_text()
    assert [row["encoder"] for row in rows_of(tmp_path / "a.csv")] == [
        "toy",
        "toy",
        "toy:layer-0",
        "toy:layer-0",
    ]
    assert [row.split()[0] for row in printed.splitlines()] == [
        "encoder",
        "toy",
        "toy",
        "toy:layer-0",
        "toy:layer-0",
    ]
    assert run(*command)[1] == printed  # all is done: only printed again
    assert len(begun) == 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["--set", "dropout"], "--set dropout: expected KEY=VALUE,VALUE"),
        (
            ["--set", "a=1,2", "--set", "a=3"],
            "--set: a key is given twice; give all its values at once",
        ),
        (["--set", "a=[1"], "expected KEY=VALUE,VALUE"),
        (["--fractions", "0"], "--fractions: expected shares above 0, up to 1, found 0.0"),
        (
            ["--encoders", "elmo-mini:layer-7"],
            "--encoders elmo-mini:layer-7: expected layer-0 to layer-2, the layers",
        ),
        (["--config", "nothing.yaml"], "--config nothing.yaml: no such file"),
        (
            ["--config", "ner_sample", "ner_sample"],
            "--config: two configurations have the same name",
        ),
        (
            ["--config", "empty.yaml", "--encoders", "elmo-mini"],
            "--config empty.yaml: expected trainer.max_epochs",
        ),
    ],
)
def test_wrong_settings(settings, message, tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.yaml").write_text("trainer: {}\n")
    monkeypatch.setattr(sweep, "card_of_run", lambda *_: pytest.fail("trained all the same"))
    assert message in run.refused("sweep", "--config", "ner_sample", *settings)


def test_other_data_another_encoder_or_another_configuration_is_another_run(config, tmp_path):
    own = tmp_path / "own.tsv"
    settings = {"data.init_args.train": str(own)}
    digests = [config_digest(config, {})]
    for change in (
        lambda: own.write_text("good\tA day.\n"),
        lambda: own.write_text("bad\tA day.\n"),
        lambda: write_encoder(tmp_path / "toy", shift=1.0),
        lambda: (tmp_path / "train.tsv").write_text("bad\tAn evening.\n"),
        lambda: (tmp_path / config).write_text("trainer: {max_epochs: 2}\n"),
    ):
        change()
        digests.append(config_digest(config, settings))
    assert len(set(digests)) == 6
    assert config_digest(config, settings) == digests[-1]
    names = {run_name({"encoder": "toy"}, 1.0, 1, made_of) for made_of in digests}
    assert len(names) == 6
    assert {name.rpartition("_")[0] for name in names} == {"encoder=toy_share=1_seed=1"}


def line(task, encoder, *scores, name="f1"):
    spread = None if len(scores) == 1 else 0.01
    found = {
        "test": {
            "name": name,
            "mean": sum(scores) / len(scores),
            "spread": spread,
            "values": list(scores),
        }
    }
    return SweepLine(task, encoder, {}, 1.0, len(scores), found, [1.0], 60.0)


def test_each_task_has_a_line_for_each_encoder_with_the_name_of_its_score():
    rows = table(
        [line("ner", "a", 0.5), line("ner", "b", 0.6, 0.7), line("mood", "a", 0.9, name="accuracy")]
    )
    assert [row.split() for row in rows.splitlines()] == [
        ["task", "encoder", "share", "runs", "test", "layers", "seconds"],
        ["ner", "a", "1", "1", "f1", "50.00", "1.00", "60"],
        ["ner", "b", "1", "2", "f1", "65.00", "±", "1.00", "1.00", "60"],
        ["mood", "a", "1", "1", "accuracy", "90.00", "1.00", "60"],
    ]


@pytest.mark.parametrize(
    ("encoder", "layers", "weights"),
    [
        ("toy", "", None),
        ("toy", ":mix", None),
        ("toy", ":mean", (1 / 3, 1 / 3, 1 / 3)),
        ("toy", ":layer-2", (0.0, 0.0, 1.0)),
        ("static-mini", "", None),
        ("static-mini", ":layer-0", (1.0,)),
    ],
)
def test_the_layers_of_an_encoder_are_parsed(encoder, layers, weights, config):
    found = encoder_input(f"{encoder}{layers}")
    assert (found.encoder, found.weights) == (encoder, weights)
    assert found.checksum != encoder_input("elmo-mini").checksum
