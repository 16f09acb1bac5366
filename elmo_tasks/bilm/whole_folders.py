"""Atomic creation of folders, replacing only an older folder of the same kind."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from elmo_tasks.errors import ConfigError
from elmo_tasks.files import is_unfinished, unfinished_folder


@dataclass(frozen=True)
class FolderKind:
    """Kind of folder."""

    what: str  # such a folder is, for messages: "a head"
    #: names of the files that this program writes there: one that holds nothing else may be replaced
    files: re.Pattern[str]

    def check(self, folder: Path) -> None:
        """Check that the target may be written: absent, or a folder of this kind.

        Raises:
            ConfigError: a file of this name is there, or a folder that holds something else.
        """
        if folder.exists() and not folder.is_dir():
            raise ConfigError(f"{folder}: a file of this name is in the way; name a folder")
        paths = [path for path in folder.iterdir() if not is_unfinished(path)] if folder.is_dir() else []
        strange = sorted(path.name for path in paths if not self.files.fullmatch(path.name))
        if strange:
            raise ConfigError(
                f"{folder}: the folder holds something that is not {self.what} ({strange[0]}); name a new folder"
            )

    @contextmanager
    def written(self, folder: Path) -> Iterator[Path]:
        """Create a temporary folder that is renamed to the target on success.

        Raises:
            ConfigError: see :meth:`check`.
        """
        self.check(folder)
        with unfinished_folder(folder) as partial:
            yield partial
            old = partial.with_name(f"{partial.name}-old")  # not a name that is swept: it is all there is for a moment
            if folder.exists():
                folder.rename(old)
            try:
                partial.rename(folder)
            except BaseException:
                if old.exists():
                    old.rename(folder)
                raise
            shutil.rmtree(old, ignore_errors=True)


#: What a biLM is written as.
MODEL_FOLDER = FolderKind(
    "a model",
    re.compile(
        r"options\.json|weights\.hdf5|card\.json|calibration\.json|cloze\.json|vocabulary\.txt\.xz"
        r"|(bilm|softmax|cloze)[-\w]*\.safetensors(\.index\.json)?"
    ),
)
