"""Every long job that is killed twenty times at random moments has the result of an undisturbed
one."""

import json
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import torch

from elmo_tasks.heads.head_files import find_head
from tests.cli.toy_runs import written
from tests.training.experiment import steps_kept, write_experiment
from tests.training.toy_language import BATCH, WINDOW, exported, language_data, language_model
from tests.training.toy_task import write_encoder, write_untrained

pytestmark = pytest.mark.ci

KILLS = 20
TEXT = "".join(
    f"The bank of the {name} was {n} feet wide.\n"
    for n in range(60)
    for name in ("river", "lake", "town")
)


@dataclass(frozen=True)
class Interruption:
    """A command as a person gives it."""

    prepare: Callable[[Path], None]  #: writes what it needs into a folder
    begin: Callable[[Path], list[str]]  #: its arguments
    result: Callable[[Path], Any]  #: what it made, to be the same every time
    #: its arguments after a kill, where they differ
    resume: Callable[[Path], list[str]] | None = None


def _text(folder: Path) -> None:
    write_encoder(folder / "toy")
    (folder / "in.txt").write_text(TEXT, encoding="utf-8")


def _tagger(folder: Path) -> None:
    _text(folder)
    write_untrained(folder / "tagger", folder / "toy")


def _experiment(folder: Path) -> None:
    written(folder)


def _config(folder: Path) -> str:
    return str(next(folder.glob("*.yaml")))


def _resume(folder: Path) -> list[str]:
    last = folder / "run" / "last.ckpt"
    resumed = ["--ckpt_path", str(last)] if last.exists() else []
    return ["fit", "--config", _config(folder), *resumed]


def _weights(path: Path) -> dict[str, list[Any]]:
    state = torch.load(path, weights_only=True)
    return {name: value.tolist() for name, value in state["state_dict"].items()}


def _trained_run(folder: Path) -> Any:
    run = folder / "run"
    card = find_head(run / "head").card
    return (
        _weights(run / "last.ckpt"),
        (run / "csv" / "metrics.csv").read_text(),
        card["scores"],
        card["layer_weights"],
    )


def _language(folder: Path) -> None:
    (folder / "text.txt").write_text(TEXT.lower(), encoding="utf-8")
    data = language_data(folder, max_tokens=120 * BATCH * WINDOW)
    write_experiment(
        folder, language_model(), data, [steps_kept(folder / "run", 10), exported(folder)]
    )


def _language_model(folder: Path) -> Any:
    card = json.loads((folder / "model" / "card.json").read_text())
    names = {path.name for path in (folder / "model").iterdir()}
    return _weights(folder / "run" / "last.ckpt"), card["while_training"], names


def _hdf5(folder: Path) -> dict[str, list[Any]]:
    with h5py.File(folder / "out.hdf5") as file:
        return {name: np.asarray(file[name]).tolist() for name in file}


def _index(folder: Path) -> dict[str, bytes]:
    # An .npz file holds the time at which it was written.
    files = (
        path for path in (folder / "out").rglob("*") if path.is_file() and path.suffix != ".npz"
    )
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _table(folder: Path) -> Any:
    lines = json.loads((folder / "out.json").read_text())["lines"]
    return [{k: v for k, v in line.items() if k != "seconds"} for line in lines]


def _sweep(folder: Path) -> list[str]:
    files = f"--config {_config(folder)} --out {folder}/out --json {folder}/out.json"
    return f"sweep {files} --seeds 1 2 --set trainer.max_epochs=2".split()


JOBS = {
    "embed": Interruption(
        _text,
        lambda f: f"embed {f}/in.txt {f}/out.hdf5 --all --raw --model {f}/toy".split(),
        _hdf5,
    ),
    "index": Interruption(
        _text,
        lambda f: f"index {f}/in.txt --out {f}/out --title t --model {f}/toy".split(),
        _index,
    ),
    "predict": Interruption(
        _tagger,
        lambda f: f"predict --head {f}/tagger {f}/in.txt {f}/out.jsonl".split(),
        lambda f: (f / "out.jsonl").read_bytes(),
    ),
    "vectors": Interruption(
        _text,
        lambda f: f"model vectors {f}/in.txt --out {f}/out --workers 1 --epochs 60".split(),
        lambda f: (f / "out" / "vectors.safetensors").read_bytes(),
    ),
    "fit a head": Interruption(
        _experiment, lambda f: ["fit", "--config", _config(f)], _trained_run, _resume
    ),
    "fit a language model": Interruption(
        _language, lambda f: ["fit", "--config", _config(f)], _language_model, _resume
    ),
    "sweep": Interruption(_experiment, _sweep, _table),
}


def _run(arguments: list[str], log: str) -> None:
    """Run a command in this process, on one thread: sums differ in their last bit by the number of
    threads."""
    from elmo_tasks.__main__ import main
    from elmo_tasks.corpus import blocks
    from elmo_tasks.encoders import batches

    with open(log, "a", encoding="utf-8") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    torch.set_num_threads(1)
    blocks.MAX_CHARACTERS = 700  # some ten blocks, so that there is something to resume
    batches._BLOCK_TOKENS = 200
    sys.exit(main(arguments))


def _seconds(
    context: ForkServerContext, arguments: list[str], log: Path, until: float | None = None
) -> float | None:
    """Return how long a command took, or ``None`` where it was killed ``until`` seconds after it
    began."""
    process = context.Process(target=_run, args=(arguments, str(log)))
    started = time.monotonic()
    process.start()
    process.join(until)
    if process.is_alive():
        process.kill()
        process.join()
        return None
    assert process.exitcode == 0, (process.exitcode, log.read_text()[-3000:])
    return time.monotonic() - started


def killed(name: str, kills: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kill a job repeatedly; compare its result with that of an undisturbed job, also when it
    finished early."""
    monkeypatch.setenv("ELMO_TASKS_CACHE", str(folder / "cache"))
    # Processes that find everything imported: they begin at once, and are killed in their work, not
    # in their imports.
    job, context = JOBS[name], multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["elmo_tasks.cli.fit", "elmo_tasks.cli.embed", "tests.cli.test_kills"]
    )

    def new(place: str) -> Path:
        (folder / place).mkdir()
        job.prepare(folder / place)
        return folder / place

    here = new("whole")
    took = _seconds(context, job.begin(here), here / "log")
    assert took is not None
    expected, left, moments = job.result(here), {p.name for p in here.iterdir()}, []
    here, fresh = new("killed-0"), True
    while len(moments) < kills or not fresh:
        last = len(moments) == kills
        until = None if last else random.uniform(0.02, took)
        arguments = (job.begin if fresh or job.resume is None else job.resume)(here)
        done = _seconds(context, arguments, here / "log", until) is not None
        fresh = False
        if not done:
            moments.append(until)
            continue
        assert job.result(here) == expected, moments
        assert {p.name for p in here.iterdir()} == left, moments  # no half file, no lock
        if last:
            return
        here, fresh = new(f"killed-{len(moments)}-{len(list(folder.iterdir()))}"), True


@pytest.mark.nightly
@pytest.mark.parametrize("name", JOBS)
def test_twenty_kills(name, tmp_path, monkeypatch):
    killed(name, KILLS, tmp_path, monkeypatch)


@pytest.mark.parametrize("name", [pytest.param("embed", marks=pytest.mark.nightly), "predict"])
def test_two_kills(name, tmp_path, monkeypatch):
    killed(name, 2, tmp_path, monkeypatch)
