"""``vectors``: text in, a folder of static vectors out."""

import json

import pytest

from elmo_tasks.__main__ import main
from elmo_tasks.encoders.static_vectors import StaticVectors


@pytest.fixture
def texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "sea_1.txt").write_text("The Tide came in at 6 .\n" * 9, encoding="utf-8")
    (tmp_path / "texts" / "sea_2.txt").write_text("The tide went out at 12 .\n" * 9, encoding="utf-8")
    (tmp_path / "texts" / "land.txt").write_text("The mole digs .\n" * 9, encoding="utf-8")
    return tmp_path


def run(capsys, *arguments):
    status = main(["vectors", *map(str, arguments)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_vectors_are_trained_and_written(texts, capsys):
    (texts / "sources.json").write_text('{"sources": [{"name": "sea", "licence": "ours"}]}')
    arguments = ["--out", "sea", "--size", 8, "--epochs", 2, "--workers", 1, "--title", "Two tides"]
    status, out, _ = run(capsys, "texts/sea_*", texts / "texts" / "land.txt", *arguments, "--sources", "sources.json")
    assert status == 0
    assert out.startswith("sea: 12 words of 8 numbers, 100.0% of 162 tokens, ")
    vectors = StaticVectors.load("sea")
    assert (vectors.width, vectors.words[:2], vectors.counts[:2]) == (8, ("the", "."), (27, 27))
    assert "Tide" in vectors
    card = json.loads((texts / "sea" / "card.json").read_text(encoding="utf-8"))
    assert (card["name"], card["title"]) == ("sea", "Two tides")
    assert card["sources"] == [{"name": "sea", "licence": "ours"}]
    assert card["training"]["files"] == ["sea_1.txt", "sea_2.txt", "land.txt"]
    assert card["command"].startswith("python -m elmo_tasks vectors 'texts/sea_*' land.txt --out sea --size 8 ")
    assert "--title 'Two tides' --sources sources.json" in card["command"]
    assert str(texts) not in json.dumps(card)


def test_a_file_that_is_named_twice_is_read_once(texts, capsys):
    status, out, _ = run(
        capsys, "texts/land.txt", "texts/*", "texts/land.txt", "--out", "all", "--size", 2, "--epochs", 1
    )
    assert status == 0
    assert "of 162 tokens" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["texts/sky_*", "--out", "new"], "'texts/sky_*' matches no file; expected text"),
        ([".", "--out", "new"], "'.' matches no file"),
        (["texts", "--out", "new"], "'texts' matches no file"),
        (["texts/sea_1.txt", "--out", "texts"], "holds something that is not static vectors (land.txt)"),
        (["texts/sea_1.txt", "--out", "new", "--size", "0"], "size 0: expected at least 1"),
        (["texts/sea_1.txt", "--out", "new", "--workers", "0"], "workers 0: expected at least 1"),
        (["texts/sea_1.txt", "--out", "new", "--min-count", "99"], "no word comes 99 times"),
        (["texts/sea_1.txt", "--out", "new", "--sources", "none.json"], "--sources none.json: expected a JSON object"),
        (["texts/sea_1.txt", "--out", "new", "--sources", "odd.json"], "expected a list 'sources', found str"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_left(texts, capsys, arguments, message):
    (texts / "odd.json").write_text('{"sources": "the sea"}')
    before = sorted(texts.rglob("*"))
    status, _, err = run(capsys, *arguments)
    assert status == 2
    assert message in err
    assert sorted(texts.rglob("*")) == before
