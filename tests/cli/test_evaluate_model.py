"""``evaluate --model``: all tests on tiny data, the probes, missing data, and refused requests."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest

from elmo_tasks.evaluation import probing, suite
from elmo_tasks.evaluation.results import NAME, PROBES, PUBLISHED, read_probes
from elmo_tasks.evaluation.suite import TESTS
from elmo_tasks.service import loaded_models

pytestmark = [pytest.mark.ci, pytest.mark.usefixtures("small_calibrations")]


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    # of the project's own sentences: tests/evaluation/test_ordering.py
    monkeypatch.delitem(TESTS, "order")
    monkeypatch.setattr(probing, "CLASS_STEPS", 20)
    monkeypatch.setattr(probing, "SPAN_STEPS", 20)


def never(*_):
    raise AssertionError("measured all the same")


def test_all_tests_are_measured_in_every_view(toy, data, tmp_path, run):
    out = run.done("evaluate", "--model", toy, "--data", data, "--out", tmp_path / "found.json")
    found = json.loads((tmp_path / "found.json").read_text())
    rows = {row["title"]: row for row in found["rows"]}
    assert {row["task"] for row in found["rows"]} == {*TESTS, "perplexity"}
    assert list(found["missing"]) == []
    assert found["views"] == ["0", "1", "2", "mean", "before/after", "words", "meanings"]
    for row in found["rows"]:
        layers_only = row["task"] in ("pos", "chunks", "ner", "sentiment")
        expected = (
            ["2"]
            if row["task"] == "perplexity"
            else found["views"][:4]
            if layers_only
            else found["views"]
        )
        assert list(row["scores"]) == expected, row["title"]
        assert row["title"] in out
    assert rows["Perplexity (held-out text, from the model's card)"]["scores"] == {"2": 15.0}
    # A use of the test is itself among the training uses, and layer 0 sees the one word "bank"
    # only.
    single = rows["CoarseWSD-20, nearest single use, accuracy"]["scores"]
    assert single["2"] == 1.0
    assert single["0"] == 0.5
    # The words determine the topic in any context.
    assert rows["Sentiment, SST-2 dev, accuracy"]["scores"]["0"] > 0.85
    # The half of the words that SemCor has not stays unanswered: precision and recall differ.
    assert rows["WSD ALL, F1"]["without"] == pytest.approx(2 * 0.5 * 0.25 / 0.75)
    assert rows["Chunks, CoNLL-2000 test, F1"]["scores"]["0"] > 0.5
    assert "CoSimLex, moved most by the text: for people" in out
    assert {"WSD set0, F1", "WSD set1, F1"} <= set(rows)
    assert (
        rows["Cosine of two uses of one word"]["scores"]["0"]
        > rows["Cosine of two uses of one word"]["scores"]["2"]
    )


def test_missing_data_are_reported_and_the_rest_is_measured(toy, data, tmp_path, run, monkeypatch):
    (tmp_path / "wsd").mkdir()
    (tmp_path / "wsd" / "wic").symlink_to(data / "wsd" / "wic")
    out = run.done("evaluate", "--model", toy, "--data", tmp_path)
    assert "| WiC dev, accuracy | " in out
    assert "| coarsewsd | not measured: wsd/coarsewsd20/train.tsv.xz is not here |" in out
    monkeypatch.setenv("ELMO_SHARED_DATA", str(tmp_path / "none"))
    assert run.done("evaluate", "--model", toy).count("not measured") == len(TESTS)
    out = run.done("evaluate", "--probes", "--model", "static-mini", "--data", tmp_path)
    assert out.startswith("| static-mini | layer 0 | without a model |")
    assert out.count("not measured: ") == len(PROBES) - 1  # all but wic
    assert "| chunks | not measured: tagging/conll2000/train.txt is not here |" in out


def test_unseen_words_get_the_first_sense_of_wordnet(toy, data, tmp_path, run):
    (tmp_path / "wsd" / "wordnet").mkdir(parents=True)
    for name in ("semcor3", "unified_eval"):
        (tmp_path / "wsd" / name).symlink_to(data / "wsd" / name)
    (tmp_path / "wsd/wordnet/index.sense").write_text("gnu%1:05:00:: 1 1 0\nbank%1:14:00:: 2 1 9\n")
    out = run.done("evaluate", "--model", toy, "--data", tmp_path, "--only", "wsd", "--json")
    row = next(row for row in json.loads(out)["rows"] if row["title"] == "WSD ALL, F1")
    assert (row["without"], row["without_name"]) == (
        0.75,
        "first sense",
    )  # all of gnu, half of bank
    assert "get WordNet's first sense" in row["note"]


def test_static_vectors_have_one_layer_and_no_perplexity(data, run):
    arguments = ["--data", data, "--only", "coarsewsd", "pos", "--json"]
    found = json.loads(run.done("evaluate", "--model", "static-mini", *arguments))
    assert found["views"] == ["0", "words"]
    assert found["rows"][0]["scores"]["words"] == 1.0  # the topics are what the words around tell


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--only", "wic"),
            "wic cannot be measured: .*train.data.txt: no such file; --data says where",
        ),
        (("--only", "chess"), "no test is called chess; expected wic, mclwic, cosimlex"),
        (("--out", "no/such/file.json"), "expected a file in a folder that exists"),
        (("--data", "nowhere"), "--data nowhere: expected the folder of the data sets"),
        (
            ("--probes", "--only", "geometry"),
            "no test is called geometry; expected pos, chunks, ner",
        ),
        (
            ("--probes", "--plot", "no/such/file.svg"),
            "--plot no/such/file.svg: expected a file in a folder that exists",
        ),
        (
            ("--probes", "--out", "broken.json"),
            "broken.json: expected what elmo-tasks evaluate --probes --out wrote",
        ),
    ],
)
def test_impossible_requests_are_refused_before_any_measurement(
    toy, tmp_path, run, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ELMO_SHARED_DATA", str(tmp_path))
    monkeypatch.setattr(loaded_models, "load_sense_model", never)
    (tmp_path / "broken.json").write_text('{"rows": [{"task": "chess"}]}')
    status, out, err = run("evaluate", "--model", toy, *arguments)
    assert (status, out) == (2, "")
    assert re.search(message, err)


def test_a_calibration_is_loaded_only_for_tests_of_uses(toy, data, run, monkeypatch):
    monkeypatch.setattr(loaded_models, "load_sense_model", never)
    out = run.done("evaluate", "--model", toy, "--data", data, "--only", "pos", "--json")
    assert "meanings" not in json.loads(out)["views"]


def test_every_layer_and_nothing_else_is_probed_beside_the_paper(toy, data, tmp_path, run):
    out, plot = tmp_path / NAME, tmp_path / "probe.svg"
    printed = run.done(
        "evaluate", "--probes", "--model", toy, "--data", data, "--out", out, "--plot", plot
    )
    found = json.loads(out.read_text())
    assert found["views"] == ["0", "1", "2", "mean"]
    assert list(dict.fromkeys(row["task"] for row in found["rows"])) == list(PROBES)
    assert all(list(row["scores"]) == found["views"] for row in found["rows"])
    assert [row["task"] for row in found["rows"] if row["is_main"]] == list(PROBES)
    assert found["command"] == f"elmo-tasks evaluate --probes --model {toy} --out {out}"
    for paper in PUBLISHED:
        assert re.search(
            rf"\n\| ↳ the paper’s ELMo, {paper.data} \({paper.source}\) \| - \| \*?\*?9?6?\d",
            printed,
        )
    assert "paper" not in json.dumps(found)  # the file has what was measured here
    words = [text.text for text in ElementTree.parse(plot).iter("{http://www.w3.org/2000/svg}text")]
    assert "Parts of speech, UD EWT dev, accuracy" in words
    assert "the paper’s ELMo, layer 1, Penn Treebank" in words
    assert read_probes(out).rows[0].scores == found["rows"][0]["scores"]


def test_stored_results_are_measured_again_only_for_other_weights(
    toy, data, tmp_path, run, monkeypatch
):
    out = tmp_path / NAME
    command = ["evaluate", "--probes", "--model", toy, "--data", data, "--out", out, "--only"]
    run.done(*command, "wic")
    measured, really = [], suite.evaluate
    monkeypatch.setattr(
        suite,
        "evaluate",
        lambda reader, data, only: measured.extend(only) or really(reader, data, only),
    )
    printed = run.done(*command, "pos", "wic")
    assert measured == ["pos"]
    assert printed.index("Parts of speech") < printed.index("WiC dev")
    before = json.loads(out.read_text())
    out.write_text(json.dumps(before | {"checksum": "of other weights"}))
    run.done(*command, "wic")
    assert measured == ["pos", "wic"]
    assert {row["task"] for row in json.loads(out.read_text())["rows"]} == {"wic"}
