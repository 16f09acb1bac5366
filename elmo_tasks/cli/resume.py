"""Folders of runs: what is in them, where a new run is written, and how one resumes."""

from __future__ import annotations

import pickle
import shutil
import zipfile
from collections.abc import Sequence
from itertools import count, pairwise
from pathlib import Path

from elmo_tasks import bundled
from elmo_tasks.cli.settings import read_config, take_option
from elmo_tasks.errors import ConfigError

CONFIG = "config.yaml"
#: Parts of the files from which Lightning resumes.
_CHECKPOINT_PARTS = {
    "state_dict",
    "global_step",
    "epoch",
    "loops",
    "optimizer_states",
    "pytorch-lightning_version",
}
#: Files of a run that has results to lose.
_RESULT_FILES = ("last.ckpt", "best.ckpt", "head/card.json")
#: Files from which a run is resumed, and its results. The curve (csv/) is written again.
_RUN_FILES = (CONFIG, "last.ckpt", "best.ckpt", "head", "head-encoder")


def holds_run(root: Path) -> bool:
    """Check if a folder holds a run that has written a checkpoint."""
    return any((root / name).exists() for name in _RESULT_FILES)


def free_root(root: Path) -> Path:
    """Return the folder, or the first of ``NAME-2``, ``NAME-3``, … that holds no run."""
    names = (root if k == 1 else root.with_name(f"{root.name}-{k}") for k in count(1))
    return next(path for path in names if not holds_run(path))


def remove_run(root: Path, before: float) -> None:
    """Remove the results of an earlier run, so that none is mistaken for a new one.

    Args:
        root: the folder of the run.
        before: Unix time; TensorBoard curves that are later belong to the new run.
    """
    for curve in (root / "tensorboard").glob("events*"):
        if curve.stat().st_mtime < before:
            curve.unlink()
    for name in _RUN_FILES:
        path = root / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def check_checkpoint(path: Path) -> None:
    """Reject a resume file that is missing or damaged; no code in it is run."""
    import torch

    if not path.is_file():
        raise ConfigError(f"--ckpt_path {path}: no such file; leave it out to start again")
    try:
        with zipfile.ZipFile(path) as file:
            # PyTorch writes these checksums, but does not verify them.
            if file.testzip() is not None:
                raise zipfile.BadZipFile
        saved = torch.load(path, map_location="cpu", weights_only=True)
    except (
        RuntimeError,
        OSError,
        EOFError,
        KeyError,
        ValueError,
        pickle.UnpicklingError,
        zipfile.BadZipFile,
    ):
        raise ConfigError(
            f"--ckpt_path {path}: the file is damaged, or not one that `fit` wrote; take another,"
            " or start again"
        ) from None
    if not isinstance(saved, dict) or not all(
        saved.get(name) or saved.get(name) == 0 for name in _CHECKPOINT_PARTS
    ):
        raise ConfigError(
            f"--ckpt_path {path}: expected a checkpoint that `fit` wrote, found something else"
        )


def expand_run(arguments: Sequence[str]) -> tuple[list[str], Path | None]:
    """Replace ``--run FOLDER`` by its settings and checkpoint; return a folder to run in, too."""
    name, rest = take_option(arguments, "--run", "the folder of a run")
    if name is None:
        return rest, None
    folder = Path(name)
    if not (folder / CONFIG).is_file():
        raise ConfigError(
            f"--run {folder}: no {CONFIG} there, which `fit` writes; use --config and --ckpt_path"
        )
    trainer = read_config(folder / CONFIG).get("trainer") or {}
    checkpoints = ("last.ckpt",) if rest[0] == "fit" else ("best.ckpt", "last.ckpt")
    checkpoint = next((path for path in checkpoints if (folder / path).is_file()), None)
    if "--ckpt_path" in rest:
        checkpoint = None
    elif checkpoint is None:
        raise ConfigError(
            f"--run {folder}: no {' or '.join(checkpoints)} there: the run did not finish an epoch"
        )
    # A run of the app is complete in its folder, and its settings name files there.
    inside = trainer.get("default_root_dir") == "."
    place = Path() if inside else folder
    settings = ["--config", str(place / CONFIG), *([] if inside else ["--run_dir", str(folder)])]
    resume = [] if checkpoint is None else ["--ckpt_path", str(place / checkpoint)]
    return [rest[0], *settings, *rest[1:], *resume], folder if inside else None


def expand_resume(arguments: Sequence[str]) -> list[str]:
    """Replace ``--resume`` by the last checkpoint of the run's folder, if there is one.

    One command can then start and resume a run, as schedulers and ``torchrun`` need.
    """
    if "--resume" not in arguments:
        return list(arguments)
    rest = [word for word in arguments if word != "--resume"]
    given = dict(pairwise(rest))
    if "--ckpt_path" in given:
        raise ConfigError("choose --resume or --ckpt_path, not both")
    root = given.get("--run_dir")
    if root is None and (config := given.get("--config", given.get("-c"))) is not None:
        trainer = read_config(Path(bundled.find_config(config))).get("trainer") or {}
        root = trainer.get("default_root_dir")
    if root is None:
        raise ConfigError(
            "--resume: expected --run_dir FOLDER, or --config with trainer.default_root_dir"
        )
    checkpoint = Path(root) / "last.ckpt"
    return [*rest, "--ckpt_path", str(checkpoint)] if checkpoint.is_file() else rest
