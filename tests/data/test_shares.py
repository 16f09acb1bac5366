"""Parts of the training rows have the labels in the same shares, and smaller ones lie in larger ones."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from elmo_tasks.data.classification import ClassificationData
from elmo_tasks.data.tagging import TaggingData
from elmo_tasks.errors import ConfigError


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
