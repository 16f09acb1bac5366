from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from elmo_tasks.errors import ConfigError, WeightsError
from elmo_tasks.heads import head_files
from elmo_tasks.heads.head import HeadTask
from elmo_tasks.heads.head_files import Source, build_head, find_head, heads_below, write_head
from elmo_tasks.heads.ner import NerHead
from elmo_tasks.heads.sentiment import SentimentHead
from elmo_tasks.weights.folders import write_card

ENCODER = Source("toy", "abc")


def a_tagger() -> NerHead:
    torch.manual_seed(0)
    task = HeadTask(("O", "B-X", "I-X"), 6, 3, "BIO", static_dim=2)
    return NerHead(
        task, lstm_hidden=4, lstm_layers=2, dropout=0.3, character_filters=3, mix_layer_norm=True
    )


def a_classifier() -> SentimentHead:
    torch.manual_seed(0)
    return SentimentHead(
        HeadTask(("bad", "good"), 6, 3), "attention", lstm_hidden=3, fixed_weights=[0.5, 0.25, 0.25]
    )


HEADS = {"tagging": a_tagger, "classification": a_classifier}


def written(folder: Path, **changes: Any) -> Path:
    """A head's folder, with other things in its ``head.json``."""
    write_head(folder, a_classifier(), ENCODER)
    path = folder / "head.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return folder


@pytest.mark.parametrize("kind", list(HEADS))
def test_a_head_comes_back_as_it_was_written(kind: str, tmp_path: Path) -> None:
    head = HEADS[kind]()
    reading, card = {"text_column": 1, "label_names": {"0": None}}, {"title": "Çok iyi 🙂"}
    write_head(tmp_path / "h", head, ENCODER, Source("vectors", "def"), reading, card)
    files = find_head(tmp_path / "h")
    assert (files.kind, files.task, files.settings) == (kind, head.task, head.settings)
    assert (files.encoder, files.static) == (ENCODER, Source("vectors", "def"))
    assert (files.reading, files.card["title"]) == (reading, card["title"])
    assert {value.dtype for value in load_file(tmp_path / "h" / "head.safetensors").values()} == {
        torch.float16
    }
    again = build_head(files)
    assert type(again) is type(head)
    assert not again.training
    for name, value in head.state_dict().items():
        assert torch.equal(again.state_dict()[name], value.half().float()), name


def test_a_head_replaces_an_older_one(tmp_path: Path) -> None:
    write_head(tmp_path / "h", a_tagger(), ENCODER)
    write_head(tmp_path / "h", a_classifier(), ENCODER)
    assert build_head(find_head(tmp_path / "h")).kind == "classification"
    assert [p.name for p in tmp_path.iterdir()] == ["h"]


def test_a_run_s_head_goes_by_the_name_of_the_run(tmp_path: Path) -> None:
    write_head(tmp_path / "mine" / "head", a_classifier(), ENCODER)
    assert find_head(tmp_path / "mine" / "head").name == find_head(tmp_path / "mine").name == "mine"
    assert (
        find_head(shutil.copytree(tmp_path / "mine" / "head", tmp_path / "other")).name == "other"
    )


def test_unfinished_heads_below_folders_are_left_out(tmp_path: Path) -> None:
    for name in ("b/head", "a/head", "a/.head-x1y2", "a/.head-x1y2-old"):
        write_head(tmp_path / name, a_classifier(), ENCODER)
    assert heads_below([tmp_path, tmp_path / "nowhere"]) == [
        tmp_path / "a" / "head",
        tmp_path / "b" / "head",
    ]


def test_a_name_is_one_in_checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_files, "CHECKPOINTS", tmp_path)
    write_head(tmp_path / "shipped", a_classifier(), ENCODER)
    assert find_head("shipped").folder == tmp_path / "shipped"
    assert head_files.bundled_heads() == ["shipped"]


@pytest.mark.parametrize("name", ["nothing", "", "../shipped", "a/b"])
def test_an_unknown_head_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "checkpoints" / "inner").mkdir(parents=True)
    monkeypatch.setattr(head_files, "CHECKPOINTS", tmp_path / "checkpoints" / "inner")
    write_head(tmp_path / "checkpoints" / "shipped", a_classifier(), ENCODER)
    monkeypatch.chdir(tmp_path)
    message = re.escape(
        f"there is no head '{name}': expected a name in checkpoints/ (none there yet)"
    )
    with pytest.raises(ConfigError, match=message):
        find_head(name)


def test_the_default_head_is_the_one_that_the_checkpoints_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(head_files, "CHECKPOINTS", tmp_path)
    with pytest.raises(
        ConfigError,
        match=r"expected the name of a tagging head under 'heads'.*name one with --head",
    ):
        head_files.default_head("tagging")
    (tmp_path / "default.json").write_text('{"model": "m", "heads": {"tagging": "t"}}')
    assert head_files.default_head("tagging") == "t"
    with pytest.raises(ConfigError, match="expected the name of a classification head"):
        head_files.default_head("classification")


@pytest.mark.parametrize(
    ("name", "text"),
    [("head.json", text) for text in ("{", "[]", "null", "{}", '{"head": "NerHead"}', '"x"')]
    + [("card.json", text) for text in ("{", "[1]", "7")],
)
def test_files_that_cannot_be_read_are_refused(name: str, text: str, tmp_path: Path) -> None:
    (written(tmp_path / "h") / name).write_text(text)
    with pytest.raises(ConfigError, match=r"head\.json: not the settings of a head"):
        find_head(tmp_path / "h")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"head": "os.system"},
            "there is no head of class 'os.system', only NerHead, SentimentHead",
        ),
        ({"task": {"labels": ["a", "b"]}}, "not the settings of a head"),
        ({"encoder": "elmo"}, "not the settings of a head"),
        ({"static": {"name": "x"}}, "not the settings of a head"),
    ],
)
def test_other_settings_are_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        find_head(written(tmp_path / "h", **changes))


@pytest.mark.parametrize(
    "settings", [{"layers": 3}, {"pooling": "sum"}, {"hidden": -1}, {"hidden": "many"}]
)
def test_settings_that_make_no_head_are_refused(settings: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"head\.json: these settings do not make a head"):
        build_head(find_head(written(tmp_path / "h", settings=settings)))


def test_missing_and_broken_weights_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "h") / "head.safetensors"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(WeightsError, match="not a safetensors file, or cut short"):
        build_head(find_head(tmp_path / "h"))
    path.unlink()
    with pytest.raises(WeightsError, match=r"no head\.safetensors there"):
        build_head(find_head(tmp_path / "h"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classify.bias": torch.zeros(3)}, r"the weights do not fit head\.json"),
        ({"classify.bias": None}, r"the weights do not fit head\.json"),
        ({"classify.more": torch.zeros(3)}, r"the weights do not fit head\.json"),
        (
            {"classify.bias": torch.tensor([torch.inf, 0.0])},
            r"'classify\.bias' holds numbers that are not finite",
        ),
    ],
)
def test_weights_of_another_head_are_refused(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "h") / "head.safetensors"
    tensors = {
        name: value for name, value in (load_file(path) | change).items() if value is not None
    }
    save_file(tensors, path)
    # with the checksum of these weights
    write_card(path.parent, json.loads((path.parent / "card.json").read_text()))
    with pytest.raises(WeightsError, match=message):
        build_head(find_head(tmp_path / "h"))
