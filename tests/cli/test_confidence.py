"""``elmo-tasks confidence``: a labelled file of the head's own kind in, a temperature and a threshold beside the head out."""

from __future__ import annotations

import pytest

from elmo_tasks.__main__ import main
from elmo_tasks.files import read_json
from tests.training.toy_task import write_encoder, write_untrained

TREES = (
    "(4 (2 Great) (3 fun))",
    "(0 (1 Dull) (2 mess))",
    "(2 (2 A) (2 table))",
    "(1 (2 Too) (1 long))",
    "(3 (2 So) (4 warm))",
)
NAMES = {"0": "negative", "1": "negative", "2": None, "3": "positive", "4": "positive"}


@pytest.fixture
def head(tmp_path):
    encoder = write_encoder(tmp_path / "toy")
    reading = {"file_format": "trees", "label_names": NAMES, "pretokenized": True}
    return write_untrained(tmp_path / "head", encoder, "classification", reading=reading)


@pytest.fixture
def trees(tmp_path):
    path = tmp_path / "trees.txt"
    path.write_text("\n".join(TREES * 6) + "\n", encoding="utf-8")
    return path


def test_a_file_is_read_as_the_heads_training_data_were(head, trees, capsys):
    assert main(["confidence", "--head", str(head), "--data", str(trees)]) == 0
    kept = read_json(head / "confidence.json")
    assert (kept["rows"], kept["of_no_class"], kept["fitted_on"]) == (24, 6, "trees.txt")
    assert "without a class get none" in capsys.readouterr().out


def test_scoring_writes_nothing_and_needs_what_was_fitted(head, trees, capsys):
    assert main(["confidence", "--head", str(head), "--data", str(trees), "--score"]) == 2
    assert "run this without --score first" in capsys.readouterr().err
    main(["confidence", "--head", str(head), "--data", str(trees)])
    before = (head / "confidence.json").read_bytes()
    main(["confidence", "--head", str(head), "--data", str(trees), "--score"])
    assert (head / "confidence.json").read_bytes() == before
