"""Both file formats, and errors of wrong files."""

import json

import h5py
import numpy as np
import pytest
import torch

from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.hdf5 import check_hdf5, read_hdf5, write_hdf5
from elmo_tasks.bilm.model_files import find_model, load_bilm, load_softmax
from elmo_tasks.bilm.options import BiLMOptions
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.errors import ConfigError, WeightsError
from elmo_tasks.text.vocabulary import SPECIAL_WORDS, Vocabulary
from elmo_tasks.training.export_bilm import write_model
from elmo_tasks.weights.safetensors_files import read_safetensors, write_safetensors
from tests.bilm.tiny import SENTENCES, tiny


@pytest.fixture
def model():
    return tiny(clip=3.0, highways=2)


@pytest.mark.parametrize("dim", [24, 16, 9])
@pytest.mark.parametrize("to", ["hdf5", "safetensors"])
def test_a_written_model_gives_the_same_vectors(tmp_path, dim, to):
    model = tiny(clip=3.0, highways=2, dim=dim)
    write_model(tmp_path / "m", model, to=to)
    again = Elmo.load(tmp_path / "m")
    assert again.bilm.options == model.options
    close = {"atol": 1e-6, "rtol": 0} if to == "hdf5" else {"atol": 2e-3, "rtol": 2e-3}  # float16
    torch.testing.assert_close(
        again.encode(SENTENCES).values, Elmo(model).encode(SENTENCES).values, **close
    )


def test_hdf5_keeps_to_the_published_layout(tmp_path, shared_data, model):
    """The file that bilm-tf wrote has the same names, ranks and types as ours, and ours has nothing
    else."""
    published = shared_data / "elmo_fixture" / "allennlp"
    options = BiLMOptions.load(published / "options.json")
    bilm = BiLM(options)
    bilm.load_state_dict(read_hdf5(published / "lm_weights.hdf5", options))
    write_hdf5(tmp_path / "w.hdf5", bilm)

    def contents(path):
        found = {}
        with h5py.File(path) as file:
            file.visititems(
                lambda n, d: found.update({n: d[()]}) if isinstance(d, h5py.Dataset) else None
            )
        return found

    ours, theirs = contents(tmp_path / "w.hdf5"), contents(published / "lm_weights.hdf5")
    assert ours.keys() == theirs.keys()
    for name, value in theirs.items():
        assert ours[name].dtype == value.dtype == np.float32
        np.testing.assert_allclose(ours[name], value, atol=2e-7, rtol=0)
    assert json.loads(json.dumps(options.to_dict())) == json.loads(
        (published / "options.json").read_text()
    )


def test_options_of_training_files_are_read_too():
    raw = tiny().options.to_dict()
    raw["char_cnn"]["n_characters"] = 261
    raw |= {"n_train_tokens": 1, "dropout": 0.1, "unroll_steps": 20}
    assert BiLMOptions.from_dict(raw) == tiny().options


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda o: o.pop("lstm"), "expected an object under the key 'lstm'"),
        (lambda o: o["lstm"].update(dim="many"), "lstm.dim is 'many'; expected a whole number"),
        (
            lambda o: o["lstm"].update(cell_clip=-1),
            "lstm.cell_clip is -1; expected a positive number, or null",
        ),
        (
            lambda o: o["lstm"].update(n_layers=10**9),
            "lstm.n_layers is 1000000000; expected a whole number .* at most 32",
        ),
        (
            lambda o: o["char_cnn"].update(n_highway=10**9),
            "n_highway is 1000000000; expected a whole number .* at most 32",
        ),
        (
            lambda o: o["char_cnn"].update(filters=[[1, 1]] * 65),
            r"filters is \[\[1, 1\], .*; expected up to 64 pairs",
        ),
        (lambda o: o["char_cnn"].update(filters=[[1, 10**9]]), "expected up to 64 pairs"),
        (
            lambda o: o["char_cnn"].update(n_characters=300),
            "n_characters is 300; expected 261 or 262",
        ),
        (
            lambda o: o["char_cnn"].update(activation="gelu"),
            "activation is 'gelu'; expected 'relu' or 'tanh'",
        ),
        (lambda o: o["char_cnn"].update(filters=[[1]]), "filters is .*; expected up to 64 pairs"),
        (lambda o: o["char_cnn"].update(filters=[[60, 4]]), "a filter of width 60 does not fit"),
    ],
)
def test_wrong_options_are_named(change, message):
    raw = tiny().options.to_dict()
    change(raw)
    with pytest.raises(ConfigError, match=message):
        BiLMOptions.from_dict(raw)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "expected the options of a biLM in JSON .*No such file"),
        (b"\x80\x00", "expected the options of a biLM in JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[1]", "expected an object under the key 'lstm'"),
    ],
)
def test_options_must_be_json(content, message, tmp_path):
    if content is not None:
        (tmp_path / "options.json").write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        BiLMOptions.load(tmp_path / "options.json")


def test_errors_of_broken_hdf5(tmp_path, model):
    path = tmp_path / "w.hdf5"
    with pytest.raises(WeightsError, match="no such file; expected the weights"):
        check_hdf5(path, model.options)
    path.write_text("<html>not found</html>")
    with pytest.raises(WeightsError, match="not an HDF5 file; it begins with b'<html>"):
        check_hdf5(path, model.options)
    write_hdf5(path, model)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(WeightsError, match="broken or cut short|cannot be read"):
        read_hdf5(path, model.options)


def test_weights_that_do_not_fit_name_both_shapes(tmp_path, model):
    path = tmp_path / "w.hdf5"
    write_hdf5(path, model)
    other = BiLMOptions.from_dict(
        model.options.to_dict() | {"lstm": model.options.to_dict()["lstm"] | {"dim": 25}}
    )
    with pytest.raises(WeightsError, match=r"'RNN_0.*/B' has shape \(96,\), expected \(100,\)"):
        check_hdf5(path, other)
    with h5py.File(path, "a") as file:
        del file["CNN_proj/b_proj"]
        file["surprise"] = np.zeros(3)
    with pytest.raises(
        WeightsError,
        match=r"'CNN_proj/b_proj' has shape missing, .*; 'surprise' .*, expected no such weight",
    ):
        check_hdf5(path, model.options)


def test_nan_weights_are_refused(tmp_path, model):
    write_hdf5(tmp_path / "w.hdf5", model)
    with h5py.File(tmp_path / "w.hdf5", "a") as file:
        file["CNN_proj/b_proj"][3] = np.nan
    with pytest.raises(WeightsError, match="'CNN_proj/b_proj' holds numbers that are not finite"):
        read_hdf5(tmp_path / "w.hdf5", model.options)
    write_safetensors(tmp_path, "bilm", {"a": torch.tensor([1.0, float("inf")])})
    with pytest.raises(WeightsError, match="'a' holds numbers that are not finite"):
        read_safetensors(tmp_path, "bilm")


def test_large_tensors_are_cut_and_put_together_again(tmp_path, monkeypatch):
    monkeypatch.setattr("elmo_tasks.weights.safetensors_files.MAX_BYTES", 1000)
    tensors = {"wide": torch.randn(90, 10), "bias": torch.randn(90), "count": torch.arange(3)}
    files = write_safetensors(tmp_path, "softmax", tensors)
    assert len(files) > 3
    assert all(path.stat().st_size < 1300 for path in files)
    again = read_safetensors(tmp_path, "softmax")
    assert again.keys() == tensors.keys()
    assert all(torch.equal(again[k], v) for k, v in tensors.items())
    files[0].unlink()
    with pytest.raises(WeightsError, match="no such file, although the index beside it names it"):
        read_safetensors(tmp_path, "softmax")
    (tmp_path / "softmax.safetensors.index.json").write_text("{}")
    with pytest.raises(WeightsError, match="expected a JSON object with the key 'weight_map'"):
        read_safetensors(tmp_path, "softmax")


def test_broken_safetensors(tmp_path, model):
    write_model(tmp_path / "m", model)
    file = tmp_path / "m" / "bilm.safetensors"
    file.write_bytes(file.read_bytes()[:50])
    with pytest.raises(WeightsError, match="not a safetensors file, or cut short"):
        load_bilm(find_model(tmp_path / "m"))
    file.unlink()
    with pytest.raises(ConfigError, match="expected exactly one .*; found none"):
        find_model(tmp_path / "m")


def test_safetensors_of_another_model(tmp_path, model):
    write_model(tmp_path / "m", model)
    raw = model.options.to_dict()
    raw["lstm"]["dim"] = 20
    (tmp_path / "m" / "options.json").write_text(json.dumps(raw))
    with pytest.raises(
        WeightsError, match=r"'backward_lm.layers.0.bias_hh_l0' has shape \(96,\), expected \(80,\)"
    ):
        load_bilm(find_model(tmp_path / "m"))


def test_ambiguous_folders_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="there is no model 'nowhere'"):
        find_model("nowhere")
    with pytest.raises(ConfigError, match="expected options.json or exactly one"):
        find_model(tmp_path)
    (tmp_path / "a_options.json").touch()
    for name in ("a.hdf5", "b.hdf5"):
        (tmp_path / name).touch()
    with pytest.raises(ConfigError, match="found a.hdf5, b.hdf5"):
        find_model(tmp_path)


def test_the_softmax_has_its_own_file(tmp_path, model):
    softmax, words = LMSoftmax(5, 16), Vocabulary([*SPECIAL_WORDS, "the", "boat"])
    write_model(tmp_path / "m", model, softmax, words)
    again, vocabulary = load_softmax(find_model(tmp_path / "m"))
    assert vocabulary.words == words.words
    torch.testing.assert_close(again.weight, softmax.weight, atol=1e-3, rtol=1e-3)
    write_model(tmp_path / "without", model)
    with pytest.raises(WeightsError, match="no softmax beside this model"):
        load_softmax(find_model(tmp_path / "without"))
