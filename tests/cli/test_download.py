"""The download command: arguments, what it prints, and how it stops."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from elmo_tasks.bilm.download import Report
from elmo_tasks.cli import download
from elmo_tasks.errors import ConfigError


def parse(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    download.add_arguments(parser)
    return parser.parse_args(words)


def test_names_are_the_published_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse("huge")
    assert "original-5.5B" in capsys.readouterr().err


def test_prints_where_the_files_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fetch(name: str, *, cache: Path | None, report: Report) -> tuple[Path, Path]:
        for file in ("a", "b"):
            report(file, 10, 20)
            report(file, 5, None)
        return tmp_path / "options", tmp_path / name

    monkeypatch.setattr(download, "fetch", fetch)
    assert download.run(parse("small", "--cache", str(tmp_path))) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [str(tmp_path / "options"), str(tmp_path / "small")]
    assert f"ELMO_TASKS_CACHE={tmp_path}" in err


def test_ctrl_c(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fetch(*args: object, **rest: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(download, "fetch", fetch)
    assert download.run(parse("medium")) == 130
    assert "`elmo-tasks download medium` continues" in capsys.readouterr().err


def test_from_reaches_the_copy(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--from .*weights.hdf5: there is no such file or folder"):
        download.run(parse("small", "--from", str(tmp_path / "weights.hdf5"), "--cache", str(tmp_path)))
