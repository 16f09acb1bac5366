"""The queue of training runs in a folder: one process at a time, whichever app on the folder looks first starts the next."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import filelock

from elmo_tasks.files import remove_stale
from elmo_tasks.jobs.job_folder import JOB, JobFolder, started_at
from elmo_tasks.jobs.training_config import HEAD, LOG

#: The folder that has the package in it, so that the child finds the same one.
PACKAGES = Path(__file__).resolve().parents[2]
# Politely behind the app itself and whatever else a person does.
_NICE = 5


class JobQueue:
    """Starts the runs that wait, one after another, and sees how they end.

    ``runs`` is their folder, which need not be there yet; ``command`` trains, run in the folder of the run.
    """

    def __init__(self, runs: Path, command: Sequence[str]) -> None:
        self._runs, self._command = runs, list(command)
        self._guard = threading.RLock()
        self._thread: threading.Thread | None = None
        self._children: dict[int, subprocess.Popen[bytes]] = {}

    def known(self) -> list[tuple[JobFolder, dict[str, Any]]]:
        """All runs that can be read, each with its state."""
        found = []
        for path in self._runs.glob(f"*/{JOB}"):
            folder = JobFolder(path.parent)
            with contextlib.suppress(OSError, ValueError):
                if not path.parent.name.startswith("."):
                    found.append((folder, folder.state()))
        return found

    def states(self) -> list[dict[str, Any]]:
        """The states alone."""
        return [state for _, state in self.known()]

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """One at a time, also among several apps on the same folder."""
        self._runs.mkdir(parents=True, exist_ok=True)
        with self._guard, filelock.FileLock(self._runs / ".training.lock"):
            yield

    def stop(self, folder: JobFolder) -> dict[str, Any]:
        """Stop a run and keep its best state, or take it back; asked again, stop it at once. Whoever calls holds the lock."""
        state = folder.state()
        if state["status"] == "queued":
            return folder.update(status="stopped", ended=time.time(), message="Taken back before it began.")
        if state["status"] == "running" and folder.is_running(state):
            again = bool(state.get("stop"))
            state = folder.update(stop=2 if again else 1)
            # Asked a second time, or before there is anything to keep: at once, and whatever it has started with it. An interrupt
            # would not reach a process whose ancestors ignore it, as those of a script's `&` do, until training listens for it.
            begun = any(row.get("phase") == "training" for row in folder.progress())
            with contextlib.suppress(ProcessLookupError):
                if again or not begun:
                    os.killpg(state["pid"], signal.SIGKILL)
                else:
                    os.kill(state["pid"], signal.SIGINT)
        return state

    def keep_going(self) -> None:
        """See to it that somebody notices the end of a run, and starts the next."""
        with self._guard:
            # One that met what nobody foresaw (a full disk, say) must not take all later runs with it.
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._watch, name="training-jobs", daemon=True)
                self._thread.start()

    def _watch(self) -> None:
        while True:
            with self.locked():
                if not self.advance():
                    self._thread = None
                    return
            time.sleep(0.5)

    def advance(self) -> bool:
        """Close the books on runs that are over, start the next one; whether any is left."""
        for pid, child in list(self._children.items()):
            if child.poll() is not None:
                del self._children[pid]
        waiting: list[tuple[float, JobFolder]] = []
        running = False
        for folder, state in self.known():
            try:
                if state["status"] == "queued":
                    waiting.append((float(state["created"]), folder))
                elif state["status"] == "running":
                    if folder.is_running(state):
                        running = True
                    else:
                        _close(folder, state)
            except (OSError, ValueError, KeyError, TypeError, AttributeError):  # a file that was meddled with
                continue
        if waiting and not running:
            self._spawn(min(waiting, key=lambda entry: entry[0])[1])
        return running or bool(waiting)

    def _spawn(self, folder: JobFolder) -> None:
        path = os.environ.get("PYTHONPATH")
        environment = {
            **os.environ,
            "PYTHONPATH": f"{PACKAGES}{os.pathsep}{path}" if path else str(PACKAGES),
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
    """Say how a run ended whose process is gone: by what it left; what is not whole is removed."""
    remove_stale(folder.path / HEAD)
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
