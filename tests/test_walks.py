"""The packages that a request passes through: few, and calls only go to lower ones."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import elmo_tasks
from elmo_tasks import load_head
from elmo_tasks.cli import evaluate
from elmo_tasks.heads import head_files
from elmo_tasks.prediction import Predictor
from elmo_tasks.service.session import Session
from tests.test_imports import ROWS

ROOT = f"{Path(elmo_tasks.__file__).parent}/"
LEVELS = {package: level for level, row in enumerate(ROWS) for package in row} | {"ui": len(ROWS)}
SENTENCES = ["The bank refused our loan.", "We sat on the bank of the river."]


def package_of(frame: FrameType | None) -> str | None:
    """Return the package of a frame, or of the nearest caller in a package."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(ROOT):
            return frame.f_code.co_filename.removeprefix(ROOT).split("/")[0].removesuffix(".py")
        frame = frame.f_back
    return None


def walk(work: Callable[[], object]) -> tuple[set[str], set[tuple[str, str]]]:
    """Return the packages that ``work`` calls, and the calls from a package to a higher one."""
    packages, upward = set(), set()

    def on_call(frame: FrameType, event: str, _: object) -> None:
        if (
            event == "call"
            and frame.f_code.co_filename.startswith(ROOT)
            and not frame.f_code.co_name.startswith("<")
        ):
            here, before = package_of(frame), package_of(frame.f_back)
            packages.add(here)
            if before and LEVELS[here] > LEVELS[before]:
                upward.add((before, here))

    work()  # loads what is loaded once
    sys.setprofile(on_call)
    try:
        work()
    finally:
        sys.setprofile(None)
    return packages, upward


def test_a_comparison_makes_no_upward_calls():
    session = Session()
    packages, upward = walk(lambda: session.compare("bank", SENTENCES).to_dict())
    assert {"service", "encoders", "bilm", "senses"} <= packages
    assert not upward


def test_a_prediction_makes_no_upward_calls():
    head = load_head("ner-conll2003")
    packages, upward = walk(lambda: head.predict(["Ada Marsh flew to Oslo."]))
    assert {"prediction", "encoders", "bilm", "heads"} <= packages
    assert not upward


def test_scoring_a_file_makes_no_upward_calls(tmp_path, monkeypatch, capsys):
    (tmp_path / "my.csv").write_text(
        "text,label\nA warm and funny film.,positive\nDull and long.,negative\n"
    )
    parser = ArgumentParser()
    evaluate.add_arguments(parser)
    arguments = parser.parse_args(["--head", "sentiment-sst2", "--data", str(tmp_path / "my.csv")])
    files, head = head_files.find_head("sentiment-sst2"), load_head("sentiment-sst2")
    monkeypatch.setattr(head_files, "find_head", lambda _: files)
    monkeypatch.setattr(Predictor, "load", lambda *_, **__: head)
    packages, upward = walk(lambda: evaluate.run(arguments))
    assert "my.csv, 2 rows: accuracy" in capsys.readouterr().out
    # The file, its tokens and its task; the encoder, its biLM and its layers; the head.
    assert {
        "data",
        "text",
        "tasks",
        "prediction",
        "encoders",
        "bilm",
        "layers",
        "heads",
    } <= packages
    assert not upward
