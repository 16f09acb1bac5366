"""The commands: what they print and write, and how they refuse."""

import json

import pytest
import torch

from elmo_tasks.__main__ import main
from elmo_tasks.encoders import load
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.senses.disambiguation import MEANINGS_NAME, models_checksum, read_calibration
from elmo_tasks.service.session import Session
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.test_bilm import tiny
from tests.service.small_calibration import small_calibration


@pytest.fixture(scope="module", autouse=True)
def small_calibrations():
    with small_calibration():
        yield


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "toy"
    write_model(folder, tiny())
    return folder


def run(capsys, *arguments):
    status = main([str(a) for a in arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_compare_prints_what_the_session_answers(toy, capsys):
    sentences = ["The bank gave us a loan.", "We sat on the [shore]."]
    request = ["compare", "--model", toy, "--word", "bank", "--sentence", sentences[0], "--sentence", sentences[1]]
    status, out, _ = run(capsys, *request, "--json")
    assert status == 0
    assert json.loads(out) == Session(str(toy)).compare("bank", sentences).to_dict()
    status, out, _ = run(capsys, *request)
    assert status == 0
    assert "layer mean" in out
    assert "We sat on the [shore]." in out


def test_compare_prints_several_models_one_after_the_other(capsys):
    request = ["compare", "--word", "bank", "--model", "static-mini", "--model", "static-joint"]
    request += ["--sentence", "The bank lent us money.", "--sentence", "We sat on the [shore]."]
    status, out, _ = run(capsys, *request)
    assert status == 0
    assert out.index("static-mini: “static-mini” does not read") < out.index(
        "static-joint: “static-joint” does not read"
    )
    assert out.endswith("Neither of the two groups these uses.\n")
    status, out, _ = run(capsys, *request, "--json")
    assert [(one["model"], one["right"]) for one in json.loads(out)] == [("static-mini", None), ("static-joint", None)]
    assert run(capsys, *request, "--model", "elmo-mini", "--model", "static-mini")[0] == 2


@pytest.mark.parametrize(
    ("what", "title"), [(["--word", "bank"], "“bank” in 2 sentences"), (["--whole"], "2 whole sentences")]
)
def test_compare_writes_its_page_as_one_file(toy, tmp_path, capsys, what, title):
    sentences = ["--sentence", "The bank gave us a loan.", "--sentence", "We sat on the bank."]
    out = tmp_path / "page.html"
    assert run(capsys, "compare", "--model", toy, *what, *sentences, "--html", out)[0] == 0
    page = out.read_text(encoding="utf-8")
    assert f"<h1>{title}</h1>" in page
    assert "sat on the" in page
    assert run(capsys, "compare", "--model", toy, *what, *sentences, "--html", tmp_path)[0] == 2


def test_compare_writes_the_page_of_several_models(tmp_path, capsys):
    request = ["compare", "--word", "bank", "--model", "static-mini", "--model", "static-joint"]
    request += ["--sentence", "The bank lent us money.", "--sentence", "We sat on the bank."]
    assert run(capsys, *request, "--html", tmp_path / "page.html")[0] == 0
    assert "in 2 sentences, by 2 models" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_bad_request_is_said_on_stderr_with_exit_code_2(toy, capsys):
    status, out, err = run(
        capsys, "compare", "--model", toy, "--word", "bank", "--sentence", "The bank.", "--sentence", "No."
    )
    assert (status, out) == (2, "")
    assert err.startswith("compare: Sentence 2 does not contain “bank”")
    status, _, err = run(
        capsys, "compare", "--model", "nothing", "--word", "bank", "--sentence", "a bank", "--sentence", "bank"
    )
    assert status == 2
    assert "there is no model 'nothing'" in err


def test_export_to_the_published_layout_and_back(toy, tmp_path, capsys):
    assert run(capsys, "export", "--model", toy, "--to", "hdf5", tmp_path / "h")[0] == 0
    assert run(capsys, "export", "--model", tmp_path / "h", "--to", "safetensors", tmp_path / "s")[0] == 0
    sentence = [["Vectors", "stay", "the", "same", "."]]
    original = Elmo.load(toy).encode(sentence).values
    torch.testing.assert_close(Elmo.load(tmp_path / "h").encode(sentence).values, original, atol=1e-6, rtol=0)
    torch.testing.assert_close(Elmo.load(tmp_path / "s").encode(sentence).values, original, atol=1e-5, rtol=0)


def test_export_never_removes_what_it_did_not_write(toy, tmp_path, capsys):
    (tmp_path / "build_options.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("mine")
    status, _, err = run(capsys, "export", "--model", toy, "--to", "hdf5", tmp_path)
    assert status == 2
    assert "holds something that is not a model" in err
    assert (tmp_path / "notes.txt").read_text() == "mine"
    status, _, err = run(capsys, "export", "--model", toy, "--to", "hdf5", toy)
    assert status == 2
    assert "this is the model itself" in err
    assert (toy / "bilm.safetensors").exists()


def test_files_that_are_not_there_are_named(toy, tmp_path, capsys):
    status, _, err = run(capsys, "fit", "--config", "ner_sample", "--ckpt_path", tmp_path / "nothing.ckpt")
    assert status == 2
    assert "nothing.ckpt: no such file; leave it out to begin anew" in err
    status, _, err = run(capsys, "fit", "--config", "x.yaml")
    assert status == 2
    assert "--config x.yaml: no such file" in err
    status, _, err = run(capsys, "evaluate", "--model", toy, "--text", tmp_path)
    assert status == 2
    assert "this is a folder; expected a text file" in err


def test_evaluate_needs_the_softmax(toy, tmp_path, capsys):
    (tmp_path / "in.txt").write_text("One line\n")
    status, _, err = run(capsys, "evaluate", "--model", toy, "--text", tmp_path / "in.txt")
    assert status == 2
    assert "no softmax beside this model" in err


@pytest.mark.ci
def test_calibrate_prints_what_was_fitted_and_keeps_it_beside_the_model(tmp_path, capsys):
    write_model(tmp_path / "m", tiny())
    (tmp_path / "m" / "card.json").write_text("{}")
    status, out, _ = run(capsys, "calibrate", "--model", tmp_path / "m", "--beside", "--max-uses", 1_500)
    assert status == 0
    checksum = models_checksum(load(str(tmp_path / "m")), StaticVectors.load(), None)
    calibration, centroids = read_calibration(tmp_path / "m", checksum)
    assert f"m: fitted on the dictionary, of which {len(centroids)} meanings were read" in out
    for view, weight in calibration.weights.items():
        assert f"{view} {weight:.1f}" in out
    assert f"written to {tmp_path / 'm'}; measure it with: elmo-tasks evaluate --senses --model {tmp_path / 'm'}" in out
    assert any(MEANINGS_NAME in name for name in json.loads((tmp_path / "m" / "card.json").read_text())["sha256"])


def test_calibrate_refuses_what_cannot_be_fitted(capsys):
    status, out, err = run(capsys, "calibrate", "--model", "static-mini")
    assert (status, out) == (2, "")
    assert "static-mini does not read the sentence" in err


def test_help_lists_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    for name in ("compare", "embed", "evaluate", "calibrate", "export", "download", "fit", "validate", "test"):
        assert f"\n    {name}" in out
