"""The folder in which downloads and computed files are kept."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import platformdirs

CACHE_VARIABLE = "ELMO_TASKS_CACHE"


def cache_folder(cache: Path | None = None) -> Path:
    """Return ``cache``, else ``$ELMO_TASKS_CACHE``, else the user's cache folder.

    Where the user's folder cannot be made, as on some hosts, it is a temporary one, which may not
    last.
    """
    if chosen := cache or os.environ.get(CACHE_VARIABLE):
        return Path(chosen).expanduser().absolute()
    try:
        usual = platformdirs.user_cache_path("elmo-tasks", appauthor=False)
    except RuntimeError:  # this user has no home
        return temporary_cache()
    if not usual.is_absolute():
        return temporary_cache()
    above = next(parent for parent in (usual, *usual.parents) if parent.exists())
    usable = above == usual or (above.is_dir() and os.access(above, os.W_OK | os.X_OK))
    return usual if usable else temporary_cache()


def temporary_cache() -> Path:
    """Return a temporary folder as a fallback for the cache; it may not persist."""
    # Users of the same machine get separate folders.
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"elmo-tasks-{user}"
