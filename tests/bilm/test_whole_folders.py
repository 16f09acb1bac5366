"""A folder appears whole or not at all, and takes the place of its own kind only."""

import re
from pathlib import Path

import pytest

from elmo_tasks.bilm.whole_folders import FolderKind
from elmo_tasks.errors import ConfigError
from elmo_tasks.files import write_json

NOTES = FolderKind("notes", re.compile(r"note\.json"))


def write(folder: Path, text: str) -> None:
    with NOTES.written(folder) as partial:
        write_json(partial / "note.json", {"text": text})


def test_an_older_one_is_replaced(tmp_path):
    write(tmp_path / "a", "old")
    write(tmp_path / "a", "new")
    assert "new" in (tmp_path / "a" / "note.json").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_after_an_error_all_is_as_it_was(tmp_path):
    write(tmp_path / "a", "old")
    with pytest.raises(KeyboardInterrupt), NOTES.written(tmp_path / "a"):
        raise KeyboardInterrupt
    assert "old" in (tmp_path / "a" / "note.json").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_when_the_name_cannot_be_taken_the_older_one_comes_back(tmp_path, monkeypatch):
    write(tmp_path / "a", "old")
    rename = Path.rename

    def refuse_once(self, target):
        if Path(target).name == "a" and not self.name.endswith("-old"):
            raise OSError("no")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse_once)
    with pytest.raises(OSError, match="no"):
        write(tmp_path / "a", "new")
    assert "old" in (tmp_path / "a" / "note.json").read_text()


def test_everybody_may_read_it(tmp_path):
    write(tmp_path / "a", "x")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "a" / "note.json").stat().st_mode & 0o777 == 0o644


def test_something_else_is_left_alone(tmp_path):
    (tmp_path / "diary.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"holds something that is not notes \(diary.txt\)"):
        write(tmp_path, "x")
    with pytest.raises(ConfigError, match="a file of this name is in the way"):
        write(tmp_path / "diary.txt", "x")
