"""Stored layers equal those of the encoder in float16, even if writing was interrupted."""

import json
import re
import shutil
import subprocess
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from elmo_tasks.encoders import batches, layer_cache
from elmo_tasks.encoders.batches import CorpusEncoding, token_rows
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.layer_cache import LayerCache, encoded_rows
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.layers import Layers
from tests.bilm.tiny import SENTENCES, tiny


class NumberEncoder:
    """An encoder without a model: layer ``l`` of a token is its length, times ``scale``, plus
    ``l``. It counts its work."""

    def __init__(self, scale=1.0, n_layers=2, width=3, fail_at=None):
        self.name, self.checksum = "numbers", f"scale {scale}"
        self.scale, self.n_layers, self.width = scale, n_layers, width
        self.fail_at = fail_at
        self.encoded = []

    def encode(self, sentences):
        if self.fail_at is not None and len(self.encoded) + len(sentences) > self.fail_at:
            raise KeyboardInterrupt
        self.encoded += [tuple(words) for words in sentences]
        mask = torch.zeros(len(sentences), max(map(len, sentences)), dtype=torch.bool)
        values = torch.zeros(self.n_layers, *mask.shape, self.width)
        for k, words in enumerate(sentences):
            mask[k, : len(words)] = True
            for t, word in enumerate(words):
                values[:, k, t] = len(word) * self.scale + torch.arange(self.n_layers).unsqueeze(1)
        return Layers(values, mask, tuple(map(tuple, sentences)))


MANY = [["w" * (1 + (k + t) % 9) for t in range(k * 7 % 11)] for k in range(60)]


@pytest.fixture(scope="module")
def elmo():
    return Elmo(tiny())


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(batches, "_BLOCK_TOKENS", 25)


def bytes_of(store):
    return {path.name: path.read_bytes() for path in store.folder.iterdir()}


@pytest.mark.parametrize("batch_size", [1, 3, 64])
def test_a_batch_equals_the_encoder_in_float16(elmo, tmp_path, small_blocks, batch_size):
    store = LayerCache.build(elmo, SENTENCES, tmp_path, batch_size=batch_size)
    assert (len(store), store.n_layers, store.width, store.pooled) == (6, 3, 32, None)
    assert np.diff(store.offsets).tolist() == [len(s) for s in SENTENCES]
    for indices in ([0, 1, 2, 3, 4, 5], [4, 3, 0, 4], [1], [3]):
        sentences = [SENTENCES[k] for k in indices]
        stored, live = store.batch(torch.tensor(indices), sentences), elmo.encode(sentences)
        assert stored.values.dtype == torch.float32
        torch.testing.assert_close(stored.values, live.values, atol=1e-6, rtol=2**-11)
        assert torch.equal(stored.mask, live.mask)
        assert stored.tokens == live.tokens
        assert (stored.values[:, ~stored.mask] == 0).all()


def test_pooled_is_the_mean_over_tokens(elmo, tmp_path):
    store = LayerCache.build(elmo, SENTENCES, tmp_path, pooled="mean", batch_size=2)
    live = elmo.encode(SENTENCES)
    expected = live.values.sum(dim=2) / live.mask.sum(dim=1).clamp(min=1).unsqueeze(1)
    order = [5, 3, 0, 1]
    found = store.pooled_batch(order)
    assert (found.dtype, found.shape) == (torch.float32, (3, 4, 32))
    torch.testing.assert_close(found, expected[:, order], atol=1e-6, rtol=2**-10)
    assert (found[:, 1] == 0).all()  # the sentence without a token


def test_the_file_is_token_major_half_precision(tmp_path):
    store = LayerCache.build(NumberEncoder(), [["a", "bb"], [], ["ccc"]], tmp_path)
    rows = np.fromfile(store.folder / "layers.bin", "<f2").reshape(3, 2, 3)
    assert rows[:, :, 0].tolist() == [[1, 2], [2, 3], [3, 4]]
    assert np.load(store.folder / "offsets.npy").tolist() == [0, 2, 2, 3]


def test_a_finished_cache_is_opened(tmp_path):
    first = LayerCache.build(NumberEncoder(), MANY, tmp_path)
    again = NumberEncoder()
    assert LayerCache.build(again, MANY, tmp_path, max_bytes=0).folder == first.folder
    assert again.encoded == []
    assert {path.name for path in first.folder.iterdir()} == {
        "store.json",
        "offsets.npy",
        "layers.bin",
    }


def test_sentences_are_encoded_by_length_and_kept_in_order(tmp_path):
    encoder = NumberEncoder()
    store = LayerCache.build(encoder, MANY, tmp_path, batch_size=8)
    lengths = [len(words) for words in encoder.encoded]
    assert lengths == sorted(lengths)
    assert 0 not in lengths  # nothing to encode
    everything = store.batch(range(len(MANY)), MANY)
    assert torch.equal(everything.values, NumberEncoder().encode(MANY).values)


def test_long_sentences_make_small_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "_BATCH_TOKENS", 20)
    sizes = []
    encoder = NumberEncoder()
    encode = encoder.encode
    encoder.encode = lambda sentences: (
        sizes.append([len(s) for s in sentences]) or encode(sentences)
    )
    LayerCache.build(encoder, MANY, tmp_path)
    assert sum(map(len, sizes)) == sum(map(bool, MANY))
    assert all(len(size) * max(size) <= 20 for size in sizes)


@pytest.mark.parametrize("pooled", [None, "mean"])
@pytest.mark.parametrize("fail_at", [0, 13, 31, 50])
def test_a_killed_build_resumes(tmp_path, small_blocks, pooled, fail_at, caplog):
    whole = LayerCache.build(NumberEncoder(), MANY, tmp_path / "whole", pooled, batch_size=3)
    killed = NumberEncoder(fail_at=fail_at)
    with pytest.raises(KeyboardInterrupt):
        LayerCache.build(killed, MANY, tmp_path / "killed", pooled, batch_size=3)
    done = 0
    for partial in (tmp_path / "killed").glob("*.partial"):  # none where no block was done
        done = json.loads((partial / "progress.json").read_text())["sentences"]
        with (partial / "layers.bin").open("ab") as file:
            file.write(b"\x7f" * 11)  # half of a block that was never recorded
    assert (done > 0) == (fail_at > 0)
    caplog.clear()
    resumed = NumberEncoder()
    store = LayerCache.build(resumed, MANY, tmp_path / "killed", pooled, batch_size=3)
    assert sorted(resumed.encoded) == sorted(tuple(words) for words in MANY[done:] if words)
    assert bytes_of(store) == bytes_of(whole)
    assert not list((tmp_path / "killed").glob("*.partial"))
    assert ("are there from an earlier run" in caplog.text) == (done > 0)
    assert "(60 sentences, 301 tokens, 2 layers of 3 numbers" in caplog.text


@pytest.mark.parametrize("name", ["progress.json", "layers.bin"])
def test_untrusted_progress_is_discarded(tmp_path, small_blocks, name):
    with pytest.raises(KeyboardInterrupt):
        LayerCache.build(NumberEncoder(fail_at=30), MANY, tmp_path)
    (partial,) = tmp_path.glob("*.partial")
    (partial / name).write_bytes((partial / name).read_bytes()[:7])
    encoder = NumberEncoder()
    store = LayerCache.build(encoder, MANY, tmp_path)
    assert len(encoder.encoded) == sum(map(bool, MANY))
    assert torch.equal(
        store.batch(range(len(MANY)), MANY).values, NumberEncoder().encode(MANY).values
    )


def test_rows_of_another_request_are_not_continued(tmp_path, small_blocks):
    encoding = CorpusEncoding(NumberEncoder(fail_at=30), MANY, dtype="float16")
    with pytest.raises(KeyboardInterrupt):
        encoded_rows(encoding, tmp_path / "rows", "one")
    assert json.loads((tmp_path / "rows" / "progress.json").read_text())["key"] == "one"
    other = NumberEncoder(2.0)
    rows = encoded_rows(CorpusEncoding(other, MANY, dtype="float16"), tmp_path / "rows", "other")
    assert len(other.encoded) == sum(map(bool, MANY))
    assert rows[:, 0, 0].tolist() == [2.0 * len(word) for words in MANY for word in words]


def test_the_key_changes_with_text_weights_and_pooling(tmp_path):
    def key(encoder, sentences, pooled=None):
        return LayerCache.build(encoder, sentences, tmp_path, pooled).folder.name

    model, other = Elmo(tiny()), Elmo(tiny())
    texts = [
        [["a", "b"], ["c"]],
        [["a"], ["b", "c"]],
        [["c"], ["a", "b"]],
        [["a b"], ["c"]],
        [["a", "b"], ["c"], []],
    ]
    keys = [key(model, text) for text in texts]
    assert len(set(keys)) == len(texts)
    assert key(other, texts[0]) == keys[0]  # the same weights, and the tokens as tuples
    assert key(model, [tuple(words) for words in texts[0]]) == keys[0]
    assert key(model, texts[0], "mean") != keys[0]
    with torch.no_grad():
        next(other.bilm.parameters()).view(-1)[0] += 1
    assert other.checksum != model.checksum
    assert key(other, texts[0]) != keys[0]


def test_a_cache_beyond_the_limit_is_refused_before_the_work(tmp_path):
    encoder = NumberEncoder(n_layers=3, width=1000)
    expected = (
        r"301 tokens, 3 layers of 1000 numbers needs 1.8 MB, and the limit is 1.0 MB: raise it"
        r" .model.max_store_gb of a training.; "
        r"or take fewer sentences, or encode live"
    )
    with pytest.raises(ConfigError, match=expected):
        LayerCache.build(encoder, MANY, tmp_path, max_bytes=10**6)
    with pytest.raises(
        ConfigError, match=r"one mean per sentence needs 0.4 MB, and the limit is 0.1 MB"
    ):
        LayerCache.build(encoder, MANY, tmp_path, "mean", max_bytes=10**5)
    assert encoder.encoded == []
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_a_cache_beyond_the_disk_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=2000))
    with pytest.raises(
        ConfigError,
        match=r"needs 0.0 MB, and 0.0 MB are free on the disk of .*: make room or choose",
    ):
        LayerCache.build(NumberEncoder(), MANY, tmp_path)


def test_after_a_full_disk_the_next_build_resumes(tmp_path, small_blocks, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(layer_cache.os, "fsync", full)
        with pytest.raises(OSError, match="No space left on device"):
            LayerCache.build(NumberEncoder(), MANY, tmp_path)
    store = LayerCache.build(NumberEncoder(), MANY, tmp_path)
    assert torch.equal(store.batch([7], [MANY[7]]).values, NumberEncoder().encode([MANY[7]]).values)


@pytest.mark.parametrize(("scale", "value"), [(1e4, "90000"), (float("nan"), "nan")])
def test_values_that_float16_cannot_hold_are_refused(tmp_path, scale, value):
    with pytest.raises(
        ConfigError, match=rf"numbers: layer 0 of sentence 2 has the value {value}, .* up to 65504"
    ):
        LayerCache.build(
            NumberEncoder(scale), [["wwwww"] if value != "nan" else [], ["w", "w" * 9]], tmp_path
        )
    assert not list(tmp_path.glob("*.partial"))


def test_a_build_waits_for_another_process(tmp_path, caplog):
    key = LayerCache.build(NumberEncoder(), MANY, tmp_path / "other").folder.name
    code = (
        "import filelock, sys\nwith filelock.FileLock(sys.argv[1]):\n  print('held', flush=True);"
        " sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / f"{key}.lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        encoder = NumberEncoder()
        thread = threading.Thread(target=LayerCache.build, args=(encoder, MANY, tmp_path))
        thread.start()
        thread.join(0.3)
        assert thread.is_alive()
        assert encoder.encoded == []
        holder.kill()  # a process that is killed leaves no lock behind
        thread.join(20)
    assert not thread.is_alive()
    assert encoder.encoded
    assert re.search("the layer cache .* is in use by another process; waiting for it", caplog.text)


NOT_A_CACHE = "not a layer cache .{}"
OTHER_SIZES = "files of different sizes than store.json says"
BROKEN = {
    "layers cut short": ("layers.bin", lambda old: old[:-2], OTHER_SIZES),
    "no layers": ("layers.bin", None, NOT_A_CACHE.format("FileNotFoundError.*layers.bin")),
    "no offsets": ("offsets.npy", None, NOT_A_CACHE.format("FileNotFoundError.*offsets.npy")),
    "offsets cut short": ("offsets.npy", lambda old: old[:-3], NOT_A_CACHE.format("ValueError")),
    "offsets empty": ("offsets.npy", lambda old: b"", NOT_A_CACHE.format("EOFError")),
    "offsets changed": ("offsets.npy", lambda old: old[:-8] + b"\0" * 8, OTHER_SIZES),
    "no JSON": ("store.json", lambda old: b"{", NOT_A_CACHE.format("JSONDecodeError")),
    "other keys": ("store.json", lambda old: b'{"version": 1}', NOT_A_CACHE.format("TypeError")),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_store_is_named_and_built_again(tmp_path, case, caplog):
    name, change, message = BROKEN[case]
    store = LayerCache.build(NumberEncoder(), MANY, tmp_path)
    before, path = bytes_of(store), store.folder / name
    if change is None:
        path.unlink()
    else:
        path.write_bytes(change(path.read_bytes()))
    with pytest.raises(DataError, match=f"{store.folder}: {message}"):
        LayerCache(store.folder)
    again = LayerCache.build(NumberEncoder(), MANY, tmp_path)
    assert bytes_of(again) == before
    assert "the layers are computed again" in caplog.text


@pytest.mark.parametrize("sentences", [[], [[]], [[], []]])
def test_nothing_to_store(tmp_path, sentences):
    tokens = LayerCache.build(NumberEncoder(), sentences, tmp_path)
    assert tokens.batch(range(len(sentences)), sentences).values.shape == (2, len(sentences), 0, 3)
    means = LayerCache.build(NumberEncoder(), sentences, tmp_path, pooled="mean")
    assert torch.equal(means.pooled_batch(range(len(sentences))), torch.zeros(2, len(sentences), 3))


def test_misuse_raises_a_readable_error(tmp_path):
    tokens = LayerCache.build(NumberEncoder(), MANY, tmp_path)
    with pytest.raises(
        ValueError, match=r"sentences \[1, 2\] have \[7, 3\] tokens, but \[3, 7\] were given"
    ):
        tokens.batch([1, 2], [MANY[2], MANY[1]])

    with pytest.raises(ConfigError, match="batch_size: expected 1 or more, found 0"):
        LayerCache.build(NumberEncoder(), MANY, tmp_path, batch_size=0)


@settings(deadline=None)  # another process on the machine must not fail it
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5))))
def test_rows_of_runs(runs):
    starts, lengths = (np.array([run[k] for run in runs], np.int64) for k in (0, 1))
    assert token_rows(starts, lengths).tolist() == [
        start + t for start, length in runs for t in range(length)
    ]
