"""Pretraining learns, ends in a model that loads, and goes on after a kill as if nothing had happened."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import yaml

from elmo_tasks.__main__ import main
from elmo_tasks.bilm.model_files import find_model, load_softmax
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.errors import WeightsError
from elmo_tasks.training.export_bilm import read_checkpoint

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def config(tmp_path):
    """A tiny language in which each word is followed by one of two others, and its configuration."""
    r = random.Random(0)
    names = ["ka", "lo", "mi", "nu", "pe", "ru", "so", "ta"]
    lines = []
    for _ in range(400):
        k, words = r.randrange(8), []
        for _ in range(r.randrange(4, 12)):
            words.append(names[k])
            k = (k * 3 + r.randrange(2)) % 8
        lines.append(" ".join(words))
    (tmp_path / "text.txt").write_text("\n".join(lines[:360]) + "\n")
    (tmp_path / "held.txt").write_text("\n".join(lines[360:]) + "\n")
    raw = {
        "seed_everything": 1,
        "model": {
            "class_path": "elmo_tasks.training.bilm_module.BiLMModule",
            "init_args": {
                "filters": [[1, 8], [2, 8]],
                "dim": 32,
                "projection_dim": 16,
                "n_draws": 64,
                "learning_rate": 0.01,
                "warmup_steps": 5,
            },
        },
        "data": {
            "class_path": "elmo_tasks.data.language_model.LanguageModelData",
            "init_args": {
                "files": [str(tmp_path / "text.txt")],
                "cache_dir": str(tmp_path / "cache"),
                "held_out": str(tmp_path / "held.txt"),
                "vocabulary_size": 50,
                "batch_size": 4,
                "unroll_steps": 8,
                "max_tokens": 4 * 8 * 200,
            },
        },
        "trainer": {
            "max_epochs": 1,
            "accelerator": "cpu",
            "logger": False,
            "enable_progress_bar": False,
            "enable_model_summary": False,
            "default_root_dir": str(tmp_path / "run"),
            "callbacks": [
                {
                    "class_path": "pytorch_lightning.callbacks.ModelCheckpoint",
                    "init_args": {
                        "dirpath": str(tmp_path / "run"),
                        "every_n_train_steps": 30,
                        "save_last": True,
                        "save_top_k": -1,
                        "enable_version_counter": False,
                    },
                },
                {"class_path": "elmo_tasks.training.callbacks.ProgressLines", "init_args": {"every_n_steps": 20}},
                {
                    "class_path": "elmo_tasks.training.export_bilm.ExportBiLM",
                    "init_args": {"folder": str(tmp_path / "model"), "about": {"title": "a toy"}},
                },
            ],
        },
    }
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(raw))
    return path


def fit(config, *more):
    assert main(["fit", "--config", str(config), *more]) == 0


def test_it_learns_and_ends_in_a_model_that_loads(config, tmp_path, capsys):
    fit(config)
    printed = capsys.readouterr().out
    assert "200 steps = 6,400 positions" in printed  # before it starts
    assert "step 200 of 200" in printed
    card = json.loads((tmp_path / "model" / "card.json").read_text())
    assert card["title"] == "a toy"
    assert card["training"]["positions"] == 6400
    # Eight words: guessing gives 8 and more; knowing the language, about 2 a word and a little for the end.
    assert card["while_training"]["forward_perplexity"] < 3.6
    assert card["while_training"]["backward_perplexity"] < 6
    layers = Elmo.load(tmp_path / "model").encode([["ka", "lo"]])
    assert layers.values.shape == (3, 1, 2, 32)
    assert len(load_softmax(find_model(tmp_path / "model"))[1]) == 11
    capsys.readouterr()
    assert main(["evaluate", "--model", str(tmp_path / "model"), "--text", str(tmp_path / "held.txt"), "--json"]) == 0
    measured = json.loads(capsys.readouterr().out)
    assert measured["forward_perplexity"] == pytest.approx(card["while_training"]["forward_perplexity"], rel=0.01)


def test_a_killed_run_goes_on_as_if_nothing_had_happened(config, tmp_path):
    # Without what is drawn anew: dropout, forgotten states; and with so many draws that every word is drawn.
    certain = [f"--model.init_args.{a}" for a in ("dropout=0", "reset_rate=0", "n_draws=100000")]
    fit(config, *certain)
    whole = torch.load(tmp_path / "run" / "last.ckpt", weights_only=True)
    saved = tmp_path / "run" / "epoch=0-step=30.ckpt"
    assert torch.load(saved, weights_only=True)["stream_states"][0][0][0].shape == (1, 4, 16)
    halfway = saved.rename(tmp_path / "halfway.ckpt")
    fit(config, "--ckpt_path", str(halfway), *certain)
    again = torch.load(tmp_path / "run" / "last.ckpt", weights_only=True)
    assert again["LanguageModelData"] == whole["LanguageModelData"] == {"streams": {"next_batch": 180}}
    assert again["seen"]["positions"] == whole["seen"]["positions"] == 180 * 32
    for name, value in whole["state_dict"].items():
        torch.testing.assert_close(again["state_dict"][name], value, atol=1e-6, rtol=1e-6)


def test_two_processes_share_the_streams(config, tmp_path):
    command = [sys.executable, "-m", "elmo_tasks", "fit", "--config", str(config)]
    two = ["--trainer.devices=2", "--trainer.strategy=ddp", "--trainer.max_steps=60"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PL_TORCH_DISTRIBUTED_BACKEND": "gloo"}
    done = subprocess.run(command + two, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    card = json.loads((tmp_path / "model" / "card.json").read_text())
    assert card["training"] == {"steps": 60, "positions": 60 * 32, "seconds": card["training"]["seconds"]}
    assert done.stdout.count("200 steps = 6,400 positions") == 1  # one process speaks


def test_a_resume_file_can_be_exported(config, tmp_path):
    fit(config, "--trainer.max_steps", "31")
    checkpoint = tmp_path / "run" / "last.ckpt"
    assert main(["export", "--model", str(checkpoint), "--to", "hdf5", str(tmp_path / "h5")]) == 0
    expected = Elmo(read_checkpoint(checkpoint).bilm).encode([["ka", "lo", "mi"]]).values
    torch.testing.assert_close(
        Elmo.load(tmp_path / "h5").encode([["ka", "lo", "mi"]]).values, expected, atol=1e-6, rtol=0
    )
    checkpoint.write_bytes(b"PK nonsense")
    with pytest.raises(WeightsError, match="not a resume file of a biLM"):
        read_checkpoint(checkpoint)
    with pytest.raises(WeightsError, match="no such file"):
        read_checkpoint(tmp_path / "nothing.ckpt")


def test_fine_tuning_goes_on_from_a_model_with_another_vocabulary(config, tmp_path, capsys):
    fit(config)
    before = json.loads((tmp_path / "model" / "card.json").read_text())["while_training"]
    (tmp_path / "model").rename(tmp_path / "first")
    new_words = "zi " * 3 + "\n"
    (tmp_path / "text.txt").write_text((tmp_path / "text.txt").read_text() + new_words * 5)
    short = ["--data.init_args.max_tokens", "64", "--model.init_args.learning_rate", "0"]
    fit(config, *short, "--model.init_args.start_from", str(tmp_path / "first"))
    after = json.loads((tmp_path / "model" / "card.json").read_text())["while_training"]
    assert "zi" in load_softmax(find_model(tmp_path / "model"))[1]
    assert (
        after["forward_perplexity"] < 1.5 * before["forward_perplexity"]
    )  # one new word to spread over, nothing forgotten
    other_size = ["--model.init_args.start_from", str(tmp_path / "first"), "--model.init_args.dim", "40"]
    assert main(["fit", "--config", str(config), *short, *other_size]) == 2
    assert "model.start_from: first has other sizes than this configuration" in capsys.readouterr().err
