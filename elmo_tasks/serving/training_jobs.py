"""Training runs that people start from the screen: one process at a time, whose whole state lies in ``runs/NAME/``.

A run goes on when its page or the app is closed, and is found again; what waits is started by whichever app looks first.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
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

import filelock
import yaml

from elmo_tasks.api import DataLook, TrainingJob, TrainingOffer, TrainingPlan
from elmo_tasks.errors import InputError
from elmo_tasks.heads.head_files import bundled_heads
from elmo_tasks.serving import training_data
from elmo_tasks.serving.job_folder import JOB, JobFolder, started_at
from elmo_tasks.serving.training_config import CONFIG, HEAD, LOG, check_settings, config_for
from elmo_tasks.serving.training_estimate import estimate, pace

REPOSITORY = Path(__file__).resolve().parents[2]
OFF = (
    "Training and uploads are off here, because other people can reach this app. Whoever runs it can start it with "
    "app.py --allow-training."
)
_TITLES = {"classification": "Feeling or topic", "tagging": "Names"}
_HUB_WORDS = {
    "conll2003": "CoNLL-2003: names in news",
    "sst2": "SST-2: film reviews, two classes",
    "sst5": "SST-5: film reviews, five classes",
    "imdb": "IMDB: whole film reviews",
}
_LONGEST_TITLE, _MOST_WAITING, _MOST_SHOWN = 60, 5, 50
# Politely behind the app itself and whatever else a person does.
_NICE = 5


class TrainingJobs:
    """Starts, finds, stops and describes runs.

    Args:
        runs: the folder of runs.
        encoder: name or folder of the encoder that heads are trained on.
        n_layers: gives the number of its layers; asked when a run is started.
        allowed: whether training and uploads are on.
        command: what trains, run in the folder of the run.
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
        # Runs are started in folders of their own: a folder must be named whole there, a name must stay a name.
        self._encoder = str(Path(encoder).resolve()) if Path(encoder).is_dir() else encoder
        self._uploads = training_data.Uploads(runs / "uploads")
        self._guard = threading.RLock()
        self._thread: threading.Thread | None = None
        self._children: dict[int, subprocess.Popen[bytes]] = {}
        self._looks: dict[tuple[Any, ...], DataLook] = {}

    def offer(self) -> TrainingOffer:
        """See :meth:`elmo_tasks.api.Service.training_offer`."""
        hub = tuple((name, kind, _HUB_WORDS.get(name, name)) for name, kind in training_data.hub_kinds().items())
        return TrainingOffer(self._allowed, hub, training_data.MAX_UPLOAD, training_data.MAX_ROWS)

    def keep_upload(self, name: str, content: bytes) -> str:
        """See :meth:`elmo_tasks.api.Service.keep_upload`."""
        self._check_allowed()
        return self._uploads.keep(name, content)

    def look(self, plan: TrainingPlan) -> DataLook:
        """See :meth:`elmo_tasks.api.Service.look_at_data`."""
        self._check_allowed()
        check_settings(replace(plan, epochs=1, hidden=64, learning_rate=1e-3))
        key = (plan.kind, plan.source, plan.data, plan.text_column, plan.label_column, plan.header)
        with self._guard:
            found = self._looks.get(key)
        if found is None:
            if plan.source == "sample":
                found = training_data.look_at_sample(plan.kind)
            elif plan.source == "hub":
                found = training_data.look_at_hub(plan.data, plan.kind)
            else:
                found = training_data.look_at_upload(*self._uploads.find(plan.data), plan)
            with self._guard:
                self._looks = {key: found, **dict(list(self._looks.items())[:20])}
        return estimate(found, plan.kind, pace(self._states()))

    def start(self, plan: TrainingPlan) -> TrainingJob:
        """See :meth:`elmo_tasks.api.Service.start_training`."""
        self._check_allowed()
        check_settings(plan)
        look = self.look(plan)
        title = _title(plan, look)
        self.runs.mkdir(parents=True, exist_ok=True)
        with self._locked():
            waiting = [job for job in self._folders() if job.state()["status"] == "queued"]
            if len(waiting) >= _MOST_WAITING:
                raise InputError(f"{_MOST_WAITING} runs are waiting already. Stop one, or wait.", field="start")
            partial = Path(tempfile.mkdtemp(prefix=".job-", dir=self.runs))
            try:
                self._fill(partial, plan, look, title)
                partial.chmod(0o755)
                target = self._free_folder(title)
                partial.rename(target)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
            self._advance()
        self._keep_going()
        return JobFolder(target).job()

    def stop(self, name: str) -> TrainingJob:
        """See :meth:`elmo_tasks.api.Service.stop_training`."""
        self._check_allowed()
        with self._locked():
            folder = next((job for job in self._folders() if job.path.name == name), None)
            if folder is None:
                raise InputError(f"There is no run “{name[:40]}”.", field="stop")
            state = folder.state()
            if state["status"] == "queued":
                state = folder.update(status="stopped", ended=time.time(), message="Taken back before it began.")
            elif state["status"] == "running" and folder.is_running(state):
                again = bool(state.get("stop"))
                state = folder.update(stop=2 if again else 1)
                # Asked a second time: at once, and whatever it has started with it.
                with contextlib.suppress(ProcessLookupError):
                    if again:
                        os.killpg(state["pid"], signal.SIGKILL)
                    else:
                        os.kill(state["pid"], signal.SIGINT)
        self._keep_going()
        return folder.job(state)

    def jobs(self) -> tuple[TrainingJob, ...]:
        """See :meth:`elmo_tasks.api.Service.training_jobs`."""
        if not self._allowed or not self.runs.is_dir():
            return ()
        found = []
        unfinished = False
        for folder in self._folders():
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                state = folder.state()
                unfinished = unfinished or state["status"] in ("queued", "running")
                found.append((state["created"], folder, state))
        if unfinished:
            self._keep_going()
        newest = sorted(found, key=lambda entry: (-entry[0], entry[1].path.name))[:_MOST_SHOWN]
        jobs = []
        for _, folder, state in newest:
            with contextlib.suppress(
                OSError, ValueError, KeyError, TypeError, AttributeError
            ):  # a file that was meddled with
                jobs.append(folder.job(state))
        return tuple(jobs)

    def _check_allowed(self) -> None:
        if not self._allowed:
            raise InputError(OFF)

    def _folders(self) -> list[JobFolder]:
        """All runs that can be read."""
        found = []
        for path in self.runs.glob(f"*/{JOB}"):
            folder = JobFolder(path.parent)
            with contextlib.suppress(OSError, ValueError):
                folder.state()
                if not path.parent.name.startswith("."):
                    found.append(folder)
        return found

    def _states(self) -> list[dict[str, Any]]:
        states = []
        for folder in self._folders():
            with contextlib.suppress(OSError, ValueError):
                states.append(folder.state())
        return states

    def _fill(self, folder: Path, plan: TrainingPlan, look: DataLook, title: str) -> None:
        """Everything a run needs, in a folder that nobody sees yet."""
        spans = look.counted == "names" or plan.source == "hub"
        if plan.source == "sample":
            training_data.write_sample(plan.kind, folder)
            data, licence = "the sample that comes with the program", "as the program"
        elif plan.source == "upload":
            training_data.write_upload(*self._uploads.find(plan.data), plan, folder)
            data, licence = f"{look.title} ({look.rows + look.test_rows:,} rows, your file)", "your own data"
        else:
            data, licence = _HUB_WORDS.get(plan.data, plan.data), "see the data set’s own page"
        about = {"title": title, "data": data, "licence": licence}
        store = (self.runs / "layers").resolve()
        config = config_for(plan, self._encoder, self._n_layers(), store, about, spans)
        (folder / CONFIG).write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8")
        JobFolder(folder).write(
            {
                "title": title,
                "kind": plan.kind,
                "data": data,
                "status": "queued",
                "created": time.time(),
                "epochs": plan.epochs,
                "metric": "F1" if plan.kind == "tagging" and spans else "accuracy",
                "learned": plan.layers == "learned",
                "estimate": round(look.seconds + plan.epochs * look.seconds_per_epoch, 1),
                "pace": pace(self._states()),
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

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """One at a time, also among several apps on the same folder."""
        self.runs.mkdir(parents=True, exist_ok=True)
        with self._guard, filelock.FileLock(self.runs / ".training.lock"):
            yield

    def _keep_going(self) -> None:
        """See to it that somebody notices the end of a run, and starts the next."""
        with self._guard:
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="training-jobs", daemon=True)
                self._thread.start()

    def _watch(self) -> None:
        while True:
            with self._locked():
                if not self._advance():
                    self._thread = None
                    return
            time.sleep(0.5)

    def _advance(self) -> bool:
        """Close the books on runs that are over, start the next one; whether any is left."""
        for pid, child in list(self._children.items()):
            if child.poll() is not None:
                del self._children[pid]
        waiting: list[tuple[float, JobFolder]] = []
        running = False
        for folder in self._folders():
            try:
                state = folder.state()
                if state["status"] == "queued":
                    waiting.append((float(state["created"]), folder))
                elif state["status"] == "running":
                    if folder.is_running(state):
                        running = True
                    else:
                        _close(folder, state)
            except (OSError, ValueError, KeyError, TypeError):
                continue
        if waiting and not running:
            self._spawn(min(waiting, key=lambda entry: entry[0])[1])
        return running or bool(waiting)

    def _spawn(self, folder: JobFolder) -> None:
        path = os.environ.get("PYTHONPATH")
        environment = {
            **os.environ,
            "PYTHONPATH": f"{REPOSITORY}{os.pathsep}{path}" if path else str(REPOSITORY),
            "PYTHONUNBUFFERED": "1",
        }
        # One core stays free for the app; more threads than free cores would wait for each other.
        environment.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 2) - 1)))
        try:
            with (folder.path / LOG).open("wb") as log:
                child = subprocess.Popen(
                    self._command,
                    cwd=folder.path,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
        except OSError as error:
            folder.update(
                status="failed", ended=time.time(), message=f"The training process cannot be started: {error}"
            )
            return
        with contextlib.suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, child.pid, _NICE)
        self._children[child.pid] = child
        folder.update(status="running", pid=child.pid, pid_started=started_at(child.pid), started=time.time())


def _close(folder: JobFolder, state: dict[str, Any]) -> None:
    """Say how a run ended whose process is gone: by what it left."""
    card = folder.card()
    done = [row for row in folder.progress() if row.get("epoch")]
    ended = {"ended": done[-1]["time"] if done and card is None else time.time()}
    if state.get("stop"):
        if card is None:
            folder.update(status="stopped", message="Stopped before there was anything to keep.", **ended)
            return
        best = card.get("training", {}).get("best_epoch")
        which = f"the best state so far (round {best})" if best else "what there was"
        folder.update(status="stopped", message=f"Stopped in round {max(1, len(done))}; {which} was kept.", **ended)
    elif card is not None and card.get("scores"):
        folder.update(status="done", message="", **ended)
    elif card is not None:
        reason = folder.reason()
        folder.update(status="failed", message=f"The head was kept, but not scored. {reason}", **ended)
    else:
        folder.update(status="failed", message=folder.reason(), **ended)
        shutil.rmtree(folder.path / HEAD, ignore_errors=True)


def _title(plan: TrainingPlan, look: DataLook) -> str:
    typed = " ".join("".join(c if c.isprintable() else " " for c in plan.name).split())
    if len(typed) > _LONGEST_TITLE:
        raise InputError(f"The name has {len(typed)} characters; the most is {_LONGEST_TITLE}.", field="name")
    if typed:
        return typed
    from_data = {"sample": "sample", "hub": plan.data}.get(plan.source, Path(look.title).stem[:30])
    return f"{_TITLES[plan.kind]}: {from_data}"
