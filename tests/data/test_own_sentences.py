"""The sentences with names and the texts with sentiment of this project."""

from pathlib import Path

import pytest

import elmo_tasks
from elmo_tasks.data.labelled_texts import read_labelled
from elmo_tasks.data.tag_files import read_tag_file
from elmo_tasks.text.tag_schemes import spans_of
from elmo_tasks.text.twins import are_twins, content_words

DATA = Path(elmo_tasks.__file__).parent / "data"
NAMES, TEXTS = DATA / "names", DATA / "sentiment"


def lines(path: Path) -> list[str]:
    return [line.partition("\t")[2] or line for line in path.read_text("utf-8").splitlines()]


def test_names_are_of_four_types_and_many():
    rows = [
        row
        for part in ("train", "validation", "test", "test_ambiguous")
        for row in read_tag_file(str(NAMES / f"{part}.marked")).sentences
    ]
    spans = [span.type for row in rows for span in spans_of(row.tags, "BIO")]
    assert set(spans) == {"PER", "LOC", "ORG", "MISC"}
    assert len(rows) >= 5_000
    assert 0.15 < sum(" ".join(row.tokens).islower() for row in rows) / len(rows) < 0.3
    assert 0.2 < sum(set(row.tags) == {"O"} for row in rows) / len(rows) < 0.35


def test_texts_are_of_three_classes_in_equal_parts():
    rows = [
        row
        for part in ("train", "validation", "test")
        for row in read_labelled(TEXTS / f"{part}.tsv")
    ]
    assert len(rows) >= 6_000
    for label in ("positive", "negative", "neutral"):
        assert 0.3 < sum(row.label == label for row in rows) / len(rows) < 0.37


@pytest.mark.ci
@pytest.mark.parametrize(
    ("folder", "ending"), [(NAMES, "marked"), (TEXTS, "tsv")], ids=["names", "sentiment"]
)
def test_no_test_sentence_has_a_near_duplicate_to_train_on(folder: Path, ending: str):
    known: dict[str, list[frozenset[str]]] = {}
    for part in ("train", "validation"):
        for line in lines(folder / f"{part}.{ending}"):
            words = content_words(line)
            for word in words:
                known.setdefault(word, []).append(words)
    for line in lines(folder / f"test.{ending}"):
        words = content_words(line)
        assert not any(
            are_twins(words, other) for word in words for other in known.get(word, ())
        ), line


def test_each_sentence_stands_once():
    for folder, ending in ((NAMES, "marked"), (TEXTS, "tsv")):
        found = [
            line
            for part in ("train", "validation", "test")
            for line in lines(folder / f"{part}.{ending}")
        ]
        assert len(set(found)) == len(found)
