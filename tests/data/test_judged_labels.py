"""Labels that nothing can be learned from are refused, and a file goes before a share."""

from pathlib import Path

import pytest

from elmo_tasks.data.classification import ClassificationData
from elmo_tasks.data.tagging import TaggingData
from elmo_tasks.errors import DataError

TEXTS = [f"It rained for {k} hours." for k in range(40)]


def csv(folder: Path, labels: list[str], name: str = "a.csv") -> str:
    (folder / name).write_text("text,label\n" + "".join(f"{t},{y}\n" for t, y in zip(TEXTS, labels, strict=False)))
    return str(folder / name)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["same"] * 40, r"a\.csv: expected two labels or more, found 'same': is label_column the right column\?"),
        (
            [f"w{k}" for k in range(40)],
            "40 different labels in 40 rows, such as 'w0', .* nearly all differ, and nothing can",
        ),
        ([f"{k / 7:.3f}" for k in range(40)], "numbers on a scale are no classes. Is label_column the right column"),
    ],
)
def test_classes(tmp_path: Path, labels: list[str], message: str):
    with pytest.raises(DataError, match=message):
        ClassificationData(csv(tmp_path, labels)).setup()


def test_tags(tmp_path: Path):
    file = tmp_path / "a.conll"
    file.write_text("".join(f"word{k} O\n\n" for k in range(30)))
    with pytest.raises(DataError, match=r"a\.conll: every tag is O: there is no entity to learn from"):
        TaggingData(str(file)).setup()
    with pytest.raises(DataError, match="expected two tags or more, found 'O': is tag_column the right column"):
        TaggingData(str(file), scheme=None).setup()
    with pytest.raises(DataError, match="30 different tags in 30 tokens.* Is tag_column the right column"):
        TaggingData(str(file), scheme=None, token_column=1, tag_column=0).setup()


def test_a_file_goes_before_a_share(tmp_path: Path):
    train, dev = csv(tmp_path, ["a", "b"] * 20), csv(tmp_path, ["a", "b"] * 3, "dev.csv")
    data = ClassificationData(train, validation=dev, test=dev, validation_share=0.2, test_share=0.2)
    data.setup()
    assert {split: len(rows) for split, rows in data.rows.items()} == {"train": 40, "validation": 6, "test": 6}
    assert f"{train}: texts from 'text', labels from 'label', named by the first line." in data.describe()
    assert str(tmp_path) not in data.summary()


def test_widened_spans_are_said(tmp_path: Path):
    file = tmp_path / "a.jsonl"
    file.write_text(
        '{"text": "Ada slept.", "spans": [[0, 2, "PER"]]}\n{"text": "Bo slept.", "spans": [[0, 2, "PER"]]}\n'
    )
    data = TaggingData(str(file))
    data.setup()
    assert f"{file}: 1 spans that began or ended inside a word were widened to the word." in data.describe()
