"""One training run on disk, ``runs/NAME/``: what was asked (``job.json``), whether its process lives, how far it is."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from elmo_tasks.api import SplitScore, TrainingEpoch, TrainingJob
from elmo_tasks.files import write_json
from elmo_tasks.jobs.training_config import HEAD, LOG, PROGRESS
from elmo_tasks.layers.views import layer_names
from elmo_tasks.wording.task_kinds import METRIC_WORDS

JOB = "job.json"
_LONGEST_REASON = 1200
# Folders of this machine before the name of a file: whoever reads the reason need not know them.
_PLACE = re.compile(r"(?<![\w.:/~-])/(?:[^\s/:'\"()]+/)+")
_MOST_POINTS = 240


class JobFolder:
    """A run's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def state(self) -> dict[str, Any]:
        """What ``job.json`` holds.

        Raises:
            ValueError: it is not one of ours.
        """
        state = json.loads((self.path / JOB).read_text(encoding="utf-8"))
        known: dict[str, Any] = {"title": str, "kind": str, "status": str, "created": (int, float), "epochs": int}
        if not isinstance(state, dict) or not all(isinstance(state.get(key), kind) for key, kind in known.items()):
            raise ValueError(f"{self.path / JOB}: not the state of a training run")
        return state

    def write(self, state: dict[str, Any]) -> None:
        """Replace ``job.json`` in one step."""
        write_json(self.path / JOB, state)

    def update(self, **changes: Any) -> dict[str, Any]:
        """Change some of it."""
        state = self.state() | changes
        self.write(state)
        return state

    def is_running(self, state: dict[str, Any]) -> bool:
        """Whether the process that was started is alive, and not another one that got its number."""
        pid = state.get("pid")
        began = started_at(pid) if isinstance(pid, int) else None
        return began is not None and began == state.get("pid_started")

    def card(self) -> dict[str, Any] | None:
        """The card of the head, if there is a head."""
        try:
            return dict(json.loads((self.path / HEAD / "card.json").read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def progress(self) -> list[dict[str, Any]]:
        """The lines of the progress file; one that is being written is left out."""
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
        """Why it failed, from the end of its log, without the places of this machine."""
        try:
            log = (self.path / LOG).read_text(encoding="utf-8", errors="replace")
        except OSError:
            log = ""
        log = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", log)
        log = log.replace(f"{self.path.resolve()}/", "").replace(f"{Path(__file__).resolve().parents[2]}/", "")
        log = _PLACE.sub("", log)
        said = log.rfind("\nfit: ") + 1 if "\nfit: " in log else 0 if log.startswith("fit: ") else -1
        if said >= 0:
            return log[said:].removeprefix("fit: ").strip()[:_LONGEST_REASON]
        lines = [line.strip() for line in log.splitlines() if line.strip()]
        wrong = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Interrupt)\b", line)]
        if wrong:
            return f"The program failed: {wrong[-1][:_LONGEST_REASON]} (the whole log is in {self.path.name}/{LOG})"
        return "The training process was ended from outside, perhaps because the machine ran out of memory."

    def _base(self, state: dict[str, Any]) -> str:
        if state.get("source") == "sample":
            return "sample"
        return self.path.name if state.get("source") == "upload" and (self.path / "train.jsonl").is_file() else ""

    def job(self, state: dict[str, Any] | None = None) -> TrainingJob:
        """All of it as the screen wants it."""
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
            base=self._base(state),
            seconds=max(0.0, end - state["started"]) if state.get("started") else 0.0,
            **_course(rows, running=state["status"] == "running"),
        )
        return replace(job, seconds_left=_seconds_left(job, state, rows))


def _course(rows: list[dict[str, Any]], running: bool) -> dict[str, Any]:
    """What the lines of the progress file say: fields of :class:`TrainingJob`."""
    phase, steps, per_epoch, step = "starting", 0, 1, 0
    losses: list[tuple[float, float]] = []
    course: list[TrainingEpoch] = []
    for row in rows:
        if "phase" in row:
            phase = str(row["phase"])
            steps, per_epoch = int(row.get("steps", steps)), max(1, int(row.get("steps_per_epoch", per_epoch)))
        elif "epoch" in row:
            step = int(row.get("step", step))
            train, validation, score = (row.get(key) for key in ("train_loss", "val_loss", "score"))
            weights = tuple(row.get("weights", ()))
            course.append(TrainingEpoch(int(row["epoch"]), train, validation, score, weights, row.get("gamma")))
        elif "loss" in row:
            step = int(row["step"])
            losses.append((round(step / per_epoch, 3), float(row["loss"])))
    # Thinned from the end, so that the newest loss is always among the points.
    thin = max(1, len(losses) // _MOST_POINTS)
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
    """From the pace of the training so far; from the estimate before there is one."""
    if job.status != "running" or job.stopping or job.phase == "scoring":
        return None
    began = next((row["time"] for row in rows if row.get("phase") == "training"), None)
    if job.step and job.steps and began is not None:
        return max(0.0, (rows[-1]["time"] - began) * (job.steps / job.step) - (time.time() - began))
    return max(0.0, float(state.get("estimate", 0.0)) - job.seconds) or None


def scores_of(card: dict[str, Any]) -> tuple[SplitScore, ...]:
    """The scores that a card states, those on the test part first."""
    found = []
    for split in ("test", "validation"):
        about = card.get("scores", {}).get(split)
        if not about:
            continue
        main, guess = about["main"], about.get("guess", {})
        by_word = "word f1" if main == "f1" else "word accuracy"
        guessed = (guess[by_word], "word") if by_word in guess else (guess.get("majority"), "majority")
        called = METRIC_WORDS.get(main, main)
        found.append(SplitScore(split, called, float(about[main]), int(about["rows"]), *guessed))
    return tuple(found)


def started_at(pid: int) -> str | None:
    """When a process began, as text to compare; ``None`` if there is none, or it is over and only its number is left."""
    try:
        # The name in brackets may hold spaces; what follows it is state, parent, ..., start (fields 3, 4, ..., 22).
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return None if fields[0] in "ZX" else f"{boot} {fields[19]}"
    except (OSError, IndexError):
        if Path("/proc/self/stat").exists():
            return None
    shown = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, _, start = shown.stdout.strip().partition(" ")
    return None if not start or state.startswith("Z") else start.strip()
