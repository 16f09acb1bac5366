"""Download of published weights into the user's cache, checked and atomic.

An interrupted download is resumed, also by a later run. An offline copy can replace the network.
"""

from __future__ import annotations

import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from elmo_tasks.bilm.published import BASE_URLS, MODELS, check_weights, command, files_of
from elmo_tasks.errors import ConfigError, WeightsError
from elmo_tasks.files import atomic_write, describe_os_error, file_lock
from elmo_tasks.weights.cache import CACHE_VARIABLE
from elmo_tasks.weights.folders import CARD_NAME, verify, write_card

BASE_VARIABLE = "ELMO_TASKS_BASE_URL"
#: Seconds to wait before each further round of tries; tries that bring new bytes do not count.
DELAYS = (1.0, 2.0, 4.0, 8.0, 16.0)
#: Called with the file's name, the bytes received, and the total if the server states it.
Report = Callable[[str, int, int | None], None]

_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
# HTTP statuses worth a retry; any other refusal is final for its address.
_TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})
_log = logging.getLogger(__name__)


class _Interrupted(Exception):
    """Temporary failure; another try may succeed."""


def fetch(
    name: str, *, cache: Path | None = None, report: Report | None = None
) -> tuple[Path, Path]:
    """Download a published model unless it is in the cache; return its options and weights.

    The addresses in ``$ELMO_TASKS_BASE_URL`` (separated by spaces), or else the published ones, are
    tried in turn.

    Raises:
        ConfigError: an unusable address, or a cache folder that cannot be written to.
        WeightsError: no address gave the right file.
    """
    bases = os.environ.get(BASE_VARIABLE, "").split() or BASE_URLS
    for base in bases:
        if not base.startswith(("http://", "https://")):
            raise ConfigError(
                f"A base address ({BASE_VARIABLE}) should begin with http:// or https://, not"
                f" {base!r}."
            )
    options, weights = files_of(name, cache)
    with _locked(name, weights.parent):
        if weights.is_file():
            try:
                verify([weights])
                check_weights(MODELS[name], weights)
            except WeightsError as error:
                raise WeightsError(
                    f"{weights} is there and cannot be used: {error} Delete it, and run"
                    f" `{command(name)}`."
                ) from error
            complete = weights
        else:
            complete = weights.with_name(f"{weights.name}.part")
            path = f"{MODELS[name].layout}/{weights.name}"
            _download(name, [f"{base.rstrip('/')}/{path}" for base in bases], complete, report)
        _finish(name, options, weights, complete)
    return options, weights


def copy_in(name: str, sources: Sequence[Path], *, cache: Path | None = None) -> tuple[Path, Path]:
    """Import a published model from an offline copy, with the checks of a download.

    The sources are the weights, or a folder that holds them; the published options need no file. An
    earlier copy in the cache is replaced. Return the options and the weights, in the cache.

    Raises:
        ConfigError: the sources are missing or ambiguous, or the cache folder cannot be written to.
        WeightsError: they are not this model's weights.
    """
    source = _weights_among(MODELS[name].weights_name, sources)
    options, weights = files_of(name, cache)
    copy = weights.with_name(f"{weights.name}.copy")
    with _locked(name, weights.parent):
        try:
            shutil.copyfile(source, copy)
            check_weights(MODELS[name], copy)
            _finish(name, options, weights, copy)
        except WeightsError as error:
            raise WeightsError(
                f"{source} cannot be used as {weights}: {error} "
                f"Import another copy with `{command(name, offline=True)}`."
            ) from error
        finally:
            copy.unlink(missing_ok=True)
    return options, weights


def _finish(name: str, options: Path, weights: Path, complete: Path) -> None:
    """Rename a checked file, and write the options and the checksum beside it."""
    # a crash here must not leave the checksum of other weights
    (weights.parent / CARD_NAME).unlink(missing_ok=True)
    complete.replace(weights)
    atomic_write(options, MODELS[name].options_text)
    write_card(weights.parent)


def _download(name: str, urls: list[str], part: Path, report: Report | None) -> None:
    """Complete ``part`` from any of the addresses, and check it."""
    reasons: dict[str, str] = {}
    delays, longest = iter(DELAYS), _size(part)
    with httpx.Client(follow_redirects=True, timeout=_TIMEOUT) as client:
        while True:
            for url in tuple(urls):
                try:
                    _receive(client, url, part, report)
                    _check(name, part)
                    return
                except _Interrupted as error:
                    reasons[url] = str(error)
                except WeightsError as error:
                    reasons[url] = str(error)
                    urls.remove(url)
            # While new bytes arrive, the delays begin again: a long file over a poor connection may
            # take any number of tries.
            if (size := _size(part)) > longest:
                delays, longest = iter(DELAYS), size
            delay = next(delays, None)
            if not urls or delay is None:
                break
            _log.warning("%s: %s. Trying again in %g s.", part.stem, reasons[urls[-1]], delay)
            time.sleep(delay)
    tried = "".join(f"\n  {url}: {reason}" for url, reason in reasons.items())
    kept = ""
    if size := _size(part):
        kept = f"{size:,} bytes are kept, and `{command(name)}` continues from there. "
    raise WeightsError(
        f"{part.with_suffix('')} could not be downloaded.{tried}\n{kept}If you have a copy of the"
        f" file, or can get one elsewhere, use it with `{command(name, offline=True)}`."
    )


def _check(name: str, part: Path) -> None:
    try:
        check_weights(MODELS[name], part)
    except WeightsError:
        part.unlink()  # continuing it could only make it longer
        raise


def _receive(client: httpx.Client, url: str, part: Path, report: Report | None) -> None:
    """Append the rest of a file to ``part``.

    Raises:
        _Interrupted: the connection broke, or the server was busy.
        WeightsError: the server has no such file, does not give it, or gives something else.
    """
    done = _size(part)
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={done}-"} if done else {})
    try:
        with client.stream("GET", url, headers=headers) as response:
            status, about = response.status_code, response.headers
            content_range = about.get("Content-Range", "")
            length = content_range.rpartition("/")[2] or about.get("Content-Length", "")
            total = int(length) if length.isdigit() else None
            if status == 416 and done == total:  # an earlier try stopped just after the last byte
                return
            if status == 416 or (status == 206 and not content_range.startswith(f"bytes {done}-")):
                part.unlink(missing_ok=True)
                raise _Interrupted(
                    "the server does not have the rest of the file; the download starts again"
                )
            if status not in (200, 206):
                refusal = _Interrupted if status in _TEMPORARY else WeightsError
                raise refusal(f"the server answered {status} {response.reason_phrase}")
            # Before the file is opened: a web page must not replace the bytes that are there.
            if about.get("Content-Type", "").lower().startswith("text/html"):
                raise WeightsError(
                    "the server sent a web page (HTML) in place of the file, as a sign-in page or a"
                    " proxy does"
                )
            if status == 200:  # the whole file, even if a range was requested
                done = 0
            with part.open("ab" if done else "wb") as file:
                for block in response.iter_raw():
                    file.write(block)
                    done += len(block)
                    if report is not None:
                        report(part.stem, done, total)
                file.flush()
                os.fsync(file.fileno())
    except httpx.RequestError as error:
        # The text of a timeout is empty.
        raise _Interrupted(str(error) or type(error).__name__) from error
    if total is not None and done < total:
        raise _Interrupted(f"the connection ended after {done:,} of {total:,} bytes")


def _weights_among(name: str, sources: Sequence[Path]) -> Path:
    files: list[Path] = []
    for source in (path.expanduser() for path in sources):
        if not source.exists():
            raise ConfigError(f"--from {source}: there is no such file or folder.")
        files += source.glob("*.hdf5") if source.is_dir() else [source]
    weights = [path for path in files if path.suffix != ".json"]
    # A folder may hold several models; the published name says which is meant.
    weights = [path for path in weights if path.name == name] or weights
    if len(weights) != 1:
        listed = ", ".join(map(str, weights)) or "none"
        raise ConfigError(
            f"--from should name one weights file (*.hdf5), or a folder with one; found {listed}."
        )
    if not os.access(weights[0], os.R_OK):
        raise ConfigError(f"--from {weights[0]}: you have no permission to read it.")
    return weights[0]


@contextmanager
def _locked(name: str, folder: Path) -> Iterator[None]:
    """Lock the model's folder, and convert disk errors to messages."""
    try:
        with file_lock(folder / ".lock", f"the download of {name}", wait=True):
            yield
    except OSError as error:
        error.filename = error.filename or str(folder)
        raise ConfigError(
            f"{describe_os_error(error)} ({name} needs {MODELS[name].smallest_bytes:,} bytes); or"
            f" choose another folder with `{command(name)} --cache DIR` or {CACHE_VARIABLE}"
        ) from error


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
