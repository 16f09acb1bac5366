"""``map``: the sense map of a word as a list, JSON, a table and a page."""

import csv
import json

import pytest

from elmo_tasks.api import MapRequest
from elmo_tasks.service.loaded_models import LoadedModels
from elmo_tasks.service.sense_maps import UseCache, sense_map

USES = ["The vet found a case of flu.", "Her lawyer lost the case."]


def test_a_map_of_typed_uses_is_that_of_the_app(run, tmp_path):
    page, table = tmp_path / "map.html", tmp_path / "map.csv"
    out = run.done(
        "map", "case", "--uses", *USES, "--device", "cpu", "--html", page, "--csv", table
    )
    assert out.startswith("Your 2 uses of “case” have 2 meanings of the dictionary.")
    assert "\n   The vet found a [case] of flu." in out
    assert "<h1>“case” in " in page.read_text(encoding="utf-8")
    with table.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["sentence"] for row in rows if row["from"] == "text A"] == USES
    out = run.done("map", "case", "--uses", *USES, "--device", "cpu", "--json")
    expected = sense_map(
        MapRequest("case", "\n".join(USES)), LoadedModels(None, "cpu").model(), UseCache()
    )
    assert json.loads(out) == json.loads(json.dumps(expected.to_dict()))


def test_a_map_of_files_and_of_any_model(run, tmp_path, toy):
    (tmp_path / "a.csv").write_text("id,text\n1,A case of flu.\n2,A sad case.\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("We lost the case.", encoding="utf-8")
    files = [
        "--text",
        tmp_path / "a.csv",
        "--text",
        tmp_path / "b.txt",
        "--model",
        toy,
        "--no-calibration",
    ]
    found = json.loads(
        run.done("map", "case", *files, "--no-examples", "--view", "words", "--json")
    )
    assert [use["sentence"] for use in found["uses"]] == [
        "A case of flu.",
        "A sad case.",
        "We lost the case.",
    ]
    assert [use["source"] for use in found["uses"]] == ["text A", "text A", "text B"]
    assert (found["view"], found["n_own"]) == ("words", 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["case", *["--text", "a.txt"] * 3], "--text: expected one file or two, found 3"),
        (["case", "--text", "none.txt"], "none.txt: no such file"),
        (["case", "--text", "latin.txt"], "latin.txt: expected UTF-8 text"),
        (["case", "--no-examples"], "Paste a text that uses “case”"),
        (["case", "--view", "7"], "There is no view “7” here"),
        (["two words"], "two words"),
    ],
)
def test_bad_requests_are_refused(run, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "latin.txt").write_bytes(b"a case of caf\xe9")
    status, out, err = run("map", *arguments, "--device", "cpu")
    assert (status, out) == (2, "")
    assert message in err
