import lzma
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import pytest

from elmo_tasks.data.classification import ClassificationData
from elmo_tasks.data.labelled_texts import hub_texts, read_labelled, read_labelled_hub
from elmo_tasks.data.records import LabelledText, check_known, renamed, sorted_labels
from elmo_tasks.data.tables import TextColumns, find_columns, read_table, texts_of
from elmo_tasks.errors import ConfigError, DataError

BY_PLACE = TextColumns(text=0, label=1)


def written(folder: Path, text: str, name: str = "a.tsv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_tsv_by_place_is_read_literally(tmp_path: Path):
    file = written(tmp_path, 'a "quoted film\t1\n\n"b\t0\n')
    assert read_labelled(file, columns=BY_PLACE) == [
        LabelledText('a "quoted film', "1"),
        LabelledText('"b', "0"),
    ]
    assert [row.line for row in read_labelled(file, columns=BY_PLACE)] == [1, 3]


def test_header_names(tmp_path: Path):
    file = written(tmp_path, "label\tid\ttext\n1\tx\tgood\n0\ty\tbad\n")
    expected = [LabelledText("good", "1"), LabelledText("bad", "0")]
    for given in ((), ("text", "label"), (2, 0, True), (-1, "label")):
        assert read_labelled(file, columns=TextColumns(*given)) == expected


def test_csv_with_quotes_and_line_breaks(tmp_path: Path):
    file = written(tmp_path, 'text,label\n"so, so ""good""\nreally",1\nbad,0\n', "a.csv")
    rows = read_labelled(file)
    assert rows == [LabelledText('so, so "good"\nreally', "1"), LabelledText("bad", "0")]
    assert [row.line for row in rows] == [2, 4]


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
        read_labelled(written(tmp_path, text), columns=columns)


def test_header_said_to_be_none_is_believed(tmp_path: Path):
    file = written(tmp_path, "sentence\tlabel\n" + "a\t1\nb\t0\n" * 4)
    assert len(read_labelled(file, columns=TextColumns(0, 1, header=False))) == 9
    assert len(read_labelled(file, columns=TextColumns(0, 1, header=True))) == 8


def test_the_content_decides_where_the_name_does_not_tell(tmp_path: Path):
    expected = [LabelledText("a", "1"), LabelledText("b", "0")]
    assert read_labelled(written(tmp_path, "a\t1\nb\t0\n", "a.txt")) == expected
    assert read_labelled(written(tmp_path, "(1 a)\n(0 b)\n", "a.data")) == expected
    rows = '[{"text": "a", "label": 1}, {"text": "b", "label": 0}]'
    assert read_labelled(written(tmp_path, rows, "a.txt")) == expected


def test_labels_that_are_numbers_or_truths(tmp_path: Path):
    rows = (
        '{"review": "a", "stars": 1.0}',
        '{"review": "b", "stars": 0.5}',
        '{"review": "c", "stars": true}',
    )
    file = written(tmp_path, "\n".join(rows), "a.jsonl")
    assert [(row.text, row.label) for row in read_labelled(file)] == [
        ("a", "1.0"),
        ("b", "0.5"),
        ("c", "true"),
    ]


SENTENCES = [
    (f"It rained {k} hours, and \u00e9tude {k} went on.", "good" if k % 3 else "bad")
    for k in range(12)
]


@pytest.mark.parametrize(
    ("name", "mark", "header", "columns", "said"),
    [
        (
            "a.csv",
            ",",
            "text,label\n",
            TextColumns(),
            "texts from 'text', labels from 'label', named by the first line",
        ),
        (
            "a.csv",
            ";",
            "text;label\n",
            TextColumns(),
            "texts from 'text', labels from 'label', named by the first line",
        ),
        ("a.csv", "|", "text|label\n", TextColumns(delimiter="|"), "texts from 'text'"),
        (
            "a.tsv",
            ";",
            "",
            TextColumns(delimiter=";"),
            "from 'column 1', labels from 'column 2', there is no line of names",
        ),
        (
            "a.csv",
            ",",
            "what they said,mood\n",
            TextColumns(),
            "texts from 'what they said', labels from 'mood'",
        ),
        (
            "a.csv",
            ",",
            "text,label\n",
            TextColumns(0, 1),
            "texts from 'text', labels from 'label', named by the first",
        ),
        (
            "a.csv",
            ",",
            "text,label\n",
            TextColumns("text"),
            "texts from 'text', labels from 'label'",
        ),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_columns_are_found_and_said(tmp_path, name, mark, header, columns, said, encoding):
    quote = "" if name.endswith("tsv") else '"'
    rows = "".join(f"{quote}{text}{quote}{mark}{label}\n" for text, label in SENTENCES)
    file = tmp_path / name
    file.write_bytes((header + rows).encode(encoding))
    columns = replace(columns, encoding=encoding)
    assert [(row.text, row.label) for row in read_labelled(file, columns=columns)] == SENTENCES
    assert said in find_columns(read_table(file, None, columns), columns).describe()


def test_other_files_are_read_as_the_training_file(tmp_path: Path):
    first = written(tmp_path, "note,text,label\nn,It rained.,wet\nn,It did not.,dry\n", "a.csv")
    train = find_columns(read_table(first))
    other = written(
        tmp_path, "label,text,note\nwet,Rain fell.,a much longer note than the text is\n", "b.csv"
    )
    assert read_labelled(other, like=train) == [LabelledText("Rain fell.", "wet")]
    bare = written(tmp_path, "a much longer note than the text is,Rain fell.,wet\n", "c.csv")
    assert read_labelled(bare, like=train) == [LabelledText("Rain fell.", "wet")]
    first = written(
        tmp_path, "It rained all day.\twet\nIt did not.\tdry\nRain again.\twet\n", "a.tsv"
    )
    other = written(
        tmp_path, "wet\tRain fell on us.\ndry\tThe sun came.\nwet\tMore of it.\n", "b.tsv"
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
            written(tmp_path, '{"id": "x", "body": "It rained.", "topic": "wet"}', "a.jsonl")
        )
    )
    other = written(
        tmp_path, '{"title": "longer title than body", "body": "Rain.", "topic": "wet"}', "b.jsonl"
    )
    assert read_labelled(other, like=rows) == [LabelledText("Rain.", "wet")]


@pytest.mark.parametrize(
    ("delimiter", "encoding", "error", "message"),
    [
        ("::", "utf-8", DataError, "delimiter: expected one character between columns, found '::'"),
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
    file = written(tmp_path, "text::label\na::1\n", "a.csv")
    with pytest.raises(error, match=message):
        read_labelled(file, columns=TextColumns(encoding=encoding, delimiter=delimiter))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"text": "b", "label": 1}\n{"review": "a", "label": 1}',
            "line 2: expected the keys .* found 'label', 'review': set text_c",
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
            written(tmp_path, line + "\n", "a.jsonl"), "jsonl" if line.startswith("{") else "trees"
        )


def table(labels: list[int]) -> datasets.Dataset:
    classes = datasets.ClassLabel(names=["negative", "positive"])
    features = datasets.Features({"sentence": datasets.Value("string"), "label": classes})
    return datasets.Dataset.from_dict(
        {"sentence": ["bad", "good"], "label": labels}, features=features
    )


def test_parquet(tmp_path: Path):
    file = tmp_path / "a.parquet"
    table([0, 1]).to_parquet(str(file))
    expected = [LabelledText("bad", "negative"), LabelledText("good", "positive")]
    assert read_labelled(file) == expected
    with pytest.raises(
        DataError,
        match=(
            "expected the name of a column, found 'text'; there are 2 columns: 'sentence', 'label'"
        ),
    ):
        read_labelled(file, columns=TextColumns(text="text"))
    file.write_bytes(b"PAR1" + b"x" * 40 + b"PAR1")
    with pytest.raises(DataError, match=r"a\.parquet: expected a parquet file \("):
        read_labelled(file)


@pytest.mark.parametrize("header", [True, False])
def test_excel(tmp_path: Path, header: bool):
    file = tmp_path / "a.xlsx"
    rows = [(f"A film of {k} hours.", "bad" if k % 3 else "good", k) for k in range(12)]
    pd.DataFrame(rows, columns=["review", "mood", "id"]).to_excel(file, header=header, index=False)
    assert read_labelled(file) == [LabelledText(text, label) for text, label, _ in rows]
    data = ClassificationData(str(file), validation_share=0.25)
    data.setup()
    assert (data.labels, len(data.rows["train"])) == (("bad", "good"), 9)
    table = read_table(file)
    assert [text for _, text in texts_of(table, find_columns(table, labelled=False))] == [
        text for text, _, _ in rows
    ]
    file.write_bytes(file.read_bytes()[:900])
    with pytest.raises(
        DataError, match=r"a\.xlsx: expected an Excel file \(\.xlsx\): save the sheet as CSV UTF-8"
    ):
        read_labelled(file)


def test_hub(monkeypatch: pytest.MonkeyPatch):
    tables = {"train": table([0, 1]), "test": table([-1, -1])}
    monkeypatch.setattr(datasets, "load_dataset", lambda name, split: tables[split])
    assert [row.label for row in read_labelled_hub("sst2", "train")] == ["negative", "positive"]
    with pytest.raises(
        DataError, match=r"(?s)split 'test': 2 rows are wrong.*labels of a test split may be hidden"
    ):
        read_labelled_hub("sst2", "test")


def test_trees(tmp_path: Path):
    file = written(
        tmp_path, "(3 (2 It) (4 (2 -LRB-) (4 works)))\n\n(1 (2 1\\/2) (1 bad))\n", "trees.txt"
    )
    assert read_labelled(file, "trees") == [
        LabelledText("It -LRB- works", "3"),
        LabelledText("1/2 bad", "1"),
    ]
    phrases = read_labelled(file, "trees", phrases=True)
    assert [(row.text, row.label) for row in phrases[:3]] == [
        ("It", "2"),
        ("-LRB-", "2"),
        ("works", "4"),
    ]
    assert len(phrases) == 8
    with pytest.raises(
        DataError, match="phrases are labelled in trees only, and this file is read as tsv"
    ):
        read_labelled(written(tmp_path, "a\t1\n"), phrases=True)


def test_labels_are_sorted_and_those_that_are_not_known_named():
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


@pytest.fixture
def data_set(tmp_path, monkeypatch):
    """A stand-in for the hub: `datasets` reads a folder by its path as it reads a data set by its
    name."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "train.csv").write_text(
        "id,review\n1,The bank lends.\n2,A muddy bank.\n3,\n", encoding="utf-8"
    )
    (folder / "test.csv").write_text("id,review\n4,One more.\n", encoding="utf-8")
    return str(folder)


def test_texts_are_read(tmp_path, data_set):
    assert list(hub_texts(data_set)) == ["The bank lends.", "A muddy bank.", ""]
    assert list(hub_texts(data_set, split="test")) == ["One more."]
    assert list(hub_texts(data_set, most=2)) == ["The bank lends.", "A muddy bank."]
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "train.jsonl").write_text(
        '{"tokens": ["A", "bank", "."]}\n', encoding="utf-8"
    )
    assert list(hub_texts(str(tmp_path / "words"))) == ["A bank ."]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"column": "body"},
            "expected the name of a column, found 'body'; there are 2 columns: 'id', 'review'",
        ),
        ({"column": "id"}, "row 1: id: expected a text, found 1"),
        ({"split": "dev"}, 'Unknown split "dev"'),
        ({"config": "x"}, "'x' not found"),
        ({"split": "dev", "most": 2}, "dev"),
    ],
)
def test_what_is_wrong_is_said(data_set, options, message):
    with pytest.raises(DataError, match=message):
        list(hub_texts(data_set, **options))


def test_without_a_network_it_says_what_to_do(monkeypatch):
    def unreachable(*args, **options):
        raise ConnectionError("Couldn't reach 'some/set' on the Hub")

    monkeypatch.setattr(datasets, "load_dataset", unreachable)
    with pytest.raises(
        DataError, match=r"Couldn't reach .* This needs a network\. .*copy its cache"
    ):
        list(hub_texts("some/set"))
