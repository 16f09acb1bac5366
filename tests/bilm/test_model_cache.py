"""Where downloaded models are looked for, and that a changed file is noticed."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from pathlib import Path

import pytest

from elmo_tasks.bilm.model_cache import cache_folder, files_of, locate, record, record_path, verify_recorded
from elmo_tasks.bilm.published import MODELS, published
from elmo_tasks.errors import ConfigError, WeightsError


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "weights.hdf5"
    path.write_bytes(b"numbers")
    record(path)
    return path


def later(path: Path) -> None:
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 10**9))


def test_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ELMO_TASKS_CACHE", raising=False)
    assert cache_folder().name == "elmo-tasks"
    monkeypatch.setenv("ELMO_TASKS_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    assert cache_folder(tmp_path / "given") == tmp_path / "given"


def test_cache_folder_where_the_home_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ELMO_TASKS_CACHE", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    usual = tmp_path / "home" / "cache" / "elmo-tasks"
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: usual)
    assert cache_folder() == usual
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != tmp_path)
    assert cache_folder().parent == tmp_path / "temporary"
    usual.mkdir(parents=True)  # what was downloaded there is still read
    assert cache_folder() == usual


def test_locate(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"is not downloaded: .*options.json does not exist.*download small`, or"):
        locate("small", tmp_path)
    files = files_of(published("small"), tmp_path)
    files[0].parent.mkdir(parents=True)
    for path in files:
        path.touch()
    assert locate("small", tmp_path) == files
    record(files[1])
    files[1].write_text("changed")
    with pytest.raises(WeightsError, match=r"Delete it and run `elmo-tasks model download small`"):
        locate("small", tmp_path)
    with pytest.raises(ConfigError, match="no published ELMo model"):
        locate("huge", tmp_path)


def test_unchanged_is_not_read_again(recorded: Path) -> None:
    times = recorded.stat()
    recorded.write_bytes(b"NUMBERS")  # same size; with the time put back, only reading it could tell
    os.utime(recorded, ns=(times.st_atime_ns, times.st_mtime_ns))
    verify_recorded(recorded)


def test_touched_is_read_once_and_accepted(recorded: Path) -> None:
    later(recorded)
    verify_recorded(recorded)
    entry = json.loads(record_path(recorded).read_text())
    assert entry["mtime_ns"] == recorded.stat().st_mtime_ns
    assert entry["sha256"] == hashlib.sha256(b"numbers").hexdigest()


def test_touched_on_a_read_only_disk(
    recorded: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    later(recorded)

    def read_only(self: Path, *args: object, **rest: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "write_text", read_only)
    with caplog.at_level(logging.WARNING):
        verify_recorded(recorded)
    assert "could not be brought up to date" in caplog.text


def test_other_content(recorded: Path) -> None:
    recorded.write_bytes(b"NUMBERS")
    later(recorded)
    with pytest.raises(WeightsError, match=r"changed since it was first used: expected SHA-256 \w+, found SHA-256 \w+"):
        verify_recorded(recorded)


def test_other_size(recorded: Path) -> None:
    recorded.write_bytes(b"num")
    with pytest.raises(WeightsError, match=r"expected 7 bytes, found 3 bytes. Delete it and get it again; if the ch"):
        verify_recorded(recorded)


def test_gone(recorded: Path) -> None:
    recorded.unlink()
    with pytest.raises(WeightsError, match=r"weights.hdf5 does not exist, and weights.hdf5.sha256 beside it says"):
        verify_recorded(recorded)


def test_unreadable_record(recorded: Path) -> None:
    record_path(recorded).write_text("{}")
    with pytest.raises(WeightsError, match=r"should hold the checksum of weights.hdf5 and cannot be read"):
        verify_recorded(recorded)


def test_no_record(tmp_path: Path) -> None:
    verify_recorded(tmp_path / "anything")


def test_published_figures() -> None:
    assert {name: model.parameters for name, model in MODELS.items()} == {
        "small": 13_593_296,
        "medium": 28_027_728,
        "original": 93_600_848,
        "original-5.5B": 93_600_848,
    }
    assert MODELS["original"].weights_bytes is not None
    assert 0 < MODELS["original"].weights_bytes - MODELS["original"].smallest_bytes < 100_000
    text = MODELS["medium"].options_text.encode()
    assert hashlib.md5(text).hexdigest() == "aeac76d300b134be74077f60f3f9af68"
