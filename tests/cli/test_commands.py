"""``compare``, and common behaviour of all commands: help, old names, one sentence for a bad
request."""

import json

import pytest

from elmo_tasks.__main__ import COMMANDS, RUNS, main
from elmo_tasks.service.session import Session

pytestmark = pytest.mark.usefixtures("small_calibrations")
SENTENCES = ["The bank gave us a loan.", "We sat on the [shore]."]
GIVEN = [word for sentence in SENTENCES for word in ("--sentence", sentence)]
SEVERAL = ["compare", "--word", "bank", "--model", "static-mini", "--model", "static-joint", *GIVEN]


def test_compare_prints_the_answer_of_the_session(toy, run):
    request = ["compare", "--model", toy, "--word", "bank", *GIVEN]
    out = run.done(*request, "--json")
    assert json.loads(out) == json.loads(
        json.dumps(Session(str(toy)).compare("bank", SENTENCES).to_dict())
    )
    out = run.done(*request)
    assert "layer mean" in out
    assert "We sat on the [shore]." in out


def test_compare_prints_several_models_one_after_the_other(run):
    out = run.done(*SEVERAL)
    assert (
        0
        <= out.find("static-mini: “static-mini” does not")
        < out.find("static-joint: “static-joint” does not")
    )
    assert out.endswith("Neither of the two groups these uses.\n")
    out = run.done(*SEVERAL, "--json")
    assert [(one["model"], one["right"]) for one in json.loads(out)] == [
        ("static-mini", None),
        ("static-joint", None),
    ]
    run.refused(*SEVERAL, "--model", "elmo-mini", "--model", "static-mini")


@pytest.mark.parametrize(
    ("request_", "title"),
    [
        (["compare", "--model", "static-mini", "--word", "bank", *GIVEN], "in 2 sentences</h1>"),
        (["compare", "--model", "static-mini", "--whole", *GIVEN], "2 whole sentences"),
        (SEVERAL, "in 2 sentences, by 2 models"),
    ],
)
def test_compare_writes_its_page_as_one_file(tmp_path, run, request_, title):
    out = tmp_path / "page.html"
    run.done(*request_, "--html", out)
    page = out.read_text(encoding="utf-8")
    assert title in page
    assert "We sat on the" in page
    run.refused(*request_, "--html", tmp_path)


def test_a_bad_request_prints_to_stderr_with_exit_code_2(toy, tmp_path, run):
    two = ["--sentence", "The bank.", "--sentence", "No."]
    status, out, err = run("compare", "--model", toy, "--word", "bank", *two)
    assert (status, out) == (2, "")
    assert err.startswith("compare: Sentence 2 does not contain “bank”")
    (tmp_path / "in.txt").write_text("One line\n")
    for arguments, message in (
        (
            ["compare", "--model", "nothing", "--word", "bank", *GIVEN],
            "there is no model 'nothing'",
        ),
        (
            ["fit", "--config", "ner_sample", "--ckpt_path", "none.ckpt"],
            "none.ckpt: no such file; leave it out to",
        ),
        (["fit", "--config", "x.yaml"], "--config x.yaml: no such file"),
        (
            ["evaluate", "--model", toy, "--text", tmp_path],
            "this is a folder; expected a text file",
        ),
        (
            ["evaluate", "--model", toy, "--text", tmp_path / "in.txt"],
            "no softmax beside this model",
        ),
        (["evaluate", "--plot", "a.svg"], "--plot draws the results of --probes; give both"),
    ):
        assert message in run.refused(*arguments)


def test_help_lists_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    names = {*COMMANDS, *RUNS, "app"}
    assert len(names) == 15
    assert all(f"\n    {name}" in out for name in names)


@pytest.mark.parametrize("name", RUNS)
def test_help_of_a_run_is_one_page(run, name):
    status, out, _ = run(name, "--help")
    assert (status, "--run_dir FOLDER" in out) == (0, True)
    assert len(out.splitlines()) < 40
