"""A tiny language in which each word is followed by one of two others, and its language model."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from tests.training.experiment import Part, steps_kept, write_experiment

WORDS = ["ka", "lo", "mi", "nu", "pe", "ru", "so", "ta"]
BATCH, WINDOW = 4, 8  # streams, and the words of each in a step
#: Settings without chance: no dropout, no reset state, and enough draws for every word.
CERTAIN = [f"--model.init_args.{a}" for a in ("dropout=0", "reset_rate=0", "n_draws=2000")]


def steps(n: int) -> str:
    """Return the argument for the tokens of this many steps."""
    return f"--data.init_args.max_tokens={n * BATCH * WINDOW}"


def sentences(n: int) -> list[str]:
    """Draw sentences of 4 to 11 words, always the same."""
    draw = random.Random(0)
    lines = []
    for _ in range(n):
        k, words = draw.randrange(8), []
        for _ in range(draw.randrange(4, 12)):
            words.append(WORDS[k])
            k = (k * 3 + draw.randrange(2)) % 8
        lines.append(" ".join(words))
    return lines


def language_model(**settings: Any) -> Part:
    """Return a small model of the language."""
    sizes = {"filters": [[1, 8], [2, 8]], "dim": 32, "projection_dim": 16, "n_draws": 64}
    return "elmo_tasks.training.bilm_module.BiLMModule", sizes | settings


def language_data(folder: Path, **settings: Any) -> Part:
    """Return the data of ``text.txt`` in a folder."""
    data = {
        "files": [str(folder / "text.txt")],
        "cache_dir": str(folder / "cache"),
        "vocabulary_size": 50,
        "batch_size": BATCH,
        "unroll_steps": WINDOW,
    }
    return "elmo_tasks.data.language_model.LanguageModelData", data | settings


def exported(folder: Path, **settings: Any) -> Part:
    """Write the model at the end of the run."""
    export = {"folder": str(folder / "model"), **settings}
    return "elmo_tasks.training.export_bilm.ExportBiLM", export


def write_language(folder: Path) -> Path:
    """Write texts of the language and an experiment of 200 steps; return its configuration."""
    lines = sentences(400)
    (folder / "text.txt").write_text("\n".join(lines[:360]) + "\n")
    (folder / "held.txt").write_text("\n".join(lines[360:]) + "\n")
    return write_experiment(
        folder,
        language_model(learning_rate=0.01, warmup_steps=5),
        language_data(folder, held_out=str(folder / "held.txt"), max_tokens=200 * BATCH * WINDOW),
        [
            steps_kept(folder / "run", 30),
            ("elmo_tasks.training.callbacks.ProgressLines", {"every_n_steps": 20}),
            exported(folder, about={"title": "a toy"}),
        ],
    )
