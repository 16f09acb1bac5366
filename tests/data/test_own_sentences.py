"""The labelled sentences and texts of this project, and its samples."""

from collections import Counter
from pathlib import Path

import pytest

import elmo_tasks
from elmo_tasks.data.classification import ClassificationData
from elmo_tasks.data.labelled_texts import read_labelled
from elmo_tasks.data.tag_files import read_tag_file, read_tagged
from elmo_tasks.data.tagging import TaggingData
from elmo_tasks.text.tag_schemes import detect_scheme, spans_of
from tests.twins import are_twins, content_words

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
    assert 0.15 < sum(" ".join(row.tokens).islower() for row in rows) / len(rows) < 0.35
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


def test_each_sentence_is_shown_once():
    for folder, ending in ((NAMES, "marked"), (TEXTS, "tsv")):
        found = [
            line
            for part in ("train", "validation", "test")
            for line in lines(folder / f"{part}.{ending}")
        ]
        assert len(set(found)) == len(found)


SAMPLES = DATA / "samples"


def test_entities_of_the_samples():
    train, test = (
        read_tagged(SAMPLES / f"ner_sample_{split}.conll") for split in ("train", "test")
    )
    assert not {s.tokens for s in train} & {s.tokens for s in test}
    for sentences in (train, test):
        assert detect_scheme(s.tags for s in sentences) == "BIO"
        types = Counter(span.type for s in sentences for span in spans_of(s.tags, "BIO"))
        assert set(types) == {"PER", "LOC", "ORG", "MISC"}
        assert min(types.values()) >= 10
        assert sum(set(s.tags) == {"O"} for s in sentences) > len(sentences) / 4
    # Some names have several types.
    tags = {
        (token, tag[2:])
        for s in (*train, *test)
        for token, tag in zip(s.tokens, s.tags, strict=True)
    }
    for name in ("Jordan", "Paris", "Washington", "May", "Austin", "Chelsea", "Georgia"):
        assert sum(token == name for token, _ in tags) > 1


def test_the_samples_train():
    ner, opinions = (
        str(SAMPLES / "ner_sample_train.conll"),
        str(SAMPLES / "sentiment_sample_train.tsv"),
    )
    entities = TaggingData(ner, test=ner.replace("train", "test"))
    sentiment = ClassificationData(
        opinions, test=opinions.replace("train", "test"), text_column=1, label_column=0
    )
    for data, rows, batches in ((entities, (225, 75), 8), (sentiment, (300, 100), 10)):
        data.setup()
        assert (len(data.rows["train"]), len(data.rows["test"]), len(data.train_dataloader())) == (
            *rows,
            batches,
        )
    assert len(entities.labels) == 9
    assert sentiment.labels == ("negative", "positive")
    assert Counter(row.target for row in sentiment.rows["train"]) == {0: 150, 1: 150}
    assert len({row.tokens for split in ("train", "test") for row in sentiment.rows[split]}) == 400
