"""``evaluate --probes``: the layers of any encoder, beside the paper; what was measured is kept, and not measured again."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest

from elmo_tasks.evaluation import probing, suite
from elmo_tasks.evaluation.probes import NAME, PROBES, PUBLISHED, read_probes


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    monkeypatch.setattr(probing, "CLASS_STEPS", 20)
    monkeypatch.setattr(probing, "SPAN_STEPS", 20)


def test_every_layer_and_nothing_else_is_probed_beside_the_paper(toy, data, tmp_path, run):
    out, plot = tmp_path / NAME, tmp_path / "probe.svg"
    status, printed, _ = run("evaluate", "--probes", "--model", toy, "--data", data, "--out", out, "--plot", plot)
    assert status == 0
    found = json.loads(out.read_text())
    assert found["views"] == ["0", "1", "2", "mean"]
    assert list(dict.fromkeys(row["task"] for row in found["rows"])) == list(PROBES)
    assert all(list(row["scores"]) == found["views"] for row in found["rows"])
    assert [row["task"] for row in found["rows"] if row["is_main"]] == list(PROBES)
    assert found["command"] == f"elmo-tasks evaluate --probes --model {toy} --out {out}"
    for paper in PUBLISHED:
        assert re.search(rf"\n\| ↳ the paper’s ELMo, {paper.data} \({paper.source}\) \| - \| \*?\*?9?6?\d", printed)
    assert "paper" not in json.dumps(found)  # the file has what was measured here
    words = [text.text for text in ElementTree.parse(plot).iter("{http://www.w3.org/2000/svg}text")]
    assert "Parts of speech, UD EWT dev, accuracy" in words
    assert "the paper’s ELMo, layer 1, Penn Treebank" in words
    assert read_probes(out).rows[0].scores == found["rows"][0]["scores"]


def test_what_the_file_has_is_not_measured_again_unless_the_weights_changed(toy, data, tmp_path, run, monkeypatch):
    out = tmp_path / NAME
    assert run("evaluate", "--probes", "--model", toy, "--data", data, "--only", "wic", "--out", out)[0] == 0
    measured = []
    really = suite.evaluate
    monkeypatch.setattr(
        suite, "evaluate", lambda reader, data, only: measured.extend(only) or really(reader, data, only)
    )
    status, printed, _ = run(
        "evaluate", "--probes", "--model", toy, "--data", data, "--only", "pos", "wic", "--out", out
    )
    assert (status, measured) == (0, ["pos"])
    assert printed.index("Parts of speech") < printed.index("WiC dev")
    before = json.loads(out.read_text())
    out.write_text(json.dumps(before | {"checksum": "of other weights"}))
    assert run("evaluate", "--probes", "--model", toy, "--data", data, "--only", "wic", "--out", out)[0] == 0
    assert measured == ["pos", "wic"]
    assert {row["task"] for row in json.loads(out.read_text())["rows"]} == {"wic"}


def test_static_vectors_have_one_layer_and_no_line_of_the_paper(data, run):
    status, out, _ = run("evaluate", "--probes", "--model", "static-mini", "--data", data, "--only", "pos", "wsd")
    assert status == 0
    assert out.startswith("| static-mini | layer 0 | without a model |")
    assert "paper" not in out


def test_data_that_are_not_here_are_said(toy, tmp_path, run):
    status, out, _ = run("evaluate", "--probes", "--model", toy, "--data", tmp_path)
    assert status == 0
    assert out.count("not measured: ") == len(PROBES)
    assert "| chunks | not measured: tagging/conll2000/train.txt is not here |" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--only", "geometry"), "no test is called geometry; expected pos, chunks, ner"),
        (("--only", "wic"), "wic cannot be measured: .*no such file; --data says where"),
        (("--data", "nowhere"), "--data nowhere: expected the folder of the data sets"),
        (("--out", "no/such/file.json"), "--out no/such/file.json: expected a file in a folder that is there"),
        (("--plot", "no/such/file.svg"), "--plot no/such/file.svg: expected a file in a folder that is there"),
        (("--out", "broken.json"), "broken.json: expected what elmo-tasks evaluate --probes --out wrote"),
    ],
)
def test_what_cannot_be_done_is_refused(toy, tmp_path, run, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ELMO_SHARED_DATA", str(tmp_path / "none"))
    (tmp_path / "broken.json").write_text('{"rows": [{"task": "chess"}]}')
    status, out, err = run("evaluate", "--probes", "--model", toy, *arguments)
    assert (status, out) == (2, "")
    assert re.search(message, err)
