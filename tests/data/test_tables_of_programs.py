"""Tables of texts and labels as programs and people of many countries write them."""

import io
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pandas
import pytest

from elmo_tasks.data.classification import ClassificationData
from elmo_tasks.data.labelled_texts import read_labelled_table
from elmo_tasks.data.tables import TextColumns
from elmo_tasks.errors import DataError
from tests.data.files import written

WORDS = ("gut", "schlecht", "mittel")
FILMS = [(f"Ein schöner, langer Film Nr {k}.", WORDS[k % 3]) for k in range(24)]
LABELS = [label for _, label in FILMS]


def table(*columns: Sequence[object], names: str = "", mark: str = ";") -> str:
    """Return films, the further columns behind them, with their names."""
    rows = zip(*zip(*FILMS, strict=True), *columns, strict=True)
    lines = [mark.join(map(str, row)) for row in rows]
    return "\n".join([*([names] if names else []), *lines]) + "\n"


def of_labels(labels: Sequence[str], mark: str = ";") -> str:
    """Return films with other labels."""
    lines = [f"{text}{mark}{label}" for (text, _), label in zip(FILMS, labels, strict=True)]
    return "\n".join([f"Kommentar{mark}Note", *lines]) + "\n"


def read(path: Path, **given: str) -> tuple[list[str], str]:
    """Return the labels of a file, and the description of its columns."""
    rows, layout = read_labelled_table(path, None, TextColumns(**given))
    assert layout is not None
    assert [row.text for row in rows[:2]] == [text for text, _ in FILMS[:2]]
    return [row.label for row in rows], layout.describe()


PREDICTIONS = ["gut", "gut", "mittel"] * 8


@pytest.mark.parametrize(
    ("content", "label"),
    [
        (table(PREDICTIONS, names="text;true_label;predicted_label"), "true_label"),
        (table(PREDICTIONS, names="text;annotation;prediction"), "annotation"),
        (table(PREDICTIONS, names="text;goldLabel;predLabel"), "goldLabel"),
        (table(["train", "test"] * 12, names="text;class_name;split"), "class_name"),
        (table(["m", "w"] * 12, names="Text;Urteil;Geschlecht"), "Urteil"),
        (table([1, 2] * 12, names="texte;étiquette;poids"), "étiquette"),
        (table(["2024-01-02"] * 20 + ["2024-01-03"] * 4, names="Text;Art;Tag"), "Art"),
        (table(["0,5", "1,0"] * 12, names="текст;метка;вес"), "метка"),
    ],
)
def test_labels_are_neither_predictions_nor_facts_about_the_row(
    tmp_path: Path, content: str, label: str
) -> None:
    labels, found = read(written(tmp_path, "a.csv", content))
    assert labels == LABELS
    assert f"labels from “{label}”" in found


def test_two_columns_of_few_values_are_a_question(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", table([1, 2] * 12))
    with pytest.raises(DataError, match="holds the labels.* 'column 2', 'column 3' have 3, 2 val"):
        read(path)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["5,0", "1,0", "3,5"], ["5", "1", "3.5"]),
        (["TRUE", "True", "False"], ["True", "True", "False"]),
        (["gut\u200b", "gut\u00a0", "gut"], ["gut"] * 3),
        ([unicodedata.normalize("NFD", "böse"), "böse", "gut"], ["böse", "böse", "gut"]),
        (["4/5", "1/5", "5/5"], ["4/5", "1/5", "5/5"]),
        (["😀", "😡", "😐"], ["😀", "😡", "😐"]),
    ],
)
def test_one_value_is_written_in_one_way(
    tmp_path: Path, before: list[str], after: list[str]
) -> None:
    labels, _ = read(written(tmp_path, "a.csv", of_labels(before * 8)))
    assert labels == after * 8


@pytest.mark.parametrize(
    ("labels", "remark"),
    [
        (["❤", "❤️", "😡"] * 8, 'DIFFER ONLY IN SPELLING: .*label_names makes them one.*: "❤'),
        (["gut", "schlecht", "NaN"] * 8, "'NaN' SEEMS TO MEAN THAT THERE IS NO LABEL"),
        (["gut", "schlecht", "#N/A"] * 8, "'#N/A' SEEMS TO MEAN"),
    ],
)
def test_improbable_labels_are_remarked(tmp_path: Path, labels: list[str], remark: str) -> None:
    _, found = read(written(tmp_path, "a.csv", of_labels(labels)))
    assert re.search(remark, found)


def test_several_labels_of_one_text_are_remarked_or_refused(tmp_path: Path) -> None:
    again = table() + f"{FILMS[0][0]};schlecht\n"
    _, found = read(written(tmp_path, "a.csv", again))
    assert "ONE TEXT HAS SEVERAL LABELS in different rows, such as 'Ein schöner" in found
    several = written(tmp_path, "b.csv", of_labels(["gut", "lang|gut", "kurz|neu"] * 8))
    with pytest.raises(DataError, match="found several in a cell, such as 'lang|gut'"):
        read(several)


@pytest.mark.parametrize(
    ("name", "content", "given", "remark"),
    [
        ("a.txt", "".join(f"__label__{y} {x}\n" for x, y in FILMS), {}, "lines of fastText"),
        ("a.csv", "# ein Export\n# von mir\n" + table(names="Text;Urteil"), {}, "LEFT OUT: 2, th"),
        ("a.csv", "Umfrage 2024;\n" + table(names="Text;Urteil"), {}, "LEFT OUT: 1, the first 'U"),
        ("a.csv", "".join(f"'{x}','{y}'\n" for x, y in [("text", "y"), *FILMS]), {}, ""),
        ("a.csv", table(mark="::"), {"delimiter": "::"}, "no line of names"),
        ("a.csv", table(mark="@"), {"delimiter": "@"}, "no line of names"),
        ("a.md", "text | label\n--- | :---:\n" + table(mark=" | "), {}, "bars between columns"),
        (
            "a.csv",
            table(names="text;label") + "\ufeff" + "text;label\n",
            {},
            "repeat the names of the columns are left out: 1",
        ),
        ("a.csv", table(names="text;label").encode("utf-32"), {}, "encoding utf-32"),
        ("a.csv", table(names="text;label").encode("mac_roman"), {}, "'Ein schšner"),
    ],
)
def test_shapes_of_tables(
    tmp_path: Path, name: str, content: str | bytes, given: dict[str, str], remark: str
) -> None:
    path = written(tmp_path, name, content)
    if isinstance(content, bytes) and b"\x9a" in content:
        given = {"encoding": "mac_roman"}
        remark = ""
    labels, found = read(path, **given)
    assert labels == LABELS
    assert remark in found


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("cp1250", "Ten film był świetny, żałuję"), ("mac_roman", "Das war großartig für Käte")],
)
def test_words_of_another_code_page_are_remarked(tmp_path: Path, encoding: str, text: str) -> None:
    rows = "".join(f"{text} {k};{WORDS[k % 3]}\n" for k in range(24))
    _, layout = read_labelled_table(written(tmp_path, "a.csv", rows.encode(encoding)))
    assert layout is not None
    assert "LOOK WRONG: is the encoding another one" in layout.describe()
    plain = written(
        tmp_path,
        "b.csv",
        "".join(f"Dreihundert cm³ gutes Öl für {k};{k % 2}\n" for k in range(9)).encode("cp1252"),
    )
    _, layout = read_labelled_table(plain)
    assert layout is not None
    assert layout.describe().endswith("encoding cp1252")


def test_the_sheets_of_a_workbook(tmp_path: Path) -> None:
    path, content = tmp_path / "a.xlsx", io.StringIO(table(names="Text;Urteil"))
    with pandas.ExcelWriter(path) as book:
        pandas.DataFrame({"Info": ["von mir"]}).to_excel(book, sheet_name="Info", index=False)
        pandas.read_csv(content, sep=";").to_excel(book, sheet_name="Daten", index=False)
    labels, found = read(path)
    assert labels == LABELS
    assert "ONLY THE SHEET 'Daten' IS READ; for 'Info', save the sheet as a file" in found


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("<!DOCTYPE html>\n<html><body>Nichts, da</body></html>\n", "XML or HTML"),
        ("@relation films\n@attribute text string\n@data\n'gut',1\n", "Weka's ARFF"),
        ("INSERT INTO films VALUES ('gut', 1);\n", "SQL"),
        ("- text: gut\n  label: 1\n- text: schlecht\n  label: 0\n", "YAML"),
        ("[{'text': 'gut', 'label': 1}]\n", "code of Python"),
        ("{\\rtf1 gut}\n", "a Rich Text document"),
        (b"\x80\x04\x95films", "a pickle of Python"),
        (b"ARROW1\0\0films", "an Arrow or Feather file"),
    ],
)
def test_other_formats_are_named(tmp_path: Path, content: str | bytes, found: str) -> None:
    with pytest.raises(DataError, match=f"found {found}"):
        read_labelled_table(written(tmp_path, "a.csv", content))


def test_rows_to_score_on_that_are_training_rows_are_noted(tmp_path: Path) -> None:
    train = written(tmp_path, "a.csv", table(names="text;label"))
    test = written(tmp_path, "b.csv", "text;label\nGanz neu.;gut\n" + f"{FILMS[0][0]};gut\n" * 2)
    data = ClassificationData(str(train), test=str(test), validation=str(test))
    data.setup("fit")
    data.check_split("test")
    assert data.describe().count("2 OF 3 ROWS ARE IN THE TRAINING DATA, TOO") == 2
