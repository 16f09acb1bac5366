"""Static vectors: the look-up, layers, neighbours, their own files, and the bundled ones."""

import json
import lzma
import re

import pytest
import torch
from safetensors.torch import save_file

from elmo_tasks.bilm.model_files import bundled_models
from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.encoders.static_vectors import StaticVectors, bundled_vectors
from elmo_tasks.errors import ConfigError, InputError, WeightsError
from elmo_tasks.recipes.static_vectors import write_vectors

WORDS = ("the", "cat", "dog", "0000", "Oslo", "oslo")
VECTORS = torch.tensor(
    [[0.0, 0.0, 2.0], [3.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, -1.0, 0.5], [9.0, 0, 0], [0, 9.0, 0]]
)


def toy() -> StaticVectors:
    return StaticVectors(WORDS, VECTORS, (60, 50, 40, 30, 20, 10), name="toy")


@pytest.fixture
def folder(tmp_path):
    write_vectors(tmp_path / "toy", toy(), {"kind": "static vectors"})
    return tmp_path / "toy"


# --- Looking up. ---


@pytest.mark.parametrize(
    ("token", "row"),
    [
        ("cat", 1),
        ("CAT", 1),
        ("Cat", 1),
        ("1984", 3),
        ("2024", 3),
        ("Oslo", 4),
        ("oslo", 5),
        ("OSLO", 5),
    ],
)
def test_a_word_is_looked_up_as_it_is_then_normalized(token, row):
    assert token in toy()
    assert torch.equal(toy().vectors_of([token])[0], VECTORS[row])


def test_unknown_words_have_the_zero_vector():
    vectors = toy().vectors_of(["weasel", "cat", "", "84"])
    assert vectors.shape == (4, 3)
    assert vectors.any(dim=1).tolist() == [False, True, False, False]
    assert "weasel" not in toy()
    assert "" not in toy()
    assert toy().vectors_of([]).shape == (0, 3)
    assert toy().encode([[], []]).values.shape == (1, 2, 0, 3)


def test_one_string_is_not_a_list_of_words():
    with pytest.raises(
        InputError, match="expected a list of words, found one string; put it in a list"
    ):
        toy().vectors_of("cat")


# --- As an encoder. ---


def test_sentences_become_layers():
    layers = toy().encode([["The", "weasel", "cat"], [], ["Dog"]])
    assert layers.values.shape == (1, 3, 3, 3)
    assert layers.mask.tolist() == [[True] * 3, [False] * 3, [True, False, False]]
    assert layers.tokens == (("The", "weasel", "cat"), (), ("Dog",))
    expected = torch.zeros(3, 3, 3)
    expected[0, 0], expected[0, 2], expected[2, 0] = VECTORS[0], VECTORS[1], VECTORS[2]
    assert torch.equal(layers.values[0], expected)


def test_the_checksum_is_that_of_words_and_numbers():
    other = VECTORS.clone()
    other[2, 1] += 0.001
    assert toy().checksum == toy().checksum
    assert len(toy().checksum) == 64
    swapped = ("the", "dog", "cat", *WORDS[3:])
    assert (
        len(
            {
                toy().checksum,
                StaticVectors(WORDS, other).checksum,
                StaticVectors(swapped, VECTORS).checksum,
            }
        )
        == 3
    )


# --- Neighbours. ---


def test_nearest_words_by_hand():
    (first, cosine), *others = toy().nearest("Cat", 3)
    assert first == "Oslo"
    assert cosine == pytest.approx(3 / 10**0.5)
    assert others[0] == ("dog", pytest.approx(4 / 20**0.5))
    assert len(others) == 2


def test_nearest_leaves_out_the_word_itself_and_stops_at_the_last_word():
    assert {word for word, _ in toy().nearest("cat", 99)} == set(WORDS) - {"cat"}
    assert toy().nearest("cat", 0) == []


def test_nearest_refuses_an_unknown_word():
    with pytest.raises(InputError, match="'weasel' is not among the 6 words of toy") as caught:
        toy().nearest("weasel")
    assert caught.value.field == "word"


# --- Files. ---


def test_written_and_read(folder):
    found = StaticVectors.load(folder)
    assert (found.name, found.words, found.counts) == ("toy", WORDS, toy().counts)
    assert torch.equal(found.vectors, VECTORS)  # these numbers are exact in float16
    assert found.checksum == toy().checksum
    assert sorted(path.name for path in folder.iterdir()) == [
        "card.json",
        "vectors.safetensors",
        "words.txt.xz",
    ]


def test_unusual_words_are_kept(tmp_path):
    words = ("\u00a0", "naïve", "a\u2028b", "🍎", "\\n")
    write_vectors(tmp_path / "odd", StaticVectors(words, torch.eye(5)), {})
    assert StaticVectors.load(tmp_path / "odd").words == words


def test_missing_vectors_are_refused(tmp_path):
    with pytest.raises(
        ConfigError,
        match=r"no static vectors 'glove': expected a name in checkpoints/ \(.*static-mini",
    ):
        StaticVectors.load("glove")
    with pytest.raises(
        WeightsError, match=r"words.txt.xz: no such file; expected the words of the vectors"
    ):
        StaticVectors.load(tmp_path)


def write_words(folder, text):
    with lzma.open(folder / "words.txt.xz", "wt", encoding="utf-8") as out:
        out.write(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("the\t9\ncat\n", r"words.txt.xz, line 2: expected 'word<TAB>count', found 'cat\\n'"),
        ("the\tmany\n", "line 1: expected 'word<TAB>count'"),
        ("the\t9\n\n", "line 2: expected 'word<TAB>count'"),
        (
            "the\t9\ncat\t8\n",
            (
                r"expected one vector per word .* found 2 words, 2 counts and vectors of shape"
                r" \(6, 3\)"
            ),
        ),
        (
            "a\t6\nb\t5\nc\t4\nb\t3\nd\t2\ne\t1\n",
            "words.txt.xz: toy: the word 'b' is in the vocabulary twice",
        ),
    ],
)
def test_broken_words_are_named(folder, text, message):
    write_words(folder, text)
    (folder / "card.json").unlink()  # it would say that the file is damaged
    with pytest.raises(WeightsError, match=message):
        StaticVectors.load(folder)


def test_broken_weights_are_named(folder):
    weights = folder / "vectors.safetensors"
    (folder / "card.json").unlink()
    save_file({"other": torch.ones(6, 3)}, weights)
    with pytest.raises(WeightsError, match=r"found 6 words, 6 counts and vectors of shape \(0,\)"):
        StaticVectors.load(folder)
    save_file({"vectors": torch.full((6, 3), torch.nan)}, weights)
    with pytest.raises(WeightsError, match="numbers that are not finite"):
        StaticVectors.load(folder)
    weights.write_bytes(weights.read_bytes()[:30])
    with pytest.raises(WeightsError, match="not a safetensors file, or cut short"):
        StaticVectors.load(folder)
    weights.unlink()
    with pytest.raises(WeightsError, match=r"no vectors.safetensors there"):
        StaticVectors.load(folder)


# --- The bundled vectors. ---


@pytest.fixture(scope="module")
def bundled():
    return StaticVectors.load()


def test_the_bundled_vectors_are_small_files():
    files = list((CHECKPOINTS / "static-mini").iterdir())
    assert sum(path.stat().st_size for path in files) < 8_000_000
    assert {path.name for path in files} == {"card.json", "vectors.safetensors", "words.txt.xz"}
    sizes = [path.stat().st_size for path in (CHECKPOINTS / "static-joint").iterdir()]
    assert max(sizes) < 10_000_000
    assert bundled_vectors() == ["static-joint", "static-mini"]
    assert "static-mini" not in bundled_models()


def test_the_card_of_the_bundled_vectors(bundled):
    text = (CHECKPOINTS / "static-mini" / "card.json").read_text(encoding="utf-8")
    card = json.loads(text)
    assert card["kind"] == "static vectors"
    assert card["training"]["words"] == len(bundled)
    assert all(source["licence"] for source in card["sources"])
    used = {name.rsplit("_", 1)[0] for name in card["training"]["files"]}
    assert used == {source["name"] for source in card["sources"]}
    assert not any(word in text for word in ("heldout", "blogs", "ncsa"))
    assert not re.search(r"""["'\s]/""", text), "a path from the root of somebody's machine"


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("king", "queen", "banana"),
        ("Monday", "Tuesday", "cheese"),
        ("bank", "loan", "violin"),
        ("Paris", "London", "soup"),
    ],
)
def test_the_bundled_vectors_know_related_words(bundled, word, near, far):
    a, b, c = torch.nn.functional.normalize(bundled.vectors_of([word, near, far]), dim=1)
    assert a @ b > a @ c + 0.1


EVERYDAY = "The children of Mr. Brown paid 25 dollars for a bicycle on Friday ."


def test_the_bundled_vectors_hold_everyday_words(bundled):
    assert 20_000 <= len(bundled) <= 40_000
    assert all(word in bundled for word in EVERYDAY.split())
    assert {word for word, _ in bundled.nearest("Monday", 4)} <= {
        f"{day}day" for day in ("sun", "tues", "wednes", "thurs", "fri", "satur")
    }
