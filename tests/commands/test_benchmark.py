"""``benchmark tasks``: a table of systems in which nobody is left out, from runs that are each done once."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from elmo_tasks.__main__ import main
from elmo_tasks.commands import benchmark, fit
from elmo_tasks.commands.benchmark import Result, system_of, table
from elmo_tasks.commands.sweep import Line, config_digest, run_name
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.head_files import find_head
from elmo_tasks.training.head_cost import Cost, run_sentences
from tests.training.toy_task import write_config, write_encoder

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def costs(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """What was measured; a process of its own takes seconds, and has a test of its own."""
    asked: list[Path] = []

    def cost_of(head: Path, sentences: object) -> Cost:
        asked.append(head)
        return Cost(1.5, 300 * 2**20, 1000)

    monkeypatch.setattr("elmo_tasks.training.head_cost.cost_of", cost_of)
    return asked


@pytest.mark.long
def test_systems_are_trained_once_with_few_examples_read_oftener(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, costs: list[Path]
) -> None:
    monkeypatch.chdir(tmp_path)  # a short name, so that those of the runs are not cut
    write_encoder(tmp_path / "toy")
    toy = "toy"
    config = str(write_config(tmp_path, tmp_path / "toy", "classification"))
    command = ["benchmark", "tasks", "--config", config, "--out", str(tmp_path / "runs"), "--shares", "1.0", "0.25"]
    command += ["--model", toy, "--model", f"{toy}:layer-0", "--set", "trainer.max_epochs=2"]
    begun: list[list[str]] = []
    really = fit.run
    monkeypatch.setattr(fit, "run", lambda arguments: begun.append(arguments) or really(arguments))  # type: ignore[func-returns-value]
    files = ["--json", str(tmp_path / "a.json"), "--plot", str(tmp_path / "a.svg")]
    assert main([*command, *files]) == 0
    assert len(begun) == 4
    for arguments in begun:
        times = 2 if "--data.init_args.train_share=0.25" in arguments else 1
        assert f"--trainer.max_epochs={2 * times}" in arguments
        assert f"--trainer.check_val_every_n_epoch={times}" in arguments
        assert "--model.init_args.static=null" in arguments
    assert [any("fixed_weights=[1.0, 0.0, 0.0]" in word for word in one) for one in begun] == [False] * 2 + [True] * 2
    lines = json.loads((tmp_path / "a.json").read_text())["lines"]
    assert [(line["system"], line["line"]["fraction"]) for line in lines] == [
        (system, share) for system in (toy, f"{toy}:layer-0") for share in (0.25, 1.0)
    ]
    heads = sorted((tmp_path / "runs" / "config").glob("*/head"))
    scores = {find_head(head).card["scores"]["validation"]["accuracy"] for head in heads}
    assert {line["line"]["scores"]["validation"]["mean"] for line in lines} == scores
    assert lines[2]["line"]["layer_weights"] == [1.0, 0.0, 0.0]
    assert len(costs) == 2  # one for each system, of the head that was trained on all
    assert all("share=1_" in str(head) for head in costs)
    assert "polyline" in (tmp_path / "a.svg").read_text()
    printed = capsys.readouterr().out
    assert printed.count("| config |") == 4
    assert "| 1.5 s | 300 MiB |" in printed
    assert main(command) == 0  # all is done: only printed again
    assert (len(begun), len(costs)) == (4, 2)
    assert capsys.readouterr().out == printed


def line(system: str, share: float, *scores: float) -> Result:
    mean = sum(scores) / len(scores)
    spread = None if len(scores) == 1 else 0.01
    found = {"test": {"name": "f1", "mean": mean, "spread": spread, "values": list(scores)}}
    return Result("ner", system, Line({}, share, len(scores), found, [1.0], 60.0), Cost(2.0, None, 1000))


def test_the_best_of_each_share_is_bold_and_losers_are_shown() -> None:
    shown = table(
        [line("a", 0.1, 0.5), line("a", 1.0, 0.9), line("b", 0.1, 0.6, 0.7), line("b", 1.0, 0.8)]
    ).splitlines()
    assert [row.split(" | ")[1:5] for row in shown[2:]] == [
        ["a", "10 %", "1", "test f1 50.00"],
        ["b", "10 %", "2", "test f1 **65.00** ± 1.00"],
        ["a", "100 %", "1", "test f1 **90.00**"],
        ["b", "100 %", "1", "test f1 80.00"],
    ]
    assert "| 60 s | 2.0 s | - |" in shown[2]


@pytest.mark.parametrize(
    ("asked", "weights"),
    [("", None), (":mix", None), (":mean", (1 / 3, 1 / 3, 1 / 3)), (":layer-2", (0.0, 0.0, 1.0))],
)
def test_what_of_an_encoder_is_read(asked: str, weights: tuple[float, ...] | None, tmp_path: Path) -> None:
    toy = write_encoder(tmp_path / "toy")
    found = system_of(f"{toy}{asked}")
    assert (found.encoder, found.weights) == (str(toy), weights)


def test_static_vectors_have_one_layer() -> None:
    assert system_of("static-mini").weights is None
    assert system_of("static-mini:layer-0").weights == (1.0,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "elmo-mini:layer-7"), "--model elmo-mini:layer-7: expected layer-0 to layer-2, the layers that"),
        (("--shares", "0"), "--shares: expected shares above 0, up to 1, found 0.0"),
        (("--set", "a.b=1,2"), "--set a.b=1,2: expected one value; several are for elmo-tasks sweep"),
        (("--config", "nothing.yaml"), "--config nothing.yaml: no such file"),
        (("--config", "ner_sample", "ner_sample"), "--config: two configurations have the same name"),
        (("--config", "empty.yaml"), "--config empty.yaml: expected trainer.max_epochs"),
    ],
)
def test_what_cannot_be_done_is_refused(
    arguments: tuple[str, ...],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.yaml").write_text("trainer: {}\n")
    monkeypatch.setattr(benchmark, "card_of_run", lambda *_: pytest.fail("trained all the same"))
    assert main(["benchmark", "tasks", *arguments]) == 2
    assert re.search(message, capsys.readouterr().err)


def test_a_folder_that_is_no_run_has_no_sentences(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected the folder of a run, with its settings in config.yaml"):
        run_sentences(tmp_path)
    (tmp_path / "config.yaml").write_text("data: {class_path: pathlib.Path, init_args: {}}\n")
    with pytest.raises(ConfigError, match="expected a run on labelled rows, found pathlib.Path"):
        run_sentences(tmp_path)


def test_a_run_of_another_configuration_or_encoder_is_another_run(tmp_path: Path) -> None:
    config = tmp_path / "one.yaml"
    config.write_text("trainer: {max_epochs: 1}\n")
    before = config_digest(str(config))
    config.write_text("trainer: {max_epochs: 2}\n")
    assert config_digest(str(config)) != before
    names = {run_name({"system": "toy"}, 1.0, 1, made_of) for made_of in (before, config_digest(str(config)))}
    assert len(names) == 2
    assert {name.rpartition("_")[0] for name in names} == {"system=toy_share=1_seed=1"}
    assert system_of("static-mini").checksum != system_of("elmo-mini").checksum
