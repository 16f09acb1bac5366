"""``calibrate``: the meanings of an encoder, and the temperature and threshold of a classifier."""

import json

import pytest

from elmo_tasks.encoders import load
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.files import read_json
from elmo_tasks.senses.calibration_files import MEANINGS_NAME, models_checksum, read_calibration
from elmo_tasks.training.export_bilm import write_model
from tests.bilm.tiny import tiny
from tests.training.toy_task import write_encoder, write_untrained

TREES = (
    "(4 (2 Great) (3 fun))\n(0 (1 Dull) (2 mess))\n(2 (2 A) (2 table))\n(1 (2 Too) (1 long))\n(3 (2"
    " So) (4 warm))\n"
)
NAMES = {"0": "negative", "1": "negative", "2": None, "3": "positive", "4": "positive"}


@pytest.mark.ci
def test_it_prints_and_stores_the_calibration(tmp_path, run):
    write_model(tmp_path / "m", tiny())
    (tmp_path / "m" / "card.json").write_text("{}")
    out = run.done("calibrate", "--model", tmp_path / "m", "--beside", "--max-uses", 2_000)
    checksum = models_checksum(load(str(tmp_path / "m")), StaticVectors.load(), None)
    calibration, centroids = read_calibration(tmp_path / "m", checksum)
    assert f"m: fitted on the dictionary, of which {len(centroids)} meanings were read" in out
    for view, weight in calibration.weights.items():
        assert f"{view} {weight:.1f}" in out
    assert (
        f"written to {tmp_path / 'm'}; measure it with: elmo-tasks evaluate --senses --model"
        f" {tmp_path / 'm'}" in out
    )
    assert any(
        MEANINGS_NAME in name
        for name in json.loads((tmp_path / "m" / "card.json").read_text())["sha256"]
    )


@pytest.fixture
def head(tmp_path):
    encoder = write_encoder(tmp_path / "toy")
    reading = {"file_format": "trees", "label_names": NAMES, "pretokenized": True}
    return write_untrained(tmp_path / "head", encoder, "classification", reading=reading)


@pytest.fixture
def trees(tmp_path):
    path = tmp_path / "trees.txt"
    path.write_text(TREES * 6, encoding="utf-8")
    return path


def test_a_file_is_read_as_the_heads_training_data_were(head, trees, run):
    out = run.done("calibrate", "--head", head, "--data", trees)
    assert "without a class get none" in out
    stored = read_json(head / "confidence.json")
    assert (stored["rows"], stored["rows_without_class"], stored["fitted_on"]) == (
        24,
        6,
        "trees.txt",
    )


def test_labels_are_mapped_by_the_option(head, tmp_path, run):
    rows = "text,grade\n" + "".join(
        f"{t},{g}\n" for t, g in zip(["fun", "dull", "a table"] * 5, "abc" * 5, strict=True)
    )
    (tmp_path / "d.csv").write_text(rows)
    command = ["calibrate", "--head", head, "--data", tmp_path / "d.csv"]
    out = run.done(*command, "--labels", "a=positive,b=negative")
    assert "Read as texts of no class: rows with 'c'" in out
    stored = read_json(head / "confidence.json")
    assert (stored["rows"], stored["rows_without_class"]) == (10, 5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "static-mini"], "static-mini does not read the sentence"),
        (
            ["--data", "trees.txt"],
            "--data and --labels calibrate a classifier; name it with --head",
        ),
        (["--head", "head"], "--head needs --data: a labelled file to calibrate it on"),
        (
            ["--head", "ner-conll2003", "--data", "trees.txt"],
            "expected a head for classes of texts",
        ),
        (
            ["--head", "head", "--data", "trees.txt", "--labels", "0=bad"],
            "expected LABEL=NAME, where NAME is one of",
        ),
        (["--head", "head", "--data", "d.csv"], "expected rows of two classes of the head or more"),
    ],
)
def test_unfittable_settings_are_refused(
    head, trees, tmp_path, run, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text("text,grade\n" + "A day.,c\nAn evening.,d\n" * 3)
    assert message in run.refused("calibrate", *arguments)
    assert not (head / "confidence.json").exists()
