"""What can be learned from, and the shares of it that are trained, validated and tested on."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from elmo_tasks.data.classification import ClassificationData
from elmo_tasks.data.tagging import TaggingData
from elmo_tasks.errors import ConfigError, DataError

TEXTS = [f"It rained for {k} hours." for k in range(40)]


def csv_file(folder: Path, labels: list[str], name: str = "a.csv") -> str:
    (folder / name).write_text("text,label\n" + "".join(f"{t},{y}\n" for t, y in zip(TEXTS, labels, strict=False)))
    return str(folder / name)


@pytest.mark.parametrize(("labels", "message"), [
    (["same"] * 40, r"a\.csv: expected two labels or more, found 'same': is label_column the right column\?"),
    ([f"w{k}" for k in range(40)], "40 different labels in 40 rows, such as 'w0', .* nearly all differ, and nothing can"),
    ([f"{k / 7:.3f}" for k in range(40)], "numbers on a scale are no classes. Is label_column the right column"),
])  # fmt: skip
def test_classes(tmp_path: Path, labels: list[str], message: str):
    with pytest.raises(DataError, match=message):
        ClassificationData(csv_file(tmp_path, labels)).setup()


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
    train, dev = csv_file(tmp_path, ["a", "b"] * 20), csv_file(tmp_path, ["a", "b"] * 3, "dev.csv")
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


@pytest.fixture
def csv(tmp_path: Path) -> str:
    """200 texts, 10 % of them rare."""
    file = tmp_path / "a.csv"
    rows = "".join(f"It rained for {k} hours.,{'rare' if k % 10 == 0 else 'often'}\n" for k in range(200))
    file.write_text(f"text,label\n{rows}")
    return str(file)


def labels_of(data: ClassificationData, split: str) -> Counter[str]:
    return Counter(label for _, label in data.labelled(split))  # type: ignore[arg-type, misc]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_shares_are_stratified_and_nested(csv: str, seed: int):
    found = []
    for share in (0.01, 0.1, 0.5, 1.0):
        data = ClassificationData(csv, validation_share=0.2, test_share=0.1, train_share=share, seed=seed)
        data.setup()
        assert labels_of(data, "validation") == {"often": 36, "rare": 4}
        assert labels_of(data, "test") == {"often": 18, "rare": 2}
        assert labels_of(data, "train") == {"often": max(1, round(126 * share)), "rare": max(1, round(14 * share))}
        found.append(set(data.tokens("train")))
    assert all(small < large for small, large in pairwise(found))


def test_sentences_are_nested(tmp_path: Path):
    file = tmp_path / "a.conll"
    file.write_text("".join(f"Ada B-PER\nslept{k} O\n\n" for k in range(50)))
    parts = []
    for share in (0.1, 0.4):
        data = TaggingData(str(file), train_share=share)
        data.setup()
        parts.append(set(data.tokens("train")))
    assert (len(parts[0]), len(parts[1])) == (5, 20)
    assert parts[0] < parts[1]


@pytest.mark.parametrize("share", [0.0, 1.5, -1.0])
def test_wrong_share(csv: str, share: float):
    with pytest.raises(ConfigError, match=r"data\.train_share: expected a share above 0, up to 1, found"):
        ClassificationData(csv, train_share=share)
