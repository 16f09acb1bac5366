"""Download of published weights into the user's cache, checked and atomic.

An offline copy can replace the network.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from elmo_tasks.bilm.model_cache import CACHE_VARIABLE, files_of, record, record_path, verify_recorded
from elmo_tasks.bilm.published import BASE_URLS, PublishedModel, check_files, check_options, command, published
from elmo_tasks.bilm.transfer import Interrupted, Refused, Report, discard, part_of, transfer
from elmo_tasks.errors import ConfigError, WeightsError
from elmo_tasks.files import file_lock

BASE_VARIABLE = "ELMO_TASKS_BASE_URL"
#: Seconds to wait before each further round of tries; tries that bring new bytes do not count.
DELAYS = (1.0, 2.0, 4.0, 8.0, 16.0)

_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
_log = logging.getLogger(__name__)


def fetch(
    model: str | PublishedModel,
    *,
    cache: Path | None = None,
    base_urls: Sequence[str] | None = None,
    delays: Sequence[float] = DELAYS,
    report: Report | None = None,
) -> tuple[Path, Path]:
    """Download a published model unless it is in the cache.

    Args:
        model: its name.
        cache: the cache folder, where not the user's.
        base_urls: tried in turn; ``$ELMO_TASKS_BASE_URL`` (one or several, with spaces between), or the published ones.
        delays: seconds to wait before each further round.
        report: progress callback.

    Returns:
        The options and the weights.

    Raises:
        ConfigError: an unknown name, an unusable address, or a cache folder that cannot be written to.
        WeightsError: no address gave the right files.
    """
    model = published(model) if isinstance(model, str) else model
    bases = _bases(base_urls)
    options, weights = files_of(model, cache)
    with _folder(model, weights.parent):
        if options.is_file() and weights.is_file():
            _accept_present(model, options, weights)
            return options, weights
        with httpx.Client(follow_redirects=True, timeout=_TIMEOUT) as client:

            def bring(target: Path, check: Callable[[], None]) -> None:
                urls = [f"{base}{model.layout}/{target.name}" for base in bases]
                _from_any(client, urls, target, model, check, delays, report)

            bring(options, lambda: check_options(model, part_of(options)))
            try:
                bring(weights, lambda: check_files(model, part_of(options), part_of(weights)))
            except WeightsError:
                if not part_of(weights).exists():  # nothing to continue from, so nothing is left behind
                    discard(options)
                raise
        _publish(options, weights)
    return options, weights


def copy_in(
    model: str | PublishedModel,
    sources: Sequence[Path],
    *,
    cache: Path | None = None,
) -> tuple[Path, Path]:
    """Import a published model from an offline copy, with the checks of a download.

    An earlier copy in the cache is replaced.

    The sources are the weights, or options and weights, or a folder that holds them. The published options are known, so that
    weights alone are enough.

    Returns:
        The options and the weights, in the cache.

    Raises:
        ConfigError: the sources are missing or ambiguous, or the cache folder cannot be written to.
        WeightsError: they are not this model's files.
    """
    model = published(model) if isinstance(model, str) else model
    from_options, from_weights = _tell_apart(model, sources)
    options, weights = files_of(model, cache)
    with _folder(model, weights.parent):
        # A partial download must not be continued by this copy, nor a partial copy by a download.
        discard(options)
        discard(weights)
        try:
            if from_options is None:
                part_of(options).write_text(model.options_text, encoding="utf-8")
            else:
                shutil.copyfile(from_options, part_of(options))
            shutil.copyfile(from_weights, part_of(weights))
            check_files(model, part_of(options), part_of(weights))
            _publish(options, weights)
        except WeightsError as error:
            raise WeightsError(
                f"{from_weights} was not taken for {weights}: {error} "
                f"Another copy is taken with `{command(model.name, offline=True)}`."
            ) from error
        finally:  # after success there is nothing left to remove
            discard(options)
            discard(weights)
    return options, weights


def _from_any(
    client: httpx.Client,
    urls: Sequence[str],
    target: Path,
    model: PublishedModel,
    check: Callable[[], None],
    delays: Sequence[float],
    report: Report | None,
) -> None:
    reasons: dict[str, str] = {}
    remaining = list(urls)
    rounds = iter(delays)
    most = _size(part_of(target))
    while remaining:
        for url in tuple(remaining):
            try:
                transfer(client, url, target, report)
                check()
            except Interrupted as error:
                reasons[url] = str(error)
            except Refused as error:
                reasons[url] = str(error)
                remaining.remove(url)
            except WeightsError as error:
                discard(target)  # known to be bad: continuing it could only make it longer
                reasons[url] = str(error)
                remaining.remove(url)
            else:
                return
        # More than ever before arrived: a long file over a poor line may take any number of tries.
        if (now := _size(part_of(target))) > most:
            most, rounds = now, iter(delays)
        delay = next(rounds, None)
        if not remaining or delay is None:
            break
        _log.warning("%s: %s. Trying again in %g s.", target.name, reasons[remaining[-1]], delay)
        time.sleep(delay)
    tried = "".join(f"\n  {url}: {reason}" for url, reason in reasons.items())
    kept = _size(part_of(target))
    if not kept:
        discard(target)
    again = f"{kept:,} bytes are kept, and `{command(model.name)}` continues from there. " if kept else ""
    raise WeightsError(
        f"{target} could not be downloaded.{tried}\n{again}If you have a copy of the file, or can get one "
        f"elsewhere, use it with `{command(model.name, offline=True)}`."
    )


def _accept_present(model: PublishedModel, options: Path, weights: Path) -> None:
    verify_recorded(weights, f"run `{command(model.name)}`")
    if record_path(weights).exists():
        return
    try:
        check_files(model, options, weights)
    except WeightsError as error:
        raise WeightsError(
            f"{weights} was put there by other means, and cannot be used: {error} "
            f"Delete it and {options.name}, and run `{command(model.name)}`."
        ) from error
    record(weights)


def _publish(options: Path, weights: Path) -> None:
    record_path(weights).unlink(missing_ok=True)  # so that a crash in between leaves no checksum of other weights
    for target in (options, weights):
        part_of(target).replace(target)
        discard(target)
    record(weights)


def _tell_apart(model: PublishedModel, sources: Sequence[Path]) -> tuple[Path | None, Path]:
    files: list[Path] = []
    for source in (path.expanduser() for path in sources):
        if source.is_dir():
            files += [*source.glob("*options.json"), *source.glob("*.hdf5")]
        elif source.is_file():
            files.append(source)
        else:
            raise ConfigError(f"--from {source}: there is no such file or folder.")
    for path in files:
        if not os.access(path, os.R_OK):
            raise ConfigError(f"--from {path}: you have no permission to read it.")
    options = [path for path in files if path.suffix == ".json"]
    weights = [path for path in files if path.suffix != ".json"]
    # A folder may hold several models; the published names say which is meant.
    options = [path for path in options if path.name == model.options_name] or options
    weights = [path for path in weights if path.name == model.weights_name] or weights
    if len(weights) != 1 or len(options) > 1:
        listed = ", ".join(str(path) for path in files) or "none"
        raise ConfigError(
            f"--from should name one weights file (*.hdf5), with or without its options (*.json), or a folder with "
            f"both; found {len(weights)} and {len(options)}: {listed}."
        )
    return (options[0] if options else None), weights[0]


def _bases(given: Sequence[str] | None) -> list[str]:
    bases = list(given) if given is not None else os.environ.get(BASE_VARIABLE, "").split() or list(BASE_URLS)
    for base in bases:
        if not base.startswith(("http://", "https://")):
            raise ConfigError(f"A base address ({BASE_VARIABLE}) should begin with http:// or https://, not {base!r}.")
    return [base.rstrip("/") + "/" for base in bases]


@contextmanager
def _folder(model: PublishedModel, folder: Path) -> Iterator[None]:
    """Lock the model's folder, and convert disk errors to messages."""
    elsewhere = f"choose another folder with `{command(model.name)} --cache DIR` or {CACHE_VARIABLE}"
    try:
        with file_lock(folder / ".lock", f"the download of {model.name}", wait=True):
            yield
    except PermissionError as error:
        raise ConfigError(
            f"{error.filename or folder} may not be written to ({error.strerror}): {elsewhere}."
        ) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            free = shutil.disk_usage(folder).free
            raise ConfigError(
                f"The disk of {folder} is full ({free:,} bytes are free, {model.name} needs {model.smallest_bytes:,}): "
                f"make room, or {elsewhere}."
            ) from error
        raise ConfigError(
            f"{error.filename or folder} cannot be used: {error.strerror or error}; {elsewhere}."
        ) from error


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
