from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from elmo_tasks.__main__ import main
from elmo_tasks.heads.head_files import find_head
from elmo_tasks.training.predictor import Predictor
from tests.training.toy_task import write_encoder, write_tags, write_untrained

LABEL_NAMES = {"0": "negative", "1": "positive", "2": None}
BY_PLACE = {"text_column": 1, "label_column": 0, "label_names": LABEL_NAMES}
TEXTS = ["it was warm .", "it was rude .", "kind and good", "bad", "so so"]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    write_encoder(folder / "toy")
    write_untrained(folder / "tagger", folder / "toy", reading={"scheme": "BIO"})
    write_untrained(folder / "classifier", folder / "toy", "classification", reading=BY_PLACE)
    write_untrained(folder / "strange", folder / "toy", reading={"colour": "blue"})
    return folder


def evaluated(capsys: pytest.CaptureFixture[str], head: Path, data: Path, *more: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["evaluate", "--head", str(head), "--data", str(data), "--json", *more]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], head: Path, data: Path, *more: str) -> str:
    capsys.readouterr()
    assert main(["evaluate", "--head", str(head), "--data", str(data), *more]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err


def labels_said(models: Path) -> list[str]:
    predictor = Predictor.load(find_head(models / "classifier"))
    return [said.label for said in predictor.classify([text.split() for text in TEXTS])]


def test_a_file_of_what_the_head_says_itself_is_all_right(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    predictor = Predictor.load(find_head(models / "tagger"))
    rows = [["we", "saw", "Ada", "in", "Rome"], ["Bo", "ran"], ["Oslo", "."]]
    said = [one.tags for one in predictor.tag(rows)]
    lines = [
        "".join(f"{w}\t{t}\n" for w, t in zip(words, tags, strict=True)) for words, tags in zip(rows, said, strict=True)
    ]
    (tmp_path / "data.conll").write_text("\n".join(lines))
    found = evaluated(capsys, models / "tagger", tmp_path / "data.conll")
    assert (found["main"], found["rows"], found["head"], found["data"]) == ("f1", 3, "tagger", "data.conll")
    assert (found["scores"]["f1"], found["scores"]["accuracy"]) == (1.0, 1.0)


@pytest.mark.parametrize("own_names", [True, False])
def test_labels_may_be_those_of_the_training_file_or_the_head_s_own(
    own_names: bool, models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = labels_said(models)
    gold = ["negative", "positive"]
    wrong = [gold[1 - gold.index(label)] for label in said[:2]] + said[2:]
    spelled = wrong if own_names else [str(gold.index(label)) for label in wrong]
    (tmp_path / "d.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in zip(spelled, TEXTS, strict=True)))
    found = evaluated(capsys, models / "classifier", tmp_path / "d.tsv")
    assert found["scores"]["accuracy"] == pytest.approx(3 / 5)
    assert found["labels"] == gold
    confusion = found["confusion"]
    assert [confusion[0][0] + confusion[1][1], confusion[0][1] + confusion[1][0]] == [3, 2]


def test_rows_of_a_label_that_training_left_out_are_left_out(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d.tsv").write_text("0\tone\n2\ttwo\n1\tthree\n")
    assert evaluated(capsys, models / "classifier", tmp_path / "d.tsv")["rows"] == 2


def test_columns_and_formats_can_be_named(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"said": text, "is": label} for text, label in zip(TEXTS, labels_said(models), strict=True)]
    (tmp_path / "d.txt").write_text("".join(json.dumps(row) + "\n" for row in rows))
    named = ["--file-format", "jsonl", "--text-column", "said", "--label-column", "is"]
    assert evaluated(capsys, models / "classifier", tmp_path / "d.txt", *named)["scores"]["accuracy"] == 1.0


def test_a_column_may_be_counted_from_the_end(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "d.conll").write_text("x B-PER Ada\nx O ran\n")
    columns = ["--token-column", "-1", "--tag-column", "1"]
    found = evaluated(capsys, models / "tagger", tmp_path / "d.conll", *columns)
    assert found["rows"] == 1
    assert 0 <= found["scores"]["f1"] <= 1


def test_a_table_is_printed_for_people(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_tags(tmp_path / "d.conll", 1)
    expected = evaluated(capsys, models / "tagger", data)
    assert main(["evaluate", "--head", str(models / "tagger"), "--data", str(data)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"d.conll, 24 rows: f1 {expected['scores']['f1']:.4f}" in lines[0]
    assert [line.split()[0] for line in lines[1:]] == ["precision", "all", "LOC", "PER", "accuracy"]
    scores = expected["scores"]
    assert lines[3].split()[1:] == [f"{scores[f'{name}/LOC']:.4f}" for name in ("precision", "recall", "f1")]


def test_the_confusions_of_classes_are_printed(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in zip("01010", TEXTS, strict=True)))
    expected = evaluated(capsys, models / "classifier", tmp_path / "d.tsv")["confusion"]
    assert main(["evaluate", "--head", str(models / "classifier"), "--data", str(tmp_path / "d.tsv")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-3].split() == ["is,", "and", "was", "said:", "negative", "positive"]
    assert [[int(n) for n in line.split()[1:]] for line in lines[-2:]] == expected


def test_a_label_that_the_head_does_not_know_is_named(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d.conll").write_text("Acme B-ORG\nran O\n")
    message = refused(capsys, models / "tagger", tmp_path / "d.conll")
    assert (
        "d.conll: 'ORG': no such entity type in the training data, of the head tagger, which has 'LOC', 'PER'"
        in message
    )
    (tmp_path / "d.tsv").write_text("9\tfine\n")
    message = refused(capsys, models / "classifier", tmp_path / "d.tsv")
    assert "'9': the head has no such label; it has 'negative', 'positive'. Say which is which" in message


def test_labels_are_mapped_as_told(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = labels_said(models)
    stars = {"negative": "bad", "positive": "good"}
    (tmp_path / "d.csv").write_text(
        "review,stars\n" + "".join(f"{t},{stars[s]}\n" for t, s in zip(TEXTS, said, strict=True))
    )
    more = ["--labels", "bad=negative,good=positive"]
    assert evaluated(capsys, models / "classifier", tmp_path / "d.csv", *more)["scores"]["accuracy"] == 1.0
    assert "the head has no such label" in refused(capsys, models / "classifier", tmp_path / "d.csv")


@pytest.mark.parametrize(
    ("name", "text", "more", "message"),
    [
        ("tagger", "Ada B-PER\n", ("--tag-column", "7"), "tag_column is 7, but there are 2 columns, counted from 0"),
        ("tagger", "Ada B-PER\n", ("--token-column", "word"), "expected the place of a column"),
        ("tagger", "Ada\n", (), "expected a token and a tag"),
        ("tagger", "Ada B-PER\nBo\n", (), "expected 2 columns as above, found 1"),
        ("classifier", "0\tfine\n", ("--label-column", "5"), "5"),
        ("classifier", "fine\n", (), "d.data"),
        ("classifier", "", (), "d.data"),
        ("tagger", "", (), "d.data"),
        ("tagger", "Ada B-PER\n", ("--device", "banana"), "device 'banana' cannot be used here"),
        ("strange", "Ada B-PER\n", (), "how its data were read is not understood"),
    ],
)
def test_a_file_that_is_not_as_expected_is_refused_in_words(
    name: str, text: str, more: tuple[str, ...], message: str, models: Path, tmp_path: Path, capsys: Any
) -> None:
    (tmp_path / "d.data").write_text(text)
    if name == "classifier":
        more = ("--file-format", "tsv", *more)
    assert message in refused(capsys, models / name, tmp_path / "d.data", *more)


def test_a_format_that_there_is_not_is_refused(models: Path, tmp_path: Path, capsys: Any) -> None:
    for name in ("tagger", "classifier"):
        (tmp_path / "d").write_text("0\tfine\n")
        message = refused(capsys, models / name, tmp_path / "d", "--file-format", "pptx")
        assert "--file-format pptx: for this head, expected one of" in message


def test_a_file_that_is_not_there_is_named(models: Path, tmp_path: Path, capsys: Any) -> None:
    assert "nowhere.conll: no such file" in refused(capsys, models / "tagger", tmp_path / "nowhere.conll")
    assert "there is no head 'nothing'" in refused(capsys, Path("nothing"), tmp_path / "nowhere.conll")


def test_a_head_needs_data(models: Path, capsys: Any) -> None:
    assert main(["evaluate", "--head", str(models / "tagger")]) == 2
    assert "--head needs --data: a labelled file to score it on" in capsys.readouterr().err


def test_a_file_without_any_entity_is_scored(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "none.conll").write_text("It\tO\nrained\tO\n\nAgain\tO\n", encoding="utf-8")
    assert evaluated(capsys, models / "tagger", tmp_path / "none.conll")["rows"] == 2
