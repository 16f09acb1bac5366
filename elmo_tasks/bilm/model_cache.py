"""Cache of downloaded models, with recorded checksums to detect changes."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import platformdirs

from elmo_tasks.bilm.published import PublishedModel, command, published
from elmo_tasks.bilm.weight_checksums import sha256
from elmo_tasks.errors import WeightsError
from elmo_tasks.files import write_json

CACHE_VARIABLE = "ELMO_TASKS_CACHE"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Record:
    sha256: str
    size: int
    mtime_ns: int


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
    """Return the cache paths of a published model's files; neither need exist."""
    folder = cache_folder(cache) / "published" / model.name
    return folder / model.options_name, folder / model.weights_name


def locate(name: str, cache: Path | None = None) -> tuple[Path, Path]:
    """Find the unchanged options and weights of a downloaded model.

    Raises:
        ConfigError: there is no published model of this name.
        WeightsError: it was not downloaded, or its weights changed since.
    """
    options, weights = files_of(published(name), cache)
    missing = [path for path in (options, weights) if not path.is_file()]
    if missing:
        raise WeightsError(
            f"The {name} ELMo model is not downloaded: {missing[0]} does not exist. Get it with "
            f"`{command(name)}`, or from a copy you have with `{command(name, offline=True)}`."
        )
    verify_recorded(weights, f"run `{command(name)}`")
    return options, weights


def record(path: Path) -> str:
    """Record a file's SHA-256, size and time beside it; return the SHA-256.

    :func:`verify_recorded` checks the record. The SHA-256 is in hexadecimal.

    Raises:
        OSError: the file cannot be read, or the record cannot be written.
    """
    stat = path.stat()
    entry = _Record(sha256([path]), stat.st_size, stat.st_mtime_ns)
    write_json(record_path(path), asdict(entry))
    return entry.sha256


def verify_recorded(path: Path, remedy: str = "get it again") -> None:
    """Check that a file still has its recorded SHA-256.

    ``remedy`` is the advice to the user once the file is deleted.

    A file without a record is accepted. The file is only read when its size or time is not the recorded one, so that
    opening a model costs nothing.

    Raises:
        WeightsError: the file changed, is missing, or its record cannot be read.
    """
    beside = record_path(path)
    try:
        text = beside.read_text(encoding="utf-8")
    except FileNotFoundError:
        return
    try:
        entry = _Record(**json.loads(text))
    except (ValueError, TypeError) as error:
        raise WeightsError(
            f"{beside} should hold the checksum of {path.name} and cannot be read: {error}. "
            "If you trust the weights, delete that file."
        ) from error
    try:
        stat = path.stat()
    except FileNotFoundError as error:
        raise WeightsError(f"{path} does not exist, and {beside.name} beside it says that it should.") from error
    if (stat.st_size, stat.st_mtime_ns) == (entry.size, entry.mtime_ns):
        return
    found = sha256([path]) if stat.st_size == entry.size else None
    if found != entry.sha256:
        came = f"{stat.st_size:,} bytes" if found is None else f"SHA-256 {found}"
        expected = f"{entry.size:,} bytes" if found is None else f"SHA-256 {entry.sha256}"
        raise WeightsError(
            f"{path} changed since it was first used: expected {expected}, found {came}. "
            f"Delete it and {remedy}; if the change was yours, delete {beside.name} instead."
        )
    try:
        write_json(beside, asdict(_Record(entry.sha256, stat.st_size, stat.st_mtime_ns)))
    except OSError as error:
        # The weights are correct; on a read-only disk they are hashed at every call.
        _log.warning("%s could not be brought up to date: %s", beside, error)


def record_path(path: Path) -> Path:
    """Return the path of a file's recorded checksum."""
    return path.with_name(path.name + ".sha256")
