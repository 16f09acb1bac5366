"""``predict``: an object for each line, in order, from files, tables and standard input."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from elmo_tasks.files import file_lock, lock_of
from elmo_tasks.heads.head_files import find_head
from elmo_tasks.prediction import Predictor
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
# Tokens have the plain quotes of the pretraining text; the offsets are those of the line.
PLAIN_QUOTES = str.maketrans("“”’", '""\'')


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    write_encoder(folder / "toy")
    write_untrained(folder / "tagger", folder / "toy")
    write_untrained(folder / "classifier", folder / "toy", "classification")
    return folder


@pytest.fixture
def predict(models, tmp_path, run):
    """Predict a text in a file, and return the objects of the output file."""

    def call(text, *more, head="tagger", name="in.txt"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        status, _, err = run(
            "predict", "--head", models / head, *more, tmp_path / name, tmp_path / "out.jsonl"
        )
        assert status == 0, err
        return [
            json.loads(line)
            for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
        ]

    return call


def test_every_line_gives_an_object_in_order(predict, tmp_path):
    found = predict("\n".join(LINES) + "\n")
    assert [list(row) for row in found] == [["tokens", "tags", "spans"]] * len(LINES)
    assert [bool(row["tokens"]) for row in found] == [bool(line.strip()) for line in LINES]
    assert found[1] == {"tokens": [], "tags": [], "spans": []}
    assert "שלום" in (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    lines = [f"{'we ' * (k * 7 % 13)}number{k}" for k in range(300)]  # more than a batch
    assert [row["tokens"] for row in predict("\n".join(lines), "--tokens")] == [
        line.split() for line in lines
    ]


def test_the_texts_of_a_table_are_read_and_described(models, tmp_path, run):
    (tmp_path / "in.csv").write_text("id;review\n1;Ada ran\n2;Bo\n", encoding="utf-8")
    status, out, err = run("predict", "--head", models / "tagger", tmp_path / "in.csv", "-")
    assert status == 0
    assert "texts from “review”, named by the first line; semicolons between columns" in err
    assert [json.loads(line)["tokens"] for line in out.splitlines()] == [["Ada", "ran"], ["Bo"]]


@pytest.mark.parametrize("more", [(), ("--tokens",)])
def test_spans_are_where_their_characters_stand(predict, more):
    found = predict("\n".join(LINES), *more)
    spans = 0
    for line, row in zip(LINES, found, strict=True):
        assert len(row["tags"]) == len(row["tokens"])
        for span in row["spans"]:
            spans += 1
            text = line[span["start_char"] : span["end_char"]].translate(PLAIN_QUOTES)
            words = [
                word.translate(PLAIN_QUOTES) for word in row["tokens"][span["start"] : span["end"]]
            ]
            assert text.startswith(words[0])
            assert text.endswith(words[-1])
            assert text.replace(" ", "").replace("\t", "") == "".join(words).replace("\t", "")
            assert 0 < span["confidence"] <= 1
            assert row["tags"][span["start"]] == f"B-{span['type']}"
    assert spans > 3


def test_given_tokens_are_kept_but_encoded_in_plain_form(models, predict):
    (found,) = predict("wo n't  -LRB- ``  Ada's", "--tokens")
    assert found["tokens"] == ["wo", "n't", "-LRB-", "``", "Ada's"]
    predictor = Predictor.load(find_head(models / "tagger"))
    assert (
        tuple(found["tags"]) == predictor.predict_batch([["wo", "n't", "(", '"', "Ada's"]])[0].tags
    )


def test_texts_are_classified(models, predict):
    found = predict("\n".join(LINES), head="classifier")
    assert [list(row) for row in found] == [["tokens", "label", "is_sure", "probabilities"]] * len(
        LINES
    )
    assert [row["label"] is None for row in found] == [not line.strip() for line in LINES]
    for row in found:
        if row["label"] is None:
            assert (row["is_sure"], row["probabilities"]) == (False, {})
            continue
        assert row["label"] == max(row["probabilities"], key=row["probabilities"].__getitem__)
        assert sum(row["probabilities"].values()) == pytest.approx(1)
    expected = Predictor.load(find_head(models / "classifier")).predict_batch([found[0]["tokens"]])[
        0
    ]
    assert found[0]["probabilities"] == pytest.approx(expected.probabilities, abs=1e-5)


def test_standard_input_and_output(models, predict, run, monkeypatch):
    content = "\n".join(LINES) + "\n"
    expected = predict(content)
    # The terminal's encoding is not that of the text.
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode()), encoding="ascii")
    )
    status, out, err = run("predict", "--head", models / "tagger", "-", "-")
    assert (status, err) == (0, "")
    assert [json.loads(line)["tags"] for line in out.splitlines()] == [
        row["tags"] for row in expected
    ]


def started(models: Path, *arguments: object) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "elmo_tasks",
        "predict",
        "--head",
        models / "tagger",
        *arguments,
    ]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(
        [*map(str, command)], cwd=REPOSITORY, env=os.environ | {"OMP_NUM_THREADS": "1"}, **pipes
    )


@pytest.mark.ci
def test_an_answer_comes_before_the_next_line_is_typed(models):
    with started(models, "-", "-") as process:
        for line in (b"Ada\n", b"\n", "Bo 🙂\n".encode()):
            process.stdin.write(line)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["tokens"] == line.decode().split()
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.ci
def test_a_closed_output_is_not_an_error(models, tmp_path):
    """As in ``predict in.txt - | head -1``: the output exceeds the buffer of a pipe that nobody
    reads."""
    (tmp_path / "in.txt").write_text("Ada said no to Bo in Rome .\n" * 4000)
    with started(models, "--tokens", tmp_path / "in.txt", "-") as process:
        assert json.loads(process.stdout.readline())["tokens"][0] == "Ada"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


def test_other_encodings_are_read_from_a_file_and_refused_from_a_pipe(
    models, tmp_path, run, monkeypatch
):
    content = b"fine\ncaf\xe9\n"
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_bytes(content)
    status, out, err = run("predict", "--head", models / "tagger", "in.txt", "-")
    assert (status, [json.loads(line)["tokens"] for line in out.splitlines()]) == (
        0,
        [["fine"], ["café"]],
    )
    assert "in.txt: one text per line, encoding cp1252" in err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))
    assert "expected UTF-8 text" in run.refused(
        "predict", "--head", models / "tagger", "-", "out.jsonl"
    )
    assert not Path("out.jsonl").exists()


FOUR = "Ada B-PER\nleft O\nOslo B-LOC\n. O\n\nIt O\nrained O\n. O\n"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.conll", FOUR, ["Ada left Oslo .", "It rained ."]),
        ("a.txt", FOUR, ["Ada left Oslo .", "It rained ."]),
        ("a.txt", FOUR.replace("B-", ""), ["Ada left Oslo .", "It rained ."]),
        ("a.tsv", "token\ttag\n" + FOUR.replace(" ", "\t"), ["Ada left Oslo .", "It rained ."]),
        ("a.csv", "word,tag\n" + FOUR.replace(" ", ","), ["Ada left Oslo .", "It rained ."]),
        (
            "a.conllu",
            "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\trained\train\tVERB\t_\t_\t0\troot\t_\t_\n",
            ["It rained"],
        ),
        ("a.marked", "[Ada](PER) left.\nIt rained.\n", ["Ada left .", "It rained ."]),
        ("a.jsonl", '{"id": 1, "tokens": ["Ada", "left"], "tags": ["B-PER", "O"]}\n', ["Ada left"]),
        ("a.txt", '{"text": "Ada left."}\n', ["Ada left ."]),
        ("a.txt", "label\ttext\ngood\tA warm film.\n", ["A warm film ."]),
        (
            "a.txt",
            "Is it O\nor A\nor B-C then\nwho knows\nI do\n",
            ["Is it O", "or A", "or B-C then", "who knows", "I do"],
        ),
        (
            "a.csv",
            "id,text\n1,A warm film.\n,\n3,Cold soup.\n",
            ["A warm film .", "", "Cold soup ."],
        ),
        ("a.tsv", "text\tlabel\n\tgood\nA warm film.\tgood\n\t\n", ["", "A warm film .", ""]),
    ],
)
def test_a_file_has_the_same_sentences_as_for_fit(predict, name, content, words):
    assert [" ".join(row["tokens"]) for row in predict(content, name=name)] == words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.txt", "out.jsonl"), "missing.txt: no such file"),
        (("in.txt", "nowhere/out.jsonl"), "the folder nowhere does not exist"),
        (("in.txt", "./in.txt"), "in.txt: this is the input itself, or inside it; name a new file"),
        (("in.txt", "."), "this folder has files that this program did not write, such as in.txt"),
        ((".", "out.jsonl"), "out.jsonl: this is the input itself, or inside it"),
        (("in.txt", "out.jsonl", "--device", "banana"), "device 'banana' cannot be used here"),
        (("in.txt", "out.jsonl", "--head", "nothing"), "there is no head 'nothing'"),
    ],
)
def test_impossible_requests_are_refused_with_a_message(
    arguments, message, models, tmp_path, run, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_text("Ada\n")
    assert message in run.refused("predict", "--head", models / "tagger", *arguments)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("in.txt", "Ada\n")]


def test_an_interrupted_run_keeps_its_blocks_and_the_old_file(models, tmp_path, run, monkeypatch):
    lines = "".join(f"Ada met number{k}\n" for k in range(300))
    (tmp_path / "in.txt").write_text(lines)
    (tmp_path / "out.jsonl").write_text("of yesterday\n")
    monkeypatch.setattr("elmo_tasks.corpus.blocks.MAX_CHARACTERS", 1500)
    predictions, calls = Predictor.predict_batch, []

    def stop_later(self, *args):
        calls.append(args)
        if len(calls) == 9:
            raise KeyboardInterrupt
        return predictions(self, *args)

    arguments = [
        "predict",
        "--head",
        models / "tagger",
        tmp_path / "in.txt",
        tmp_path / "out.jsonl",
    ]
    with monkeypatch.context() as patched:
        patched.setattr(Predictor, "predict_batch", stop_later)
        assert run(*arguments)[0] == 130
        assert sorted(p.name for p in tmp_path.iterdir()) == [
            ".out.jsonl.parts",
            "in.txt",
            "out.jsonl",
        ]
        assert (tmp_path / "out.jsonl").read_text() == "of yesterday\n"
        status, _, err = run(*arguments)
        assert status == 0
        assert "of 300 rows are there from an earlier run" in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.txt", "out.jsonl"]
    found = [
        json.loads(line)["tokens"][-1] for line in (tmp_path / "out.jsonl").read_text().splitlines()
    ]
    assert found == [f"number{k}" for k in range(300)]
    assert (
        sum(len(batch) for (batch,) in calls) < 300 + 100
    )  # one block was computed twice, at most


def test_parquet_has_the_same_answers_with_their_rows(models, predict, tmp_path, run):
    expected = predict("\n".join(LINES) + "\n")
    for place in ("out.parquet", "parts/"):
        run.done("predict", "--head", models / "tagger", tmp_path / "in.txt", f"{tmp_path}/{place}")
        rows = pq.read_table(tmp_path / place).to_pylist()
        assert [row["row"] for row in rows] == [0, 1, 2, 3, 4, 5]
        assert [row["line"] for row in rows] == [1, 2, 3, 4, 5, 6]
        assert [row["text"] for row in rows] == LINES
        assert [{key: row[key] for key in expected[0]} for row in rows] == expected
    assert [p.suffix for p in (tmp_path / "parts").iterdir()] == [".parquet"]


def test_two_processes_answer_like_one(models, predict, tmp_path, run, monkeypatch):
    monkeypatch.setattr("elmo_tasks.corpus.blocks.MAX_CHARACTERS", 100)
    text = "".join(f"Ada met Bo {k} times\n" for k in range(40))
    found, expected = predict(text, "--workers", "2"), predict(text)
    assert [row["tags"] for row in found] == [row["tags"] for row in expected]
    confidences = [
        [span["confidence"] for row in rows for span in row["spans"]] for rows in (found, expected)
    ]
    assert confidences[0] == pytest.approx(confidences[1], abs=1e-6)


def test_rows_that_cannot_be_read_are_refused_or_set_aside(models, tmp_path, run):
    (tmp_path / "in.jsonl").write_bytes(b'{"text": "Ada"}\n{"text": 3}\n{"text": "Bo"}\n')
    arguments = [
        "predict",
        "--head",
        models / "tagger",
        tmp_path / "in.jsonl",
        tmp_path / "out.jsonl",
    ]
    assert "in.jsonl, line 2: text: expected a text, found 3" in run.refused(*arguments)
    status, _, err = run(*arguments, "--skip-bad")
    assert status == 0
    assert "1 rows could not be read and were left out; see" in err
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2
    (aside,) = map(json.loads, (tmp_path / "out.jsonl.bad.jsonl").read_text().splitlines())
    assert aside == [str(tmp_path / "in.jsonl"), 2, "'text': expected a text, found 3"]


def test_the_encoder_of_a_head_can_be_named(models, tmp_path, predict, run):
    write_encoder(tmp_path / "another", shift=0.1)
    assert predict("Ada\n", "--encoder", models / "toy") == predict("Ada\n")
    given = ["--head", models / "tagger", "--encoder", tmp_path / "another"]
    err = run.refused("predict", *given, tmp_path / "in.txt", tmp_path / "out.jsonl")
    assert "reads no other; given was another" in err


def test_two_writers_of_one_file_are_refused(models, tmp_path, predict, run):
    (tmp_path / "in.txt").write_text("Ada\n")
    out = tmp_path / "out.jsonl"
    with file_lock(lock_of(out), str(out)):
        err = run.refused("predict", "--head", models / "tagger", tmp_path / "in.txt", out)
    assert re.search(r"out.jsonl is in use by process \d+ on .*; wait until it is done", err)
    assert [p.name for p in tmp_path.iterdir()] == ["in.txt"]
    assert len(predict("Ada\n")) == 1
