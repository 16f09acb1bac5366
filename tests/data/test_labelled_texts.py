"""Labelled texts in tables: the columns, their names, and errors with their lines."""

import lzma
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elmo_tasks.data.labelled_texts import read_labelled
from elmo_tasks.data.records import LabelledText, check_known, renamed, sorted_labels
from elmo_tasks.data.tables import TextColumns, find_columns, read_table
from elmo_tasks.errors import ConfigError, DataError
from tests.data.files import written

BY_PLACE = TextColumns(text=0, label=1)


def test_tsv_by_place_is_read_literally(tmp_path: Path):
    file = written(tmp_path, "a.tsv", 'a "quoted film\t1\n\n"b\t0\n')
    assert read_labelled(file, columns=BY_PLACE) == [
        LabelledText('a "quoted film', "1"),
        LabelledText('"b', "0"),
    ]
    assert [row.line for row in read_labelled(file, columns=BY_PLACE)] == [1, 3]


def test_header_names(tmp_path: Path):
    file = written(tmp_path, "a.tsv", "label\tid\ttext\n1\tx\tgood\n0\ty\tbad\n")
    expected = [LabelledText("good", "1"), LabelledText("bad", "0")]
    for given in ((), ("text", "label"), (2, 0, True), (-1, "label")):
        assert read_labelled(file, columns=TextColumns(*given)) == expected


def test_escaped_line_breaks_in_xz(tmp_path: Path):
    file = tmp_path / "a.tsv.xz"
    file.write_bytes(lzma.compress(b"label\ttext\n1\tone \\n two\n"))
    assert read_labelled(file, columns=TextColumns(escaped_newlines=True)) == [
        LabelledText("one \n two", "1")
    ]
    assert read_labelled(file) == [LabelledText("one \\n two", "1")]


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        (
            "nice\t1\nbad\t0\n",
            TextColumns("text"),
            (
                "text_column: expected the name in the first line, or the place of a column, "
                "counted from 0, found 'text'; there are 2 columns: 'nice', '1'"
            ),
        ),
        (
            "text\ttext\tlabel\na\tb\t1\n",
            TextColumns("text"),
            "found 'text'; there are 3 columns: 'text', 'text', 'label'",
        ),
        (
            "a\t1\n",
            TextColumns("text", 1, header=False),
            "text_column: expected the place of a column, counted from 0, found 'text'",
        ),
        (
            "a\t1\n",
            TextColumns(0, 5),
            "label_column: expected the name .* place of a column, counted from 0, found 5",
        ),
        (
            "a\t1\n",
            TextColumns(1, -1),
            r"text_column and label_column are one and the same column, 1",
        ),
        (
            "a\t1\nb\n",
            BY_PLACE,
            r"a\.tsv, line 2: expected 2 columns as in the first line, found 1",
        ),
        (
            "a\t1\nb\t\nc\t\n",
            BY_PLACE,
            (
                r"(?s)a\.tsv: 2 lines are wrong\n  line 2: column 2: expected a string, a number.*"
                r" found ''"
            ),
        ),
        ("a\t1\n \t1\n", BY_PLACE, "line 2: column 1: expected a text, found ' '"),
        ("text\tlabel\n", TextColumns(), r"a\.tsv: no text in this file"),
        ("\n\n", TextColumns(), r"a\.tsv: no text in this file"),
        (
            "what the customer wrote about it, in full length\tstars given\n" + "a\tx\nb\ty\n" * 4,
            BY_PLACE,
            (
                r"line 1: is this line a header\? Its label 'stars given' comes nowhere else: set"
                r" header to true or false"
            ),
        ),
        (
            "label\ttext\n" + "1\ta\n0\tb\n" * 4,
            BY_PLACE,
            r"text_column is 0 and label_column is 1, counted from 0, but the first line "
            "calls them 'label' and 'text': leave both out, and the columns are found by their"
            " names",
        ),
        (
            "one column\n" * 3,
            TextColumns(),
            "expected a text and a label, found one column only; set delimiter",
        ),
        ("a|1\nb|2\n", TextColumns(delimiter=";"), "found one column only; set delimiter"),
    ],
)
def test_wrong_tables(tmp_path: Path, text: str, columns: TextColumns, message: str):
    with pytest.raises(DataError, match=message):
        read_labelled(written(tmp_path, "a.tsv", text), columns=columns)


def test_a_given_header_overrides_the_guess(tmp_path: Path):
    file = written(tmp_path, "a.tsv", "sentence\tlabel\n" + "a\t1\nb\t0\n" * 4)
    assert len(read_labelled(file, columns=TextColumns(0, 1, header=False))) == 9
    assert len(read_labelled(file, columns=TextColumns(0, 1, header=True))) == 8


def test_the_format_is_found_from_the_content(tmp_path: Path):
    expected = [LabelledText("a", "1"), LabelledText("b", "0")]
    assert read_labelled(written(tmp_path, "a.txt", "a\t1\nb\t0\n")) == expected
    assert read_labelled(written(tmp_path, "a.data", "(1 a)\n(0 b)\n")) == expected
    rows = '[{"text": "a", "label": 1}, {"text": "b", "label": 0}]'
    assert read_labelled(written(tmp_path, "a.txt", rows)) == expected


def test_labels_may_be_numbers_and_booleans(tmp_path: Path):
    rows = (
        '{"review": "a", "stars": 1.0}',
        '{"review": "b", "stars": 0.5}',
        '{"review": "c", "stars": true}',
    )
    file = written(tmp_path, "a.jsonl", "\n".join(rows))
    assert [(row.text, row.label) for row in read_labelled(file)] == [
        ("a", "1.0"),
        ("b", "0.5"),
        ("c", "true"),
    ]


@pytest.mark.parametrize(
    ("header", "mark", "columns", "described"),
    [
        ("text|label\n", "|", TextColumns(delimiter="|"), "texts from “text”"),
        ("", ";", TextColumns(delimiter=";"), "labels from “column 2”, there is no line of names"),
        ("what they said,mood\n", ",", TextColumns(0, 1), "texts from “what they said”"),
        ("text,label\n", ",", TextColumns("text"), "labels from “label”, named by the first line"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_given_columns_are_completed_and_described(
    tmp_path, header, mark, columns, described, encoding
):
    sentences = [
        (f"It rained, and \u00e9tude {k} ended.", "good" if k % 3 else "bad") for k in range(12)
    ]
    rows = "".join(f'"{text}"{mark}{label}\n' for text, label in sentences)
    file = written(tmp_path, "a.csv", (header + rows).encode(encoding))
    columns = replace(columns, encoding=encoding)
    assert [(row.text, row.label) for row in read_labelled(file, columns=columns)] == sentences
    assert described in find_columns(read_table(file, None, columns), columns).describe()


def test_other_files_are_read_as_the_training_file(tmp_path: Path):
    first = written(tmp_path, "a.csv", "note,text,label\nn,It rained.,wet\nn,It did not.,dry\n")
    train = find_columns(read_table(first))
    other = written(
        tmp_path, "b.csv", "label,text,note\nwet,Rain fell.,a much longer note than the text is\n"
    )
    assert read_labelled(other, like=train) == [LabelledText("Rain fell.", "wet")]
    bare = written(tmp_path, "c.csv", "a much longer note than the text is,Rain fell.,wet\n")
    assert read_labelled(bare, like=train) == [LabelledText("Rain fell.", "wet")]
    first = written(
        tmp_path, "a.tsv", "It rained all day.\twet\nIt did not.\tdry\nRain again.\twet\n"
    )
    other = written(
        tmp_path, "b.tsv", "wet\tRain fell on us.\ndry\tThe sun came.\nwet\tMore of it.\n"
    )
    assert read_labelled(other, like=find_columns(read_table(first)))[0] == LabelledText(
        "Rain fell on us.", "wet"
    )
    named = find_columns(
        read_table(other), TextColumns(label=1), like=find_columns(read_table(first))
    )
    assert named.label == 1  # the user's word stands
    rows = find_columns(
        read_table(
            written(tmp_path, "a.jsonl", '{"id": "x", "body": "It rained.", "topic": "wet"}')
        )
    )
    other = written(
        tmp_path, "b.jsonl", '{"title": "longer title than body", "body": "Rain.", "topic": "wet"}'
    )
    assert read_labelled(other, like=rows) == [LabelledText("Rain.", "wet")]


@pytest.mark.parametrize(
    ("delimiter", "encoding", "error", "message"),
    [
        ("\n", "utf-8", DataError, "delimiter: expected the mark between columns, found '"),
        (None, "utf-16", DataError, r"a\.csv, line \d: expected UTF-16.* text, found the byte"),
        (
            None,
            "klingon",
            ConfigError,
            r"data\.encoding: expected an encoding such as utf-8, .* found 'klingon'",
        ),
    ],
)
def test_wrong_delimiter_and_encoding(tmp_path, delimiter, encoding, error, message):
    file = written(tmp_path, "a.csv", "text::label\na::1\n")
    with pytest.raises(error, match=message):
        read_labelled(file, columns=TextColumns(encoding=encoding, delimiter=delimiter))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"text": "b", "label": 1}\n{"review": "a", "label": 1}',
            "line 2: expected the keys .* found 'label', 'review': write them alike",
        ),
        ('{"text": "", "label": 1}', "line 1: text: expected a text, found ''"),
        ('{"text": 3, "label": 1}', "line 1: text: expected a text, found 3"),
        (
            '{"text": "a", "label": [1, 2]}',
            r"line 1: expected one label for each text, found several: \[1, 2\]",
        ),
        (
            '{"text": "a", "label": NaN}',
            "line 1: label: expected a string, a number, true or false, found nan",
        ),
        (
            '{"text": "half \\ud83d", "label": 1}',
            r"line 1: expected whole characters, found half of one \(a lone surr",
        ),
        (
            '{"text": "a", "label": %s}' % ("9" * 5_000),
            r"line 1: expected one JSON object .* \(Exceeds the limit",
        ),
        ('{"text": "a", "label": null}', "line 1: label: expected a label, found none"),
        *(
            (line, r"line 1: expected one tree, such as \(3 \(2 It\) \(4 works\)\), found '")
            for line in (
                "(3 (2 It) (4 works)",
                "(3 good) (2 bad)",
                "(3 good))",
                ")",
                "hello",
                "((2 a) (3 b))",
                "(3 (2))",
                "(",
                "(3) b",
            )
        ),
    ],
)
def test_wrong_json_lines_and_trees(tmp_path: Path, line: str, message: str):
    with pytest.raises(DataError, match=message):
        read_labelled(
            written(tmp_path, "a.jsonl", line + "\n"), "jsonl" if line.startswith("{") else "trees"
        )


def test_labels_are_sorted_and_unknown_labels_refused():
    assert sorted_labels(["10", "1.0", "0.5", "-2"]) == ["-2", "0.5", "1.0", "10"]
    assert sorted_labels(["pos", "neg", "pos"]) == ["neg", "pos"]
    with pytest.raises(
        DataError, match=r"dev\.tsv: 'c': no such label in .* train\.tsv, which has 'b', 'a'"
    ):
        check_known(["a", "c"], ["b", "a"], "dev.tsv", "train.tsv")


def test_renaming(tmp_path: Path):
    rows: Any = [LabelledText("a", "0"), LabelledText("b", "2"), LabelledText("c", "1")]
    names = {"0": "negative", "1": "negative", "2": None}
    assert renamed(rows, names, "f") == [
        LabelledText("a", "negative"),
        LabelledText("c", "negative"),
    ]
    with pytest.raises(
        DataError,
        match="f: label_names .* nothing about '2'; it has '0'. Give each label a name, or null",
    ):
        renamed(rows[:2], {"0": "negative"}, "f")
