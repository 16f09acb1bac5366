"""The real product once, without a browser: a comparison by endpoint and by command, a head from
training to its answers."""

import json
from pathlib import Path

import gradio_client
import pytest
from gradio_client.exceptions import AppError

from elmo_tasks.__main__ import main
from elmo_tasks.service.session import Session
from elmo_tasks.ui.layout import build_app, launch_options

pytestmark = pytest.mark.smoke
SENTENCES = [
    "The bank refused our loan because my salary was too low.",
    "An old willow stood on the left bank of the river.",
]


def test_the_endpoint_and_the_command_give_the_same_json(capsys):
    app = build_app(Session())
    _, url, _ = app.launch(
        prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_options()
    )
    try:
        client = gradio_client.Client(url, verbose=False, analytics_enabled=False)
        by_endpoint = client.predict("bank", SENTENCES, api_name="/compare")
        with pytest.raises(AppError, match="model: Input should be a valid string"):
            client.predict("bank", SENTENCES, 5, api_name="/compare")
        with pytest.raises(AppError, match="Sentence 2 does not contain “bank”"):
            client.predict("bank", ["The bank.", "No."], api_name="/compare")
    finally:
        app.close()
    capsys.readouterr()  # messages of gradio about its server
    spoken = [word for sentence in SENTENCES for word in ("--sentence", sentence)]
    assert main(["compare", "--word", "bank", *spoken, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == by_endpoint
    assert by_endpoint["groups"] == [[0], [1]]


@pytest.mark.filterwarnings("ignore")
def test_a_sample_is_trained_and_its_head_predicts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    on_cpu = ["--trainer.accelerator=cpu", "--trainer.precision=32-true", "--trainer.max_epochs=1"]
    assert main(["fit", "--config", "ner_sample", *on_cpu]) == 0
    Path("in.txt").write_text("Ada Marsh flew to Oslo .\n\nNobody asked why .\n", encoding="utf-8")
    assert main(["predict", "--head", "runs/ner_sample/head", "in.txt", "out.jsonl"]) == 0
    rows = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [len(row["tags"]) for row in rows] == [6, 0, 4]
    assert {tag[:2] for row in rows for tag in row["tags"]} <= {"O", "B-", "I-"}
