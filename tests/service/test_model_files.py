"""Files beside a model: measurements, shown only for its own weights, and its card, with any
content."""

import json
import shutil

import pytest

from elmo_tasks.api import NO_MESSAGE
from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.evaluation.results import NAME, PROBES, Evaluation, ResultRow
from elmo_tasks.service import loaded_models
from elmo_tasks.service.loaded_models import LoadedModels, describe_training, read_measurements


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(CHECKPOINTS / "static-mini", tmp_path / "mine")
    (tmp_path / "mine" / NAME).unlink(missing_ok=True)
    return tmp_path / "mine"


def measured(folder, monkeypatch):
    monkeypatch.setattr(LoadedModels, "names", lambda self: (self.default,))
    (found,) = read_measurements(LoadedModels(str(folder)))
    return found


def write(folder, **change):
    loaded = LoadedModels(str(folder))
    row = ResultRow("pos", "Tags", {"0": 0.9}, without=0.8, without_name="by rote", note="How.")
    other = ResultRow("pos", "More tags", {"0": 0.1}, is_main=False)
    encoder = loaded.encoder(loaded.default)
    found = Evaluation(encoder.name, encoder.checksum, ("0",), (row, other)).to_dict()
    (folder / NAME).write_text(json.dumps({"command": "x", **found, **change}))


def test_the_main_line_of_each_test_is_shown_beside_the_paper(folder, monkeypatch):
    write(folder)
    found = measured(folder, monkeypatch)
    (result,) = found.results
    assert (result.title, result.scores[0].score, result.without) == ("Tags", 0.9, 0.8)
    assert result.paper is not None
    assert [score.score for score in result.paper.scores] == [0.973, 0.968]
    assert (found.layers, found.message) == (("one vector for each word",), NO_MESSAGE)


@pytest.mark.parametrize(
    ("content", "remark"),
    [
        (None, "It was not measured yet."),
        ("{}", "Its file probe.json cannot be read."),
        ("other", "Other weights than these were measured."),
    ],
)
def test_without_measurements_the_command_is_named(folder, monkeypatch, content, remark):
    if content == "other":
        write(folder, checksum="of other weights")
    elif content is not None:
        (folder / NAME).write_text(content)
    found = measured(folder, monkeypatch)
    assert (found.results, str(found.message)) == ((), remark)
    # nothing of where it lies
    assert found.command == "elmo-tasks evaluate --probes --model mine --out mine/probe.json"


def test_the_command_of_a_bundled_model_is_that_of_a_checkout(monkeypatch):
    monkeypatch.setattr(loaded_models, "NAME", "nothing.json")
    (found,) = read_measurements(LoadedModels("elmo-mini"))
    assert (
        found.command
        == "elmo-tasks evaluate --probes --model elmo-mini --out checkpoints/elmo-mini/nothing.json"
    )


@pytest.mark.parametrize(
    "path", sorted(CHECKPOINTS.glob(f"*/{NAME}")), ids=lambda path: path.parent.name
)
def test_bundled_results_belong_to_the_bundled_weights(path):
    name = path.parent.name
    first = read_measurements(LoadedModels(name))[0]
    assert not first.message, f"measure it again, or remove {path}"
    tasks = [result.task for result in first.results]
    assert tasks == [task for task in PROBES if task in tasks]
    assert json.loads(path.read_text())["command"] == first.command


PARTS = [
    {"learned_from": ["the next word"], "positions": 38_000_000},
    {"learned_from": ["the next word", "topics"]},
]


@pytest.mark.parametrize(
    ("card", "sentences"),
    [
        (
            {
                "learned_from": ["the next word", "topics"],
                "training": {"positions": 62_010_000, "parts": PARTS},
                "sources": [{"what": "novels"}, {"what": "speeches"}, {"what": "novels"}],
            },
            [
                "It was trained to predict the next word; and topics.",
                "It has read 62.0 million words and sentence ends, forwards and backwards.",
                "The first 38.0 million of them taught it only the first of these tasks.",
                "Its text comes from: novels; speeches.",
            ],
        ),
        (
            {"training": {"positions": 100_000}, "config": {"start_from": "somewhere/elmo-mini"}},
            [
                "It started from elmo-mini and read 0.1 million words and sentence ends, forwards"
                " and backwards."
            ],
        ),
        ([], []),
        ({"learned_from": 3, "training": [], "sources": {"a": 1}}, []),
        ({"training": {"positions": 5, "parts": [3]}}, []),
    ],
)
def test_training_is_described_by_the_card(tmp_path, card, sentences):
    assert describe_training(tmp_path) == describe_training(None) == ()
    (tmp_path / "card.json").write_text(json.dumps(card))
    assert describe_training(tmp_path) == tuple(sentences)
