"""A new head of a known kind needs one module and one configuration, in any folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from elmo_tasks.__main__ import main
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.head_files import HEADS_VARIABLE, build_head, find_head, head_classes
from tests.training.toy_task import write_config, write_encoder

TAGGER = '''
"""A tagger without an LSTM: each word is tagged by its own mixed vector."""

from torch import nn

from elmo_tasks.heads.crf import CRF
from elmo_tasks.heads.tagging import TaggingHead
from elmo_tasks.layers import ScalarMix


class LinearTagger(TaggingHead):
    def __init__(self, task, dropout: float = 0.1):
        super().__init__(task, {"dropout": dropout})
        self.mix = ScalarMix(task.n_layers)
        self.dropout = nn.Dropout(dropout)
        self.crf = CRF(task.labels, task.scheme)
        self.emit = nn.Linear(task.input_dim, self.crf.num_tags)

    def forward(self, values, mask, features=None):
        return self.emit(self.dropout(self.mix(values, mask).to(self.emit.weight.dtype)))
'''
CLASSIFIER = '''
"""A classifier of the first word of a text alone."""

from torch import nn

from elmo_tasks.heads.classification import ClassificationHead
from elmo_tasks.layers import ScalarMix


class FirstWord(ClassificationHead):
    def __init__(self, task, scale: float = 1.0):
        super().__init__(task, {"scale": scale})
        self.scale = scale
        self.mix = ScalarMix(task.n_layers)
        self.classify = nn.Linear(task.input_dim, len(task.labels))

    def forward(self, values, mask=None, features=None):
        return self.scale * self.classify(self.mix(values, mask)[:, 0])
'''
HEADS = {
    "tagging": (TAGGER, "linear_tagger", "LinearTagger", {"dropout": 0.0}),
    "classification": (CLASSIFIER, "first_word", "FirstWord", {"scale": 2.0}),
}


@pytest.mark.parametrize("kind", list(HEADS))
def test_a_head_in_another_folder_is_trained_used_and_scored(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source, module, name, settings = HEADS[kind]
    module = f"{module}_of_{tmp_path.name}"  # a name that no other test has imported
    (tmp_path / f"{module}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)

    config_path = write_config(tmp_path, write_encoder(tmp_path / "toy"), kind)
    config = yaml.safe_load(config_path.read_text())
    config["model"]["init_args"]["head"] = {"class_path": f"{module}.{name}", "init_args": settings}
    config["trainer"]["max_epochs"] = 1
    config_path.write_text(yaml.safe_dump(config))
    assert main(["fit", "--config", str(config_path), "--trainer.limit_train_batches", "1"]) == 0

    head = tmp_path / "run" / "head"
    assert json.loads((head / "head.json").read_text())["head"] == f"{module}.{name}"
    files = find_head(head)
    assert (files.kind, files.settings) == (kind, settings)
    assert type(build_head(files)).__name__ == name

    (tmp_path / "in.txt").write_text("Ada was in Rome .\nit was warm .\n")
    out = tmp_path / "out.jsonl"
    assert (
        main(["predict", "--head", str(head), "--tokens", str(tmp_path / "in.txt"), str(out)]) == 0
    )
    printed = [json.loads(line) for line in out.read_text().splitlines()]
    expected = (
        ["tokens", "tags", "spans"]
        if kind == "tagging"
        else ["tokens", "label", "is_sure", "probabilities"]
    )
    assert [list(row) for row in printed] == [expected] * 2

    capsys.readouterr()
    data = next(tmp_path.glob("validation.*"))
    assert main(["evaluate", "--head", str(head), "--data", str(data), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    card = json.loads((head / "card.json").read_text())["scores"]["validation"]
    assert found["main"] == card["main"]
    assert found["scores"][found["main"]] == pytest.approx(card[card["main"]], abs=1e-4)


@pytest.fixture
def head_of_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """A head's folder, as a program that did not import its module finds it; and the name of the
    module."""
    module = f"tagger_of_{tmp_path.name}"
    (tmp_path / f"{module}.py").write_text(TAGGER)
    monkeypatch.syspath_prepend(tmp_path)
    task = {
        "labels": ["O", "B-X", "I-X"],
        "input_dim": 4,
        "n_layers": 3,
        "scheme": "BIO",
        "static_dim": 0,
    }
    source = {"name": "toy", "checksum": "0"}
    config = {
        "head": f"{module}.LinearTagger",
        "task": task,
        "settings": {},
        "encoder": source,
        "static": None,
    }
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "head.json").write_text(json.dumps(config))
    return tmp_path / "h", module


def test_a_file_does_not_make_the_program_import_a_module(
    head_of_a_module: tuple[Path, str],
) -> None:
    folder, module = head_of_a_module
    message = (
        rf"there is no head of class '{module}.LinearTagger', only NerHead, SentimentHead.*"
        rf"If {module} is a module of yours, import it first, or start the program with"
        rf" {HEADS_VARIABLE}={module}$"
    )
    with pytest.raises(ConfigError, match=message):
        find_head(folder)


def test_a_module_that_a_person_names_is_imported(
    head_of_a_module: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, module = head_of_a_module
    monkeypatch.setenv(HEADS_VARIABLE, f" {module}, ")
    assert find_head(folder).kind == "tagging"


def test_a_missing_module_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HEADS_VARIABLE, "heads_of_nobody")
    with pytest.raises(
        ConfigError,
        match="ELMO_TASKS_HEADS=heads_of_nobody: expected the name of a module with heads",
    ):
        head_classes()
