"""Folder of a training run, ``runs/NAME/``: its files are its state, its lock its process."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from elmo_tasks.api import Message, SplitScore, TrainingEpoch, TrainingJob
from elmo_tasks.files import read_json, write_json
from elmo_tasks.layers import layer_names
from elmo_tasks.messages.training import METRIC_WORDS
from elmo_tasks.tasks import TASKS

JOB = "job.json"
PROGRESS = "progress.jsonl"
CONFIG = "config.yaml"
HEAD = "head"
LOG = "log.txt"
#: The folder that contains the package, so that the child process imports the same one.
PACKAGES = Path(__file__).resolve().parents[2]
_LOCK = ".running"
#: Entries of :data:`JOB` that are fields of :class:`TrainingJob`.
_JOB_FIELDS = (
    "title",
    "data",
    "created",
    "epochs",
    "metric",
    "learned",
    "estimate",
    "pace",
    "examples",
)
_MAX_REASON = 1200
_MAX_POINTS = 240
_NICE = 5  # lower priority than the app
# Local folders before a file name: the reason of a failure omits them.
_PATH = re.compile(r"(?<![\w.:/~-])/(?:[^\s/:'\"()]+/)+")


def free_name(name: str, taken: Container[str]) -> str:
    """Return the name, or the first of ``name-2``, ``name-3``, … that is not taken."""
    return next(free for k in count(1) if (free := name if k == 1 else f"{name}-{k}") not in taken)


def launch(folder: Path, command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start the process of a run in its folder, pass it the lock, and note the start."""
    environment = {
        # One core stays free for the app; more threads than free cores would wait for each other.
        "OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 2) - 1)),
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(PACKAGES), os.environ.get("PYTHONPATH")])),
        "PYTHONUNBUFFERED": "1",
    }
    with (folder / _LOCK).open("wb") as lock, (folder / LOG).open("wb") as log:
        fcntl.flock(lock, fcntl.LOCK_EX)
        child = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=[lock.fileno()],
        )
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, child.pid, _NICE)
    write_json(
        folder / JOB,
        read_json(folder / JOB) | {"pid": child.pid, "started": time.time(), "stop": 0},
    )
    return child


def stop(folder: Path) -> None:
    """Stop a run at its best state so far; without one, or on a second call, kill it."""
    state = read_json(folder / JOB)
    write_json(folder / JOB, state | {"stop": state.get("stop", 0) + 1})
    # An interrupt works only during training: earlier, processes that a script starts with `&`
    # ignore it.
    in_training = any(row.get("phase") == "training" for row in _progress(folder))
    with contextlib.suppress(ProcessLookupError):
        if in_training and not state.get("stop"):
            os.kill(state["pid"], signal.SIGINT)
        else:
            os.killpg(state["pid"], signal.SIGKILL)


def read_job(folder: Path) -> TrainingJob:
    """Return the state of a run; its files may be anything, and raise any error."""
    is_running = _is_running(folder)  # first: a process that ends meanwhile has written its files
    state = read_json(folder / JOB)
    rows = _progress(folder)
    card: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        card = read_json(folder / HEAD / "card.json")
    best_epoch = card.get("training", {}).get("best_epoch")
    message = ""
    if is_running:
        status = "running"
    elif state.get("stop"):
        status = "stopped"
        message = (
            _stopped(rows, best_epoch) if card else "Stopped before there was anything to keep."
        )
    elif card.get("scores"):
        status = "done"
    else:
        status = "failed"
        message = f"{'The head was kept, but not scored. ' if card else ''}{_reason(folder)}"
    files = [folder / name for name in (JOB, LOG, PROGRESS) if (folder / name).is_file()]
    end = time.time() if is_running else max(path.stat().st_mtime for path in files)
    job = TrainingJob(
        **{key: state[key] for key in _JOB_FIELDS if key in state},
        name=folder.name,
        task=TASKS[state["kind"]].words,
        status=status,
        message=Message(message),
        stopping=is_running and bool(state.get("stop")),
        head=folder.name if card else None,
        best_epoch=best_epoch,
        scores=scores_of(card),
        can_resume=status in ("stopped", "failed") and (folder / CONFIG).is_file(),
        seconds=max(0.0, end - state["started"]),
        **_course(rows, is_running),
    )
    return replace(job, seconds_left=_seconds_left(job, rows))


def _stopped(rows: Sequence[dict[str, Any]], best_epoch: int | None) -> str:
    last = max([1, *(row["epoch"] for row in rows if "epoch" in row)])
    kept = f"the best state so far (round {best_epoch})" if best_epoch else "what there was"
    return f"Stopped in round {last}; {kept} was kept."


def _read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _is_running(folder: Path) -> bool:
    """Return True while the process of a run holds its lock."""
    with contextlib.suppress(FileNotFoundError), (folder / _LOCK).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _progress(folder: Path) -> list[dict[str, Any]]:
    """Return the whole lines of the progress file."""
    lines = _read_text(folder / PROGRESS).splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def _reason(folder: Path) -> str:
    """Return the reason of a failure from the end of the log, without local paths."""
    log = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", _read_text(folder / LOG))
    log = _PATH.sub("", log.replace(f"{folder.resolve()}/", "").replace(f"{PACKAGES}/", ""))
    _, refused, message = f"\n{log}".rpartition("\nfit: ")
    if refused:
        return message.strip()[:_MAX_REASON]
    errors = re.findall(r"^\s*([\w.]*(?:Error|Exception|Interrupt)\b.*)$", log, re.MULTILINE)
    if errors:
        return (
            f"The program failed: {errors[-1][:_MAX_REASON]} (the whole log is in"
            f" {folder.name}/{LOG})"
        )
    return (
        "The training process was ended from outside, perhaps because the machine ran out of"
        " memory."
    )


def _course(rows: list[dict[str, Any]], is_running: bool) -> dict[str, Any]:
    """Convert progress lines to fields of :class:`TrainingJob`; a resumed run repeats epochs."""
    phase = "starting"
    steps = 0
    per_epoch = 1
    step = 0
    losses: list[tuple[float, float]] = []
    course: list[TrainingEpoch] = []
    for row in rows:
        if "phase" in row:
            phase = str(row["phase"])
            steps = int(row.get("steps", steps))
            per_epoch = max(1, int(row.get("steps_per_epoch", per_epoch)))
        elif "epoch" in row:
            step = int(row.get("step", step))
            course = [earlier for earlier in course if earlier.epoch < row["epoch"]]
            course.append(
                TrainingEpoch(
                    epoch=int(row["epoch"]),
                    train_loss=row.get("train_loss"),
                    validation_loss=row.get("val_loss"),
                    score=row.get("score"),
                    weights=tuple(row.get("weights", ())),
                    gamma=row.get("gamma"),
                    watched=row.get("watched"),
                )
            )
        elif "loss" in row:
            step = int(row["step"])
            losses = [point for point in losses if point[0] < step / per_epoch]
            losses.append((round(step / per_epoch, 3), float(row["loss"])))
    # Thinned from the end, so that the newest loss is always among the points.
    thin = max(1, len(losses) // _MAX_POINTS)
    n_layers = len(course[0].weights) if course else 0
    return {
        "phase": phase if is_running else "",
        "step": step,
        "steps": steps,
        "losses": tuple(losses[::-1][::thin][::-1]),
        "course": tuple(course),
        "layers": layer_names(n_layers)[:n_layers],
    }


def _seconds_left(job: TrainingJob, rows: list[dict[str, Any]]) -> float | None:
    """Estimate the time left from the pace of the run, or at first from the plan."""
    if job.status != "running" or job.stopping or job.phase == "scoring":
        return None
    begin = max(
        [k for k, row in enumerate(rows) if row.get("phase") == "training"], default=len(rows)
    )
    steps = [(row["time"], row["step"]) for row in rows[begin:] if "step" in row]
    if len(steps) > 1 and steps[-1][1] > steps[0][1]:
        seconds_per_step = (steps[-1][0] - steps[0][0]) / (steps[-1][1] - steps[0][1])
        return max(
            0.0, seconds_per_step * (job.steps - steps[-1][1]) - (time.time() - steps[-1][0])
        )
    return max(0.0, job.estimate - job.seconds) or None


def scores_of(card: dict[str, Any]) -> tuple[SplitScore, ...]:
    """Return the scores on a head's card, those on the test split first."""
    scores = []
    for split in ("test", "validation"):
        if about := card.get("scores", {}).get(split):
            main = about["main"]
            guess = about.get("guess", {})
            by_word = "word f1" if main == "f1" else "word accuracy"
            score = SplitScore(
                split=split,
                metric=METRIC_WORDS.get(main, main),
                value=float(about[main]),
                rows=int(about.get("rows", 0)),
                guess=guess.get(by_word, guess.get("majority")),
                guess_rule="word" if by_word in guess else "majority",
            )
            scores.append(score)
    return tuple(scores)
