"""``embed``: the same vectors in every layout, however the work is cut."""

import io
import json
import subprocess
import sys

import h5py
import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from elmo_tasks.encoders.elmo import Elmo


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("elmo_tasks.corpus.blocks.MAX_CHARACTERS", 24)


def vectors_of(path):
    """The vectors of each line of a file in the published layout."""
    with h5py.File(path) as file:
        return [file[str(k)][()] for k in range(len(file) - 1)]


TEXT = "the bank of the river\n\nA second line\nthe bank of the river\n"


@pytest.fixture(autouse=True)
def text(tmp_path):
    (tmp_path / "in.txt").write_text(TEXT)


@pytest.mark.parametrize("which", ["all", "top", "average"])
def test_embed_writes_the_file_of_the_allennlp_command(toy, tmp_path, run, which):
    run.done("embed", tmp_path / "in.txt", tmp_path / "out.hdf5", "--model", toy, f"--{which}")
    elmo = Elmo.load(toy)
    with h5py.File(tmp_path / "out.hdf5") as file:
        assert set(file) == {"0", "1", "2", "3", "sentence_to_index"}
        index = json.loads(file["sentence_to_index"][0])
        assert index == {"the bank of the river": "3", "": "1", "A second line": "2"}
        for k, line in enumerate(TEXT.splitlines()):
            vectors = elmo.encode([line.split()]).sentence(0)
            expected = {"all": vectors, "top": vectors[-1], "average": vectors.mean(dim=0)}[which]
            assert file[str(k)].dtype == np.float32
            assert file[str(k)].shape == tuple(expected.shape)
            np.testing.assert_allclose(file[str(k)][()], expected.numpy(), atol=1e-6)
        np.testing.assert_allclose(file["0"][()], file["3"][()], atol=1e-6)


def stop_at(monkeypatch, number):
    """Interrupt the encoder at one of its calls, and return the list of them."""
    encode, calls = Elmo.encode, []

    def counted(self, sentences):
        calls.append(sentences)
        if len(calls) == number:
            raise KeyboardInterrupt
        return encode(self, sentences)

    monkeypatch.setattr(Elmo, "encode", counted)
    return calls


def test_computed_blocks_are_kept_and_partial_files_never_seen(
    toy, tmp_path, run, monkeypatch, small_blocks
):
    arguments = ["embed", tmp_path / "in.txt", tmp_path / "out.hdf5", "--model", toy, "--all"]
    with monkeypatch.context() as patched:
        calls = stop_at(patched, 3)
        assert run(*arguments)[0] == 130
        assert {p.name for p in tmp_path.iterdir()} == {"in.txt", ".out.hdf5.parts"}
        run.done(*arguments)
        assert len(calls) == 4  # two blocks were there, the third was begun twice
    assert {p.name for p in tmp_path.iterdir()} == {"in.txt", "out.hdf5"}
    run.done(*arguments[:2], tmp_path / "whole.hdf5", *arguments[3:])
    for one, other in zip(
        vectors_of(tmp_path / "out.hdf5"), vectors_of(tmp_path / "whole.hdf5"), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_blocks_of_another_request_are_not_reused(toy, tmp_path, run, monkeypatch, small_blocks):
    with monkeypatch.context() as patched:
        stop_at(patched, 2)
        assert (
            run("embed", tmp_path / "in.txt", tmp_path / "out.hdf5", "--model", toy, "--top")[0]
            == 130
        )
    run.done("embed", tmp_path / "in.txt", tmp_path / "out.hdf5", "--model", toy, "--average")
    expected = Elmo.load(toy).encode([TEXT.splitlines()[0].split()]).average()[0]
    np.testing.assert_allclose(vectors_of(tmp_path / "out.hdf5")[0], expected, atol=1e-6)


def test_an_interruption_before_the_first_block_leaves_nothing(toy, tmp_path, run, monkeypatch):
    stop_at(monkeypatch, 1)
    status, _, _ = run("embed", tmp_path / "in.txt", tmp_path / "out.hdf5", "--model", toy, "--all")
    assert status == 130
    assert [p.name for p in tmp_path.iterdir()] == ["in.txt"]


@pytest.mark.parametrize("which", ["all", "top"])
@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_every_layout_holds_the_same_vectors(
    toy, tmp_path, run, small_blocks, which, pooled, dtype
):
    flags = ["--model", toy, f"--{which}", "--dtype", dtype, *["--sentences"] * pooled]
    for name, more in (("a.hdf5", []), ("b.hdf5", ["--layout", "flat"]), ("c.parquet", [])):
        run.done("embed", tmp_path / "in.txt", tmp_path / name, *flags, *more)
    lines = TEXT.splitlines()
    expected = []
    for layers in map(Elmo.load(toy).encode, [[line.split()] for line in lines]):
        vectors = layers.sentence(0).transpose(0, 1)  # [tokens, L, D]
        vectors = vectors if which == "all" else vectors[:, -1]
        expected.append((vectors.sum(dim=0) / max(1, len(vectors)) if pooled else vectors).numpy())
    close = {"atol": 1e-6, "rtol": 1e-6 if dtype == "float32" else 2**-10}
    for k, found in enumerate(vectors_of(tmp_path / "a.hdf5")):
        assert found.dtype == dtype
        turned = found.transpose(1, 0, 2) if which == "all" and not pooled else found
        np.testing.assert_allclose(turned, expected[k], **close)
    with h5py.File(tmp_path / "b.hdf5") as file:
        assert set(file) == {"vectors", "offsets", "sentences"} | (
            {"tokens"} if not pooled else set()
        )
        assert file["vectors"].dtype == dtype
        offsets = file["offsets"][()]
        assert [text.decode() for text in file["sentences"]] == lines
        if not pooled:
            assert [text.decode() for text in file["tokens"]] == " ".join(lines).split()
        for k, rows in enumerate(expected):
            found = file["vectors"][offsets[k] : offsets[k + 1]]
            np.testing.assert_allclose(found, rows[None] if pooled else rows, **close)
    table = pq.read_table(tmp_path / "c.parquet")
    columns = ["vector"] if which == "top" else ["layer_0", "layer_1", "layer_2"]
    assert table.column_names == ["sentence", *["position"] * (not pooled), "text", *columns]
    assert table["text"].to_pylist() == (lines if pooled else " ".join(lines).split())
    numbers = [k for k, rows in enumerate(expected) for _ in range(1 if pooled else len(rows))]
    assert table["sentence"].to_pylist() == numbers
    stacked = np.stack([np.stack(table[name].to_numpy()) for name in columns], axis=1)
    rows = np.stack(expected) if pooled else np.concatenate(expected)
    np.testing.assert_allclose(stacked if which == "all" else stacked[:, 0], rows, **close)


@pytest.mark.nightly
def test_a_long_line_takes_little_memory(tmp_path):
    """63 short lines and one of 5,000 tokens, with the bundled model: batches are bounded by their
    words."""
    (tmp_path / "in.txt").write_text("The bank opened late .\n" * 63 + "word " * 5_000 + "\n")
    code = (
        "import sys; from elmo_tasks.__main__ import main; status = main(sys.argv[1:]); "
        "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM:')); "
        "print(1024 * int(peak.split()[1])); sys.exit(status)"
    )
    command = [
        sys.executable,
        "-c",
        code,
        "embed",
        str(tmp_path / "in.txt"),
        str(tmp_path / "o.hdf5"),
        "--all",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) < 1e9  # bytes, PyTorch included


def test_plain_text_from_standard_input(toy, tmp_path, run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"The bank, too.\n\nIt rose.")))
    run.done(
        "embed", "-", tmp_path / "o.hdf5", "--raw", "--model", toy, "--top", "--layout", "flat"
    )
    with h5py.File(tmp_path / "o.hdf5") as file:
        assert [t.decode() for t in file["tokens"]] == [
            "The",
            "bank",
            ",",
            "too",
            ".",
            "It",
            "rose",
            ".",
        ]
        assert file["offsets"][()].tolist() == [0, 5, 5, 8]


def test_long_lines_are_read_in_overlapping_windows(toy, tmp_path, run):
    # 11, in windows of 4: a step of 2, a margin of 1
    tokens = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]
    (tmp_path / "in.txt").write_text(" ".join(tokens) + "\nshort one\n")
    flags = ["--model", toy, "--top"]
    run.done("embed", tmp_path / "in.txt", tmp_path / "w.hdf5", *flags, "--window", "4")
    elmo, expected = Elmo.load(toy), []
    for begin, kept_from, kept_to in ((0, 0, 3), (2, 3, 5), (4, 5, 7), (6, 7, 8), (7, 8, 11)):
        vectors = elmo.encode([tokens[begin : begin + 4]]).sentence(0)[-1]
        expected.append(vectors[kept_from - begin : kept_to - begin])
    found = vectors_of(tmp_path / "w.hdf5")
    np.testing.assert_allclose(found[0], torch.cat(expected), atol=1e-6)
    np.testing.assert_allclose(found[1], elmo.encode([["short", "one"]]).sentence(0)[-1], atol=1e-6)
    run.done(
        "embed", tmp_path / "in.txt", tmp_path / "s.hdf5", *flags, "--window", "4", "--sentences"
    )
    np.testing.assert_allclose(vectors_of(tmp_path / "s.hdf5")[0], found[0].mean(axis=0), atol=1e-6)


def test_bf16_points_where_float32_points(tmp_path, run):
    (tmp_path / "in.txt").write_text(
        "The bank refused our loan .\nHerons nest along the muddy bank .\n"
    )
    for name in ("float32", "bf16"):
        run.done("embed", tmp_path / "in.txt", tmp_path / name, "--all", "--precision", name)
    for exact, found in zip(
        vectors_of(tmp_path / "float32"), vectors_of(tmp_path / "bf16"), strict=True
    ):
        assert found.dtype == np.float32
        assert not np.array_equal(exact, found)
        cosines = (
            (exact * found).sum(-1)
            / np.linalg.norm(exact, axis=-1)
            / np.linalg.norm(found, axis=-1)
        )
        assert cosines.min() > 0.999


@pytest.mark.parametrize("which", ["all", "top"])
def test_the_lengths_of_the_vectors_are_printed_and_written(
    toy, tmp_path, run, small_blocks, which
):
    flags = ["--model", toy, f"--{which}", "--norms"]
    out = run.done("embed", tmp_path / "in.txt", tmp_path / "flat.hdf5", "--layout", "flat", *flags)
    layers = Elmo.load(toy).encode([TEXT.splitlines()[0].split()]).sentence(0)
    expected = (layers if which == "all" else layers[-1:]).norm(dim=-1).T.numpy()  # [tokens, L]
    header, *rows = out.splitlines()
    assert (
        header.split()
        == ("line layer 0 layer 1 layer 2" if which == "all" else "line length").split()
    )
    assert rows[1].split() == ["1", "bank", *(f"{norm:.2f}" for norm in expected[1])]
    assert rows[5].split()[:2] == ["3", "A"]
    with h5py.File(tmp_path / "flat.hdf5") as file:
        norms = file["norms"][()].reshape(len(rows), -1)
    np.testing.assert_allclose(norms[:5], expected, rtol=1e-5)
    assert run("embed", tmp_path / "in.txt", tmp_path / "o.parquet", *flags)[1] == out
    table = pq.read_table(tmp_path / "o.parquet")
    columns = ["norm_0", "norm_1", "norm_2"] if which == "all" else ["norm"]
    np.testing.assert_allclose(
        np.stack([table[name].to_numpy() for name in columns], axis=1), norms, rtol=1e-6
    )


def test_parquet_without_pyarrow_names_the_package(toy, tmp_path, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    err = run.refused("embed", tmp_path / "in.txt", tmp_path / "o.parquet", "--model", toy, "--top")
    assert (
        'it needs the package pyarrow, which is not installed: pip install "elmo-tasks[corpus]"'
        in err
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("missing.txt", "out.hdf5", "--all"),
            "missing.txt: no such file; expected a text, a table, a folder or an address",
        ),
        (("in.txt", "nowhere/out.hdf5", "--top"), "the folder nowhere does not exist"),
        (
            ("in.txt", "in.txt", "--all"),
            "in.txt: this is the input itself, or inside it; name a new file",
        ),
        (
            ("in.txt", ".", "--all"),
            "this folder has files that this program did not write, such as in.txt",
        ),
        (
            ("in.txt", "out.hdf5", "--all", "--device", "banana"),
            "device 'banana' cannot be used here",
        ),
        ((".", "out.hdf5", "--all"), "out.hdf5: this is the input itself, or inside it"),
        (
            ("in.txt", "out.hdf5", "--top", "--batch-size", "0"),
            "batch_size: expected 1 or more, found 0",
        ),
        (
            ("in.txt", "out.hdf5", "--top", "--window", "3"),
            "window: expected 4 tokens or more, found 3",
        ),
    ],
)
def test_embed_refuses_wrong_input(toy, tmp_path, run, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in run.refused("embed", *arguments, "--model", toy)
