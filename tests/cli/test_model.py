"""``model``: download, export, vectors. tests/bilm/test_folders.py has checksums."""

import json

import pytest
import torch

from elmo_tasks.cli import model
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors


def test_download_prints_where_the_files_are(tmp_path, monkeypatch, run):
    def fetch(name, *, cache, report):
        for file in ("a", "b"):
            report(file, 10, 20)
            report(file, 5, None)
        return tmp_path / "options", tmp_path / name

    monkeypatch.setattr(model, "fetch", fetch)
    status, out, err = run("model", "download", "small", "--cache", tmp_path)
    assert status == 0
    assert out.splitlines() == [str(tmp_path / "options"), str(tmp_path / "small")]
    assert f"ELMO_TASKS_CACHE={tmp_path}" in err


def test_a_download_is_stopped_replaced_by_a_copy_or_named_wrongly(
    tmp_path, monkeypatch, run, capsys
):
    def fetch(*args, **rest):
        raise KeyboardInterrupt

    monkeypatch.setattr(model, "fetch", fetch)
    status, _, err = run("model", "download", "medium")
    assert status == 130
    assert "`elmo-tasks model download medium` continues" in err
    err = run.refused(
        "model", "download", "small", "--from", tmp_path / "w.hdf5", "--cache", tmp_path
    )
    assert "w.hdf5: there is no such file or folder" in err
    with pytest.raises(SystemExit):
        run("model", "download", "huge")
    assert "original-5.5B" in capsys.readouterr().err


def test_export_to_the_published_layout_and_back(toy, tmp_path, run):
    run.done("model", "export", "--model", toy, "--to", "hdf5", tmp_path / "h")
    run.done("model", "export", "--model", tmp_path / "h", "--to", "safetensors", tmp_path / "s")
    sentence = [["Vectors", "stay", "the", "same", "."]]
    original = Elmo.load(toy).encode(sentence).values
    torch.testing.assert_close(
        Elmo.load(tmp_path / "h").encode(sentence).values, original, atol=1e-6, rtol=0
    )
    torch.testing.assert_close(
        Elmo.load(tmp_path / "s").encode(sentence).values, original, atol=1e-5, rtol=0
    )


def test_export_removes_only_its_own_files(toy, tmp_path, run):
    (tmp_path / "build_options.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("mine")
    for folder, message in (
        (tmp_path, "holds something that is not a model"),
        (toy, "this is the model itself"),
    ):
        assert message in run.refused("model", "export", "--model", toy, "--to", "hdf5", folder)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert (toy / "bilm.safetensors").exists()


@pytest.fixture
def texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "sea_1.txt").write_text("The Tide came in at 6 .\n" * 9, encoding="utf-8")
    (tmp_path / "texts" / "sea_2.txt").write_text(
        "The tide went out at 12 .\n" * 9, encoding="utf-8"
    )
    (tmp_path / "texts" / "land.txt").write_text("The mole digs .\n" * 9, encoding="utf-8")
    (tmp_path / "odd.json").write_text('{"sources": "the sea"}')
    return tmp_path


def test_vectors_are_trained_and_written(texts, run):
    (texts / "sources.json").write_text('{"sources": [{"name": "sea", "licence": "ours"}]}')
    arguments = ["--out", "sea", "--size", 8, "--epochs", 2, "--workers", 1, "--title", "Two tides"]
    land = texts / "texts" / "land.txt"  # named twice, read once
    out = run.done(
        "model", "vectors", "texts/sea_*", land, land, *arguments, "--sources", "sources.json"
    )
    assert out.startswith("sea: 12 words of 8 numbers, 100.0% of 162 tokens, ")
    vectors = StaticVectors.load("sea")
    assert (vectors.width, vectors.words[:2], vectors.counts[:2]) == (8, ("the", "."), (27, 27))
    assert "Tide" in vectors
    card = json.loads((texts / "sea" / "card.json").read_text(encoding="utf-8"))
    assert (card["name"], card["title"]) == ("sea", "Two tides")
    assert card["sources"] == [{"name": "sea", "licence": "ours"}]
    assert card["training"]["files"] == ["sea_1.txt", "sea_2.txt", "land.txt"]
    assert card["command"].startswith(
        "elmo-tasks model vectors 'texts/sea_*' land.txt land.txt --out sea --size 8 "
    )
    assert "--title 'Two tides' --sources sources.json" in card["command"]
    assert str(texts) not in json.dumps(card)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["texts/sky_*", "--out", "new"], "'texts/sky_*' matches no file; expected text"),
        (["texts", "--out", "new"], "'texts' matches no file"),
        (
            ["texts/sea_1.txt", "--out", "texts"],
            "holds something that is not static vectors (land.txt)",
        ),
        (["texts/sea_1.txt", "--out", "new", "--size", "0"], "size 0: expected at least 1"),
        (["texts/sea_1.txt", "--out", "new", "--workers", "0"], "workers 0: expected at least 1"),
        (["texts/sea_1.txt", "--out", "new", "--min-count", "99"], "no word occurs 99 times"),
        (
            ["texts/sea_1.txt", "--out", "new", "--sources", "none.json"],
            "none.json: expected a JSON object",
        ),
        (
            ["texts/sea_1.txt", "--out", "new", "--sources", "odd.json"],
            "odd.json: expected a list 'sources', found str",
        ),
    ],
)
def test_vectors_that_cannot_be_trained_leave_nothing(texts, run, arguments, message):
    before = sorted(texts.rglob("*"))
    assert message in run.refused("model", "vectors", *arguments)
    assert sorted(texts.rglob("*")) == before
