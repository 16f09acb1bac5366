"""The configuration of a training run: that of the sample of its kind, read from its file, with what the plan changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from elmo_tasks.api import TrainingPlan
from elmo_tasks.bundled import CONFIGS
from elmo_tasks.errors import InputError
from elmo_tasks.jobs.training_data import VALIDATION_SHARE
from elmo_tasks.tasks.kinds import KINDS, kind_of

PROGRESS, CONFIG, HEAD, LOG = "progress.jsonl", "config.yaml", "head", "log.txt"
#: Longer texts and larger data sets than these take hours without a GPU.
HUB_ROWS, HUB_TOKENS = 5_000, 200
_RANGES: dict[str, tuple[float, float]] = {"epochs": (1, 200), "hidden": (8, 512), "learning_rate": (1e-5, 0.1)}
_NAMES = {"epochs": "Rounds", "hidden": "Hidden size", "learning_rate": "Learning rate"}


def check_settings(plan: TrainingPlan) -> None:
    """Refuse numbers and choices that cannot be meant, by an :class:`InputError`."""
    for field, (low, high) in _RANGES.items():
        value = getattr(plan, field)
        kinds, number = ((int, float), "a number") if field == "learning_rate" else ((int,), "a whole number")
        if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
            raise InputError(f"{_NAMES[field]}: type {number} from {low:g} to {high:g}.", field=field)
    for field, allowed in (
        ("kind", tuple(KINDS)),
        ("source", ("sample", "upload", "hub")),
        ("layers", ("learned", "0", "mean")),
    ):
        if getattr(plan, field) not in allowed:
            raise InputError(f"{field}: choose {', '.join(allowed)}.", field=field)
    if plan.balanced and not KINDS[plan.kind].one_label:
        raise InputError("Only labels of whole texts can weigh alike; tags of words cannot.", field="balanced")


def config_for(
    plan: TrainingPlan, encoder: str, n_layers: int, layer_store: Path, about: dict[str, str], spans: bool = True
) -> dict[str, Any]:
    """What ``fit --config`` reads; files are named as they lie in the run's folder, where the run is started.

    Args:
        plan: what is wanted; its numbers are checked.
        encoder: name or whole path of the encoder.
        n_layers: how many layers it has.
        layer_store: where layers are kept from run to run.
        about: what the head's card is to say: ``title``, ``data``, ``licence``.
        spans: of a tagging plan, whether the tags spell names of several words.
    """
    kind = kind_of(plan.kind)
    config = yaml.safe_load((CONFIGS / f"{kind.sample}.yaml").read_text(encoding="utf-8"))
    model, data, trainer = config["model"]["init_args"], config["data"]["init_args"], config["trainer"]
    if plan.balanced:
        model["class_weights"] = "balanced"
    model |= {"encoder": encoder, "learning_rate": float(plan.learning_rate), "layer_store": str(layer_store)}
    head = model["head"]["init_args"]
    head[kind.size_setting] = plan.hidden
    if plan.layers == "0":
        head["fixed_weights"] = [1.0, *[0.0] * (n_layers - 1)]
    elif plan.layers == "mean":
        head["fixed_weights"] = [1.0 / n_layers] * n_layers
    _fill_data(plan, data, spans)
    monitor = f"val_{kind.main_score('BIO' if spans else None)}"
    trainer |= {
        "max_epochs": plan.epochs,
        "default_root_dir": ".",
        "enable_progress_bar": False,
        "enable_model_summary": False,
        "logger": [{"class_path": "elmo_tasks.training.run_files.CurveLogger", "init_args": {"save_dir": "."}}],
        "callbacks": _callbacks(trainer["callbacks"], monitor, about),
    }
    return config


def _fill_data(plan: TrainingPlan, data: dict[str, Any], spans: bool) -> None:
    kind = kind_of(plan.kind)
    if "scheme" in data and not spans:
        data["scheme"] = None
    if plan.source == "sample":
        data |= {split: Path(data[split]).name.replace(f"{kind.sample}_", "") for split in ("train", "test")}
        return
    for key in kind.columns:
        data.pop(key, None)
    if plan.source == "upload":
        data |= {"train": "train.jsonl", "test": "test.jsonl", "validation_share": VALIDATION_SHARE}
        return
    splits = kind.hub[plan.data]
    data |= {"hub": plan.data, "train": splits.train, "test": splits.test, "limit_train": HUB_ROWS}
    if splits.validation is not None:
        data |= {"validation": splits.validation, "validation_share": 0.0}
    if kind.truncates:
        data["max_tokens"] = HUB_TOKENS


def _callbacks(template: list[dict[str, Any]], monitor: str, about: dict[str, str]) -> list[dict[str, Any]]:
    """The file's checkpoint and export; progress goes to a file, and a stop keeps what there is."""
    kept = {entry["class_path"].rpartition(".")[2]: entry for entry in template}
    checkpoint, export = kept["RunCheckpoint"], kept["ExportHead"]
    checkpoint["init_args"] |= {"dirpath": ".", "monitor": monitor}
    export["init_args"] |= {"folder": HEAD, "about": about}
    ours = "elmo_tasks.training.job_callbacks"
    return [
        {"class_path": f"{ours}.ProgressFile", "init_args": {"path": PROGRESS}},
        {"class_path": f"{ours}.StopOnInterrupt"},
        checkpoint,
        export,
    ]
