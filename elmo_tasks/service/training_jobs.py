"""Training runs of the app: one at a time, each with its own process and folder."""

from __future__ import annotations

import contextlib
import shutil
import statistics
import subprocess
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import yaml

from elmo_tasks.api import DatasetPreview, TrainingJob, TrainingOffer, TrainingPlan
from elmo_tasks.errors import InputError
from elmo_tasks.files import atomic_write, unfinished_folder, write_json
from elmo_tasks.heads.head_files import bundled_heads
from elmo_tasks.messages.training import METRIC_WORDS
from elmo_tasks.service import run_folder, training_data
from elmo_tasks.service.run_folder import CONFIG, JOB, free_name
from elmo_tasks.service.training_data import Dataset, load_dataset
from elmo_tasks.service.training_settings import check_plan, config_for
from elmo_tasks.tasks import TASKS, find_task
from elmo_tasks.wording import slug

CHECKPOINT = "last.ckpt"
_MAX_TITLE = 60
_MAX_SHOWN = 50
_MAX_RECENT = 5
_N_TRY_TEXTS = 2  # texts on which a new head opens in Try
#: Seconds to start and to score, measured on two cores.
_START_SECONDS = 14.0
#: Rows of a hub data set that are read, approximately.
_HUB_READ = 6_000
# Errors from files that the user edited.
_BROKEN = (OSError, ValueError, KeyError, TypeError, AttributeError)


class TrainingJobs:
    """Implements :class:`elmo_tasks.api.Training`: start, list and stop runs.

    Args:
        runs: folder of the runs, which need not exist yet.
        encoder: encoder of the heads.
        n_layers: returns the number of its layers.
        allowed: whether training is on.
        command: command that trains by ``config.yaml`` in the current folder.
    """

    def __init__(
        self,
        runs: Path,
        encoder: str,
        n_layers: Callable[[], int],
        *,
        allowed: bool = False,
        command: Sequence[str] = (sys.executable, "-m", "elmo_tasks", "fit", "--config", CONFIG),
    ) -> None:
        self.runs = runs
        self._n_layers = n_layers
        self._allowed = allowed
        self._command = list(command)
        # Each run has its own working directory: a folder needs its absolute path, a name stays a
        # name.
        self._encoder = str(Path(encoder).resolve()) if Path(encoder).is_dir() else encoder
        self._uploads = runs / "uploads"
        self._lock = threading.RLock()
        # Kept until the next one, which reaps it.
        self._child: subprocess.Popen[bytes] | None = None

    def offer(self) -> TrainingOffer:
        hub = tuple(
            (name, task.name, data.title)
            for task in TASKS.values()
            for name, data in task.hub.items()
        )
        return TrainingOffer(self._allowed, hub)

    def store_upload(self, name: str, content: bytes) -> str:
        with self._writing("file"):
            return training_data.store_upload(self._uploads, name, content)

    def examples(self, kind: str) -> str:
        self._check_allowed()
        path = self._examples(kind)
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def store_examples(self, kind: str, text: str) -> None:
        with self._writing("examples"):
            self._examples(kind).parent.mkdir(parents=True, exist_ok=True)
            atomic_write(self._examples(kind), text.encode("utf-8", errors="replace"))

    def keep_example(self, kind: str, line: str) -> int:
        with self._writing("examples"):
            lines = [old for old in self.examples(kind).splitlines() if old.strip()]
            line = " ".join(line.split())
            if line and line not in lines:
                lines.append(line)
                self.store_examples(kind, "\n".join(lines) + "\n")
            return len(lines)

    def _examples(self, kind: str) -> Path:
        return self.runs / "examples" / f"{find_task(kind).name}.marked"

    def preview(self, plan: TrainingPlan) -> DatasetPreview:
        self._check_allowed()
        check_plan(replace(plan, epochs=1, hidden=64, learning_rate=1e-3))
        return self._load(plan)[0]

    def start(self, plan: TrainingPlan) -> TrainingJob:
        self._check_allowed()
        check_plan(plan)
        preview, dataset = self._load(plan)
        title = _title(plan, preview)
        with self._writing("start"):
            self._check_idle()
            with unfinished_folder(self.runs / "job") as partial:
                self._fill(partial, plan, preview, dataset, title)
                self._child = run_folder.launch(partial, self._command)
                plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
                taken = {*bundled_heads(), "uploads", "layers", "examples"} | {
                    path.name for path in self.runs.iterdir()
                }
                target = self.runs / free_name(slug(plain, "run")[:40].strip("-"), taken)
                partial.rename(target)
        return run_folder.read_job(target)

    def resume(self, name: str) -> TrainingJob:
        with self._writing("resume"):
            folder, job = self._find(name, "resume", is_over=True)
            if not job.can_resume:
                raise InputError(
                    f"The run “{name[:40]}” has no rounds left to train.", field="resume"
                )
            self._check_idle()
            rest = ["--ckpt_path", CHECKPOINT] if (folder / CHECKPOINT).is_file() else []
            self._child = run_folder.launch(folder, [*self._command, *rest])
        return run_folder.read_job(folder)

    def stop(self, name: str) -> TrainingJob:
        with self._writing("stop"):
            folder, job = self._find(name, "stop")
            if job.status == "running":
                run_folder.stop(folder)
        return run_folder.read_job(folder)

    def delete(self, name: str) -> None:
        with self._writing("delete"):
            folder, _ = self._find(name, "delete", is_over=True)
            (folder / JOB).unlink()  # without it, the folder is not a run
            shutil.rmtree(folder, ignore_errors=True)

    def jobs(self) -> tuple[TrainingJob, ...]:
        return tuple(self._jobs()[:_MAX_SHOWN]) if self._allowed else ()

    def _jobs(self) -> list[TrainingJob]:
        """Return all readable runs, the newest first."""
        jobs = []
        for path in self.runs.glob(f"[!.]*/{JOB}"):
            with contextlib.suppress(*_BROKEN):
                jobs.append(run_folder.read_job(path.parent))
        return sorted(jobs, key=lambda job: (-job.created, job.name))

    def _load(self, plan: TrainingPlan) -> tuple[DatasetPreview, Dataset | None]:
        """Return the preview of a plan's data with estimated times, and any local rows."""
        dataset = (
            None
            if plan.source == "hub"
            else load_dataset(plan, self._uploads, self._examples(plan.kind))
        )
        preview = dataset.preview() if dataset else DatasetPreview(plan.data, 0, 0)
        task = find_task(plan.kind)
        pace = self._pace()
        rows = preview.rows or _HUB_READ
        seconds = pace * (_START_SECONDS + task.read_seconds * (rows + preview.test_rows))
        return replace(
            preview, seconds=seconds, seconds_per_epoch=pace * task.epoch_seconds * rows
        ), dataset

    def _pace(self) -> float:
        """Return the median ratio of measured to estimated time over recent runs, clipped."""
        done = [job for job in self._jobs() if job.status == "done" and job.estimate]
        ratios = [job.pace * job.seconds / job.estimate for job in done[:_MAX_RECENT]]
        return min(8.0, max(0.2, statistics.median(ratios))) if ratios else 1.0

    def _check_allowed(self) -> None:
        if not self._allowed:
            raise InputError(
                "Training and uploads are off here, because other people can reach this app."
                " Whoever runs it can start it with elmo-tasks app --allow-training."
            )

    @contextlib.contextmanager
    def _writing(self, field: str) -> Iterator[None]:
        """Allow one change at a time, if training is on; report a read-only or full disk."""
        self._check_allowed()
        try:
            with self._lock:
                yield
        except OSError as error:
            raise InputError(
                f"The folder for runs cannot be written ({error.strerror or error}). Whoever runs"
                " this app can name another one: elmo-tasks app --runs_dir.",
                field=field,
            ) from error

    def _check_idle(self) -> None:
        if title := next((job.title for job in self._jobs() if job.status == "running"), None):
            raise InputError(
                f"“{title}” is still training. Stop it, or wait until it is done.", field="start"
            )

    def _find(self, name: str, field: str, is_over: bool = False) -> tuple[Path, TrainingJob]:
        """Find a run by name; a name from the network is compared, never opened."""
        job = next((job for job in self._jobs() if job.name == name), None)
        if job is None:
            raise InputError(f"There is no run “{name[:40]}”.", field=field)
        if is_over and job.status == "running":
            raise InputError(
                f"The run “{name[:40]}” is still training. Stop it first.", field=field
            )
        return self.runs / job.name, job

    def _fill(
        self,
        folder: Path,
        plan: TrainingPlan,
        preview: DatasetPreview,
        dataset: Dataset | None,
        title: str,
    ) -> None:
        """Write the data, the settings and the description of a run into its folder."""
        task = find_task(plan.kind)
        is_sample = plan.source == "sample"
        spans = preview.counted == "names" or dataset is None
        if dataset is None:
            data = task.hub[plan.data].title
            licence = "see the data set’s own page"
        else:
            dataset.write(folder)
            rows = f" ({preview.rows + preview.test_rows:,} rows, {dataset.origin})"
            data = dataset.title if is_sample else f"{dataset.title}{rows}"
            licence = "as the program" if is_sample and not plan.with_examples else "your own data"
        config = config_for(
            plan,
            self._encoder,
            self._n_layers(),
            layer_store=(self.runs / "layers").resolve(),
            about={"title": title, "data": data, "licence": licence},
            spans=spans,
        )
        if dataset is not None and not dataset.test:
            # An empty file would end the run when training is over.
            config["data"]["init_args"]["test"] = None
        (folder / CONFIG).write_text(
            yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8"
        )
        state = {
            "title": title,
            "kind": plan.kind,
            "data": data,
            "created": time.time(),
            "epochs": plan.epochs,
            "metric": METRIC_WORDS[task.main_score("BIO" if spans else None)],
            "learned": plan.layers == "learned",
            "estimate": round(preview.seconds + plan.epochs * preview.seconds_per_epoch, 1),
            "pace": self._pace(),
            "examples": [" ".join(words) for words, _ in preview.examples[:_N_TRY_TEXTS]],
        }
        write_json(folder / JOB, state)


def _title(plan: TrainingPlan, preview: DatasetPreview) -> str:
    """Return the user's title on one line, or one derived from the data."""
    typed = " ".join("".join(c if c.isprintable() else " " for c in plan.name).split())
    if len(typed) > _MAX_TITLE:
        raise InputError(
            f"The name has {len(typed)} characters; the most is {_MAX_TITLE}.", field="name"
        )
    named = {"sample": "sample", "examples": "examples", "hub": plan.data}
    data = named.get(plan.source, Path(preview.title).stem[:30])
    return typed or f"{find_task(plan.kind).words.title}: {data}"
