"""Files are written completely or not at all; a lock names its holder; disk errors are sentences."""

import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from elmo_tasks.errors import ConfigError
from elmo_tasks.files import (
    atomic_file,
    atomic_write,
    describe_os_error,
    file_lock,
    given_name,
    is_unfinished,
    lock_of,
    read_json,
    unfinished_folder,
    write_json,
)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_takes_its_name_at_the_end(tmp_path):
    target = tmp_path / "a.txt"
    with atomic_file(target) as partial:
        partial.write_text("new")
        assert not target.exists()
        assert is_unfinished(partial)
        assert not is_unfinished(target)
    assert target.read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


def test_a_link_keeps_its_own_name(tmp_path, monkeypatch):
    (tmp_path / "model").mkdir()
    (tmp_path / "minilm").symlink_to(tmp_path / "model")
    monkeypatch.chdir(tmp_path / "model")
    assert [given_name(name) for name in (".", "../minilm", "../minilm/")] == [
        "model",
        "minilm",
        "minilm",
    ]


def test_an_error_changes_nothing(tmp_path):
    atomic_write(tmp_path / "a.txt", "old")
    with pytest.raises(UnicodeEncodeError):
        atomic_write(tmp_path / "a.txt", "half an emoji: \ud83d")
    assert (tmp_path / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_many_writers_of_one_name_leave_one_whole_file(tmp_path):
    def write(letter: str) -> None:
        for _ in range(20):
            write_json(tmp_path / "a.json", {"text": letter * 5_000})

    threads = [threading.Thread(target=write, args=(letter,)) for letter in "abcd"]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if (tmp_path / "a.json").exists():
            assert len(set(json.loads((tmp_path / "a.json").read_text())["text"])) == 1
    assert names(tmp_path) == ["a.json"]


def test_permissions_of_the_old_file_are_kept(tmp_path):
    target = tmp_path / "a.txt"
    umask = os.umask(0o022)
    try:
        atomic_write(target, "x")
        assert target.stat().st_mode & 0o777 == 0o644
        target.chmod(0o600)
        atomic_write(target, "y")
        assert target.stat().st_mode & 0o777 == 0o600
        with unfinished_folder(tmp_path / "b") as partial:
            assert partial.stat().st_mode & 0o777 == 0o755
    finally:
        os.umask(umask)


def test_a_link_stays_a_link_a_device_a_device_and_a_folder_a_folder(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    atomic_write(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"
    atomic_write(Path("/dev/null"), "gone")
    assert Path("/dev/null").is_char_device()
    (tmp_path / "a").mkdir()
    with pytest.raises(IsADirectoryError):
        atomic_write(tmp_path / "a", "x")
    assert names(tmp_path) == ["a", "link.txt", "real.txt"]


KILLED = """
import os, signal, sys
from pathlib import Path
from elmo_tasks.files import {what}
with {what}(Path(sys.argv[1])) as partial:
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("what", ["atomic_file", "unfinished_folder"])
def test_files_of_a_killed_process_are_removed_by_the_next(tmp_path, what):
    target = tmp_path / "a.txt"
    with atomic_file(target) as mine:
        code = KILLED.format(what=what)
        assert (
            subprocess.run([sys.executable, "-c", code, str(target)], check=False).returncode == -9
        )
        assert len(names(tmp_path)) == 2
        atomic_write(target, "x")
        assert names(tmp_path) == sorted(
            [mine.name, "a.txt"]
        )  # one that is still being written stays


def test_json_is_read_within_limits(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, {"a": 1})
    assert read_json(path) == {"a": 1}
    with pytest.raises(ValueError, match="more than 3 bytes"):
        read_json(path, max_bytes=3)
    path.write_text("[" * 100_000)
    with pytest.raises(ValueError, match="nested too deeply"):
        read_json(path)


def test_an_unfinished_folder_that_took_its_name_stays(tmp_path):
    target = tmp_path / "deep" / "a"
    with unfinished_folder(target) as partial:
        (partial / "x").touch()
        partial.rename(target)
    assert names(target) == ["x"]
    with pytest.raises(ValueError, match="no"), unfinished_folder(target):
        raise ValueError("no")
    assert names(target.parent) == ["a"]


HOLDS = """
import sys
from pathlib import Path
from elmo_tasks.files import file_lock
with file_lock(Path(sys.argv[1]), "it"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path / "lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_lock_names_its_holder_and_ends_with_its_process(tmp_path, holder):
    message = (
        rf"my\.txt is in use by process {holder.pid} on .+, since \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d;"
        r" wait"
    )
    with pytest.raises(ConfigError, match=message), file_lock(tmp_path / "lock", "my.txt"):
        pass
    holder.kill()
    holder.wait()
    with file_lock(tmp_path / "lock", "my.txt"):
        pass
    assert names(tmp_path) == []


def test_waiting_for_a_lock_logs_its_holder(tmp_path, holder, caplog):
    threading.Timer(0.3, holder.terminate).start()
    with file_lock(tmp_path / "lock", "my.txt", wait=True):
        assert f"my.txt is in use by process {holder.pid}" in caplog.text
        assert f"process {os.getpid()} on" in (tmp_path / "lock").read_text()


def test_one_holds_a_lock_at_a_time_though_its_file_comes_and_goes(tmp_path):
    inside, most = [], []

    def work() -> None:
        for _ in range(25):
            with file_lock(tmp_path / "lock", "it", wait=True):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert lock_of(tmp_path / "a.hdf5") == tmp_path / ".a.hdf5.lock"
    assert len(most) == 100
    assert max(most) == 1


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device", "/a/b"),
            "/a/b: the disk is full; make room, then try again",
        ),
        (
            PermissionError(errno.EACCES, "Permission denied", "b"),
            "b: you have no permission for this",
        ),
        (
            OSError(errno.EROFS, "Read-only file system", "b"),
            "b: the disk is read-only; choose another folder",
        ),
        (
            OSError(errno.EADDRINUSE, "Address already in use"),
            "the port is taken; choose another one with --port",
        ),
        (
            OSError("write failed: errno = 28, error message = 'No space left'\n"),
            "the disk is full; make room",
        ),
        (
            FileNotFoundError(2, "No usable temporary directory found in ['/x']"),
            "No usable temporary directory found",
        ),
        (FileNotFoundError(2, "No such file or directory", "/x"), "/x: no such file or folder"),
        (
            OSError("9000 requested and 468 written"),
            "the file is incomplete, as on a full disk; make room",
        ),
        (OSError("a\nb"), "a b"),
        (OSError(), "OSError"),
    ],
)
def test_a_system_error_is_reported_in_one_sentence(error, sentence):
    message = describe_os_error(error)
    assert message.startswith(sentence)
    assert "\n" not in message


def test_an_error_names_the_requested_file(tmp_path):
    with unfinished_folder(tmp_path / "b") as partial:
        message = describe_os_error(OSError(errno.ENOSPC, "", str(partial / "c")))
        assert message.startswith(f"{tmp_path / 'b' / 'c'}: the disk")
    with atomic_file(tmp_path / "a.txt") as partial:
        message = describe_os_error(OSError(errno.ENOSPC, "", str(partial)))
        assert message.startswith(f"{tmp_path / 'a.txt'}: the disk is full")
