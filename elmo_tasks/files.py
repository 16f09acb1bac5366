"""Files and folders that appear only when they are whole, locks that say who holds them, and what a disk says in words."""

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

_UNFINISHED = re.compile(r"\..*\.(?P<host>[0-9a-z-]{1,16})-(?P<pid>\d+)-[0-9a-f]{8}\.part", re.DOTALL)
_SHORT = re.compile(r"\d+ requested and \d+ written")  # NumPy's words
_ERRNO = re.compile(r"\berrno = (\d+)|\(os error (\d+)\)")
_log = logging.getLogger(__name__)

_SAID = {
    errno.ENOSPC: "the disk is full; make room, then try again",
    errno.EDQUOT: "your share of the disk is used up; make room, then try again",
    errno.EROFS: "the disk is read-only; choose another folder",
    errno.EACCES: "you have no permission for this; choose another place, or change its permissions",
    errno.EPERM: "you have no permission for this; choose another place, or change its permissions",
    errno.ENOENT: "no such file or folder",
    errno.ENOTDIR: "a file is where a folder should be",
    errno.EISDIR: "a folder is where a file should be",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EFBIG: "the file is larger than this disk or your limit (ulimit -f) allows",
    errno.EIO: "the disk cannot be read or written (an input/output error)",
    errno.EMFILE: "too many files are open; allow more (ulimit -n)",
    errno.ENFILE: "too many files are open on this machine",
    errno.ENOMEM: "there is not enough memory",
    errno.EADDRINUSE: "the port is taken; choose another one with --port",
    errno.EADDRNOTAVAIL: "this machine has no such address; choose another one with --host",
}


def given_name(path: str | Path) -> str:
    """What a file or folder is called where it was asked for: ``.`` by its own name, a link by the name of the link."""
    return os.path.basename(os.path.abspath(path))


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """A new file to write to, which takes its name at the end; after an error all is as it was.

    Two processes may write one target at a time: each has a file of its own, and the last to end wins. What an earlier
    process left that was killed is removed. Something that is no file, as ``/dev/null``, is written to as it is.
    What has the name is replaced, and keeps its permissions; a link stays a link.

    Raises:
        OSError: the folder cannot be written to; see :func:`told`.
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
        partial.chmod(mode)  # what writes safetensors puts a file of its own there, for its owner only
        _to_disk(partial)
        partial.replace(target)
        _to_disk(target.parent)
    finally:
        partial.unlink(missing_ok=True)


def write_whole(target: Path, content: str | bytes) -> None:
    """Write a file that appears only when it is whole; see :func:`whole_file`."""
    with whole_file(target) as partial:
        if isinstance(content, str):
            partial.write_text(content, encoding="utf-8", newline="\n")
        else:
            partial.write_bytes(content)


def write_json(target: Path, content: Mapping[str, Any]) -> None:
    """Write settings or a card as people read them, whole or not at all."""
    write_whole(target, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_json(path: Path, most_bytes: int = 20_000_000) -> Any:
    """Read settings or a card that anybody may have written; ``most_bytes`` is little memory, whatever it holds.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no JSON in UTF-8, too large, or brackets in brackets without end.
    """
    with path.open("rb") as file:
        raw = file.read(most_bytes + 1)
    if len(raw) > most_bytes:
        raise ValueError(f"more than {most_bytes:,} bytes")
    try:
        return json.loads(raw)
    except RecursionError:
        raise ValueError("brackets in brackets, too deep to be read") from None


@contextmanager
def unfinished_folder(target: Path) -> Iterator[Path]:
    """A new folder beside a target, to be filled and renamed; what is still there at the end is removed."""
    target = target.absolute()
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = _unfinished_name(target)
    partial.mkdir()
    try:
        yield partial
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def is_unfinished(path: Path) -> bool:
    """Whether this is the name of a file or folder that is not whole yet, or never will be."""
    return _UNFINISHED.fullmatch(path.name) is not None


@contextmanager
def held(lock: Path, what: str, wait: bool = False) -> Iterator[None]:
    """Do something alone. The lock ends with the process, however that ends; its file tells who holds it.

    ``what`` is held, for messages; with ``wait`` it is said who holds it, and waited for, in place of refusing.

    Raises:
        ConfigError: another process holds it.
        OSError: the file cannot be written.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    door = filelock.FileLock(lock)
    holder = f"{what} is in use by {_holder(lock)}"  # read first: trying the door empties the file with some versions
    try:
        door.acquire(timeout=0)
    except filelock.Timeout:
        if not wait:
            raise ConfigError(f"{holder}; wait until it is done, or choose another name") from None
        _log.warning("%s; waiting for it.", holder)
        door.acquire()
    try:
        about = {"pid": os.getpid(), "host": platform.node(), "since": time.strftime("%Y-%m-%d %H:%M:%S")}
        with contextlib.suppress(OSError):  # on a full disk it is held all the same
            lock.write_text(json.dumps(about) + "\n", encoding="utf-8")
        yield
    finally:
        # While it is held: whoever waits sees that the file it opened has no name any more, and opens the next one.
        with contextlib.suppress(OSError):
            lock.unlink()
        door.release()


def lock_of(target: Path) -> Path:
    """Where the lock of a file or folder lies: beside it."""
    target = target.absolute()
    return target.with_name(f".{target.name[-200:]}.lock")


def told(error: OSError) -> str:
    """What the operating system says against something, as one sentence: where, what, and what to do."""
    text = str(error)
    number = error.errno
    if match := _ERRNO.search(text):  # HDF5 and safetensors say it in their own words
        number = int(match[1] or match[2])
    said = _SAID.get(number or 0) or (error.strerror or text or type(error).__name__)
    if number == errno.ENOENT and error.filename is None:  # as for a temporary folder: the text says which
        said = error.strerror or text
    if _SHORT.search(text):
        said = "not all of it could be written, as on a full disk; make room, then try again"
    where = [
        os.fsdecode(name) for name in (error.filename, error.filename2) if isinstance(name, (str, bytes, os.PathLike))
    ]
    names = [_final_name(Path(name)) for name in where]
    return ": ".join([*dict.fromkeys(names[-1:]), " ".join(said.split())])


def _final_name(path: Path) -> str:
    """The name that a person gave, where this is the one it has until it is whole."""
    return str(Path(*(part[1:].rsplit(".", 2)[0] if is_unfinished(Path(part)) else part for part in path.parts)))


def _unfinished_name(target: Path) -> Path:
    forget_killed(target)
    begin = f".{target.name[:150]}."
    return target.with_name(f"{begin}{_host()}-{os.getpid()}-{secrets.token_hex(4)}.part")


def forget_killed(target: Path) -> None:
    """Remove what processes of this machine left of a target that are no more."""
    begin = f".{target.name[:150]}."
    with contextlib.suppress(OSError):
        for path in target.parent.iterdir():
            match = _UNFINISHED.fullmatch(path.name) if path.name.startswith(begin) else None
            if match and match["host"] == _host() and not _lives(int(match["pid"])):
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)


def _lives(pid: int) -> bool:
    if os.name == "nt":  # where a signal, even none, ends a process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _host() -> str:
    """This machine's name in letters that any disk takes: a process number only says something on its own machine."""
    return re.sub(r"[^0-9a-z]+", "-", platform.node().lower())[:16].strip("-") or "here"


def _holder(lock: Path) -> str:
    try:
        about = json.loads(lock.read_text(encoding="utf-8"))
        return f"process {int(about['pid'])} on {about['host']}, since {about['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


def _to_disk(path: Path) -> None:
    """Wait until it is on the disk: after a power cut a name without content would stand there."""
    if os.name == "nt" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
