"""Atomic files and folders, file locks, and readable operating system errors."""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import platform
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import filelock

from elmo_tasks.errors import ConfigError

_UNFINISHED_FILE = re.compile(
    r"\..*\.(?P<host>[0-9a-z-]{1,16})-(?P<pid>\d{1,9})-[0-9a-f]{8}\.part", re.DOTALL
)
_INCOMPLETE_WRITE = re.compile(r"\d+ requested and \d+ written")  # NumPy's message
_ERRNO = re.compile(r"\berrno = (\d+)|\(os error (\d+)\)")
_log = logging.getLogger(__name__)

_ERRNO_MESSAGES = {
    **dict.fromkeys(
        (errno.EACCES, errno.EPERM),
        "you have no permission for this; choose another place, or change its permissions",
    ),
    errno.ENOSPC: "the disk is full; make room, then try again",
    errno.EDQUOT: "your share of the disk is used up; make room, then try again",
    errno.EROFS: "the disk is read-only; choose another folder",
    errno.ENOENT: "no such file or folder",
    errno.ENOTDIR: "a file is where a folder should be",
    errno.EFBIG: "the file is larger than this disk or your limit (ulimit -f) allows",
    errno.EMFILE: "too many files are open; allow more (ulimit -n)",
    errno.EADDRINUSE: "the port is taken; choose another one with --port",
    errno.EADDRNOTAVAIL: "this machine has no such address; choose another one with --host",
}


def given_name(path: str | Path) -> str:
    """Return the name of a path as given, for ``.`` the folder's own name."""
    return os.path.basename(os.path.abspath(path))


@contextmanager
def atomic_file(target: Path) -> Iterator[Path]:
    """Open a temporary file that replaces ``target`` on success, and only then.

    Of processes that write the same target at once, the last one to finish wins. The target's
    permissions are kept, and a link stays a link. A device such as ``/dev/null`` is written to
    directly.
    """
    target = Path(os.path.realpath(target))
    if target.exists() and not (target.is_file() or target.is_dir()):
        yield target
        return
    partial = _unfinished_name(target)
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    mode = (target if target.is_file() else partial).stat().st_mode & 0o777
    try:
        yield partial
        partial.chmod(mode)  # safetensors creates its own file, readable for the owner only
        _to_disk(partial)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def atomic_write(target: Path, content: str | bytes) -> None:
    """Write a file atomically; see :func:`atomic_file`."""
    with atomic_file(target) as partial:
        if isinstance(content, str):
            partial.write_text(content, encoding="utf-8", newline="\n")
        else:
            partial.write_bytes(content)


def write_json(target: Path, content: Mapping[str, Any]) -> None:
    """Write readable JSON atomically."""
    atomic_write(target, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_json(path: Path, max_bytes: int = 20_000_000) -> Any:
    """Read untrusted JSON; ``max_bytes`` bounds the memory.

    Raises:
        ValueError: the content is not JSON in UTF-8, too large, or nested too deeply.
    """
    with path.open("rb") as file:
        raw = file.read(max_bytes + 1)
    if len(raw) > max_bytes:
        raise ValueError(f"more than {max_bytes:,} bytes")
    try:
        return json.loads(raw)
    except RecursionError:
        raise ValueError("nested too deeply") from None


@contextmanager
def unfinished_folder(target: Path) -> Iterator[Path]:
    """Create a temporary folder beside ``target``, to be filled and renamed."""
    target = target.absolute()
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = _unfinished_name(target)
    partial.mkdir()
    try:
        yield partial
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def is_unfinished(path: Path) -> bool:
    """Check whether a path is a temporary file or folder of this module."""
    return _UNFINISHED_FILE.fullmatch(path.name) is not None


@contextmanager
def file_lock(lock: Path, what: str, wait: bool = False) -> Iterator[None]:
    """Hold a lock, which ends with the process; its file names the holder.

    ``what`` names the locked thing in messages. With ``wait``, log the holder and wait instead of
    raising.

    Raises:
        ConfigError: another process holds it.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    file = filelock.FileLock(lock)
    holder = "another process"
    # Read first: some versions empty the file when they try the lock.
    with contextlib.suppress(OSError):
        holder = lock.read_text(encoding="utf-8") or holder
    try:
        file.acquire(timeout=0)
    except filelock.Timeout:
        if not wait:
            raise ConfigError(
                f"{what} is in use by {holder}; wait until it is done, or choose another name"
            ) from None
        _log.warning("%s is in use by %s; waiting for it.", what, holder)
        file.acquire()
    try:
        with contextlib.suppress(OSError):  # on a full disk the lock works without it
            lock.write_text(
                f"process {os.getpid()} on {platform.node()}, since"
                f" {time.strftime('%Y-%m-%d %H:%M:%S')}"
            )
        yield
    finally:
        # Unlink before releasing: a waiting process sees that its file has no name any more, and
        # opens the next one.
        with contextlib.suppress(OSError):
            lock.unlink()
        file.release()


def lock_of(target: Path) -> Path:
    """Return the path of the lock of a file or folder: beside it."""
    target = target.absolute()
    return target.with_name(f".{target.name[-200:]}.lock")


def check_room(target: Path, n_bytes: int) -> None:
    """Raise an OSError if the disk of a file or folder to write has no room for it."""
    if shutil.disk_usage(target.absolute().parent).free < n_bytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))


def describe_os_error(error: OSError) -> str:
    """Describe an operating system error in one sentence: path, cause and remedy."""
    text = str(error)
    number = error.errno
    if match := _ERRNO.search(text):  # the form in errors of HDF5 and safetensors
        number = int(match[1] or match[2])
    message = _ERRNO_MESSAGES.get(number or 0) or (error.strerror or text or type(error).__name__)
    # As for a temporary folder: the text names it.
    if number == errno.ENOENT and error.filename is None:
        message = error.strerror or text
    if _INCOMPLETE_WRITE.search(text):
        message = "the file is incomplete, as on a full disk; make room, then try again"
    message = " ".join(message.split())
    name = error.filename2 or error.filename
    if not isinstance(name, (str, bytes, os.PathLike)):
        return message
    # A temporary name is replaced by the name it will get.
    parts = (
        part[1:].rsplit(".", 2)[0] if is_unfinished(Path(part)) else part
        for part in Path(os.fsdecode(name)).parts
    )
    return f"{Path(*parts)}: {message}"


def _unfinished_name(target: Path) -> Path:
    """Choose a temporary name; remove those of ``target`` whose processes are gone."""
    prefix = f".{target.name[:150]}."
    with contextlib.suppress(OSError):
        for path in target.parent.iterdir():
            match = _UNFINISHED_FILE.fullmatch(path.name) if path.name.startswith(prefix) else None
            if match and match["host"] == _host() and not _is_alive(int(match["pid"])):
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)
    return target.with_name(f"{prefix}{_host()}-{os.getpid()}-{secrets.token_hex(4)}.part")


def _is_alive(pid: int) -> bool:
    if os.name == "nt":  # where a signal, even none, ends a process
        return True
    try:
        os.kill(pid, 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True


def _host() -> str:
    """Return a file-safe machine name; process ids are only valid on their machine."""
    return re.sub(r"[^0-9a-z]+", "-", platform.node().lower())[:16].strip("-") or "here"


def _to_disk(path: Path) -> None:
    """Flush a file to disk, so that a power cut cannot leave a name without content."""
    if path.is_file():
        with path.open("rb+") as file:
            os.fsync(file)
