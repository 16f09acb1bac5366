"""Pretraining learns, writes a model that loads, and continues after a kill without a difference."""

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import pytorch_lightning as pl
import torch
import yaml

from elmo_tasks.__main__ import main
from elmo_tasks.bilm.model_files import find_model, load_softmax
from elmo_tasks.bilm.options import BiLMOptions
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.errors import WeightsError
from elmo_tasks.recipes.static_vectors import write_vectors
from elmo_tasks.training.export_bilm import read_checkpoint
from tests.bilm.weights_server import TINY, write_copies
from tests.training.experiment import assert_same_weights, checkpoint
from tests.training.toy_language import CERTAIN, WORDS, steps, write_language

pytestmark = pytest.mark.ci

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def config(tmp_path):
    return write_language(tmp_path)


def fit(config, *more):
    assert main(["fit", "--config", str(config), *more]) == 0


def export(model, folder):
    assert main(["model", "export", "--model", str(model), "--to", "hdf5", str(folder)]) == 0


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """The folder of a whole run, with its model and what was printed."""
    folder = tmp_path_factory.mktemp("learned")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        fit(write_language(folder))
    (folder / "printed.txt").write_text(printed.getvalue())
    return folder


def card_of(folder):
    return json.loads((folder / "model" / "card.json").read_text())


def test_it_learns_and_ends_in_a_model_that_loads(learned, capsys):
    printed = (learned / "printed.txt").read_text()
    assert "200 steps = 6,400 positions" in printed  # before it starts
    assert "step 200 of 200" in printed
    card = card_of(learned)
    assert card["title"] == "a toy"
    assert card["training"]["positions"] == 6400
    # Eight words: guessing gives 8 and more; knowing the language, about 2 a word and a little for
    # the end.
    assert card["while_training"]["forward_perplexity"] < 3.6
    assert card["while_training"]["backward_perplexity"] < 6
    layers = Elmo.load(learned / "model").encode([["ka", "lo"]])
    assert layers.values.shape == (3, 1, 2, 32)
    assert len(load_softmax(find_model(learned / "model"))[1]) == 11
    capsys.readouterr()
    texts = ["--text", str(learned / "held.txt"), "--json"]
    assert main(["evaluate", "--model", str(learned / "model"), *texts]) == 0
    measured = json.loads(capsys.readouterr().out)
    assert measured["forward_perplexity"] == pytest.approx(
        card["while_training"]["forward_perplexity"], rel=0.01
    )


@pytest.mark.parametrize("dim", [16, 9])
def test_a_model_with_no_more_cells_than_outputs_is_trained_and_exported(config, tmp_path, dim):
    fit(config, f"--model.init_args.dim={dim}", steps(20))
    assert Elmo.load(tmp_path / "model").bilm.options.lstm.dim == dim
    export(tmp_path / "model", tmp_path / "published")
    sentence = [["ka", "lo"]]
    found, expected = (
        Elmo.load(tmp_path / name).encode(sentence).values for name in ("published", "model")
    )
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


def test_a_killed_and_resumed_run_equals_an_undisturbed_one(config, tmp_path):
    fit(config, *CERTAIN)
    whole = checkpoint(tmp_path / "run" / "last.ckpt")
    saved = tmp_path / "run" / "epoch=0-step=30.ckpt"
    assert checkpoint(saved)["stream_states"][0][0][0].shape == (1, 4, 16)
    halfway = saved.rename(tmp_path / "halfway.ckpt")
    fit(config, "--ckpt_path", str(halfway), *CERTAIN)
    again = checkpoint(tmp_path / "run-2" / "last.ckpt")  # beside the whole one
    assert (
        again["LanguageModelData"] == whole["LanguageModelData"] == {"streams": {"next_batch": 180}}
    )
    assert again["seen"]["positions"] == whole["seen"]["positions"] == 180 * 32
    assert_same_weights(again["state_dict"], whole["state_dict"], 1e-6, 1e-6)


class SignalAt(pl.Callback):
    """Send a signal to the own process in the middle of the training.

    Args:
        step: when.
        number: the signal.
        times: how often.
    """

    def __init__(self, step: int, number: int, times: int = 1) -> None:
        self.step, self.number, self.times = step, number, times

    def on_train_batch_start(self, trainer, *args):
        if trainer.global_step == self.step:
            for _ in range(self.times):
                os.kill(os.getpid(), self.number)


@pytest.fixture
def interrupted(config):
    """Fit with one or more signals in the 46th step; the exit code."""

    def run(number, times=1):
        raw = yaml.safe_load(config.read_text())
        arguments = {"step": 45, "number": int(number), "times": times}
        raw["trainer"]["callbacks"] += [
            {"class_path": f"{__name__}.SignalAt", "init_args": arguments}
        ]
        path = config.with_name("interrupted.yaml")
        path.write_text(yaml.safe_dump(raw))
        before = signal.getsignal(number)
        with pytest.raises(SystemExit) as end:
            main(["fit", "--config", str(path), steps(70)])
        assert signal.getsignal(number) is before
        return end.value.code

    return run


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The checkpoint at the end of a run of 70 steps."""
    folder = tmp_path_factory.mktemp("undisturbed")
    fit(write_language(folder), steps(70))
    return checkpoint(folder / "run" / "last.ckpt")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_loses_no_step(
    config, undisturbed, interrupted, number, tmp_path, capsys
):
    last = tmp_path / "run" / "last.ckpt"
    assert interrupted(number) == 128 + number
    assert (
        f"Saved step 46. The same command with --ckpt_path {last} resumes it."
        in capsys.readouterr().out
    )
    assert checkpoint(last)["global_step"] == 46
    fit(config, "--ckpt_path", str(last), steps(70))
    again = checkpoint(last)
    assert again["seen"]["positions"] == undisturbed["seen"]["positions"]
    # Also what is drawn: dropout, reset states, negative words.
    assert_same_weights(again["state_dict"], undisturbed["state_dict"], 1e-6, 1e-6)


def test_a_second_interrupt_ends_at_once(interrupted, tmp_path, capsys):
    assert interrupted(signal.SIGINT, times=2) == 130
    assert "Saved" not in capsys.readouterr().out
    assert checkpoint(tmp_path / "run" / "last.ckpt")["global_step"] == 30


@pytest.fixture
def bags(tmp_path):
    """Arguments that ask for context bags and pairs, with static vectors of the tiny language."""
    vectors = torch.randn(8, 5, generator=torch.Generator().manual_seed(3))
    write_vectors(tmp_path / "static", StaticVectors(WORDS, vectors, [9, 8, 7, 6, 5, 4, 3, 2]), {})
    settings = ("bag_weight=1", "pair_weight=1", f"static={tmp_path / 'static'}")
    recipe = "--model.class_path=elmo_tasks.recipes.context_bags.ContextBagModule"
    return [recipe, *(f"--model.init_args.{setting}" for setting in settings)]


def test_a_resumed_run_with_context_bags_keeps_its_bags(config, tmp_path, bags):
    short = [steps(60), *CERTAIN, *bags]
    fit(config, *short)
    whole = checkpoint(tmp_path / "run" / "last.ckpt")
    assert whole["bag_sums"].shape == (2, 4, 5)
    halfway = (tmp_path / "run" / "epoch=0-step=30.ckpt").rename(tmp_path / "halfway.ckpt")
    fit(config, "--ckpt_path", str(halfway), *short)
    again = checkpoint(tmp_path / "run-2" / "last.ckpt")
    torch.testing.assert_close(again["bag_sums"], whole["bag_sums"])
    helpers = {name for name in whole["state_dict"] if name.startswith("side_bags.")}
    assert len(helpers) == 4  # a map of each direction with its bias; no table of vectors
    assert_same_weights(again["state_dict"], whole["state_dict"], 1e-6, 1e-6)


def test_context_bags_are_learned_and_stay_out_of_the_model(config, tmp_path, bags, capsys):
    fit(config, *bags)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("step ")]
    logged = [dict(re.findall(r"(train_\w+) (\S+)", line)) for line in lines]
    for name in ("train_bag", "train_bag_pairs"):
        assert float(logged[-1][name]) < 0.9 * float(logged[0][name])
    card = card_of(tmp_path)
    assert card["while_training"]["forward_perplexity"] < 5  # the language is learned all the same
    next_word, bag, pairs = card["learned_from"]
    assert "the next word" in next_word
    assert re.match(r"the words on each side.*fixed vectors.*\(weight 1\)", bag)
    assert "how alike two words are" in pairs
    assert {p.name.partition(".")[0] for p in (tmp_path / "model").iterdir()} == {
        "bilm",
        "card",
        "options",
        "softmax",
        "vocabulary",
    }
    assert Elmo.load(tmp_path / "model").n_layers == 3  # the reader takes no weight too many
    export(tmp_path / "run" / "last.ckpt", tmp_path / "h5")


@pytest.mark.nightly
def test_two_processes_share_the_streams(config, tmp_path):
    command = [sys.executable, "-m", "elmo_tasks", "fit", "--config", str(config)]
    two = ["--trainer.devices=2", "--trainer.strategy=ddp", "--trainer.max_steps=60"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PL_TORCH_DISTRIBUTED_BACKEND": "gloo"}
    done = subprocess.run(
        command + two, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    card = card_of(tmp_path)
    assert card["training"] == {
        "steps": 60,
        "positions": 60 * 32,
        "seconds": card["training"]["seconds"],
    }
    assert done.stdout.count("200 steps = 6,400 positions") == 1  # one process speaks


def test_a_checkpoint_can_be_exported_but_not_resumed_with_other_words(config, tmp_path, capsys):
    fit(config, "--trainer.max_steps", "31")
    last = tmp_path / "run" / "last.ckpt"
    export(last, tmp_path / "h5")
    expected = Elmo(read_checkpoint(last)[0]).encode([["ka", "lo", "mi"]]).values
    torch.testing.assert_close(
        Elmo.load(tmp_path / "h5").encode([["ka", "lo", "mi"]]).values, expected, atol=1e-6, rtol=0
    )
    (tmp_path / "text.txt").write_text((tmp_path / "text.txt").read_text().replace("ka", "zi"))
    assert main(["fit", "--config", str(config), "--ckpt_path", str(last)]) == 2
    assert "learned to predict the words of another text" in capsys.readouterr().err
    last.write_bytes(b"PK nonsense")
    with pytest.raises(WeightsError, match="not a resume file of a biLM"):
        read_checkpoint(last)
    with pytest.raises(WeightsError, match="no such file"):
        read_checkpoint(tmp_path / "nothing.ckpt")


def test_fine_tuning_starts_from_a_model_with_another_vocabulary(learned, config, tmp_path, capsys):
    before = card_of(learned)["while_training"]
    new_words = "zi " * 3 + "\n"
    (tmp_path / "text.txt").write_text((tmp_path / "text.txt").read_text() + new_words * 5)
    short = [steps(2), "--model.init_args.learning_rate=0"]
    first = f"--model.init_args.start_from={learned / 'model'}"
    fit(config, *short, first)
    after = card_of(tmp_path)["while_training"]
    assert "zi" in load_softmax(find_model(tmp_path / "model"))[1]
    # One new word to spread over, nothing forgotten.
    assert after["forward_perplexity"] < 1.5 * before["forward_perplexity"]
    assert main(["fit", "--config", str(config), *short, first, "--model.init_args.dim=40"]) == 2
    assert (
        "model.start_from: model has other sizes than this configuration" in capsys.readouterr().err
    )


def test_init_from_takes_sizes_and_weights_from_the_model_and_the_softmax_of_shared_words(
    learned, config, tmp_path
):
    first = learned / "model"
    old, old_words = load_softmax(find_model(first))
    (tmp_path / "text.txt").write_text("zi " * 3000 + "\n" + (tmp_path / "text.txt").read_text())
    other_sizes = ["dim=40", "n_layers=1", "filters=[[3,4]]", "learning_rate=0"]
    settings = [f"--model.init_args.{setting}" for setting in other_sizes]
    fit(config, steps(2), *settings, "--init_from", str(first))
    now, before = Elmo.load(tmp_path / "model"), Elmo.load(first)
    assert now.bilm.options == before.bilm.options
    assert now.encode([["ka", "lo"]]).values.equal(before.encode([["ka", "lo"]]).values)
    new, new_words = load_softmax(find_model(tmp_path / "model"))
    assert new_words.id_of("ka") != old_words.id_of("ka")  # zi is the commonest now
    assert new.weight[new_words.id_of("ka")].equal(old.weight[old_words.id_of("ka")])
    config = card_of(tmp_path)["config"]
    assert (config["dim"], config["start_from"]) == (32, str(first))


def test_init_from_takes_the_published_form(config, tmp_path):
    published = tmp_path / "published"
    published.mkdir()
    write_copies(published)
    before = Elmo.load(published)
    fit(config, steps(2), "--model.init_args.learning_rate=0", "--init_from", str(published))
    now = Elmo.load(tmp_path / "model")
    assert (
        now.bilm.options
        == before.bilm.options
        == BiLMOptions.from_dict(json.loads(TINY.options_text))
    )
    expected = before.encode([["ka", "lo", "mi"]]).values
    # float16
    torch.testing.assert_close(
        now.encode([["ka", "lo", "mi"]]).values, expected, atol=0.02, rtol=0.01
    )
    assert len(load_softmax(find_model(tmp_path / "model"))[1]) == 11  # a new one of its own
    fit(config, steps(20), "--init_from", str(published))
    learned = Elmo.load(tmp_path / "model").encode([["ka", "lo", "mi"]]).values
    assert (learned - expected).abs().max() > 0.05


def test_init_from_refuses_other_files(config, tmp_path, capsys):
    head = REPOSITORY / "lightning_configs" / "sentiment_sample.yaml"
    assert main(["fit", "--config", str(head), "--init_from", "elmo-mini"]) == 2
    assert (
        "TaskModule is not a biLM, which alone can be trained further; for the encoder of a head"
        " use --encoder" in (capsys.readouterr().err)
    )
    assert main(["fit", "--config", str(config), "--init_from", "elmo-nobody"]) == 2
    assert "there is no model 'elmo-nobody'" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
