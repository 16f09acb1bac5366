"""Disks that are full, folders that may not be written to, and two commands with one output: a
sentence and exit code 2."""

import os
import resource
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from elmo_tasks.__main__ import main
from elmo_tasks.files import file_lock, lock_of

pytestmark = pytest.mark.ci

COMMAND = """
import resource, sys
from elmo_tasks.__main__ import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.exit(main(sys.argv[2:]))
"""

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}


@contextmanager
def room(n_bytes: int):
    """Limit the size of files, like a full disk: it needs no privileges, and the same calls fail."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    "arguments",
    [
        ("index", "in.txt", "--out", "out"),
        ("model", "export", "--to", "hdf5", "out"),
        ("model", "export", "--to", "safetensors", "out"),
    ],
)
def test_a_full_disk_is_reported_in_one_sentence(toy, tmp_path, capsys, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_text("the bank of the river\n" * 400)
    with room(2_000):
        assert main([*arguments, "--model", str(toy)]) == 2
    check_sentence(capsys.readouterr().err, arguments[0])
    assert names(tmp_path) <= {"in.txt", "out"}
    assert not (tmp_path / "out").is_file()
    assert not (tmp_path / "out" / "index.json").exists()


def check_sentence(message: str, command: str) -> None:
    last = message.strip().splitlines()[-1]
    assert last.startswith(f"{command}: ")
    assert (
        "the file is larger than this disk or your limit" in last
        or "the file is incomplete" in last
    )
    assert ".part" not in last


def test_a_full_disk_ends_embed_cleanly(toy, tmp_path):
    # In a separate process: HDF5 used to fail again when Python exits.
    (tmp_path / "in.txt").write_text("the bank of the river\n" * 400)
    command = [
        sys.executable,
        "-c",
        COMMAND,
        "2000",
        "embed",
        "in.txt",
        "out",
        "--all",
        "--model",
        str(toy),
    ]
    found = subprocess.run(
        command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 2, found.stderr
    assert "Traceback" not in found.stderr
    assert "Exception ignored" not in found.stderr
    check_sentence(found.stderr, "embed")
    assert names(tmp_path) <= {"in.txt", ".out.parts"}  # where the next one goes on


@pytest.mark.parametrize("kind", ["full", "closed"])
def test_unprintable_output_gives_no_traceback(kind):
    code = (
        "import sys\nfrom elmo_tasks import __main__ as m\nm._run = lambda arguments: print('x' *"
        " 100_000) or 0\n"
    )
    command = [sys.executable, "-c", code + "sys.exit(m.main(['compare']))"]
    if kind == "full":
        out = os.open("/dev/full", os.O_WRONLY)
    else:
        read, out = os.pipe()
        os.close(read)
    try:
        found = subprocess.run(
            command,
            stdout=out,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            text=True,
            check=False,
            timeout=120,
        )
    finally:
        os.close(out)
    assert "Traceback" not in found.stderr
    assert "Exception ignored" not in found.stderr
    if kind == "full":
        assert found.returncode == 2
        assert (
            found.stderr.strip().splitlines()[-1]
            == "compare: the disk is full; make room, then try again"
        )
    else:  # as `| head` has enough
        assert found.returncode == 141


@pytest.mark.parametrize(
    "command", [("embed", "IN", "OUT", "--all"), ("index", "IN", "--out", "OUT")]
)
def test_an_unwritable_place_is_reported_in_one_sentence(toy, tmp_path, capsys, command):
    (tmp_path / "in.txt").write_text("a bank\n")
    places = {"IN": str(tmp_path / "in.txt"), "OUT": "/proc/out"}
    assert main([*(places.get(word, word) for word in command), "--model", str(toy)]) == 2
    assert capsys.readouterr().err.strip().splitlines()[-1].startswith(f"{command[0]}: /proc/")


@pytest.mark.parametrize(
    "command", [("embed", "in.txt", "out", "--all"), ("index", "in.txt", "--out", "out")]
)
def test_a_second_command_with_this_output_is_refused(toy, tmp_path, capsys, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_text("a bank\n")
    lock = lock_of(Path("out")) if command[0] == "embed" else Path("out/.lock")
    with file_lock(lock, "out"):
        assert main([*command, "--model", str(toy)]) == 2
    assert f"out is in use by process {os.getpid()} on" in capsys.readouterr().err
    assert main([*command, "--model", str(toy)]) == 0
    assert lock_of(Path("out")).name not in names(tmp_path)
