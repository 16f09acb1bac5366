"""JSON in the shapes of other programs: nested fields, classes with their texts, annotations."""

import json
from pathlib import Path
from typing import Any

import pytest

from elmo_tasks.data.labelled_texts import read_labelled_table
from elmo_tasks.data.tag_files import read_tag_file
from elmo_tasks.errors import DataError
from tests.data.files import written

FILMS = [(f"Ein schöner Film Nr {k}.", ("gut", "schlecht")[k % 2]) for k in range(8)]
WORDS, TAGS = ["Ines", "flog", "nach", "Köln", "."], ["B-PER", "O", "O", "B-LOC", "O"]
TEXT, SPANS = "Ines flog nach Köln.", [(0, 4, "PER"), (15, 19, "LOC")]


def lines(rows: list[Any]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def study(text: str, result: list[Any], **more: Any) -> dict[str, Any]:
    """Return a task of Label Studio."""
    return {"id": 1, "data": {"text": text}, "annotations": [{"result": result, **more}]}


def choice(name: str, label: str) -> dict[str, Any]:
    return {"from_name": name, "value": {"choices": [label]}}


@pytest.mark.parametrize(
    ("name", "content", "remark"),
    [
        (
            "a.jsonl",
            lines([{"doc": {"text": x, "lang": "de"}, "label": {"name": y}} for x, y in FILMS]),
            "texts from “doc.text”, labels from “label.name”",
        ),
        ("a.json", json.dumps(dict(FILMS)), ""),
        ("a.json", json.dumps({y: [x for x, own in FILMS if own == y] for _, y in FILMS}), ""),
        (
            "a.json",
            json.dumps({"nlu": {"examples": [{"text": x, "intent": y} for x, y in FILMS]}}),
            "“intent”",
        ),
        (
            "a.json",
            json.dumps(
                {
                    "features": [{"name": "text"}],
                    "rows": [{"row_idx": 1, "row": {"text": x, "label": y}} for x, y in FILMS],
                }
            ),
            "labels from “row.label”",
        ),
        (
            "a.json",
            "\n".join(json.dumps({"text": x, "label": y}, indent=2) for x, y in FILMS),
            "",
        ),
        (
            "a.jsonl",
            lines(
                [
                    {"text": x, "cats": {"gut": y == "gut", "schlecht": y[0] == "s"}}
                    for x, y in FILMS
                ]
            ),
            "spaCy's categories",
        ),
        (
            "a.jsonl",
            lines([{"text": x, "annotations": [{"label": y, "user": 1}]} for x, y in FILMS]),
            "",
        ),
        (
            "a.json",
            json.dumps([study(x, [choice("mood", y), choice("lang", "de")]) for x, y in FILMS]),
            "labels from “mood”",
        ),
        ("a.jsonl", lines([{"tokens": x.split(), "label": y} for x, y in FILMS]), "“tokens”"),
    ],
)
def test_classes(tmp_path: Path, name: str, content: str, remark: str) -> None:
    rows, layout = read_labelled_table(written(tmp_path, name, content))
    assert sorted((row.text, row.label) for row in rows) == FILMS
    assert layout is not None
    assert remark in layout.describe()


def test_accepted_and_rejected_texts_of_one_label_are_two_classes(tmp_path: Path) -> None:
    answers = {"gut": "accept", "schlecht": "reject"}
    rows = [{"text": x, "label": "GUT", "answer": answers[y]} for x, y in FILMS]
    ignored = {"text": "Hm.", "label": "GUT", "answer": "ignore"}
    found, layout = read_labelled_table(written(tmp_path, "a.jsonl", lines([*rows, ignored])))
    assert [row.label for row in found] == ["GUT", "not GUT"] * 4
    assert layout is not None
    assert "1 rows left out: ignored by the annotator" in layout.describe()


def test_stars_of_label_studio(tmp_path: Path) -> None:
    rows = [study(x, [{"value": {"rating": 1 + 4 * (y == "gut")}}]) for x, y in FILMS]
    found, _ = read_labelled_table(written(tmp_path, "a.json", json.dumps(rows)))
    assert [row.label for row in found] == ["5", "1"] * 4


def html(start: int, end: int, label: str) -> dict[str, Any]:
    return {
        "value": {
            "start": "/p[1]",
            "end": "/p[1]",
            "globalOffsets": {"start": start, "end": end},
            "hypertextlabels": [label],
            "text": TEXT[start:end],
        }
    }


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", json.dumps([study(TEXT, [html(*span) for span in SPANS])] * 2)),
        (
            "a.json",
            json.dumps(
                [
                    {
                        **study("", [html(*one) for one in SPANS]),
                        "data": {"kopf": "x y", "leib": TEXT},
                    }
                ]
            ),
        ),
        ("a.jsonl", lines([{"data": TEXT, "label": SPANS, "id": 1}] * 2)),
        ("a.jsonl", lines([{"doc": {"text": TEXT, "ents": SPANS}}] * 2)),
        ("a.jsonl", lines([{"words": WORDS, "pred": ["O"] * 4 + ["B-PER"], "gold": TAGS}] * 2)),
        ("a.jsonl", lines([{"bio": TAGS, "wort": WORDS}] * 2)),
        ("a.jsonl", lines([{"sentence": " ".join(WORDS), "word_labels": ",".join(TAGS)}] * 2)),
        ("a.jsonl", lines([{"text": " ".join(WORDS), "tags": " ".join(TAGS)}] * 2)),
        (
            "a.json",
            json.dumps(
                [[{"word": w, "pos": "X", "ner": t} for w, t in zip(WORDS, TAGS, strict=True)]] * 2
            ),
        ),
    ],
)
def test_entities(tmp_path: Path, name: str, content: str) -> None:
    sentence = read_tag_file(written(tmp_path, name, content)).sentences[0]
    assert (list(sentence.tokens), list(sentence.tags)) == (WORDS, TAGS)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (json.dumps([{**study(TEXT, []), "annotations": []}]), r"a\.json: no task .* annotated"),
        (json.dumps([{"data": {"text": TEXT}, "predictions": []}]), "predictions only: export"),
        (lines([{"tokens": WORDS, "spans": [{"start": 0, "end": 1, "label": "PER"}]}]), "of words"),
        # From Python 3.13 on, the line of the comma.
        ('[\n{"text": "a"},\n]', r"a\.json, line [23]: expected JSON, found '[\]{]"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_tag_file(written(tmp_path, "a.json", content))


def test_annotations_that_differ_are_remarked(tmp_path: Path) -> None:
    task = study(TEXT, [html(*span) for span in SPANS])
    task["annotations"] = [{"result": []}, {**task["annotations"][0], "ground_truth": True}]
    file = read_tag_file(written(tmp_path, "a.json", json.dumps([task])))
    assert list(file.sentences[0].tags) == TAGS
    assert "TASKS WITH SEVERAL ANNOTATIONS THAT DIFFER" in file.describe()
