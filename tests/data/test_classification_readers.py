import lzma
from pathlib import Path
from typing import Any

import datasets
import pytest

from elmo_tasks.data.classification_readers import TextColumns, read_labelled, read_labelled_hub
from elmo_tasks.data.records import LabelledText, LabelSet, renamed
from elmo_tasks.errors import DataError

BY_PLACE = TextColumns(text=0, label=1)


def written(folder: Path, text: str, name: str = "a.tsv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_tsv_by_place_is_read_literally(tmp_path: Path):
    file = written(tmp_path, 'a "quoted film\t1\n\n"b\t0\n')
    assert read_labelled(file, columns=BY_PLACE) == [LabelledText('a "quoted film', "1"), LabelledText('"b', "0")]
    assert [row.line for row in read_labelled(file, columns=BY_PLACE)] == [1, 3]


def test_header_names(tmp_path: Path):
    file = written(tmp_path, "label\tid\ttext\n1\tx\tgood\n0\ty\tbad\n")
    expected = [LabelledText("good", "1"), LabelledText("bad", "0")]
    assert read_labelled(file) == expected
    assert read_labelled(file, columns=TextColumns("text", "label")) == expected
    assert read_labelled(file, columns=TextColumns(2, 0, header=True)) == expected
    assert read_labelled(file, columns=TextColumns(-1, "label")) == expected


def test_csv_with_quotes_and_line_breaks(tmp_path: Path):
    file = written(tmp_path, 'text,label\n"so, so ""good""\nreally",1\nbad,0\n', "a.csv")
    rows = read_labelled(file)
    assert rows == [LabelledText('so, so "good"\nreally', "1"), LabelledText("bad", "0")]
    assert [row.line for row in rows] == [2, 4]


def test_very_long_field(tmp_path: Path):
    file = written(tmp_path, f"text,label\n{'x' * 200_000},1\n", "a.csv")
    assert len(read_labelled(file)[0].text) == 200_000


def test_escaped_line_breaks_in_xz(tmp_path: Path):
    file = tmp_path / "a.tsv.xz"
    file.write_bytes(lzma.compress(b"label\ttext\n1\tone \\n two\n"))
    assert read_labelled(file, columns=TextColumns(escaped_newlines=True)) == [LabelledText("one \n two", "1")]
    assert read_labelled(file) == [LabelledText("one \\n two", "1")]


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        (
            "nice\t1\nbad\t0\n",
            TextColumns(),
            r"expected one column named 'text', and the first line has 2 columns: 'nice', '1'\. Set text_column and "
            "label_column to names of the header, or to places counted from 0 if there is no header",
        ),
        ("text\ttext\tlabel\na\tb\t1\n", TextColumns(), r"expected one column named 'text'"),
        ("a\t1\n", TextColumns("text", 1, header=False), r"header is false, so text_column must be a place"),
        ("a\t1\n", TextColumns(0, 5), r"label_column is 5, counted from 0, but the first line has 2 columns"),
        ("a\t1\n", TextColumns(1, -1), r"text_column and label_column are one and the same column, 1"),
        ("a\t1\nb\n", BY_PLACE, r"a\.tsv, line 2: expected 2 columns as in the first line, found 1"),
        ("a\t1\nb\t\nc\t\n", BY_PLACE, r"(?s)a\.tsv: 2 lines are wrong\n  line 2: .* found an empty label"),
        ("a\t1\n \t1\n", BY_PLACE, r"line 2: expected a text and a label, found an empty text"),
        ("text\tlabel\n", TextColumns(), r"a\.tsv: no text in this file"),
        ("\n\n", TextColumns(), r"a\.tsv: no text in this file"),
        (
            "sentence\tlabel\n" + "a\t1\nb\t0\n" * 4,
            BY_PLACE,
            r"line 1: is this line a header\? Its label 'label' comes nowhere else: set header to true or false",
        ),
    ],
)
def test_wrong_tables(tmp_path: Path, text: str, columns: TextColumns, message: str):
    with pytest.raises(DataError, match=message):
        read_labelled(written(tmp_path, text), columns=columns)


def test_header_said_to_be_none_is_believed(tmp_path: Path):
    file = written(tmp_path, "sentence\tlabel\n" + "a\t1\nb\t0\n" * 4)
    assert len(read_labelled(file, columns=TextColumns(0, 1, header=False))) == 9
    assert len(read_labelled(file, columns=TextColumns(0, 1, header=True))) == 8


def test_csv_with_a_quote_that_is_never_closed(tmp_path: Path):
    with pytest.raises(DataError, match=r"a\.csv, line 2: expected comma-separated fields"):
        read_labelled(written(tmp_path, 'text,label\n"oh,1\nno,0\n', "a.csv"))


def test_unknown_format(tmp_path: Path):
    with pytest.raises(
        DataError, match=r"a\.txt: the name does not tell the format: set file_format to one of tsv, csv"
    ):
        read_labelled(written(tmp_path, "a\t1\n", "a.txt"))


def test_json_lines(tmp_path: Path):
    file = written(tmp_path, '{"text": "good", "label": 1}\n\n{"text": "bad", "label": "0"}\n', "a.jsonl")
    assert read_labelled(file) == [LabelledText("good", "1"), LabelledText("bad", "0")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"review": "a", "label": 1}',
            "line 1: expected the keys 'text' and 'label', found 'review', 'label': set text_c",
        ),
        ('{"text": "", "label": 1}', "line 1: text: expected a text, found ''"),
        ('{"text": 3, "label": 1}', "line 1: text: expected a text, found 3"),
        ('{"text": "a", "label": 0.5}', r"line 1: label: expected a string or a whole number, found 0\.5"),
        ('{"text": "a", "label": true}', "line 1: label: expected a string or a whole number, found True"),
        ('{"text": "a", "label": null}', "line 1: label: expected a label, found none"),
    ],
)
def test_wrong_json_lines(tmp_path: Path, line: str, message: str):
    with pytest.raises(DataError, match=message):
        read_labelled(written(tmp_path, line, "a.jsonl"))


def table(labels: list[int]) -> datasets.Dataset:
    features = datasets.Features(
        {"sentence": datasets.Value("string"), "label": datasets.ClassLabel(names=["negative", "positive"])}
    )
    return datasets.Dataset.from_dict({"sentence": ["bad", "good"], "label": labels}, features=features)


def test_parquet(tmp_path: Path):
    file = tmp_path / "a.parquet"
    table([0, 1]).to_parquet(str(file))
    expected = [LabelledText("bad", "negative"), LabelledText("good", "positive")]
    assert read_labelled(file, columns=TextColumns(text="sentence")) == expected
    with pytest.raises(DataError, match="no column 'text'; it has 'sentence', 'label'"):
        read_labelled(file)


def test_hub(monkeypatch: pytest.MonkeyPatch):
    tables = {"train": table([0, 1]), "test": table([-1, -1])}
    monkeypatch.setattr(datasets, "load_dataset", lambda name, split: tables[split])
    assert [row.label for row in read_labelled_hub("sst2", "train")] == ["negative", "positive"]
    with pytest.raises(
        DataError, match=r"(?s)sst2, split 'test': 2 rows are wrong.*the labels of a test split may be hidden"
    ):
        read_labelled_hub("sst2", "test")


def test_trees(tmp_path: Path):
    file = written(tmp_path, "(3 (2 It) (4 (2 -LRB-) (4 works)))\n\n(1 (2 1\\/2) (1 bad))\n", "trees.txt")
    assert read_labelled(file, "trees") == [LabelledText("It -LRB- works", "3"), LabelledText("1/2 bad", "1")]
    phrases = read_labelled(file, "trees", phrases=True)
    assert [(row.text, row.label) for row in phrases[:3]] == [("It", "2"), ("-LRB-", "2"), ("works", "4")]
    assert len(phrases) == 8
    with pytest.raises(DataError, match="phrases are labelled in trees only, and this file is read as tsv"):
        read_labelled(written(tmp_path, "a\t1\n"), phrases=True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("(3 (2 It) (4 works)", r"line 1: expected a tree, found 1 '\(' too many"),
        ("(3 good) (2 bad)", "line 1: expected one tree on the line, found something after it"),
        ("(3 good))", "line 1: expected one tree on the line, found something after it"),
        (")", r"line 1: expected a tree .* found a '\)' without its '\('"),
        ("hello", r"line 1: expected a tree .* found a word outside of it: 'hello'"),
        ("((2 a) (3 b))", r"line 1: expected a label after each '\(', found '\(\('"),
        ("(3 (2))", "line 1: expected words in every node, found none in one labelled '2'"),
        ("(", r"line 1: expected a tree, found 1 '\(' too many"),
    ],
)
def test_wrong_trees(tmp_path: Path, line: str, message: str):
    with pytest.raises(DataError, match=message):
        read_labelled(written(tmp_path, line + "\n", "trees.txt"), "trees")


def test_label_sets():
    assert LabelSet.of(["10", "9", "-1"]).names == ("-1", "9", "10")
    assert LabelSet.of(["pos", "neg", "pos"]).names == ("neg", "pos")
    labels = LabelSet(["b", "a"])
    assert labels.id_of("a") == 1
    assert "c" not in labels
    with pytest.raises(
        DataError, match=r"dev\.tsv: 'c': no such label in the training data, train\.tsv, which has 'b', 'a'"
    ):
        labels.check(["a", "c"], "dev.tsv", "train.tsv")


def test_renaming(tmp_path: Path):
    rows: Any = [LabelledText("a", "0"), LabelledText("b", "2"), LabelledText("c", "1")]
    names = {"0": "negative", "1": "negative", "2": None}
    assert renamed(rows, names, "f") == [LabelledText("a", "negative"), LabelledText("c", "negative")]
    with pytest.raises(
        DataError, match="f: label_names says nothing about '2'; it has '0'. Give each label a name, or null"
    ):
        renamed(rows[:2], {"0": "negative"}, "f")
