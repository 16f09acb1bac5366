"""Files that people sent to train on: kept for a day, each in a folder of its own."""

from __future__ import annotations

import hashlib
import re
import shutil
import time
from pathlib import Path

from elmo_tasks.errors import InputError
from elmo_tasks.files import is_unfinished, unfinished_folder
from elmo_tasks.tasks.kinds import KINDS

MAX_UPLOAD = 20_000_000
_ENDINGS = sorted({ending for kind in KINDS.values() for ending in kind.uploads})
_ID = re.compile(r"[0-9a-f]{20}")
_KEPT_UPLOADS, _KEPT_SECONDS = 10, 24 * 3600


class Uploads:
    """Files that people sent, each in a folder named by its checksum; a name they sent is never a path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, name: str, content: bytes) -> str:
        """Keep a file, and forget old ones; gives its id.

        Raises:
            InputError: it is too large, empty, or not of a kind that is read.
        """
        title = _safe_title(name)
        ending = Path(title).suffix.lower()
        wrong = ""
        if ending not in _ENDINGS:
            wrong = f"cannot be read: send a file whose name ends in {', '.join(_ENDINGS)}"
        elif len(content) > MAX_UPLOAD:
            wrong = f"has {len(content) / 1e6:.1f} MB; the most is {MAX_UPLOAD / 1e6:.0f} MB"
        elif not content:
            wrong = "is empty"
        if wrong:
            raise InputError(f"“{title}” {wrong}.", field="file")
        key = hashlib.sha256(content + b"\0" + title.encode()).hexdigest()[:20]
        target = self.folder / key
        if not target.is_dir():
            with unfinished_folder(target) as partial:
                (partial / f"data{ending}").write_bytes(content)
                (partial / "title.txt").write_text(title, encoding="utf-8")
                try:
                    partial.rename(target)
                except OSError:
                    if not target.is_dir():  # another request kept the same file meanwhile
                        raise
        target.touch()
        self._forget_old(target)
        return key

    def find(self, key: str) -> tuple[Path, str]:
        """The file of an id, and what it is called.

        Raises:
            InputError: there is none (any more).
        """
        folder = self.folder / key if _ID.fullmatch(key) else None
        if folder is None or not folder.is_dir():
            raise InputError("The file is not here any more. Choose it again.", field="file")
        (path,) = folder.glob("data.*")
        return path, (folder / "title.txt").read_text(encoding="utf-8")

    def _forget_old(self, newest: Path) -> None:
        def age(path: Path) -> float:
            try:
                return time.time() - path.stat().st_mtime
            except OSError:
                return 0.0

        kept = sorted((p for p in self.folder.iterdir() if p.is_dir() and not is_unfinished(p)), key=age)
        for place, path in enumerate(kept):
            if path != newest and (place >= _KEPT_UPLOADS or age(path) > _KEPT_SECONDS):
                shutil.rmtree(path, ignore_errors=True)


def _safe_title(name: str) -> str:
    """The last part of what was sent as a name, in printable characters: for reading only."""
    last = re.split(r"[\\/]", name)[-1]
    return "".join(c for c in last if c.isprintable()).strip()[-80:] or "unnamed"
