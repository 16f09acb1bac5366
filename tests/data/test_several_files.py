"""Further training files, each with its own format and tag scheme."""

import pytest

from elmo_tasks.data.classification import ClassificationData
from elmo_tasks.data.tagging import TaggingData
from elmo_tasks.errors import ConfigError

TREE = "(3 (2 A) (4 (3 lovely) (2 film)))\n(1 (2 A) (1 (1 dull) (2 plot)))\n"


@pytest.fixture
def files(tmp_path):
    marked, columns = tmp_path / "ours.marked", tmp_path / "theirs.conll"
    marked.write_text("[Ada Marsh](PER) flew to [Oslo](LOC).\nNobody came.\n")
    columns.write_text("Rome I-LOC\nfell O\n\nAda I-PER\nran O\n\nBonn I-LOC\nBern B-LOC\n\n")
    return str(marked), str(columns)


def test_files_of_two_schemes_are_brought_into_one(files):
    marked, columns = files
    data = TaggingData(marked, more=[marked, columns], validation=columns, scheme="BIOES")
    data.setup("fit")
    rows = data.labelled("train")
    assert len(rows) == 7
    assert rows.count((("Nobody", "came", "."), ("O", "O", "O"))) == 2
    assert (("Bonn", "Bern"), ("S-LOC", "S-LOC")) in rows
    assert (
        ("Ada", "Marsh", "flew", "to", "Oslo", "."),
        ("B-PER", "E-PER", "O", "O", "S-LOC", "O"),
    ) in rows
    assert data.name_of("train") == f"{marked} + {marked} + {columns}" or marked in data.name_of(
        "train"
    )
    assert len(data.rows["validation"]) == 3


def test_a_share_is_read_in_lower_case_too(files):
    marked, _ = files
    data = TaggingData(marked, validation=marked, lower_case=0.5)
    data.setup("fit")
    tokens = data.tokens("train")
    assert len(tokens) == 3
    assert ("nobody", "came", ".") in tokens
    assert all(not row[0].islower() for row in data.tokens("validation"))
    assert "lower_case" not in data.reading()
    with pytest.raises(ConfigError, match="a share from 0 to 1, found 2"):
        TaggingData(marked, lower_case=2)


def test_texts_and_the_phrases_of_trees(tmp_path):
    texts, trees = tmp_path / "ours.tsv", tmp_path / "trees.txt"
    texts.write_text("positive\tI love it.\nnegative\tI hate it.\nneutral\tIt is here.\n")
    trees.write_text(TREE)
    numbers = {"1": "negative", "2": "neutral", "3": "positive", "4": "positive"}
    names = {name: name for name in ("positive", "negative", "neutral")} | numbers
    data = ClassificationData(str(texts), more=[str(trees)], phrases=True, label_names=names)
    data.setup("fit")
    rows = data.labelled("train")
    assert (("lovely", "film"), "positive") in rows
    assert (("I", "hate", "it", "."), "negative") in rows
    assert len(rows) == 3 + 10


def test_no_further_files_beside_a_hub_data_set():
    with pytest.raises(
        ConfigError, match="no further files beside the hub data set 'sst2', found 1"
    ):
        ClassificationData("train", hub="sst2", more=["a.tsv"])
