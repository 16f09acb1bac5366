"""The frozen numbers that a head was trained on, encoder and static vectors: found wherever they lie, others refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elmo_tasks.bilm.published import MODELS, command
from elmo_tasks.encoders.search import search
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.head_files import HeadFiles


def place_of(files: HeadFiles, what: str, folders: Sequence[Path] = ()) -> str:
    """Name or folder of the encoder or the static vectors that a head was trained on, wherever they lie now.

    Args:
        files: of the head.
        what: ``"encoder"`` or ``"static vectors"``.
        folders: more places to look in.

    Raises:
        ConfigError: they are in none of the places.
    """
    source = files.encoder if what == "encoder" else files.static
    assert source is not None
    around = [files.folder.parent.parent] if files.folder.name == "head" else [files.folder.parent]
    found = search(source.name, source.checksum, [*folders, Path("runs"), *around])
    if found.place is None:
        other = "".join(f"; {name} holds another one (checksum {held[:12]}…)" for name, held in found.others)
        remedy = (
            "put it into one of these, or name its folder with --encoder"
            if what == "encoder"
            else "put them into one of these"
        )
        get = f". Get it with `{command(source.name)}`" if source.name in MODELS and not found.others else ""
        why = f" ({found.reason})" if found.reason else ""
        raise ConfigError(
            f"the head {files.name} was trained on the {what} {source.name} (checksum {source.checksum[:12]}…) and reads no "
            f"other; looked for that in {', '.join(found.looked)}{other}{why}: {remedy}{get}"
        )
    return found.place


def check_source(what: str, files: HeadFiles, name: str, found: str, expected: str) -> None:
    """Refuse numbers that a head was not trained on.

    Args:
        what: as for :func:`place_of`.
        files: of the head.
        name: of what is given.
        found: its checksum.
        expected: that of what the head was trained on.

    Raises:
        ConfigError: the checksums differ.
    """
    if found != expected:
        trained = (files.static if what == "static vectors" else files.encoder) or files.encoder
        raise ConfigError(
            f"the head {files.name} was trained on the {what} {trained.name} (checksum {expected[:12]}…) and reads no other; "
            f"given was {name} (checksum {found[:12]}…): train a head on it, or give the {what} that it was trained on"
        )
