"""Published weights from an offline copy: the same checks as a download, and the same nothing left behind."""

from __future__ import annotations

import json
import os
import shutil
from functools import partial
from pathlib import Path

import pytest

from elmo_tasks.bilm.download import copy_in, fetch
from elmo_tasks.bilm.published import PublishedModel
from elmo_tasks.errors import ConfigError, WeightsError
from tests.bilm.tiny_published import COMPLETE, TINY, write_copies

take = partial(copy_in, TINY)


@pytest.fixture(scope="session")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_copies(tmp_path_factory.mktemp("copies"))


def test_folder(copies: Path, tmp_path: Path) -> None:
    _, weights = take([copies], cache=tmp_path)
    assert weights.read_bytes() == (copies / TINY.weights_name).read_bytes()
    assert {path.name for path in weights.parent.iterdir()} - {".lock"} == COMPLETE


def test_weights_alone_bring_the_published_options(copies: Path, tmp_path: Path) -> None:
    renamed = shutil.copyfile(copies / TINY.weights_name, tmp_path / "mine.h5")
    options, _ = take([renamed], cache=tmp_path / "cache")
    assert options.read_text() == TINY.options_text


def test_both_files_in_any_order(copies: Path, tmp_path: Path) -> None:
    options, _ = take([copies / TINY.weights_name, copies / TINY.options_name], cache=tmp_path)
    assert json.loads(options.read_text())["lstm"]["dim"] == 6


def test_replaces_a_broken_file_and_its_checksum(copies: Path, tmp_path: Path) -> None:
    _, weights = take([copies], cache=tmp_path)
    weights.write_bytes(b"broken")
    take([copies], cache=tmp_path)
    fetch(TINY, cache=tmp_path, base_urls=["http://127.0.0.1:9/"], delays=())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x89HDF\r\n\x1a\n", r"was not taken for .*8 bytes; [\d,]+ float32 numbers need .*--from FILE`"),
        (b"\x00" * 100_000, r"was not taken for .*HDF5"),
        (b"\xef\xbb\xbf\n<html>" + b" " * 100_000, r"a web page \(HTML or XML\)"),
    ],
)
def test_wrong_weights_leave_what_was_there(content: bytes, message: str, copies: Path, tmp_path: Path) -> None:
    _, weights = take([copies], cache=tmp_path / "cache")
    before = weights.read_bytes()
    wrong = tmp_path / "wrong.hdf5"
    wrong.write_bytes(content)
    with pytest.raises(WeightsError, match=message):
        take([wrong], cache=tmp_path / "cache")
    assert weights.read_bytes() == before
    assert {path.name for path in weights.parent.iterdir()} - {".lock"} == COMPLETE


def test_another_models_weights(copies: Path, tmp_path: Path) -> None:
    other = PublishedModel(**{**vars(TINY), "dim": 5})
    with pytest.raises(WeightsError, match=r"was not taken for .*has shape \(10, 24\), expected \(10, 20\)"):
        copy_in(other, [copies / TINY.weights_name], cache=tmp_path)


def test_with_the_real_check(copies: Path, tmp_path: Path) -> None:
    copy_in(TINY, [copies], cache=tmp_path)
    wrong = tmp_path / "wrong.hdf5"
    wrong.write_bytes(b"\x00" * 100_000)
    with pytest.raises(WeightsError, match=r"was not taken for .*HDF5"):
        copy_in(TINY, [wrong], cache=tmp_path)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--from .*nothing.hdf5: there is no such file or folder"):
        take([tmp_path / "nothing.hdf5"], cache=tmp_path)


def test_no_permission_to_read(copies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(ConfigError, match=r"you have no permission to read it"):
        take([copies], cache=tmp_path)


def test_a_folder_with_several_or_none(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"should name one weights file .*found 0 and 0: none"):
        take([tmp_path], cache=tmp_path)
    for name in ("a.hdf5", "b.hdf5"):
        (tmp_path / name).touch()
    with pytest.raises(ConfigError, match=r"found 2 and 0: "):
        take([tmp_path], cache=tmp_path)
