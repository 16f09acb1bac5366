"""A character encoder learns the static vectors of words, and a language model is trained on top of
it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from elmo_tasks.__main__ import main
from elmo_tasks.bilm.bilm import BiLM
from elmo_tasks.bilm.char_cnn import CharacterCNN, WordCache, encode_words
from elmo_tasks.bilm.model_files import find_model, load_bilm, load_softmax
from elmo_tasks.bilm.options import BiLMOptions, CharCNNOptions, LSTMOptions
from elmo_tasks.bilm.softmax import LMSoftmax
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.recipes.char_encoder import WordTypes, embed_char_encoder, with_char_encoder
from elmo_tasks.recipes.static_vectors import write_vectors
from elmo_tasks.text.characters import character_ids
from elmo_tasks.text.vocabulary import SPECIAL_WORDS, Vocabulary
from elmo_tasks.training.bilm_module import BiLMModule
from elmo_tasks.training.export_bilm import write_model
from tests.training.experiment import Part, assert_same_weights, steps_kept, write_experiment
from tests.training.toy_language import exported

NAMES = ["ka", "lo", "mi", "nu", "pe", "ru", "so", "ta", "kalo", "minu", "peru", "sota"]
SMALL, WIDE = ((1, 4), (2, 6)), ((1, 6), (2, 8), (3, 5))
LEARNS = ((1, 24), (2, 48), (3, 24))
LSTM = LSTMOptions(12, 8, 2)


def characters(*words: str) -> torch.Tensor:
    return torch.tensor([character_ids(word) for word in words])


def a_bilm(filters: tuple[tuple[int, int], ...] = SMALL) -> BiLM:
    torch.manual_seed(4)
    return BiLM(BiLMOptions(LSTM, CharCNNOptions(filters, 1, 16))).eval()


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A text, static vectors of its words but one, and a biLM to start from."""
    lines = [" ".join([*NAMES[k % 12 :], "zi", "7", "."]) for k in range(60)]
    (tmp_path / "text.txt").write_text("\n".join(lines) + "\n")
    vectors = torch.randn(12, 5, generator=torch.Generator().manual_seed(3))
    write_vectors(tmp_path / "static", StaticVectors(NAMES, vectors, list(range(12, 0, -1))), {})
    write_model(
        tmp_path / "old", a_bilm(), LMSoftmax(5, 8), Vocabulary([*SPECIAL_WORDS, "ka", "lo"])
    )
    return tmp_path


def types_of(folder: Path, **settings: object) -> WordTypes:
    folders = {name: str(folder / name) for name in ("cache", "static", "old")}
    fixed = {
        "cache_dir": folders["cache"],
        "static": folders["static"],
        "start_from": folders["old"],
    }
    sizes = {"batch_size": 16, "n_batches": 120, "min_count": 5}
    data = WordTypes([str(folder / "text.txt")], **(fixed | sizes | settings))  # type: ignore[arg-type]
    data.setup()
    return data


def fit(folder: Path, model: Part, data: Part, *more: str) -> None:
    """Run with classes and their settings; the model is written below the folder."""
    progress = "elmo_tasks.training.callbacks.ProgressLines", {"every_n_steps": 1}
    callbacks = [steps_kept(folder, 60), progress, exported(folder)]
    config = write_experiment(folder, model, data, callbacks)
    assert main(["fit", "--config", str(config), *more]) == 0


def losses(printed: str) -> list[float]:
    steps = [line for line in printed.splitlines() if line.startswith("step ")]
    return [float(line.split("train_loss ")[1].split()[0]) for line in steps]


def test_a_wide_reader_begins_as_the_small_one_through_the_map() -> None:
    old = CharacterCNN(CharCNNOptions(SMALL, 1, 16), 8)
    new = CharacterCNN(CharCNNOptions(WIDE, 1, 16), 6)
    linear, bias = torch.randn(6, 8), torch.randn(6)
    embed_char_encoder(new, old, linear, bias)
    new_columns = [4, 5, 12, 13, 14, 15, 16, 17, 18]  # of filters that the small one has not
    with torch.no_grad():
        new.projection.weight[:, new_columns] = 0
        words = characters("ka", "sota", "Peru7")
        torch.testing.assert_close(new(words), old(words) @ linear.T + bias, atol=1e-5, rtol=1e-5)
    with pytest.raises(
        ConfigError, match=r"filters: expected at least .* \[\[1, 6\], \[2, 8\], \[3, 5\]\], found"
    ):
        embed_char_encoder(old, new, linear.T, bias)


def test_a_linear_map_fits_the_new_word_vectors_to_the_old() -> None:
    old, words = a_bilm(), characters(*NAMES, *(a + b for a in NAMES for b in NAMES))
    weights = torch.rand(len(words)) + 0.1
    turned = CharacterCNN(old.options.char_cnn, 8)
    embed_char_encoder(turned, old.token_encoder, torch.randn(8, 8), torch.randn(8))
    bilm, kept = with_char_encoder(old, turned, words, weights)
    assert kept == pytest.approx(1, abs=1e-2)
    # Another reader altogether: no map does better than the one that was folded in.
    bilm, kept = with_char_encoder(old, a_bilm(WIDE).token_encoder, words, weights)
    x, y = (encode_words(b.token_encoder, words).double() for b in (bilm, old))
    root = weights.double().sqrt().unsqueeze(1)
    ones = torch.cat([x, torch.ones(len(x), 1)], dim=1)
    nearest = ones @ torch.linalg.lstsq(root * ones, root * y).solution
    mean = (root**2 * y).sum(0) / weights.sum()
    left, all_of_it = ((root * (y - other)).square().sum() for other in (nearest, mean))
    assert 0.1 < kept < 0.99
    assert kept == pytest.approx(float(1 - left / all_of_it), abs=0.01)
    for name in ("forward_lm", "backward_lm"):
        new_layer, old_layer = (b.get_submodule(name).layers[0] for b in (bilm, old))
        gates = x.float() @ new_layer.weight_ih_l0.T + new_layer.bias_ih_l0
        expected = nearest.float() @ old_layer.weight_ih_l0.T + old_layer.bias_ih_l0
        torch.testing.assert_close(gates, expected, atol=0.02, rtol=0)


def test_words_to_learn_and_their_targets(workplace: Path) -> None:
    data = types_of(workplace, held_out_share=0.5)
    assert set(data.words) == {*NAMES, "7", ".", "<S>", "</S>"}  # zi has no static vector
    targets, linear, bias = data.targets(16)
    static = StaticVectors.load(workplace / "static").vectors_of(data.words)
    share = torch.from_numpy(data.counts).double().sqrt().float()[: len(NAMES), None]
    unit = torch.nn.functional.normalize(static[: len(NAMES)], dim=1)
    meaning = torch.nn.functional.normalize(unit - (share / share.sum() * unit).sum(0), dim=1)
    # All 5 + 8 components are kept, so that products are those of both parts together.
    old = encode_words(data.old.token_encoder, data.characters) @ linear.T + bias
    products = (targets @ targets.T)[:12, :12]
    torch.testing.assert_close(
        products, meaning @ meaning.T + (old @ old.T)[:12, :12], atol=1e-4, rtol=1e-4
    )
    torch.testing.assert_close(targets[12:], old[12:], atol=1e-4, rtol=1e-4)  # form alone
    drawn = {int(row) for batch in data.train_dataloader() for row in batch.rows}
    held = {int(row) for batch in data.val_dataloader() for row in batch.rows}
    assert held
    assert drawn.isdisjoint(held)
    assert drawn | held == set(range(len(data.words)))
    assert (data.targets(20)[0][:, 13:] == 0).all()


def test_errors_of_word_types(workplace: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"data.held_out_share 1.5, .*: expected a share from 0 to below 1"
    ):
        types_of(workplace, held_out_share=1.5)
    with pytest.raises(
        DataError, match="none of the words that come 1000 times or more is among the 12 of static"
    ):
        types_of(workplace, min_count=1000)


@pytest.mark.nightly
def test_it_learns_and_a_language_model_continues_from_it(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {"filters": [list(pair) for pair in LEARNS], "learning_rate": 0.02}
    model = "elmo_tasks.recipes.char_encoder.CharEncoderModule", settings
    words = "elmo_tasks.recipes.char_encoder.WordTypes", dict(types_of(workplace).hparams)
    fit(workplace, model, words)
    printed = capsys.readouterr().out
    steps = losses(printed)
    assert sum(steps[-10:]) < 0.5 * sum(steps[:10])
    card = json.loads((workplace / "model" / "card.json").read_text())
    assert card["training"]["words"] == 120 * 16
    assert f"keeps {card['training']['old_variance_kept']:.1%}" in printed
    assert "fixed vectors of words" in card["learned_from"][0]
    new = Elmo.load(workplace / "model")
    assert new.bilm.options == BiLMOptions(LSTM, CharCNNOptions(LEARNS, 1, 16))
    assert (
        len(load_softmax(find_model(workplace / "model"))[1]) == 5
    )  # of the model that it started from
    data = types_of(workplace)
    values, _, _ = data.targets(8)
    cosines = torch.nn.functional.cosine_similarity(
        encode_words(new.bilm.token_encoder, data.characters), values
    )
    assert cosines[torch.from_numpy(~data.held_out)].mean() > 0.85
    # It resumes where it was killed.
    halfway = next(workplace.glob("*step=60.ckpt")).rename(workplace / "halfway.ckpt")
    fit(workplace, model, words, "--ckpt_path", str(halfway))
    again = load_bilm(find_model(workplace / "model")).state_dict()
    assert_same_weights(again, new.bilm.state_dict(), atol=2e-3, rtol=2e-3)  # float16
    assert Elmo.load(workplace / "model").encode([["ka"]]).values.shape == (3, 1, 1, 16)


@pytest.mark.nightly
def test_a_frozen_reader_gives_the_same_loss_and_learns_nothing(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {
        "filters": [[1, 8]],
        "dropout": 0,
        "reset_rate": 0,
        "n_draws": 100_000,
        "learning_rate": 0.01,
    }
    text = {"files": [str(workplace / "text.txt")], "cache_dir": str(workplace / "cache")}
    data = (
        "elmo_tasks.data.language_model.LanguageModelData",
        {**text, "batch_size": 2, "max_tokens": 400},
    )

    def trained(**more: bool) -> tuple[list[float], dict[str, torch.Tensor]]:
        model = "elmo_tasks.training.bilm_module.BiLMModule", settings | more
        capsys.readouterr()
        fit(workplace, model, data, f"--init_from={workplace / 'old'}")
        encoder = Elmo.load(workplace / "model").bilm.token_encoder
        return losses(capsys.readouterr().out), encoder.state_dict()

    before = Elmo.load(workplace / "old").bilm.token_encoder.state_dict()
    free, learned = trained()
    frozen, after = trained(freeze_reader=True)
    assert len(free) == len(frozen) == 10
    assert free[0] == frozen[0]
    assert free[-1] != frozen[-1]
    assert all(value.equal(before[name]) for name, value in after.items())
    assert not all(value.equal(before[name]) for name, value in learned.items())
    card = json.loads((workplace / "model" / "card.json").read_text())
    assert card["learned_from"][1].startswith("layer 0, which reads single words, was not trained")
    with pytest.raises(ConfigError, match="model.freeze_reader true: expected model.start_from"):
        BiLMModule([(1, 8)], freeze_reader=True)


@pytest.mark.parametrize("rows", [2, 100])
def test_a_cache_reads_a_word_once_within_its_memory(rows: int) -> None:
    reader = a_bilm().token_encoder
    cache = WordCache(reader, 12, max_bytes=rows * 4 * 8)
    words = characters(*NAMES)
    expected = encode_words(reader, words)
    ids = torch.tensor([5, 0, 1, 11])
    first = cache.read(words[ids], ids)
    torch.testing.assert_close(first, expected[ids], atol=1e-5, rtol=1e-5)
    # Known words are not read again: with other letters they keep their vectors. Those past the
    # memory are read each time.
    again = cache.read(words[ids.flip(0)], ids)
    kept = ids < rows
    assert again[kept].equal(first[kept])
    torch.testing.assert_close(again[~kept], expected[ids.flip(0)][~kept], atol=1e-5, rtol=1e-5)
