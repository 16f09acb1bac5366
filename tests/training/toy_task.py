"""A tiny encoder, tiny data and their training, for all tests about training."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch

from elmo_tasks.data.classification import ClassificationData
from elmo_tasks.data.split_data import SplitData
from elmo_tasks.data.tagging import TaggingData
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.encoders.static_vectors import StaticVectors
from elmo_tasks.heads.head import HeadTask, TaskHead
from elmo_tasks.heads.head_files import Source, write_head
from elmo_tasks.heads.ner import NerHead
from elmo_tasks.heads.sentiment import SentimentHead
from elmo_tasks.recipes.static_vectors import write_vectors
from elmo_tasks.training.export_bilm import write_model
from elmo_tasks.training.task_module import TaskModule
from tests.bilm.tiny import tiny
from tests.training.experiment import described, write_experiment

NAMES = ("Ada", "Bo", "Cleo", "Dan")
PLACES = ("Rome", "Oslo", "Lima", "Bern")
EPOCHS = 10
GOOD, BAD = ("good", "warm", "kind"), ("bad", "cold", "rude")


def write_encoder(folder: Path, shift: float = 0.0) -> Path:
    """A biLM with random weights; another shift is another model."""
    bilm = tiny()
    with torch.no_grad():
        bilm.token_encoder.projection.bias += shift
    write_model(folder, bilm)
    return folder


def write_static(folder: Path, shift: float = 0.0) -> Path:
    words = [word.lower() for word in (*NAMES, *PLACES, *GOOD, *BAD)]
    vectors = torch.randn(len(words), 5, generator=torch.Generator().manual_seed(3)) + shift
    write_vectors(folder, StaticVectors(words, vectors), {})
    return folder


def write_tags(path: Path, seed: int, n: int = 24) -> Path:
    draw = random.Random(seed)
    rows = []
    for _ in range(n):
        tokens = [("we", "O")] * draw.randrange(1, 4)
        tokens += [(draw.choice(NAMES), "B-PER")] + [
            (draw.choice(NAMES), "I-PER")
        ] * draw.randrange(2)
        tokens += [("in", "O"), (draw.choice(PLACES), "B-LOC"), (".", "O")]
        rows.append("".join(f"{token} {tag}\n" for token, tag in tokens))
    path.write_text("\n".join(rows))
    return path


def write_opinions(path: Path, seed: int, n: int = 24) -> Path:
    draw = random.Random(seed)
    lines = []
    for k in range(n):
        words = [draw.choice(GOOD if k % 2 else BAD) for _ in range(draw.randrange(1, 4))]
        lines.append(f"{'positive' if k % 2 else 'negative'}\tit was {' '.join(words)} .\n")
    path.write_text("".join(lines))
    return path


def tagging_data(folder: Path, **settings: Any) -> TaggingData:
    files = {
        split: str(write_tags(folder / f"{split}.conll", k))
        for k, split in enumerate(("train", "validation"))
    }
    return TaggingData(**files, **{"batch_size": 8, **settings})


def opinion_data(folder: Path, **settings: Any) -> ClassificationData:
    files = {
        split: str(write_opinions(folder / f"{split}.tsv", k))
        for k, split in enumerate(("train", "validation"))
    }
    return ClassificationData(
        **files, text_column=1, label_column=0, **{"batch_size": 8, **settings}
    )


def ner(**settings: Any) -> Callable[[HeadTask], TaskHead]:
    return lambda task: NerHead(
        task, **{"lstm_hidden": 6, "lstm_layers": 1, "dropout": 0.0, **settings}
    )


def sentiment(**settings: Any) -> Callable[[HeadTask], TaskHead]:
    return lambda task: SentimentHead(task, **{"hidden": 6, "dropout": 0.0, **settings})


def trained(
    module: TaskModule,
    data: SplitData[Any, Any],
    folder: Path,
    epochs: int = 2,
    ckpt_path: Path | None = None,
    **arguments: Any,
) -> pl.Trainer:
    """Fit from one seed, without a word."""
    pl.seed_everything(1, verbose=False)
    quiet = {
        "logger": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
        "num_sanity_val_steps": 0,
    }
    trainer = pl.Trainer(
        accelerator="cpu",
        default_root_dir=folder,
        max_epochs=epochs,
        **{"enable_checkpointing": False, **quiet, **arguments},
    )
    trainer.fit(module, data, ckpt_path=ckpt_path)
    return trainer


def write_untrained(
    folder: Path,
    encoder: Path,
    kind: str = "tagging",
    static: Path | None = None,
    seed: int = 0,
    reading: dict[str, Any] | None = None,
    card: dict[str, Any] | None = None,
    encoder_name: str | None = None,
    **settings: Any,
) -> Path:
    """Write a head with random weights: its answers are meaningless but reproducible."""
    elmo = Elmo.load(encoder)
    vectors = None if static is None else StaticVectors.load(static)
    width = 0 if vectors is None else vectors.width
    torch.manual_seed(seed)
    if kind == "tagging":
        labels = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
        head = ner(**settings)(HeadTask(labels, elmo.width, elmo.n_layers, "BIO", width))
    else:
        head = sentiment(**settings)(
            HeadTask(("negative", "positive"), elmo.width, elmo.n_layers, None, width)
        )
    for parameter in (
        head.parameters()
    ):  # far from zero, so that labels and probabilities differ from text to text
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.5)
    source = Source(encoder_name or str(encoder), elmo.checksum)
    frozen = None if vectors is None else Source(str(static), vectors.checksum)
    write_head(folder, head, source, frozen, reading, card)
    return folder


def write_config(folder: Path, encoder: Path, kind: str = "tagging") -> Path:
    """Return a complete experiment on tiny data, in the form of the bundled ones."""
    tagging = kind == "tagging"
    write, ending = (write_tags, "conll") if tagging else (write_opinions, "tsv")
    files = {
        split: str(write(folder / f"{split}.{ending}", k, 25))
        for k, split in enumerate(("train", "validation"))
    }
    run = folder / "run"
    head: dict[str, Any] = {"hidden": 12, "mix_layer_norm": True}
    head_class, data_class = "sentiment.SentimentHead", "classification.ClassificationData"
    columns = {"text_column": 1, "label_column": 0}
    if tagging:
        head = {"lstm_hidden": 12, "lstm_layers": 1}
        head_class, data_class, columns = "ner.NerHead", "tagging.TaggingData", {}
    model = {
        "encoder": str(encoder),
        "layer_store": str(folder / "layers"),
        "learning_rate": 0.05 if tagging else 0.01,
        "head": described((f"elmo_tasks.heads.{head_class}", {"dropout": 0.0, **head})),
    }
    ours = "elmo_tasks.training"
    about = {"title": "a toy", "data": "toy data"}
    kept = {"dirpath": str(run), "monitor": "val_f1" if tagging else "val_accuracy"}
    return write_experiment(
        folder,
        (f"{ours}.task_module.TaskModule", model),
        (f"elmo_tasks.data.{data_class}", {**files, **columns, "batch_size": 8}),
        [
            (f"{ours}.run_files.RunCheckpoint", kept),
            (f"{ours}.export_head.ExportHead", {"folder": str(run / "head"), "about": about}),
        ],
        max_epochs=EPOCHS,
        num_sanity_val_steps=0,
    )
