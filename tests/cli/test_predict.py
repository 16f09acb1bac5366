from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from elmo_tasks.__main__ import main
from elmo_tasks.files import file_lock, lock_of
from elmo_tasks.heads.head_files import find_head
from elmo_tasks.training.predictor import Predictor
from tests.training.toy_task import write_encoder, write_untrained

REPOSITORY = Path(__file__).resolve().parents[2]
LINES = [
    "Ada said “no” to Dr. Bo's plan.",
    "",
    "\tA 🙂 smile,\tand  two  spaces 👩‍👩‍👧.",
    "<b>Rome</b> & Oslo -LRB- שלום -RRB-",
    "   ",
    "Ada",
]


# A token says what it stands for, as pretraining text has it; the offsets are those of the line.
PLAIN_QUOTES = str.maketrans("“”’", '""\'')


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    write_encoder(folder / "toy")
    write_untrained(folder / "tagger", folder / "toy")
    write_untrained(folder / "classifier", folder / "toy", "classification")
    return folder


def predicted(models: Path, folder: Path, text: str, *more: str, head: str = "tagger") -> list[dict[str, Any]]:
    (folder / "in.txt").write_bytes(text.encode())
    files = [str(folder / "in.txt"), str(folder / "out.jsonl")]
    assert main(["predict", "--head", str(models / head), *more, *files]) == 0
    return [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]


def test_every_line_gives_an_object_in_order(models: Path, tmp_path: Path) -> None:
    found = predicted(models, tmp_path, "\n".join(LINES) + "\n")
    assert [list(row) for row in found] == [["tokens", "tags", "spans"]] * len(LINES)
    assert [bool(row["tokens"]) for row in found] == [bool(line.strip()) for line in LINES]
    assert found[1] == {"tokens": [], "tags": [], "spans": []}


def test_the_texts_of_a_table_are_read_and_said(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.csv").write_text("id;review\n1;Ada ran\n2;Bo\n", encoding="utf-8")
    files = [str(tmp_path / "in.csv"), str(tmp_path / "out.jsonl")]
    assert main(["predict", "--head", str(models / "tagger"), *files]) == 0
    assert "texts from 'review', named by the first line; semicolons between columns" in capsys.readouterr().err
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["tokens"] for line in lines] == [["Ada", "ran"], ["Bo"]]


def test_a_last_line_without_its_end_is_a_line(models: Path, tmp_path: Path) -> None:
    assert [row["tokens"] for row in predicted(models, tmp_path, "Ada\nBo")] == [["Ada"], ["Bo"]]


def test_line_ends_of_windows_are_no_tokens(models: Path, tmp_path: Path) -> None:
    assert [row["tokens"] for row in predicted(models, tmp_path, "Ada\r\n\r\nBo\r\n", "--tokens")] == [
        ["Ada"],
        [],
        ["Bo"],
    ]


def test_an_empty_file_gives_an_empty_file(models: Path, tmp_path: Path) -> None:
    assert predicted(models, tmp_path, "") == []


@pytest.mark.parametrize("more", [(), ("--tokens",)])
def test_spans_are_where_their_characters_stand(more: tuple[str, ...], models: Path, tmp_path: Path) -> None:
    found = predicted(models, tmp_path, "\n".join(LINES), *more)
    spans = 0
    for line, row in zip(LINES, found, strict=True):
        assert len(row["tags"]) == len(row["tokens"])
        for span in row["spans"]:
            spans += 1
            text = line[span["start_char"] : span["end_char"]].translate(PLAIN_QUOTES)
            words = [word.translate(PLAIN_QUOTES) for word in row["tokens"][span["start"] : span["end"]]]
            assert text.startswith(words[0])
            assert text.endswith(words[-1])
            assert text.replace(" ", "").replace("\t", "") == "".join(words).replace("\t", "")
            assert 0 < span["confidence"] <= 1
            assert row["tags"][span["start"]] == f"B-{span['type']}"
    assert spans > 3


def test_tokens_are_taken_as_they_are_and_read_as_what_they_stand_for(models: Path, tmp_path: Path) -> None:
    line = "wo n't  -LRB- ``  Ada's"
    (found,) = predicted(models, tmp_path, line, "--tokens")
    assert found["tokens"] == ["wo", "n't", "-LRB-", "``", "Ada's"]
    predictor = Predictor.load(find_head(models / "tagger"))
    assert tuple(found["tags"]) == predictor.tag([["wo", "n't", "(", '"', "Ada's"]])[0].tags


def test_texts_are_classified(models: Path, tmp_path: Path) -> None:
    found = predicted(models, tmp_path, "\n".join(LINES), head="classifier")
    assert [list(row) for row in found] == [["tokens", "label", "is_sure", "probabilities"]] * len(LINES)
    assert [row["label"] is None for row in found] == [not line.strip() for line in LINES]
    for row in found:
        if row["label"] is None:
            assert (row["is_sure"], row["probabilities"]) == (False, {})
            continue
        assert row["label"] == max(row["probabilities"], key=row["probabilities"].__getitem__)
        assert sum(row["probabilities"].values()) == pytest.approx(1)
    expected = Predictor.load(find_head(models / "classifier")).classify([found[0]["tokens"]])[0]
    assert found[0]["probabilities"] == pytest.approx(expected.probabilities, abs=1e-5)


def test_more_lines_than_a_batch_stay_in_order(models: Path, tmp_path: Path) -> None:
    lines = [f"{'we ' * (k * 7 % 13)}number{k}" for k in range(300)]
    found = predicted(models, tmp_path, "\n".join(lines), "--tokens")
    assert [row["tokens"] for row in found] == [line.split() for line in lines]


def test_characters_are_written_as_they_are(models: Path, tmp_path: Path) -> None:
    predicted(models, tmp_path, "שלום 🙂")
    assert "שלום" in (tmp_path / "out.jsonl").read_text(encoding="utf-8")


def test_standard_input_and_output(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = "\n".join(LINES) + "\n"
    expected = predicted(models, tmp_path, content)
    # The terminal's encoding is not that of the text.
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode()), encoding="ascii"))
    capsys.readouterr()
    assert main(["predict", "--head", str(models / "tagger"), "-", "-"]) == 0
    printed = capsys.readouterr()
    found = [json.loads(line) for line in printed.out.splitlines()]
    assert [row["tags"] for row in found] == [row["tags"] for row in expected]
    assert printed.err == ""


@pytest.mark.ci
def test_an_answer_comes_before_the_next_line_is_typed(models: Path) -> None:
    command = [sys.executable, "-m", "elmo_tasks", "predict", "--head", str(models / "tagger"), "-", "-"]
    with subprocess.Popen(
        command,
        cwd=REPOSITORY,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in (b"Ada\n", b"\n", "Bo 🙂\n".encode()):
            process.stdin.write(line)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["tokens"] == line.decode().split()
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.parametrize("source", ["in.txt", "-"])
def test_text_that_is_not_utf_8_is_refused(
    source: str,
    models: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = b"fine\ncaf\xe9\n"
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_bytes(content)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))
    assert main(["predict", "--head", str(models / "tagger"), source, "out.jsonl"]) == 2
    assert "expected UTF-8 text" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["in.txt"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.txt", "out.jsonl"), "missing.txt: no such file"),
        (("in.txt", "nowhere/out.jsonl"), "the folder nowhere does not exist"),
        (("in.txt", "in.txt"), "in.txt: this is a folder or the input itself; name a new file"),
        (("in.txt", "./in.txt"), "this is a folder or the input itself"),
        (("in.txt", "."), "this is a folder or the input itself"),
        ((".", "out.jsonl"), "this is a folder; expected a text file"),
        (("in.txt", "out.jsonl", "--device", "banana"), "device 'banana' cannot be used here"),
        (("in.txt", "out.jsonl", "--head", "nothing"), "there is no head 'nothing'"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(
    arguments: tuple[str, ...],
    message: str,
    models: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_text("Ada\n")
    assert main(["predict", "--head", str(models / "tagger"), *arguments]) == 2
    assert message in capsys.readouterr().err
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("in.txt", "Ada\n")]


def test_nothing_half_written_is_left_and_the_old_file_stays(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in.txt").write_text("Ada\n" * 300)
    (tmp_path / "out.jsonl").write_text("of yesterday\n")
    said = Predictor._predictions
    calls = []

    def stop_later(self: Predictor, *args: Any) -> Any:
        calls.append(args)
        if len(calls) == 9:  # the first 256 lines are written
            raise KeyboardInterrupt
        return said(self, *args)

    monkeypatch.setattr(Predictor, "_predictions", stop_later)
    files = [str(tmp_path / "in.txt"), str(tmp_path / "out.jsonl")]
    assert main(["predict", "--head", str(models / "tagger"), *files]) == 130
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.txt", "out.jsonl"]
    assert (tmp_path / "out.jsonl").read_text() == "of yesterday\n"


def test_a_byte_order_mark_is_no_part_of_the_first_word(models: Path, tmp_path: Path) -> None:
    (tmp_path / "marked.txt").write_bytes("Oslo is far .\n".encode("utf-8-sig"))
    assert main(["predict", "--head", str(models / "tagger"), str(tmp_path / "marked.txt"), str(tmp_path / "out")]) == 0
    assert json.loads((tmp_path / "out").read_text())["tokens"][0] == "Oslo"


def test_the_encoder_of_a_head_can_be_named(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_encoder(tmp_path / "another", shift=0.1)
    found = predicted(models, tmp_path, "Ada\n", "--encoder", str(models / "toy"))
    assert found == predicted(models, tmp_path, "Ada\n")
    files = [str(tmp_path / "in.txt"), str(tmp_path / "out.jsonl")]
    assert main(["predict", "--head", str(models / "tagger"), "--encoder", str(tmp_path / "another"), *files]) == 2
    assert "reads no other; given was another" in capsys.readouterr().err


def test_two_that_write_one_file_are_refused(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.txt").write_text("Ada\n")
    out = tmp_path / "out.jsonl"
    with file_lock(lock_of(out), str(out)):
        assert main(["predict", "--head", str(models / "tagger"), str(tmp_path / "in.txt"), str(out)]) == 2
    assert re.search(r"out.jsonl is in use by process \d+ on .*; wait until it is done", capsys.readouterr().err)
    assert [p.name for p in tmp_path.iterdir()] == ["in.txt"]
    assert len(predicted(models, tmp_path, "Ada\n")) == 1


@pytest.mark.ci
def test_who_reads_only_the_first_answers_is_no_reason_to_complain(models: Path, tmp_path: Path) -> None:
    """As in ``predict in.txt - | head -1``: more is written than a pipe holds, and nobody reads it."""
    (tmp_path / "in.txt").write_text("Ada said no to Bo in Rome .\n" * 4000)
    command = [sys.executable, "-m", "elmo_tasks", "predict", "--head", str(models / "tagger"), "--tokens"]
    with subprocess.Popen(
        [*command, str(tmp_path / "in.txt"), "-"],
        cwd=REPOSITORY,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["tokens"][0] == "Ada"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141
