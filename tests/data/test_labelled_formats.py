"""Labelled texts in parquet, Excel, trees, and data sets of the hub."""

from pathlib import Path

import datasets
import pandas as pd
import pytest

from elmo_tasks.data.classification import ClassificationData
from elmo_tasks.data.labelled_texts import hub_texts, read_labelled, read_labelled_hub
from elmo_tasks.data.records import LabelledText
from elmo_tasks.data.tables import TextColumns, find_columns, read_table, texts_of
from elmo_tasks.errors import DataError
from tests.data.files import written


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
        tmp_path, "trees.txt", "(3 (2 It) (4 (2 -LRB-) (4 works)))\n\n(1 (2 1\\/2) (1 bad))\n"
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
        read_labelled(written(tmp_path, "a.tsv", "a\t1\n"), phrases=True)


@pytest.fixture
def data_set(tmp_path, monkeypatch):
    """Replace the hub: `datasets` reads a folder by its path as it reads a data set by its name."""
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
def test_wrong_options_of_hub_texts_are_refused(data_set, options, message):
    with pytest.raises(DataError, match=message):
        list(hub_texts(data_set, **options))


def test_without_a_network_the_error_names_the_remedy(monkeypatch):
    def unreachable(*args, **options):
        raise ConnectionError("Couldn't reach 'some/set' on the Hub")

    monkeypatch.setattr(datasets, "load_dataset", unreachable)
    with pytest.raises(
        DataError, match=r"Couldn't reach .* This needs a network\. .*copy its cache"
    ):
        list(hub_texts("some/set"))
