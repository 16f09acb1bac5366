"""Transformers as encoders of words, compared with the library's own vectors of word pieces."""

import json
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest
import torch
from huggingface_hub.errors import LocalEntryNotFoundError

from elmo_tasks.encoders import Encoder, find, load
from elmo_tasks.errors import ConfigError, WeightsError
from tests.encoders.tiny_transformers import (
    config_of,
    minilm,
    tiny_bert,
    tiny_roberta,
    transformers,
)

SENTENCE = ("We", "sat", "on", "the", "bank", "of", "the", "river", ".")
SPELLED = ("the", "xylo", "bank")  # "xylo" is four pieces


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return tiny_bert(tmp_path_factory.mktemp("models") / "bert")


@pytest.fixture(scope="module")
def encoder(bert):
    return load(bert)


def pieces_of(folder: Path, words, **settings) -> tuple[torch.Tensor, list[int | None]]:
    """``[L, pieces, D]`` by the library alone, and the word of each piece."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, add_prefix_space=True)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    read = tokenizer([list(words)], is_split_into_words=True, return_tensors="pt", **settings)
    with torch.no_grad():
        states = model(**read, output_hidden_states=True).hidden_states
    return torch.stack(states)[:, 0], read.word_ids(0)


@pytest.mark.parametrize(
    "make", [tiny_bert, tiny_roberta, lambda _: minilm()], ids=["bert", "roberta", "minilm"]
)
def test_a_word_is_the_mean_of_its_pieces_at_all_hidden_states(make, tmp_path):
    folder = make(tmp_path / "m")
    found: Encoder = load(folder)
    for words in (SENTENCE, SPELLED):
        states, owners = pieces_of(folder, words)
        values = found.encode([words]).sentence(0)
        assert values.shape == (found.n_layers, len(words), found.width)
        for k in range(len(words)):
            mine = [p for p, owner in enumerate(owners) if owner == k]
            torch.testing.assert_close(
                values[:, k], states[:, mine].mean(dim=1), atol=1e-4, rtol=1e-4
            )


def test_its_properties(encoder, bert):
    assert (encoder.name, encoder.folder, encoder.n_layers, encoder.width) == ("bert", bert, 3, 16)
    assert len(encoder.layer_names) == encoder.n_layers
    assert encoder.reads_sentence
    assert encoder.language_model is None
    assert encoder.to("cpu") is encoder
    assert encoder.device == torch.device("cpu")
    assert find(bert).name == "bert"


def test_a_sentence_is_the_same_alone_and_in_any_batch(encoder):
    both = encoder.encode([SPELLED, SENTENCE, ()])
    assert both.mask.sum(dim=1).tolist() == [3, 9, 0]
    assert not both.values[:, 0, 3:].any()
    for k, sentence in enumerate((SPELLED, SENTENCE)):
        torch.testing.assert_close(
            both.sentence(k), encoder.encode([sentence]).sentence(0), atol=1e-5, rtol=1e-5
        )


@pytest.mark.parametrize("n", [29, 30, 31, 45, 46, 200])
def test_long_sentences_are_read_in_windows(encoder, bert, n):
    """32 places, two of them for the special tokens: 30 pieces are one window, and windows begin
    every 15 pieces."""
    words = [SENTENCE[k % 7] for k in range(n)]
    values = encoder.encode([words]).sentence(0)
    assert values.shape == (3, n, 16)
    for start in range(0, max(1, n - 15), 15):
        states, owners = pieces_of(bert, words[start : start + 30])
        alone = states[:, [p for p, owner in enumerate(owners) if owner is not None]]
        first = 0 if start == 0 else 7
        last = 22 if start + 30 < n else n - start
        torch.testing.assert_close(
            values[:, start + first : start + last], alone[:, first:last], atol=1e-5, rtol=1e-5
        )


def test_places_that_begin_behind_the_padding_are_counted(tmp_path):
    found = load(tiny_roberta(tmp_path / "r"))
    assert found.window == 32  # of 34
    assert bool(found.encode([["bank"] * 100]).values.isfinite().all())


def test_cased_and_uncased(encoder, tmp_path):
    cased = load(tiny_bert(tmp_path / "cased", cased=True))
    for found, alike in ((encoder, True), (cased, False)):
        one, other = (found.encode([["the", word]]).values[:, 0, 1] for word in ("bank", "Bank"))
        assert torch.allclose(one, other) is alike


def test_a_word_without_a_piece_keeps_its_place(encoder):
    with_it = encoder.encode([["the", "\u200b", "bank"]]).sentence(0)
    # a sign that is not in the vocabulary
    unknown = encoder.encode([["the", "\u2603", "bank"]]).sentence(0)
    torch.testing.assert_close(with_it, unknown)
    assert with_it[:, 1].any()


@pytest.mark.parametrize("word", ["[SEP]", "[CLS]", "[PAD]", "[MASK]"])
def test_a_special_token_in_a_text_is_text(encoder, word):
    pieces, words = encoder._pieces(("a", word, "b"))
    assert not set(pieces[1:-1]) & set(encoder.tokenizer.all_special_ids) - {
        encoder.tokenizer.unk_token_id
    }
    assert set(words) == {0, 1, 2}


def test_the_checksum_changes_with_weights_and_tokenizer(encoder, tmp_path):
    other = load(tiny_bert(tmp_path / "other", seed=1))
    cased = load(tiny_bert(tmp_path / "cased", cased=True))
    again = load(tiny_bert(tmp_path / "again"))
    assert encoder.checksum == again.checksum
    assert len({encoder.checksum, other.checksum, cased.checksum}) == 3


@pytest.mark.parametrize("first", ["checksum", "encode"])
def test_the_checksum_is_the_same_before_and_after_reading(first, tmp_path):
    folder = tiny_bert(tmp_path / "m")
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    cut = {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0}
    (folder / "tokenizer.json").write_text(
        json.dumps(tokenizer | {"truncation": cut}), encoding="utf-8"
    )
    found = load(folder)
    if first == "encode":
        found.encode([SENTENCE])
    assert found.checksum == load(folder).checksum
    assert found.encode([SENTENCE * 2]).values.any(dim=-1).all()


def test_pickled_weights_are_not_read(bert, tmp_path):
    folder = tiny_bert(tmp_path / "m")
    torch.save({}, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(WeightsError, match="expected model.safetensors .* may hold code"):
        load(folder)


def test_broken_files_are_refused(tmp_path):
    folder = tiny_bert(tmp_path / "m")
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:1000])
    with pytest.raises(WeightsError, match="weights are broken, or do not fit"):
        load(folder)
    (folder / "model.safetensors").write_bytes(whole)
    config = config_of(folder)
    (folder / "config.json").write_text(json.dumps(config | {"hidden_size": 8}))
    with pytest.raises(WeightsError, match="do not fit config.json"):
        load(folder)
    (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 3}))
    with pytest.raises(WeightsError, match="weights are missing, encoder.layer.2"):
        load(folder)
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "no-such-kind"}))
    with pytest.raises(ConfigError, match="not a transformer that can be read here"):
        load(folder)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text("{")
    with pytest.raises(ConfigError, match="the tokenizer cannot be read"):
        load(folder)


def test_code_beside_the_weights_is_not_run(tmp_path):
    folder = tiny_bert(tmp_path / "m")
    config = config_of(folder) | {
        "model_type": "own",
        "auto_map": {"AutoConfig": "own.Own", "AutoModel": "own.Model"},
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with pytest.raises(ConfigError, match="not a transformer that can be read here"):
        load(folder)
    assert not (tmp_path / "ran").exists()


def test_without_the_package_the_error_names_the_install_command(bert, monkeypatch):
    monkeypatch.setattr("elmo_tasks.encoders.transformer_files.find_spec", lambda name: None)
    with pytest.raises(
        ConfigError, match=r'bert is a transformer.*pip install "\.\[transformers\]"'
    ):
        load(bert)


@pytest.fixture
def no_network(monkeypatch):
    """A hub that gives no single file; without this, huggingface_hub would try for half a minute."""

    def refuse(repository, file, revision):
        raise LocalEntryNotFoundError("no route")

    monkeypatch.setattr("huggingface_hub.hf_hub_download", refuse)


@pytest.mark.usefixtures("no_network")
def test_a_model_of_the_hub_is_downloaded_without_code_and_pickles(bert, monkeypatch):
    patterns = {}

    def download(name, allow_patterns):
        patterns[name] = allow_patterns
        return str(bert)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    found = load("hub:someone/bert")
    assert found.name == "hub:someone/bert"  # what a head's file says, and what finds it again
    for file in ("pytorch_model.bin", "modeling_own.py", "tf_model.h5", "vocab.pkl"):
        assert not any(fnmatch(file, pattern) for pattern in patterns["someone/bert"])
    torch.testing.assert_close(
        found.encode([SENTENCE]).values, load(bert).encode([SENTENCE]).values
    )


@pytest.mark.usefixtures("no_network")
def test_a_model_that_the_hub_does_not_give(monkeypatch):
    def refuse(name, allow_patterns):
        raise OSError("no route\nand more")

    monkeypatch.setattr("huggingface_hub.snapshot_download", refuse)
    with pytest.raises(ConfigError, match=r"hub:someone/bert: not on this machine.*\(no route\)"):
        load("hub:someone/bert")


def test_an_unknown_name_is_refused_with_all_kinds():
    with pytest.raises(
        ConfigError,
        match="no model 'nobody'.*static-mini.*config.json and model.safetensors, or hub:NAME",
    ):
        load("nobody")


@pytest.mark.ci
def test_nothing_at_start_up_imports_transformers():
    code = (
        "import sys, elmo_tasks.service.session, elmo_tasks.cli.fit; sys.exit('transformers' in"
        " sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
