"""Training of static vectors: words of one kind come together, and runs repeat."""

import lzma
from dataclasses import replace

import pytest

from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.recipes.static_vectors import StaticSettings, train_vectors

PLACES = ("garden", "kitchen", "cellar", "attic", "stable", "shed")
DRINKS = ("milk", "cider", "cocoa", "lemonade", "broth", "tea")


@pytest.fixture
def text(tmp_path):
    """Sentences in which all places share one context, and all drinks another."""
    lines = [f"My aunt went down to the {place} before breakfast ." for place in PLACES]
    lines += [f"He drank a cup of warm {drink} with honey ." for drink in DRINKS]
    lines += ["In 1871 there were 36 hens .", "", "In 2019 there were 12 hens ."]
    path = tmp_path / "own.txt.xz"
    with lzma.open(path, "wt", encoding="utf-8") as out:
        out.write("\n".join(lines * 40) + "\n")
    return path


SMALL = StaticSettings(size=16, sample=1.0, epochs=100, window=3)


@pytest.mark.parametrize("algorithm", ["cbow", "skip-gram"])
def test_words_of_one_kind_are_neighbours(text, algorithm):
    vectors, about = train_vectors([text], replace(SMALL, algorithm=algorithm))
    assert {word for word, _ in vectors.nearest("Milk", 5)} == set(DRINKS) - {"milk"}
    assert {word for word, _ in vectors.nearest("cellar", 5)} == set(PLACES) - {"cellar"}
    assert vectors.counts[0] == max(vectors.counts) == 560  # the full stop: 14 lines, 40 times
    assert list(vectors.counts) == sorted(vectors.counts, reverse=True)
    assert {"0000", "00"} <= set(vectors.words)
    assert "1999" in vectors
    assert (
        about["training"]["tokens"]
        == about["training"]["tokens_in_vocabulary"]
        == sum(vectors.counts)
    )
    assert about["training"]["files"] == ["own.txt.xz"]
    assert about["settings"]["algorithm"] == algorithm


def test_one_worker_gives_the_same_numbers_again(text):
    first, again = (train_vectors([text], SMALL)[0] for _ in range(2))
    other = train_vectors([text], replace(SMALL, seed=2))[0]
    assert first.checksum == again.checksum != other.checksum


def test_the_most_frequent_words_are_kept(text):
    vectors, about = train_vectors([text, text], StaticSettings(size=4, words=3, epochs=1))
    assert len(vectors) == 3
    assert vectors.words[0] == "."
    assert (
        about["training"]["tokens"]
        > about["training"]["tokens_in_vocabulary"]
        == sum(vectors.counts)
    )


def test_text_that_cannot_be_trained_on(tmp_path):
    (tmp_path / "short.txt").write_text("One line only .\n")
    with pytest.raises(DataError, match=r"short.txt: 4 tokens, and no word occurs 5 times"):
        train_vectors([tmp_path / "short.txt"])
    with pytest.raises(DataError, match="no such file"):
        train_vectors([tmp_path / "nowhere.txt"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": 0}, "size 0: expected at least 1"),
        ({"epochs": -1}, "epochs -1: expected at least 1"),
        ({"seed": -1}, "seed -1: expected a number from 0 to"),
        ({"algorithm": "glove"}, "algorithm 'glove': expected one of cbow, skip-gram"),
    ],
)
def test_wrong_settings_are_named(settings, message):
    with pytest.raises(ConfigError, match=message):
        StaticSettings(**settings)


def test_no_workers(text):
    with pytest.raises(ConfigError, match="workers 0: expected at least 1"):
        train_vectors([text], workers=0)
