"""Folders that appear only when they are whole, and replace an older one of the same kind, never anything else."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elmo_tasks.errors import ConfigError


@dataclass(frozen=True)
class FolderKind:
    """Folders of one kind.

    Attributes:
        what: such a folder is, for messages: ``"a head"``.
        files: names of the files that this program writes there: one that holds nothing else may be replaced.
    """

    what: str
    files: re.Pattern[str]

    def check(self, folder: Path) -> None:
        """Refuse to write where something else lies.

        Raises:
            ConfigError: a file of this name is there, or a folder that holds something else.
        """
        if folder.exists() and not folder.is_dir():
            raise ConfigError(f"{folder}: a file of this name is in the way; name a folder")
        strange = (
            sorted(p.name for p in folder.iterdir() if not self.files.fullmatch(p.name)) if folder.is_dir() else []
        )
        if strange:
            raise ConfigError(
                f"{folder}: the folder holds something that is not {self.what} ({strange[0]}); name a new folder"
            )

    @contextmanager
    def written(self, folder: Path) -> Iterator[Path]:
        """A new folder to write files into, which takes its name at the end; after an error all is as it was.

        Args:
            folder: the name; what is there is replaced.

        Raises:
            ConfigError: see :meth:`check`.
        """
        self.check(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            yield partial
            for path in [partial, *partial.iterdir()]:  # temporary folders are for their owner only, this one is not
                path.chmod(0o755 if path.is_dir() else 0o644)
            old = partial.with_name(partial.name + "-old")
            if folder.exists():
                folder.rename(old)
            try:
                partial.rename(folder)
            except BaseException:
                if old.exists():
                    old.rename(folder)
                raise
            shutil.rmtree(old, ignore_errors=True)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write settings or a card as people read them."""
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
