"""Tables of texts and labels in the shapes that people bring: the right columns and classes, or a
question."""

import json
from pathlib import Path

import pytest

from elmo_tasks.data.classification import ClassificationData
from elmo_tasks.data.labelled_texts import read_labelled, read_labelled_table
from elmo_tasks.data.tables import TextColumns, find_columns, read_table
from elmo_tasks.errors import DataError
from elmo_tasks.senses.use_sources import sentences_of
from elmo_tasks.tasks import TASKS
from tests.data.files import written

CLASSIFICATION = TASKS["classification"]
TEAS = [f"The tea of day {k} was fine." for k in range(12)]


def table(*columns: list[object], names: str = "") -> str:
    lines = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    return "\n".join([*([names] if names else []), *lines]) + "\n"


def labels(path: Path) -> list[str]:
    return [row.label for row in read_labelled(path)]


NUMBERS = list(range(12))


@pytest.mark.parametrize(
    ("content", "text", "label"),
    [
        (
            table(["A dress"] * 12, TEAS, [1, 2, 3] * 4, names="Title,Review Text,Rating"),
            "Review Text",
            "Rating",
        ),
        (
            table(
                [""] * 3 + ["A dress"] * 9, TEAS, [1, 2, 3] * 4, names="Title,Review Text,Rating"
            ),
            "Review Text",
            "Rating",
        ),
        (table(["Fine"] * 12, TEAS, ["a", "b"] * 6, names="summary,body,label"), "body", "label"),
        (
            table(
                NUMBERS,
                [0, 1] * 6,
                [1, 0] * 6,
                [1, 2, 3, 4] * 3,
                TEAS,
                names="Id,Useful,Seen,Score,Text",
            ),
            "Text",
            "Score",
        ),
        (
            table(
                ["0"] * 250 + ["4"] * 50,
                [f"day {k % 7}" for k in range(300)],
                [f"the film of hall {k}" for k in range(300)],
            ),
            "column 3",
            "column 1",
        ),
        (table(["comment", "bug", "question", "comment"] * 3, TEAS), "column 2", "column 1"),
    ],
)
def test_the_columns_are_those_of_the_texts_and_the_labels(
    tmp_path: Path, content: str, text: str, label: str
) -> None:
    path = written(tmp_path, "a.csv", content)
    rows, layout = read_labelled_table(path)
    assert layout is not None
    assert (layout.names[layout.text], layout.names[layout.label or 0]) == (text, label)
    assert len(rows) == content.count("\n") - bool(layout.header)
    found = find_columns(read_table(path), labelled=False)
    assert found.names[found.text] == text


def test_several_columns_that_may_hold_the_labels_are_a_question(tmp_path: Path) -> None:
    content = table(
        TEAS, [0, 1] * 6, [1, 0] * 6, [0, 0, 1] * 4, names="comment_text,toxic,threat,insult"
    )
    path = written(tmp_path, "a.csv", content)
    with pytest.raises(
        DataError,
        match=(
            "which column holds the labels.* 'toxic', 'threat', 'insult' have 2 values each: set"
            " label"
        ),
    ):
        read_labelled(path)
    assert [row.label for row in read_labelled(path, None, TextColumns(label="threat"))] == [
        "1",
        "0",
    ] * 6


def test_equal_whole_numbers_are_one_label(tmp_path: Path) -> None:
    rows = [{"text": t, "label": y} for t, y in zip(TEAS, [0, 1, 0.0, 1.0] * 3, strict=True)]
    assert (
        labels(written(tmp_path, "a.jsonl", "\n".join(map(json.dumps, rows)) + "\n"))
        == ["0", "1"] * 6
    )
    train = written(tmp_path, "a.csv", table(TEAS, [0, 1] * 6, names="text,label"))
    test = written(tmp_path, "b.csv", table(TEAS, ["0.0", "1.0"] * 6, names="text,label"))
    data = ClassificationData(str(train), test=str(test), label_names={"0.0": "bad", "1": "good"})
    data.setup()
    assert data.gold("test", range(2)) == ["bad", "good"]
    assert labels(
        written(tmp_path, "c.csv", table(TEAS, ["1.0", "2.0-beta"] * 6, names="text,label"))
    )[:2] == [
        "1.0",
        "2.0-beta",
    ]


def test_labels_that_differ_in_case_are_remarked(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", table(TEAS, ["Spam", "spam", "ham"] * 4, names="text,label"))
    data = ClassificationData(str(path))
    data.setup()
    assert (
        "LABELS THAT DIFFER ONLY IN SPELLING: 'Spam', 'spam'; label_names makes them one"
        in data.describe()
    )
    assert "Labels: Spam 4, ham 4, spam 4." in data.describe()
    again = ClassificationData(
        str(path), label_names={"Spam": "spam", "spam": "spam", "ham": "ham"}
    )
    again.setup()
    assert again.labels == ("spam", "ham")


def test_rows_without_a_text_or_a_label_are_left_out_on_demand(tmp_path: Path) -> None:
    content = table(
        [*TEAS[:11], ""], ["good", "bad", "", *["good", "bad"] * 4, "good"], names="text,label"
    )
    path = written(tmp_path, "a.csv", content)
    with pytest.raises(
        DataError,
        match="2 lines are wrong(.|\n)*set skip_incomplete to true to leave such rows out",
    ):
        read_labelled(path)
    data = ClassificationData(str(path), skip_incomplete=True)
    data.setup()
    assert len(data.rows["train"]) == 10
    assert "2 rows without a text or a label are left out" in data.describe()


ROWS = [{"text": t, "label": y} for t, y in zip(TEAS, ["good", "bad"] * 6, strict=True)]


@pytest.mark.parametrize(
    "content",
    [
        {
            "text": {str(k): t for k, t in enumerate(TEAS)},
            "label": {str(k): r["label"] for k, r in enumerate(ROWS)},
        },
        {str(k): row for k, row in enumerate(ROWS)},
        {
            "columns": ["text", "label"],
            "index": NUMBERS,
            "data": [[r["text"], r["label"]] for r in ROWS],
        },
        {"schema": {"fields": []}, "data": ROWS},
        [
            {
                "id": k,
                "data": {"text": r["text"]},
                "annotations": [{"result": [{"value": {"choices": [r["label"]]}}]}],
            }
            for k, r in enumerate(ROWS)
        ],
        [
            [
                r["text"],
                {"cats": {"good": float(r["label"] == "good"), "bad": float(r["label"] == "bad")}},
            ]
            for r in ROWS
        ],
        [{**row, "label": [row["label"]]} for row in ROWS],
        [
            {"text": r["text"], "options": [], "accept": [r["label"]], "answer": "accept"}
            for r in ROWS
        ],
    ],
)
def test_json_of_other_programs(tmp_path: Path, content: object) -> None:
    read = read_labelled(written(tmp_path, "a.json", json.dumps(content)))
    assert [(row.text, row.label) for row in read] == [(r["text"], r["label"]) for r in ROWS]


JOINED = ["red", "blue", "red,blue", "green", "green,red", "blue"] * 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            table(TEAS, [f'"[{{""start"": {k}}}]"' for k in NUMBERS], names="text,label"),
            "found JSON or lists, such",
        ),
        (table(TEAS, ["['Ada' 'left']", "['It']"] * 6, names="text,label"), "found JSON or lists"),
        (
            table(TEAS, [f'"{label}"' for label in JOINED], names="text,label"),
            "found several in a cell, such as 'red,blue'",
        ),
        (
            table(TEAS, [label.replace(",", "|") for label in JOINED], names="text,label"),
            "found several in a cell",
        ),
    ],
)
def test_cells_that_hold_more_than_a_label_are_refused(
    tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_labelled(written(tmp_path, "a.csv", content))


def test_a_comma_in_the_name_of_a_class_is_part_of_it(tmp_path: Path) -> None:
    content = table(TEAS, ['"Food, drink"', "Sports", '"Arts, film"'] * 4, names="text,label")
    assert set(labels(written(tmp_path, "a.csv", content))) == {
        "Food, drink",
        "Sports",
        "Arts, film",
    }


def test_uses_that_end_without_a_full_stop_stay_apart() -> None:
    uses = [
        "the bank was shut",
        "we sat on the bank of the wide river all day",
        "my bank called",
        "no bank lends now to us",
    ]
    assert sentences_of("\n".join(uses))[0] == uses
    wrapped = (
        "The bank on the corner was shut for the whole of\nthat long and cold winter, and nobody"
        " could tell\nwhy it had been shut. We went to another bank in\nthe end, which was open."
    )
    assert sentences_of(wrapped)[0][0] == wrapped.split(". ")[0].replace("\n", " ") + "."


def test_tags_in_place_of_texts_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", table([1, 2] * 6, ["Ada", "ran"] * 6, ["B-PER", "O"] * 6))
    with pytest.raises(
        DataError,
        match="expected texts, found tags such as 'B-PER': this is a file for a head of tags",
    ):
        read_labelled(path, None, TextColumns(text=2, label=0))
    words = written(
        tmp_path,
        "b.csv",
        table(["good", "bad"] * 12, [f"word{k}" for k in range(24)], names="label,text"),
    )
    layout = read_labelled_table(words)[1]
    assert layout is not None
    assert "NEARLY ALL TEXTS ARE SINGLE WORDS" in layout.describe()


def test_yes_and_no_of_yaml_are_explained(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", table(TEAS, ["no", "yes"] * 6, names="text,label"))
    with pytest.raises(
        DataError, match="it has 'False', 'True'. YAML reads no, yes, .* put quotes around them"
    ):
        ClassificationData(str(path), label_names={False: "negative", True: "positive"}).setup()  # type: ignore[dict-item]


def test_the_page_offers_fitting_columns_and_omits_empty_rows(
    tmp_path: Path,
) -> None:
    path = written(
        tmp_path, "a.csv", table(TEAS, [0, 1] * 6, [1, 0] * 6, names="comment_text,toxic,threat")
    )
    columns, rows = CLASSIFICATION.read_upload(path, "csv", None, None, None)
    assert (
        "WHICH COLUMN HOLDS THE LABELS? 'toxic', 'threat' have 2 values each" in columns.description
    )
    assert len(rows) == 12
    columns, _ = CLASSIFICATION.read_upload(path, "csv", "comment_text", "toxic", True)
    assert "WHICH COLUMN" not in columns.description
    path = written(
        tmp_path, "b.csv", table([*TEAS[:11], ""], ["good", "bad"] * 6, names="text,label")
    )
    columns, rows = CLASSIFICATION.read_upload(path, "csv", None, None, None)
    assert len(rows) == 11
    assert "1 rows without a text or a label are left out" in columns.description
