"""Training runs that people start from the screen: one process at a time, whose whole state lies in ``runs/NAME/``.

A run goes on when its page or the app is closed, and is found again; what waits is started by whichever app looks first.
"""

from __future__ import annotations

import contextlib
import re
import shutil
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

from elmo_tasks.api import DataLook, TrainingJob, TrainingOffer, TrainingPlan
from elmo_tasks.errors import InputError
from elmo_tasks.files import unfinished_folder, write_json
from elmo_tasks.heads.head_files import bundled_heads
from elmo_tasks.jobs import training_data
from elmo_tasks.jobs.job_folder import JobFolder
from elmo_tasks.jobs.job_queue import JobQueue
from elmo_tasks.jobs.training_config import CONFIG, HEAD, check_settings, config_for
from elmo_tasks.jobs.training_data import estimate, pace
from elmo_tasks.jobs.uploads import MAX_UPLOAD, Uploads
from elmo_tasks.tasks.kinds import KINDS, kind_of
from elmo_tasks.wording.task_kinds import METRIC_WORDS

OFF = (
    "Training and uploads are off here, because other people can reach this app. Whoever runs it can start it with "
    "app.py --allow-training."
)
_LONGEST_TITLE, _MOST_WAITING, _MOST_SHOWN = 60, 5, 50


@contextlib.contextmanager
def _written(field: str) -> Iterator[None]:
    """Say in words that a disk is read-only or full."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"The folder for runs cannot be written ({error.strerror or error}). Whoever runs this app can name another one: "
            "app.py --runs_dir.",
            field=field,
        ) from error


class TrainingJobs:
    """Starts, finds, stops and describes runs.

    Heads are trained on ``encoder``, a name or folder, whose ``n_layers`` are asked when a run is started; ``command`` trains, run
    in the folder of the run.
    """

    def __init__(
        self,
        runs: Path,
        encoder: str,
        n_layers: Callable[[], int],
        allowed: bool = False,
        command: Sequence[str] = (sys.executable, "-m", "elmo_tasks", "fit", "--config", CONFIG),
    ) -> None:
        self.runs, self._n_layers, self._allowed = runs, n_layers, allowed
        # Runs are started in folders of their own: a folder must be named whole there, a name must stay a name.
        self._encoder = str(Path(encoder).resolve()) if Path(encoder).is_dir() else encoder
        self._uploads, self._queue = Uploads(runs / "uploads"), JobQueue(runs, command)
        self._guard = threading.Lock()
        self._looks: dict[tuple[Any, ...], DataLook] = {}

    def offer(self) -> TrainingOffer:
        """See :meth:`elmo_tasks.api.TrainingService.offer`."""
        hub = tuple((name, kind.name, data.words) for kind in KINDS.values() for name, data in kind.hub.items())
        return TrainingOffer(self._allowed, hub, MAX_UPLOAD)

    def keep_upload(self, name: str, content: bytes) -> str:
        """See :meth:`elmo_tasks.api.TrainingService.keep_upload`."""
        self._check_allowed()
        with _written("file"):
            return self._uploads.keep(name, content)

    def look(self, plan: TrainingPlan) -> DataLook:
        """See :meth:`elmo_tasks.api.TrainingService.look`."""
        self._check_allowed()
        check_settings(replace(plan, epochs=1, hidden=64, learning_rate=1e-3))
        key = (plan.kind, plan.source, plan.data, plan.text_column, plan.label_column, plan.header, plan.base)
        base = self._base(plan)
        with self._guard:
            found = self._looks.get(key)
        if found is None:
            if plan.source == "sample":
                found = training_data.look_at_sample(plan.kind)
            elif plan.source == "hub":
                found = training_data.look_at_hub(plan.data, plan.kind)
            else:
                found = training_data.look_at_upload(*self._uploads.find(plan.data), plan, base)
            with self._guard:
                self._looks = {key: found, **dict(list(self._looks.items())[:20])}
        return estimate(found, plan.kind, pace(self._queue.states()))

    def _base(self, plan: TrainingPlan) -> Path | None:
        """The folder of the run whose rows a plan adds to."""
        if plan.source != "upload" or plan.base in ("", "sample"):
            return None
        folder = self._folder(plan.base, "base")
        if not folder.job().base:
            raise InputError(f"The run “{plan.base[:40]}” keeps no rows that others could be added to.", field="base")
        return folder.path

    def start(self, plan: TrainingPlan) -> TrainingJob:
        """See :meth:`elmo_tasks.api.TrainingService.start`."""
        self._check_allowed()
        check_settings(plan)
        look = self.look(plan)
        title = _title(plan, look)
        with _written("start"), self._queue.locked():
            if sum(state["status"] == "queued" for state in self._queue.states()) >= _MOST_WAITING:
                raise InputError(f"{_MOST_WAITING} runs are waiting already. Stop one, or wait.", field="start")
            with unfinished_folder(self.runs / "job") as partial:
                self._fill(partial, plan, look, title)
                target = self._free_folder(title)
                partial.rename(target)
            self._queue.advance()
        self._queue.keep_going()
        return JobFolder(target).job()

    def stop(self, name: str) -> TrainingJob:
        """See :meth:`elmo_tasks.api.TrainingService.stop`."""
        self._check_allowed()
        with self._queue.locked():
            folder = self._folder(name, "stop")
            state = self._queue.stop(folder)
        self._queue.keep_going()
        return folder.job(state)

    def delete(self, name: str) -> None:
        """See :meth:`elmo_tasks.api.TrainingService.delete`."""
        self._check_allowed()
        with self._queue.locked(), _written("delete"):
            folder = self._over(name, "delete")
            # In one step it is no run any more; what a reader holds open it keeps.
            gone = Path(tempfile.mkdtemp(prefix=".gone-", dir=self.runs))
            folder.path.rename(gone / folder.path.name)
        shutil.rmtree(gone, ignore_errors=True)

    def rename(self, name: str, title: str) -> TrainingJob:
        """See :meth:`elmo_tasks.api.TrainingService.rename`."""
        self._check_allowed()
        typed = _typed(title)
        if not typed:
            raise InputError("Type a name.", field="name")
        with self._queue.locked(), _written("name"):
            folder = self._over(name, "name")
            card = folder.card()
            if card is not None:
                write_json(folder.path / HEAD / "card.json", card | {"title": typed})
            return folder.job(folder.update(title=typed))

    def _folder(self, name: str, field: str) -> JobFolder:
        """A run by its name; a name from the network is compared, never opened."""
        folder = next((job for job, _ in self._queue.known() if job.path.name == name), None)
        if folder is None:
            raise InputError(f"There is no run “{name[:40]}”.", field=field)
        return folder

    def _over(self, name: str, field: str) -> JobFolder:
        folder = self._folder(name, field)
        if folder.state()["status"] in ("queued", "running"):
            raise InputError(f"The run “{name[:40]}” is not over. Stop it first.", field=field)
        return folder

    def jobs(self) -> tuple[TrainingJob, ...]:
        """See :meth:`elmo_tasks.api.TrainingService.jobs`."""
        if not self._allowed or not self.runs.is_dir():
            return ()
        found = self._queue.known()
        if any(state["status"] in ("queued", "running") for _, state in found):
            self._queue.keep_going()
        jobs = []
        for folder, state in sorted(found, key=lambda run: (-run[1]["created"], run[0].path.name))[:_MOST_SHOWN]:
            with contextlib.suppress(
                OSError, ValueError, KeyError, TypeError, AttributeError
            ):  # a file that was meddled with
                jobs.append(folder.job(state))
        return tuple(jobs)

    def _check_allowed(self) -> None:
        if not self._allowed:
            raise InputError(OFF)

    def _fill(self, folder: Path, plan: TrainingPlan, look: DataLook, title: str) -> None:
        """Everything a run needs, in a folder that nobody sees yet."""
        kind = kind_of(plan.kind)
        spans = look.counted == "names" or plan.source == "hub"
        if plan.source == "sample":
            training_data.write_sample(plan.kind, folder)
            data, licence = "the sample that comes with the program", "as the program"
        elif plan.source == "upload":
            training_data.write_upload(*self._uploads.find(plan.data), plan, folder, self._base(plan))
            added = {"": "your file", "sample": "your file and the sample"}.get(
                plan.base, "your file and the rows before"
            )
            data, licence = f"{look.title} ({look.rows + look.test_rows:,} rows, {added})", "your own data"
        else:
            data, licence = kind.hub[plan.data].words, "see the data set’s own page"
        about = {"title": title, "data": data, "licence": licence}
        store = (self.runs / "layers").resolve()
        config = config_for(plan, self._encoder, self._n_layers(), store, about, spans)
        if plan.source == "upload" and not look.test_rows:  # an empty file would end the run when all is learned
            config["data"]["init_args"]["test"] = None
        (folder / CONFIG).write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8")
        JobFolder(folder).write(
            {
                "title": title,
                "kind": plan.kind,
                "source": plan.source,
                "data": data,
                "status": "queued",
                "created": time.time(),
                "epochs": plan.epochs,
                "metric": METRIC_WORDS[kind.main_score("BIO" if spans else None)],
                "learned": plan.layers == "learned",
                "estimate": round(look.seconds + plan.epochs * look.seconds_per_epoch, 1),
                "pace": pace(self._queue.states()),
            }
        )

    def _free_folder(self, title: str) -> Path:
        plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
        slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-") or "run"
        taken = {*bundled_heads(), "uploads", "layers"}
        name, number = slug, 2
        while name in taken or (self.runs / name).exists():
            name, number = f"{slug}-{number}", number + 1
        return self.runs / name


def _typed(name: str) -> str:
    """A name as a person typed it, on one line."""
    typed = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    if len(typed) > _LONGEST_TITLE:
        raise InputError(f"The name has {len(typed)} characters; the most is {_LONGEST_TITLE}.", field="name")
    return typed


def _title(plan: TrainingPlan, look: DataLook) -> str:
    typed = _typed(plan.name)
    if typed:
        return typed
    from_data = {"sample": "sample", "hub": plan.data}.get(plan.source, Path(look.title).stem[:30])
    return f"{kind_of(plan.kind).words.title}: {from_data}"
