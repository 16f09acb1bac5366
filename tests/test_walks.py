"""The way of a request through the rooms: few rooms, and calls go down the list of rooms only."""

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
LEVELS = {room: level for level, row in enumerate(ROWS) for room in row} | {"ui": len(ROWS)}
SENTENCES = ["The bank refused our loan.", "We sat on the bank of the river."]


def room_of(frame: FrameType | None) -> str | None:
    """Return the room of a frame, or of the nearest caller in a room."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(ROOT):
            return frame.f_code.co_filename.removeprefix(ROOT).split("/")[0].removesuffix(".py")
        frame = frame.f_back
    return None


def walk(work: Callable[[], object]) -> tuple[set[str], set[tuple[str, str]]]:
    """Return the rooms whose functions work calls, and the calls from a room to one above it."""
    rooms, climbs = set(), set()

    def on_call(frame: FrameType, event: str, _: object) -> None:
        if (
            event == "call"
            and frame.f_code.co_filename.startswith(ROOT)
            and not frame.f_code.co_name.startswith("<")
        ):
            here, before = room_of(frame), room_of(frame.f_back)
            rooms.add(here)
            if before and LEVELS[here] > LEVELS[before]:
                climbs.add((before, here))

    work()  # loads what is loaded once
    sys.setprofile(on_call)
    try:
        work()
    finally:
        sys.setprofile(None)
    return rooms, climbs


def test_a_comparison_climbs_nowhere():
    session = Session()
    rooms, climbs = walk(lambda: session.compare("bank", SENTENCES).to_dict())
    assert {"service", "encoders", "bilm", "senses"} <= rooms
    assert not climbs


def test_a_prediction_climbs_nowhere():
    head = load_head("ner-conll2003")
    rooms, climbs = walk(lambda: head.predict(["Ada Marsh flew to Oslo."]))
    assert {"prediction", "encoders", "bilm", "heads"} <= rooms
    assert not climbs


def test_a_row_of_a_file_climbs_nowhere_behind_the_command(tmp_path, monkeypatch, capsys):
    (tmp_path / "my.csv").write_text(
        "text,label\nA warm and funny film.,positive\nDull and long.,negative\n"
    )
    parser = ArgumentParser()
    evaluate.add_arguments(parser)
    arguments = parser.parse_args(["--head", "sentiment-sst2", "--data", str(tmp_path / "my.csv")])
    files, head = head_files.find_head("sentiment-sst2"), load_head("sentiment-sst2")
    monkeypatch.setattr(head_files, "find_head", lambda _: files)
    monkeypatch.setattr(Predictor, "load", lambda *_, **__: head)
    rooms, climbs = walk(lambda: evaluate.run(arguments))
    assert "my.csv, 2 rows: accuracy" in capsys.readouterr().out
    # The file, its tokens and its task; the encoder, its biLM and its layers; the head.
    assert {"data", "text", "tasks", "prediction", "encoders", "bilm", "layers", "heads"} <= rooms
    assert not climbs
