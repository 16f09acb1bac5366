"""Static vectors: looked up, laid out as Layers, compared; written, read, and refused when
broken."""

import gzip
import json
import lzma
import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from elmo_tasks.bilm.model_files import bundled_models
from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.encoders import load
from elmo_tasks.encoders.static_vectors import StaticVectors, bundled_vectors, read_word_vectors
from elmo_tasks.errors import ConfigError, DataError, InputError, WeightsError
from elmo_tasks.recipes.static_vectors import StaticSettings, train_vectors, write_vectors

WORDS = ("the", "cat", "dog", "0000", "Oslo", "oslo")
VECTORS = torch.tensor(
    [[0.0, 0.0, 2.0], [3.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, -1.0, 0.5], [9.0, 0, 0], [0, 9.0, 0]]
)


def toy() -> StaticVectors:
    return StaticVectors(WORDS, VECTORS, (60, 50, 40, 30, 20, 10), "toy")


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


def test_words_that_are_not_there_have_the_zero_vector():
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


def test_nearest_refuses_what_it_does_not_know():
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


def test_odd_words_survive(tmp_path):
    words = ("\u00a0", "naïve", "a\u2028b", "🍎", "\\n")
    write_vectors(tmp_path / "odd", StaticVectors(words, torch.eye(5)), {})
    assert StaticVectors.load(tmp_path / "odd").words == words


def test_vectors_that_are_not_there(tmp_path):
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


# --- Training. ---

PLACES = ("garden", "kitchen", "cellar", "attic", "stable", "shed")
DRINKS = ("milk", "cider", "cocoa", "lemonade", "broth", "tea")


@pytest.fixture
def text(tmp_path):
    """Sentences in which places stand where places stand, and drinks where drinks do."""
    lines = [f"My aunt went down to the {place} before breakfast ." for place in PLACES]
    lines += [f"He drank a cup of warm {drink} with honey ." for drink in DRINKS]
    lines += ["In 1871 there were 36 hens .", "", "In 2019 there were 12 hens ."]
    path = tmp_path / "own.txt.xz"
    with lzma.open(path, "wt", encoding="utf-8") as out:
        out.write("\n".join(lines * 40) + "\n")
    return path


SMALL = StaticSettings(size=16, sample=1.0, epochs=100, window=3)


@pytest.mark.parametrize("algorithm", ["cbow", "skip-gram"])
def test_words_of_one_kind_come_together(text, algorithm):
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
    with pytest.raises(DataError, match=r"short.txt: 4 tokens, and no word comes 5 times"):
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


# --- The bundled vectors. ---


@pytest.fixture(scope="module")
def bundled():
    return StaticVectors.load()


def test_the_bundled_vectors_are_small_files():
    files = list((CHECKPOINTS / "static-mini").iterdir())
    assert sum(path.stat().st_size for path in files) < 8_000_000
    assert {path.name for path in files} == {"card.json", "vectors.safetensors", "words.txt.xz"}
    assert (
        sum(path.stat().st_size for path in (CHECKPOINTS / "static-joint").iterdir()) < 10_000_000
    )
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
def test_the_bundled_vectors_know_what_goes_together(bundled, word, near, far):
    a, b, c = torch.nn.functional.normalize(bundled.vectors_of([word, near, far]), dim=1)
    assert a @ b > a @ c + 0.1


EVERYDAY = "The children of Mr. Brown paid 25 dollars for a bicycle on Friday ."


def test_the_bundled_vectors_hold_everyday_words(bundled):
    assert 20_000 <= len(bundled) <= 40_000
    assert all(word in bundled for word in EVERYDAY.split())
    assert {word for word, _ in bundled.nearest("Monday", 4)} <= {
        f"{day}day" for day in ("sun", "tues", "wednes", "thurs", "fri", "satur")
    }


# --- Files of other programs, against gensim where it writes the format. ---

FILE_WORDS = ["the", "bank", "größe", ". . .", "river"]
FILE_VECTORS = np.arange(20, dtype=np.float32).reshape(5, 4) / 7 - 1


@pytest.mark.parametrize("binary", [False, True])
def test_what_gensim_writes_in_the_format_of_word2vec(binary, tmp_path):
    gensim = pytest.importorskip("gensim", reason="gensim is not installed")
    words = [word.replace(" ", "_") for word in FILE_WORDS]
    vectors = gensim.models.KeyedVectors(4)
    vectors.add_vectors(words, FILE_VECTORS)
    path = tmp_path / ("vectors.bin" if binary else "vectors.txt")
    vectors.save_word2vec_format(str(path), binary=binary)
    found, table = read_word_vectors(path)
    assert found == words
    np.testing.assert_allclose(table, FILE_VECTORS, rtol=1e-6)


def lines_of(header: bool) -> bytes:
    rows = [
        f"{word} {' '.join(f'{v:.6f}' for v in row)}"
        for word, row in zip(FILE_WORDS, FILE_VECTORS, strict=True)
    ]
    return "\n".join([*(["5 4"] if header else []), *rows, ""]).encode()


@pytest.mark.parametrize("header", [False, True], ids=["glove", "fasttext"])
@pytest.mark.parametrize(
    ("ending", "packed"), [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress)]
)
def test_text_with_and_without_a_first_line(header, ending, packed, tmp_path):
    path = tmp_path / f"glove.4d.txt{ending}"
    path.write_bytes(packed(lines_of(header)))
    encoder = load(path)
    assert isinstance(encoder, StaticVectors)
    assert (encoder.name, encoder.words, encoder.n_layers, encoder.width) == (
        "glove",
        tuple(FILE_WORDS),
        1,
        4,
    )
    torch.testing.assert_close(encoder.vectors, torch.from_numpy(FILE_VECTORS), atol=1e-5, rtol=0)
    assert encoder.encode([["The", "bank"]]).values[0, 0, 0].tolist() == pytest.approx(
        FILE_VECTORS[0], abs=1e-5
    )


def test_the_original_binary_ends_rows_with_a_line_feed(tmp_path):
    path = tmp_path / "news.bin"
    rows = b"".join(
        w.encode() + b" " + v.tobytes() + b"\n"
        for w, v in zip(FILE_WORDS[:2], FILE_VECTORS[:2], strict=True)
    )
    path.write_bytes(b"2 4\n" + rows)
    found, table = read_word_vectors(path)
    assert found == FILE_WORDS[:2]
    np.testing.assert_array_equal(table, FILE_VECTORS[:2])


BINARY = b"2 4\nthe " + FILE_VECTORS[0].tobytes() + b"bank " + FILE_VECTORS[1].tobytes()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1: no word vectors that are read here.*found nothing"),
        (b"only\n", "line 1: no word vectors"),
        (b"a 1 2\nb 1\n", "line 2: expected a word and 2 numbers, found 'b 1"),
        (b"a 1 2\nb 1 x\n", "line 2: expected a word and 2 numbers"),
        (b"a 1 2\nb 1 nan\n", "line 2: expected a word and 2 numbers"),
        (b"0 3\n", "line 1: no word vectors"),
        (b"a 1 2\nb 3 4\na 1 2\n", "line 3: the word 'a' came in line 1 already"),
        (b"3 2\na 1 2\nb 1 2\n", "expected 3 words as its first line says, found 2"),
        (b"3 0\na\n", "line 1: no word vectors"),
        (b"3 99999999999\na 1\n", "line 1: no word vectors"),
        (BINARY[:-1], "word 2 of 2: expected a word and 4 numbers; the file ends"),
        (b"999999999999 4\n" + BINARY[4:], "word 3 of 999,999,999,999: .* the file ends"),
        (b"2 99999999\n" + BINARY[4:], "line 1: no word vectors"),
        (
            BINARY.replace(b"bank", b"the"),
            "word 2 of 2: the word 'the' came in word 1 of 2 already",
        ),
        (
            BINARY[:-4] + np.float32(np.inf).tobytes(),
            "word 2 of 2: 'bank' has numbers that are not finite",
        ),
        (b"\x80\x04\x95pickle\n", "may hold code: use save_word2vec_format"),
        ((793712314).to_bytes(4, "little") + b"\x0c\0\0\0\n", "fastText use the .vec file"),
    ],
)
def test_broken_files_are_told_with_their_place(content, message, tmp_path):
    path = tmp_path / "vectors.vec"
    path.write_bytes(content)
    with pytest.raises(WeightsError, match=message):
        load(path)


ROWS = b"the 0.1 0.2\nbank 0.5 -0.2\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"2 2\n" + ROWS + b"\n", ["the", "bank"]),
        (ROWS + b"\n\n", ["the", "bank"]),
        (ROWS.replace(b"\n", b"\n\n"), ["the", "bank"]),
        (b"\xef\xbb\xbf2 2\n" + ROWS, ["the", "bank"]),
        (b"\xef\xbb\xbf" + ROWS, ["the", "bank"]),
        (b"2 2\n\xef\xbb\xbf" + ROWS, ["the", "bank"]),
        (b"3 2\n" + ROWS + b"caf\xc3 0.1 0.2\n", ["the", "bank", "caf\\xc3"]),
        (b"2 2\ncaf\xc3 0.1 0.2\ncaf\xc2 0.3 0.4\n", ["caf\\xc3", "caf\\xc2"]),
        (b"2 2\r\n" + ROWS.replace(b"\n", b"\r\n"), ["the", "bank"]),
        (ROWS.replace(b"\n", b" \n"), ["the", "bank"]),
        (ROWS.replace(b"0.1", b"1e-1"), ["the", "bank"]),
    ],
)
def test_files_as_people_save_them(content, words, tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_bytes(content)
    found, table = read_word_vectors(path)
    assert found == words
    assert table.shape == (len(words), 2)
    if words[0] == "the":
        np.testing.assert_allclose(table[:2], [[0.1, 0.2], [0.5, -0.2]], rtol=1e-6)


def test_text_with_longer_rows_than_are_looked_at_is_not_taken_for_binary(tmp_path):
    (tmp_path / "vectors.vec").write_bytes(b"1 300\nbank" + b" 0.5" * 300 + b"\n")
    words, table = read_word_vectors(tmp_path / "vectors.vec")
    assert words == ["bank"]
    np.testing.assert_array_equal(table, np.full((1, 300), 0.5))


def test_broken_compressed_files_are_told(tmp_path):
    for ending, packed in ((".gz", gzip.compress), (".xz", lzma.compress)):
        path = tmp_path / f"vectors.txt{ending}"
        path.write_bytes(packed(lines_of(True))[:-9])
        with pytest.raises(WeightsError, match="cannot be read"):
            load(path)
        path.write_bytes(b"no archive")
        with pytest.raises(WeightsError, match="compressed data is broken"):
            load(path)
