"""Files of word vectors of other programs: word2vec, GloVe and fastText."""

import gzip
import lzma

import numpy as np
import pytest
import torch

from elmo_tasks.encoders import load
from elmo_tasks.encoders.static_vectors import StaticVectors, read_word_vectors
from elmo_tasks.errors import WeightsError

FILE_WORDS = ["the", "bank", "größe", ". . .", "river"]
FILE_VECTORS = np.arange(20, dtype=np.float32).reshape(5, 4) / 7 - 1


@pytest.mark.parametrize("binary", [False, True])
def test_files_that_gensim_writes_as_word2vec(binary, tmp_path):
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
        (b"a 1 2\nb 3 4\na 1 2\n", "line 3: the word 'a' is already in line 1"),
        (b"3 2\na 1 2\nb 1 2\n", "expected 3 words as its first line says, found 2"),
        (b"3 0\na\n", "line 1: no word vectors"),
        (b"3 99999999999\na 1\n", "line 1: no word vectors"),
        (BINARY[:-1], "word 2 of 2: expected a word and 4 numbers; the file ends"),
        (b"999999999999 4\n" + BINARY[4:], "word 3 of 999,999,999,999: .* the file ends"),
        (b"2 99999999\n" + BINARY[4:], "line 1: no word vectors"),
        (
            BINARY.replace(b"bank", b"the"),
            "word 2 of 2: the word 'the' is already in word 1 of 2",
        ),
        (
            BINARY[:-4] + np.float32(np.inf).tobytes(),
            "word 2 of 2: 'bank' has numbers that are not finite",
        ),
        (b"\x80\x04\x95pickle\n", "may hold code: save .* with save_word2vec_format"),
        ((793712314).to_bytes(4, "little") + b"\x0c\0\0\0\n", "fastText use the .vec file"),
    ],
)
def test_errors_of_broken_files_name_the_place(content, message, tmp_path):
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


def test_text_with_very_long_rows_is_not_mistaken_for_binary(tmp_path):
    (tmp_path / "vectors.vec").write_bytes(b"1 300\nbank" + b" 0.5" * 300 + b"\n")
    words, table = read_word_vectors(tmp_path / "vectors.vec")
    assert words == ["bank"]
    np.testing.assert_array_equal(table, np.full((1, 300), 0.5))


def test_broken_compressed_files_are_refused(tmp_path):
    for ending, packed in ((".gz", gzip.compress), (".xz", lzma.compress)):
        path = tmp_path / f"vectors.txt{ending}"
        path.write_bytes(packed(lines_of(True))[:-9])
        with pytest.raises(WeightsError, match="cannot be read"):
            load(path)
        path.write_bytes(b"no archive")
        with pytest.raises(WeightsError, match="compressed data is broken"):
            load(path)
