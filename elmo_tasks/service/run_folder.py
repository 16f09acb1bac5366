"""Folder of a training run, ``runs/NAME/``: its state, its process and its progress.

The process locks a file in the folder for as long as it lives, so that any app can detect whether the run is alive.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from elmo_tasks.api import SplitScore, TrainingEpoch, TrainingJob
from elmo_tasks.files import remove_stale, write_json
from elmo_tasks.layers.views import layer_names
from elmo_tasks.messages.training import METRIC_WORDS

JOB, PROGRESS, CONFIG, HEAD, LOG = "job.json", "progress.jsonl", "config.yaml", "head", "log.txt"
#: The folder that contains the package, so that the child process imports the same one.
PACKAGES = Path(__file__).resolve().parents[2]
_LOCK = ".running"
_MAX_REASON, _MAX_POINTS = 1200, 240
_NICE = 5  # lower priority than the app
# Local folders before a file name: the reason of a failure omits them.
_PATH = re.compile(r"(?<![\w.:/~-])/(?:[^\s/:'\"()]+/)+")


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def state(self) -> dict[str, Any]:
        """Return the contents of ``job.json``; close a run whose process has ended first.

        Raises:
            ValueError: the file is not the state of a run.
        """
        state = json.loads((self.path / JOB).read_text(encoding="utf-8"))
        types: dict[str, Any] = {"title": str, "kind": str, "status": str, "created": (int, float), "epochs": int}
        if not isinstance(state, dict) or not all(isinstance(state.get(key), type_) for key, type_ in types.items()):
            raise ValueError(f"{self.path / JOB}: not the state of a training run")
        if state["status"] == "running" and not self.is_running():
            return self._close(state)
        return state

    def update(self, state: dict[str, Any], **changes: Any) -> dict[str, Any]:
        """Write the state with changes, in one step, and return it."""
        write_json(self.path / JOB, state | changes)
        return state | changes

    def is_running(self) -> bool:
        """Return True while the process of this run holds its lock."""
        try:
            with (self.path / _LOCK).open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        return False

    def launch(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """Start the process in the folder and pass it the lock, before the run is visible.

        Raises:
            OSError: it cannot be started.
        """
        path = os.environ.get("PYTHONPATH")
        environment = {
            **os.environ,
            "PYTHONPATH": f"{PACKAGES}{os.pathsep}{path}" if path else str(PACKAGES),
            "PYTHONUNBUFFERED": "1",
        }
        # One core stays free for the app; more threads than free cores would wait for each other.
        environment.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 2) - 1)))
        with (self.path / _LOCK).open("wb") as lock, (self.path / LOG).open("wb") as log:
            fcntl.flock(lock, fcntl.LOCK_EX)
            child = subprocess.Popen(
                command,
                cwd=self.path,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=[lock.fileno()],
            )
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, child.pid, _NICE)
        return child

    def stop(self, state: dict[str, Any]) -> dict[str, Any]:
        """Stop a run at its best state so far.

        Kill it on a second call, or if it has no such state yet.
        """
        again = bool(state.get("stop"))
        state = self.update(state, stop=2 if again else 1)
        # An interrupt works only during training: earlier, processes that a script starts with `&` ignore it.
        training = any(row.get("phase") == "training" for row in self.progress())
        with contextlib.suppress(ProcessLookupError):
            if again or not training:
                os.killpg(state["pid"], signal.SIGKILL)
            else:
                os.kill(state["pid"], signal.SIGINT)
        return state

    def card(self) -> dict[str, Any] | None:
        """Return the card of the head, if there is a head."""
        try:
            return dict(json.loads((self.path / HEAD / "card.json").read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def progress(self) -> list[dict[str, Any]]:
        """Return the whole lines of the progress file."""
        try:
            lines = (self.path / PROGRESS).read_text(encoding="utf-8").splitlines()
        except OSError:
            return []
        rows = []
        for line in lines:
            with contextlib.suppress(ValueError):
                row = json.loads(line)
                if isinstance(row, dict):
                    rows.append(row)
        return rows

    def reason(self) -> str:
        """Return the reason of a failure from the end of the log, without local paths."""
        try:
            log = (self.path / LOG).read_text(encoding="utf-8", errors="replace")
        except OSError:
            log = ""
        log = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", log)
        log = log.replace(f"{self.path.resolve()}/", "").replace(f"{Path(__file__).resolve().parents[2]}/", "")
        log = _PATH.sub("", log)
        start = log.rfind("\nfit: ") + 1 if "\nfit: " in log else 0 if log.startswith("fit: ") else -1
        if start >= 0:
            return log[start:].removeprefix("fit: ").strip()[:_MAX_REASON]
        lines = [line.strip() for line in log.splitlines() if line.strip()]
        errors = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Interrupt)\b", line)]
        if errors:
            return f"The program failed: {errors[-1][:_MAX_REASON]} (the whole log is in {self.path.name}/{LOG})"
        return "The training process was ended from outside, perhaps because the machine ran out of memory."

    def _close(self, state: dict[str, Any]) -> dict[str, Any]:
        """Record the end of a run, judged by its files, and remove incomplete ones."""
        remove_stale(self.path / HEAD)
        card, rows = self.card(), self.progress()
        done = [row for row in rows if row.get("epoch")]
        ended = done[-1]["time"] if done and card is None else time.time()
        status, message = "failed", ""
        if state.get("stop"):
            status, message = "stopped", "Stopped before there was anything to keep."
            if card is not None:
                best = card.get("training", {}).get("best_epoch")
                kept = f"the best state so far (round {best})" if best else "what there was"
                message = f"Stopped in round {max([1, *(row['epoch'] for row in done)])}; {kept} was kept."
        elif card is not None and card.get("scores"):
            status = "done"
        else:
            message = self.reason()
            if card is not None:
                message = f"The head was kept, but not scored. {message}"
            else:
                shutil.rmtree(self.path / HEAD, ignore_errors=True)
        return self.update(state, status=status, message=message, ended=ended)

    def job(self, state: dict[str, Any] | None = None) -> TrainingJob:
        """Return the run as the UI shows it."""
        state = self.state() if state is None else state
        card, rows = self.card(), self.progress()
        end = state.get("ended") or time.time()
        job = TrainingJob(
            name=self.path.name,
            title=str(state["title"]),
            kind=str(state["kind"]),
            data=str(state.get("data", "")),
            status=str(state["status"]),
            created=float(state["created"]),
            epochs=int(state["epochs"]),
            metric=str(state.get("metric", "accuracy")),
            learned=bool(state.get("learned", True)),
            message=str(state.get("message", "")),
            stopping=state["status"] == "running" and bool(state.get("stop")),
            head=self.path.name if card is not None else None,
            best_epoch=None if card is None else card.get("training", {}).get("best_epoch"),
            scores=() if card is None else scores_of(card),
            can_resume=state["status"] in ("stopped", "failed") and (self.path / CONFIG).is_file(),
            seconds=max(0.0, end - state["started"]) if state.get("started") else 0.0,
            **_course(rows, running=state["status"] == "running"),
        )
        return replace(job, seconds_left=_seconds_left(job, state, rows))


def _course(rows: list[dict[str, Any]], running: bool) -> dict[str, Any]:
    """Convert the progress lines to fields of :class:`TrainingJob`.

    A resumed run repeats epochs.
    """
    phase, steps, per_epoch, step = "starting", 0, 1, 0
    losses: list[tuple[float, float]] = []
    course: list[TrainingEpoch] = []
    for row in rows:
        if "phase" in row:
            phase = str(row["phase"])
            steps, per_epoch = int(row.get("steps", steps)), max(1, int(row.get("steps_per_epoch", per_epoch)))
        elif "epoch" in row:
            step = int(row.get("step", step))
            course = [earlier for earlier in course if earlier.epoch < row["epoch"]]
            train, validation, score = (row.get(key) for key in ("train_loss", "val_loss", "score"))
            weights = tuple(row.get("weights", ()))
            course.append(TrainingEpoch(int(row["epoch"]), train, validation, score, weights, row.get("gamma")))
        elif "loss" in row:
            step = int(row["step"])
            losses = [point for point in losses if point[0] < step / per_epoch]
            losses.append((round(step / per_epoch, 3), float(row["loss"])))
    # Thinned from the end, so that the newest loss is always among the points.
    thin = max(1, len(losses) // _MAX_POINTS)
    n_layers = len(course[0].weights) if course else 0
    return {
        "phase": phase if running else "",
        "step": step,
        "steps": steps,
        "losses": tuple(losses[::-1][::thin][::-1]),
        "course": tuple(course),
        "layers": layer_names(n_layers)[:n_layers],
    }


def _seconds_left(job: TrainingJob, state: dict[str, Any], rows: list[dict[str, Any]]) -> float | None:
    """Estimate the time left from the pace of the run, or at first from the plan."""
    if job.status != "running" or job.stopping or job.phase == "scoring":
        return None
    began = next((k for k in range(len(rows) - 1, -1, -1) if rows[k].get("phase") == "training"), len(rows))
    steps = [(row["time"], row["step"]) for row in rows[began:] if "step" in row]
    if len(steps) > 1 and steps[-1][1] > steps[0][1]:
        seconds_per_step = (steps[-1][0] - steps[0][0]) / (steps[-1][1] - steps[0][1])
        return max(0.0, seconds_per_step * (job.steps - steps[-1][1]) - (time.time() - steps[-1][0]))
    return max(0.0, float(state.get("estimate", 0.0)) - job.seconds) or None


def scores_of(card: dict[str, Any]) -> tuple[SplitScore, ...]:
    """Return the scores on a card, those on the test split first."""
    scores = []
    for split in ("test", "validation"):
        about = card.get("scores", {}).get(split)
        if not about:
            continue
        main, guess = about["main"], about.get("guess", {})
        by_word = "word f1" if main == "f1" else "word accuracy"
        guessed = (guess[by_word], "word") if by_word in guess else (guess.get("majority"), "majority")
        called = METRIC_WORDS.get(main, main)
        scores.append(SplitScore(split, called, float(about[main]), int(about["rows"]), *guessed))
    return tuple(scores)
