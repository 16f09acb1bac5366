"""``model push`` and ``hub:OWNER/NAME``: a pushed folder can be loaded."""

import json

import pytest

from elmo_tasks import Elmo, load_head
from elmo_tasks.errors import ConfigError
from elmo_tasks.weights.hub import parse_address
from tests.training.toy_task import write_encoder, write_untrained
from tests.weights.hub_server import serving

pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A hub on this machine. The package reads its address and its folders when it is imported."""
    from huggingface_hub import constants, hf_api

    with serving() as (repositories, address):
        monkeypatch.setattr(constants, "ENDPOINT", address)
        monkeypatch.setattr(
            constants,
            "HUGGINGFACE_CO_URL_TEMPLATE",
            address + "/{repo_id}/resolve/{revision}/{filename}",
        )
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub-cache"))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        # another protocol, which this hub does not support
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(hf_api.api, "endpoint", address)
        monkeypatch.setenv("HF_TOKEN", "hf_made_up")
        yield repositories


@pytest.fixture
def models(tmp_path):
    write_encoder(tmp_path / "toy")
    write_untrained(tmp_path / "tagger", tmp_path / "toy")
    card = json.loads((tmp_path / "tagger" / "card.json").read_text())
    about = {
        "title": "Names",
        "data": "toy sentences",
        "licence": "MIT",
        "scores": {"test": {"f1": 0.75}},
    }
    (tmp_path / "tagger" / "card.json").write_text(json.dumps(card | about))
    return tmp_path


def test_a_head_is_pushed_with_its_encoder_and_loaded(hub, models, run, monkeypatch, tmp_path):
    expected = load_head(models / "tagger").predict(["Ada flew to Oslo."])
    out = run.done("model", "push", models / "tagger", "hub:ada/names")
    ((sha, files),) = hub.commits["ada/names"]
    assert sha in out
    assert {
        "README.md",
        "head.json",
        "head.safetensors",
        "card.json",
        "encoder/options.json",
    } <= set(files)
    page = files["README.md"].decode()
    for part in (
        "library_name: elmo-tasks",
        "# Names",
        "toy sentences",
        "Licence: MIT",
        "| test | f1 | 0.75 |",
    ):
        assert part in page
    assert 'load_head("hub:ada/names")' in page
    (models / "toy").rename(tmp_path / "elsewhere")  # the encoder is found beside the head
    (models / "tagger").rename(tmp_path / "away")
    head = load_head("hub:ada/names")
    assert head.predict(["Ada flew to Oslo."]) == expected
    (tmp_path / "in.txt").write_text("Ada flew to Oslo.\n")
    run.done(
        "predict", "--head", f"hub:ada/names@{sha}", tmp_path / "in.txt", tmp_path / "out.jsonl"
    )
    assert json.loads((tmp_path / "out.jsonl").read_text())["tags"] == list(expected[0].tags)


def test_a_language_model_is_pushed_and_loaded_by_revision(hub, toy, tmp_path, run):
    run.done("model", "push", toy, "hub:ada/elmo")
    first = hub.commits["ada/elmo"][0][0]
    elmo = Elmo.load("hub:ada/elmo")
    assert elmo.name == "elmo"
    assert (
        elmo.encode([["A", "bank"]]).values == Elmo.load(toy).encode([["A", "bank"]]).values
    ).all()
    write_encoder(tmp_path / "another", shift=0.5)
    run.done("model", "push", tmp_path / "another", "hub:ada/elmo")
    assert (
        Elmo.load(f"hub:ada/elmo@{first}").checksum
        == Elmo.load(toy).checksum
        != Elmo.load("hub:ada/elmo").checksum
    )
    (tmp_path / "in.txt").write_text("A bank\n")
    run.done(
        "embed", tmp_path / "in.txt", tmp_path / "o.parquet", "--top", "--model", "hub:ada/elmo"
    )


def test_bad_requests_are_refused(hub, models, run, tmp_path):
    assert "no such repository" in run.refused(
        "predict", "--head", "hub:ada/none", tmp_path / "in", tmp_path / "out"
    )
    run.done("model", "push", models / "toy", "hub:ada/elmo")
    assert "found no head.json in this repository" in run.refused(
        "predict", "--head", "hub:ada/elmo", "-", "-"
    )
    (tmp_path / "nothing").mkdir()
    assert "expected a folder with head.json" in run.refused(
        "model", "push", tmp_path / "nothing", "hub:ada/x"
    )
    assert "expected hub:OWNER/NAME" in run.refused("model", "push", models / "toy", "ada/x")
    assert "leave @main out" in run.refused("model", "push", models / "toy", "hub:ada/x@main")
    with pytest.raises(ConfigError, match="does not give it"):
        Elmo.load("hub:ada/elmo@0000000")


def test_addresses():
    assert parse_address("hub:ada/elmo") == ("ada/elmo", None)
    assert parse_address("hub:ada/elmo@v1.0") == ("ada/elmo", "v1.0")
    for wrong in ("hub:elmo", "ada/elmo", "hub:a/b/c", "hub:../x@", "hub:a/b@"):
        with pytest.raises(ConfigError, match="expected hub:OWNER/NAME"):
            parse_address(wrong)
