"""The commands on a transformer from its folder: a BERT so small that it is made at random."""

import json

import pytest
from safetensors.torch import load_file

from elmo_tasks.encoders import load
from elmo_tasks.evaluation import probing
from elmo_tasks.heads.head_files import find_head
from elmo_tasks.prediction import load_head
from elmo_tasks.service import loaded_models
from tests.encoders.tiny_transformers import tiny_bert
from tests.test_configs import conllu
from tests.training.toy_task import write_config

pytestmark = pytest.mark.ci


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return tiny_bert(tmp_path_factory.mktemp("models") / "bert", cased=True)


@pytest.mark.filterwarnings("ignore")
def test_a_head_is_trained_on_it_and_predicts_from_its_folder(bert, tmp_path, run):
    config = write_config(tmp_path, bert)
    run.done("fit", "--config", config, "--trainer.max_epochs=6")
    files = find_head(tmp_path / "run" / "head")
    encoder = load(bert)
    assert (files.encoder.name, files.encoder.checksum) == (str(bert), encoder.checksum)
    assert (files.task.input_dim, files.task.n_layers) == (16, 3)
    assert (
        files.card["scores"]["validation"]["f1"] > 0.5
    )  # the names are a few, and it has seen them
    (tmp_path / "in.txt").write_text("we Ada in Rome .\n\nBo in Oslo .\n")
    _, out, _ = run(
        "predict", "--head", tmp_path / "run" / "head", "--tokens", tmp_path / "in.txt", "-"
    )
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["tokens"] for row in rows] == [
        ["we", "Ada", "in", "Rome", "."],
        [],
        ["Bo", "in", "Oslo", "."],
    ]
    message = load_head(tmp_path / "run" / "head").predict([["we", "Ada", "in", "Rome", "."]])
    assert list(message[0].tags) == rows[0]["tags"]


def test_evaluate_and_compare_can_go_without_calibration(bert, data, tmp_path, run, monkeypatch):
    monkeypatch.setattr(loaded_models, "calibrate", None)
    monkeypatch.setattr(probing, "CLASS_STEPS", 5)
    tests = ["--data", data, "--only", "wic", "pos"]
    found = json.loads(run.done("evaluate", "--model", bert, *tests, "--no-calibration", "--json"))
    assert found["views"] == [
        "0",
        "1",
        "2",
        "mean",
        "words",
    ]  # no halves, no expected words, no meanings
    scored = {row["task"]: list(row["scores"]) for row in found["rows"]}
    assert scored == {"wic": found["views"], "pos": ["0", "1", "2", "mean"]}
    sentences = ["--sentence", "The bank lent us money.", "--sentence", "We sat on the bank."]
    page = tmp_path / "bank.html"
    run.done(
        "compare", "--word", "bank", *sentences, "--model", bert, "--html", page, "--no-calibration"
    )
    assert "“bank” in 2 sentences" in page.read_text()


@pytest.mark.filterwarnings("ignore")
def test_a_crf_reads_the_learned_mix_of_its_layers_and_each_layer_alone(
    bert, tmp_path, run, monkeypatch
):
    """pos_transformer.yaml, as it is: on the mix and, by ``sweep --encoders``, on every single
    layer."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bert").symlink_to(bert)
    (tmp_path / "pos.conllu").write_text(conllu())
    encoders = ["bert", "bert:layer-0", "bert:layer-1", "bert:layer-2"]
    files = [f"data.init_args.{split}=pos.conllu" for split in ("train", "validation")]
    fast = ("data.init_args.test=null", "trainer.max_epochs=1", "trainer.enable_progress_bar=false")
    settings = [word for value in (*files, *fast) for word in ("--set", value)]
    command = [
        "sweep",
        "--config",
        "pos_transformer",
        "--out",
        "runs",
        "--encoders",
        *encoders,
        *settings,
    ]
    printed = run.done(*command, "--json", "found.json")
    lines = json.loads((tmp_path / "found.json").read_text())["lines"]
    assert [line["encoder"] for line in lines] == encoders
    mix, *alone = (line["layer_weights"] for line in lines)
    assert alone == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert all(0 < weight < 1 for weight in mix)
    assert mix != pytest.approx([1 / 3] * 3, abs=1e-5)  # it has learned
    for head in (tmp_path / "runs").glob("*/head"):
        assert not [name for name in load_file(head / "head.safetensors") if "lstm" in name]
    assert [row.split()[0] for row in printed.splitlines()][-4:] == encoders
