"""Settings of a training run: a plan is checked, and becomes a configuration of ``fit``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from elmo_tasks.api import TrainingPlan
from elmo_tasks.bundled import CONFIGS
from elmo_tasks.errors import InputError
from elmo_tasks.service.run_folder import HEAD, PROGRESS
from elmo_tasks.service.training_data import VALIDATION_SHARE
from elmo_tasks.service.validation import check_choice
from elmo_tasks.tasks import TASKS, find_task
from elmo_tasks.tasks.task import Task

#: Longer texts and larger data sets take hours without a GPU.
HUB_ROWS = 5_000
HUB_TOKENS = 200
# Name, minimum, maximum, and what to type.
_NUMBERS: dict[str, tuple[str, float, float, str]] = {
    "epochs": ("Rounds", 1, 200, "a whole number"),
    "hidden": ("Hidden size", 8, 512, "a whole number"),
    "learning_rate": ("Learning rate", 1e-5, 0.1, "a number"),
}
_CHOICES = {
    "kind": tuple(TASKS),
    "source": ("sample", "examples", "upload", "hub"),
    "layers": ("learned", "0", "mean"),
}
#: Module of the callbacks of these runs; it is in the files of runs that may be resumed.
_CALLBACKS = "elmo_tasks.training.job_callbacks"


def check_plan(plan: TrainingPlan) -> None:
    """Raise an :class:`InputError` for numbers and choices out of range."""
    for field, (name, low, high, number) in _NUMBERS.items():
        value: Any = getattr(plan, field)
        types = (int, float) if number == "a number" else (int,)
        if type(value) not in types or not low <= value <= high:
            raise InputError(f"{name}: type {number} from {low:g} to {high:g}.", field=field)
    for field, allowed in _CHOICES.items():
        if getattr(plan, field) not in allowed:
            raise InputError(f"{field}: choose {', '.join(allowed)}.", field=field)
    if plan.source == "hub":
        check_choice(plan.data, TASKS[plan.kind].hub, "public data set", "data")
    if plan.balanced and not TASKS[plan.kind].one_label:
        raise InputError(
            "Only labels of whole texts can weigh alike; tags of words cannot.", field="balanced"
        )


def config_for(
    plan: TrainingPlan,
    encoder: str,
    n_layers: int,
    *,
    layer_store: Path,
    about: dict[str, str],
    spans: bool = True,
) -> dict[str, Any]:
    """Return the settings of ``fit --config``: those of the sample, changed by the plan.

    Relative paths are below the run's folder; ``about`` is for the head's card; ``spans`` is
    whether tags mark spans.
    """
    task = find_task(plan.kind)
    config: dict[str, Any] = yaml.safe_load(
        (CONFIGS / f"{task.sample}.yaml").read_text(encoding="utf-8")
    )
    model = config["model"]["init_args"]
    model["encoder"] = encoder
    model["learning_rate"] = float(plan.learning_rate)
    model["layer_store"] = str(layer_store)
    if plan.balanced:
        model["class_weights"] = "balanced"
    head = model["head"]["init_args"]
    head[task.size_setting] = plan.hidden
    if plan.layers == "0":
        head["fixed_weights"] = [1.0, *[0.0] * (n_layers - 1)]
    elif plan.layers == "mean":
        head["fixed_weights"] = [1.0 / n_layers] * n_layers
    _set_data(config["data"]["init_args"], plan, task, spans)
    _set_trainer(config["trainer"], plan, task.watched_score("BIO" if spans else None), about)
    return config


def _set_data(data: dict[str, Any], plan: TrainingPlan, task: Task, spans: bool) -> None:
    """Name the splits of a public data set, or the files of the run."""
    if "scheme" in data and not spans:
        data["scheme"] = None
    for key in task.columns:
        data.pop(key, None)
    if plan.source != "hub":
        data |= {"train": "train.jsonl", "test": "test.jsonl", "validation_share": VALIDATION_SHARE}
        return
    splits = task.hub[plan.data]
    data |= {
        "hub": plan.data,
        "train": splits.train,
        "test": splits.test,
        "limit_train": HUB_ROWS,
    }
    if splits.validation is not None:
        data |= {"validation": splits.validation, "validation_share": 0.0}
    if task.one_label:
        data["max_tokens"] = HUB_TOKENS


def _set_trainer(
    trainer: dict[str, Any], plan: TrainingPlan, watched: str, about: dict[str, str]
) -> None:
    """Write all files into the run's folder, and its progress for the page."""
    callbacks = {entry["class_path"].rpartition(".")[2]: entry for entry in trainer["callbacks"]}
    checkpoint = callbacks["RunCheckpoint"]
    checkpoint["init_args"] |= {"dirpath": ".", "monitor": f"val_{watched}"}
    export = callbacks["ExportHead"]
    export["init_args"] |= {"folder": HEAD, "about": about}
    trainer |= {
        "max_epochs": plan.epochs,
        "default_root_dir": ".",
        "enable_progress_bar": False,
        "enable_model_summary": False,
        "logger": [
            {
                "class_path": "elmo_tasks.training.run_files.CurveLogger",
                "init_args": {"save_dir": "."},
            }
        ],
        "callbacks": [
            {"class_path": f"{_CALLBACKS}.ProgressFile", "init_args": {"path": PROGRESS}},
            {"class_path": f"{_CALLBACKS}.StopOnInterrupt"},
            checkpoint,
            export,
        ],
    }
