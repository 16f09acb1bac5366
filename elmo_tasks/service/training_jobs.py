"""Training runs of the app: one at a time, each with its own process and folder."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from elmo_tasks.api import DatasetPreview, TrainingJob, TrainingOffer, TrainingPlan
from elmo_tasks.bundled import CONFIGS
from elmo_tasks.errors import InputError
from elmo_tasks.files import unfinished_folder
from elmo_tasks.heads.head_files import bundled_heads
from elmo_tasks.messages.training import METRIC_WORDS
from elmo_tasks.service.run_folder import CONFIG, HEAD, JOB, PROGRESS, RunFolder
from elmo_tasks.service.training_data import (
    MAX_UPLOAD,
    VALIDATION_SHARE,
    Dataset,
    Examples,
    Uploads,
    estimate,
    load_dataset,
    pace,
    preview_hub,
)
from elmo_tasks.tasks import TASKS, find_task

OFF = (
    "Training and uploads are off here, because other people can reach this app. Whoever runs it can start it with "
    "app.py --allow-training."
)
CHECKPOINT = "last.ckpt"
#: Longer texts and larger data sets take hours without a GPU.
HUB_ROWS, HUB_TOKENS = 5_000, 200
_RANGES: dict[str, tuple[float, float]] = {"epochs": (1, 200), "hidden": (8, 512), "learning_rate": (1e-5, 0.1)}
_NAMES = {"epochs": "Rounds", "hidden": "Hidden size", "learning_rate": "Learning rate"}
_MAX_TITLE, _MAX_SHOWN = 60, 50
# Errors from files that the user edited.
_BROKEN = (OSError, ValueError, KeyError, TypeError, AttributeError)


def check_settings(plan: TrainingPlan) -> None:
    """Raise an :class:`InputError` for numbers and choices out of range."""
    for field, (low, high) in _RANGES.items():
        value = getattr(plan, field)
        kinds, number = ((int, float), "a number") if field == "learning_rate" else ((int,), "a whole number")
        if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
            raise InputError(f"{_NAMES[field]}: type {number} from {low:g} to {high:g}.", field=field)
    for field, allowed in (
        ("kind", tuple(TASKS)),
        ("source", ("sample", "examples", "upload", "hub")),
        ("layers", ("learned", "0", "mean")),
    ):
        if getattr(plan, field) not in allowed:
            raise InputError(f"{field}: choose {', '.join(allowed)}.", field=field)
    if plan.balanced and not TASKS[plan.kind].one_label:
        raise InputError("Only labels of whole texts can weigh alike; tags of words cannot.", field="balanced")


def config_for(
    plan: TrainingPlan, encoder: str, n_layers: int, layer_store: Path, about: dict[str, str], spans: bool = True
) -> dict[str, Any]:
    """Return the settings of ``fit --config``: those of the sample, changed by the plan.

    Relative paths refer to the folder of the run.

    Args:
        plan: a checked plan.
        encoder: name or absolute path of the encoder.
        n_layers: its number of layers.
        layer_store: folder of the layer cache that runs share.
        about: ``title``, ``data`` and ``licence`` of the head's card.
        spans: for tagging, whether the tags mark spans.
    """
    kind = find_task(plan.kind)
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
    kind = find_task(plan.kind)
    if "scheme" in data and not spans:
        data["scheme"] = None
    for key in kind.columns:
        data.pop(key, None)
    if plan.source != "hub":
        data |= {"train": "train.jsonl", "test": "test.jsonl", "validation_share": VALIDATION_SHARE}
        return
    splits = kind.hub[plan.data]
    data |= {"hub": plan.data, "train": splits.train, "test": splits.test, "limit_train": HUB_ROWS}
    if splits.validation is not None:
        data |= {"validation": splits.validation, "validation_share": 0.0}
    if kind.truncates:
        data["max_tokens"] = HUB_TOKENS


def _callbacks(template: list[dict[str, Any]], monitor: str, about: dict[str, str]) -> list[dict[str, Any]]:
    """Return the callbacks: progress and stop, then the template's checkpoint and export."""
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


class TrainingJobs:
    """Implements :class:`elmo_tasks.api.TrainingService`: start, list and stop runs.

    Args:
        runs: their folder, which need not exist yet.
        encoder: name or folder of the encoder that heads are trained on.
        n_layers: returns its number of layers, called when a run is started.
        allowed: whether training and uploads are on.
        command: trains by ``config.yaml`` in the current folder.
    """

    def __init__(
        self,
        runs: Path,
        encoder: str,
        n_layers: Callable[[], int],
        allowed: bool = False,
        command: Sequence[str] = (sys.executable, "-m", "elmo_tasks", "fit", "--config", CONFIG),
    ) -> None:
        self.runs, self._n_layers, self._allowed, self._command = runs, n_layers, allowed, list(command)
        # Each run has its own working directory: a folder needs its absolute path, a name stays a name.
        self._encoder = str(Path(encoder).resolve()) if Path(encoder).is_dir() else encoder
        self._uploads, self._examples = Uploads(runs / "uploads"), Examples(runs / "examples")
        self._guard = threading.RLock()
        self._child: subprocess.Popen[bytes] | None = None

    def offer(self) -> TrainingOffer:
        """Implement :meth:`elmo_tasks.api.TrainingService.offer`."""
        hub = tuple((name, kind.name, data.title) for kind in TASKS.values() for name, data in kind.hub.items())
        return TrainingOffer(self._allowed, hub, MAX_UPLOAD)

    def store_upload(self, name: str, content: bytes) -> str:
        """Implement :meth:`elmo_tasks.api.TrainingService.store_upload`."""
        with self._writing("file"):
            return self._uploads.store(name, content)

    def examples(self, kind: str) -> str:
        """Implement :meth:`elmo_tasks.api.TrainingService.examples`."""
        self._check_allowed()
        return self._examples.text(kind)

    def store_examples(self, kind: str, text: str) -> None:
        """Implement :meth:`elmo_tasks.api.TrainingService.store_examples`."""
        with self._writing("examples"):
            self._examples.store(kind, text)

    def keep_example(self, kind: str, line: str) -> int:
        """Implement :meth:`elmo_tasks.api.TrainingService.keep_example`."""
        with self._writing("examples"):
            return self._examples.add(kind, line)

    def preview(self, plan: TrainingPlan) -> DatasetPreview:
        """Implement :meth:`elmo_tasks.api.TrainingService.preview`."""
        self._check_allowed()
        check_settings(replace(plan, epochs=1, hidden=64, learning_rate=1e-3))
        return self._load(plan)[0]

    def _load(self, plan: TrainingPlan) -> tuple[DatasetPreview, Dataset | None]:
        """Return the preview of a plan's data with estimated times, and any local rows."""
        dataset = None if plan.source == "hub" else load_dataset(plan, self._uploads, self._examples)
        preview = preview_hub(plan.data, plan.kind) if dataset is None else dataset.preview()
        return estimate(preview, plan.kind, pace([state for _, state in self._known()])), dataset

    def start(self, plan: TrainingPlan) -> TrainingJob:
        """Implement :meth:`elmo_tasks.api.TrainingService.start`."""
        self._check_allowed()
        check_settings(plan)
        preview, dataset = self._load(plan)
        title = _title(plan, preview)
        with self._writing("start"):
            self._check_idle()
            with unfinished_folder(self.runs / "job") as partial:
                folder = RunFolder(partial)
                state = self._fill(folder, plan, preview, dataset, title)
                self._launch(folder, state, self._command)
                target = self._free_folder(title)
                partial.rename(target)
        return RunFolder(target).job()

    def resume(self, name: str) -> TrainingJob:
        """Implement :meth:`elmo_tasks.api.TrainingService.resume`."""
        with self._writing("resume"):
            folder, state = self._finished(name, "resume")
            if not folder.job(state).can_resume:
                raise InputError(f"The run “{name[:40]}” has no rounds left to train.", field="resume")
            self._check_idle()
            rest = ["--ckpt_path", CHECKPOINT] if (folder.path / CHECKPOINT).is_file() else []
            self._launch(folder, state, [*self._command, *rest])
        return folder.job()

    def stop(self, name: str) -> TrainingJob:
        """Implement :meth:`elmo_tasks.api.TrainingService.stop`."""
        with self._writing("stop"):
            folder = self._folder(name, "stop")
            state = folder.state()
            return folder.job(folder.stop(state) if state["status"] == "running" else state)

    def delete(self, name: str) -> None:
        """Implement :meth:`elmo_tasks.api.TrainingService.delete`."""
        with self._writing("delete"):
            folder, _ = self._finished(name, "delete")
            # After this rename it is no run any more; a reader may keep its open files.
            removed = Path(tempfile.mkdtemp(prefix=".gone-", dir=self.runs))
            folder.path.rename(removed / folder.path.name)
        shutil.rmtree(removed, ignore_errors=True)

    def jobs(self) -> tuple[TrainingJob, ...]:
        """Implement :meth:`elmo_tasks.api.TrainingService.jobs`."""
        if not self._allowed:
            return ()
        jobs = []
        known = sorted(self._known(), key=lambda run: (-run[1]["created"], run[0].path.name))
        for folder, state in known[:_MAX_SHOWN]:
            with contextlib.suppress(*_BROKEN):
                jobs.append(folder.job(state))
        return tuple(jobs)

    def _check_allowed(self) -> None:
        if not self._allowed:
            raise InputError(OFF)

    @contextlib.contextmanager
    def _writing(self, field: str) -> Iterator[None]:
        """Allow one change at a time, if training is on; report a read-only or full disk."""
        self._check_allowed()
        try:
            with self._guard:
                yield
        except OSError as error:
            raise InputError(
                f"The folder for runs cannot be written ({error.strerror or error}). Whoever runs this app can name another "
                "one: app.py --runs_dir.",
                field=field,
            ) from error

    def _known(self) -> list[tuple[RunFolder, dict[str, Any]]]:
        """Return all readable runs, each with its state."""
        with self._guard:
            if self._child is not None and self._child.poll() is not None:
                self._child = None
            known = []
            for path in self.runs.glob(f"[!.]*/{JOB}"):
                folder = RunFolder(path.parent)
                with contextlib.suppress(*_BROKEN):
                    known.append((folder, folder.state()))
            return known

    def _check_idle(self) -> None:
        running = next((state["title"] for _, state in self._known() if state["status"] == "running"), None)
        if running is not None:
            raise InputError(f"“{running}” is still training. Stop it, or wait until it is done.", field="start")

    def _folder(self, name: str, field: str) -> RunFolder:
        """Find a run by name; a name from the network is compared, never opened."""
        folder = next((job for job, _ in self._known() if job.path.name == name), None)
        if folder is None:
            raise InputError(f"There is no run “{name[:40]}”.", field=field)
        return folder

    def _finished(self, name: str, field: str) -> tuple[RunFolder, dict[str, Any]]:
        folder = self._folder(name, field)
        state = folder.state()
        if state["status"] == "running":
            raise InputError(f"The run “{name[:40]}” is still training. Stop it first.", field=field)
        return folder, state

    def _launch(self, folder: RunFolder, state: dict[str, Any], command: Sequence[str]) -> None:
        self._child = folder.launch(command)
        begun = {"status": "running", "pid": self._child.pid, "started": time.time()}
        folder.update({k: v for k, v in state.items() if k not in ("stop", "ended", "message")}, **begun)

    def _fill(
        self, folder: RunFolder, plan: TrainingPlan, preview: DatasetPreview, dataset: Dataset | None, title: str
    ) -> dict[str, Any]:
        """Write the data and the settings of a run into its folder; return its state."""
        kind = find_task(plan.kind)
        spans = preview.counted == "names" or dataset is None
        if dataset is None:
            data, licence = kind.hub[plan.data].title, "see the data set’s own page"
        else:
            dataset.write(folder.path)
            rows = f" ({preview.rows + preview.test_rows:,} rows, {dataset.origin})"
            data = dataset.title if plan.source == "sample" else f"{dataset.title}{rows}"
            licence = "as the program" if plan.source == "sample" and not plan.with_examples else "your own data"
        about = {"title": title, "data": data, "licence": licence}
        store = (self.runs / "layers").resolve()
        config = config_for(plan, self._encoder, self._n_layers(), store, about, spans)
        if dataset is not None and not dataset.test:  # an empty file would end the run when training is over
            config["data"]["init_args"]["test"] = None
        text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
        (folder.path / CONFIG).write_text(text, encoding="utf-8")
        return {
            "title": title,
            "kind": plan.kind,
            "source": plan.source,
            "data": data,
            "created": time.time(),
            "epochs": plan.epochs,
            "metric": METRIC_WORDS[kind.main_score("BIO" if spans else None)],
            "learned": plan.layers == "learned",
            "estimate": round(preview.seconds + plan.epochs * preview.seconds_per_epoch, 1),
            "pace": pace([state for _, state in self._known()]),
        }

    def _free_folder(self, title: str) -> Path:
        plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
        slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-") or "run"
        taken = {*bundled_heads(), "uploads", "layers", "examples"}
        name, number = slug, 2
        while name in taken or (self.runs / name).exists():
            name, number = f"{slug}-{number}", number + 1
        return self.runs / name


def _title(plan: TrainingPlan, preview: DatasetPreview) -> str:
    """Return the user's title on one line, or one derived from the data."""
    typed = " ".join("".join(c if c.isprintable() else " " for c in plan.name).split())
    if len(typed) > _MAX_TITLE:
        raise InputError(f"The name has {len(typed)} characters; the most is {_MAX_TITLE}.", field="name")
    from_data = {"sample": "sample", "examples": "examples", "hub": plan.data}
    return typed or f"{find_task(plan.kind).words.title}: {from_data.get(plan.source, Path(preview.title).stem[:30])}"
