"""Cache folder of downloaded models, and the files of a model in it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import platformdirs

from elmo_tasks.bilm.published import PublishedModel, command, published
from elmo_tasks.errors import WeightsError

CACHE_VARIABLE = "ELMO_TASKS_CACHE"


def cache_folder(cache: Path | None = None) -> Path:
    """Return ``cache``, else ``$ELMO_TASKS_CACHE``, else the user's cache folder.

    Where that place is not there and cannot be made, as on some hosts, it is a temporary folder, which may not last.
    """
    if cache is not None:
        return cache.expanduser().absolute()
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen).expanduser().absolute()
    usual = platformdirs.user_cache_path("elmo-tasks", appauthor=False)
    above = next(parent for parent in (usual, *usual.parents) if parent.exists())
    usable = above == usual or (above.is_dir() and os.access(above, os.W_OK | os.X_OK))
    return usual if usable else temporary_cache()


def temporary_cache() -> Path:
    """Return a temporary folder as a fallback for the cache; it may not persist."""
    user = os.getuid() if hasattr(os, "getuid") else "user"  # keeps those of two users of one machine apart
    return Path(tempfile.gettempdir()) / f"elmo-tasks-{user}"


def files_of(model: PublishedModel, cache: Path | None = None) -> tuple[Path, Path]:
    """Return the paths of a published model's options and weights in the cache."""
    folder = cache_folder(cache) / "published" / model.name
    return folder / model.options_name, folder / model.weights_name


def locate(name: str, cache: Path | None = None) -> tuple[Path, Path]:
    """Find the options and weights of a downloaded model.

    Raises:
        ConfigError: there is no published model of this name.
        WeightsError: it was not downloaded.
    """
    files = files_of(published(name), cache)
    if missing := [path for path in files if not path.is_file()]:
        raise WeightsError(
            f"The {name} ELMo model is not downloaded: {missing[0]} does not exist. Get it with "
            f"`{command(name)}`, or from a copy you have with `{command(name, offline=True)}`."
        )
    return files
