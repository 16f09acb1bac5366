"""An encoder or static vectors by their checksum, wherever they lie: what a head was trained on, after it was moved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from elmo_tasks.bilm.model_cache import cache_folder
from elmo_tasks.bilm.model_files import find_model
from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.encoders.loading import load
from elmo_tasks.encoders.static_vectors import WORDS_NAME, are_static_vectors
from elmo_tasks.encoders.transformer_files import is_transformer
from elmo_tasks.errors import ConfigError, WeightsError

# Names of the file that every such folder has.
_SIGNS = ("options.json", "*_options.json", WORDS_NAME, "config.json")
#: How far below a folder encoders are looked for: runs/NAME/FOLDER/.
_DEPTH = 3


@dataclass(frozen=True)
class Search:
    """What came of looking for something."""

    place: str | None  # the name or folder to load it by; None if it is in none of the places
    looked: tuple[str, ...]  # the places, in order
    #: names or folders that are called alike and hold something else, with its checksum
    others: tuple[tuple[str, str], ...] = ()
    reason: str | None = None  # why what lies under the name cannot be read, if something does


def search(name: str, checksum: str, folders: Sequence[Path] = ()) -> Search:
    """Look for weights: under their name, then in ``checkpoints/``, some folders, and the user's cache of models.

    A folder of the same name is tried before the others of its place. To tell what a folder holds, its weights are read.

    Args:
        name: name or folder as it was when the head was trained.
        checksum: of the weights.
        folders: where to look besides, such as ``runs/``; encoders may lie three folders deep.
    """
    others: list[tuple[str, str]] = []
    reason = None
    try:
        found = _read_checksum(name)
        if found == checksum:
            return Search(name, (name,))
        others.append((name, found))
    except (ConfigError, WeightsError, OSError) as error:
        reason = str(error) if is_transformer(name) or Path(name).exists() else None
    places = list(dict.fromkeys(path.absolute() for path in (CHECKPOINTS, *folders, cache_folder()) if path.is_dir()))
    looked, tried = [name], {Path(name).resolve()}
    for place in places:
        looked.append(str(place))
        for folder in sorted(_encoders_below(place), key=lambda f: (f.name != Path(name).name, str(f))):
            # What a transformer's checksum is made of takes seconds to read.
            if folder.resolve() in tried or (is_transformer(str(folder)) and folder.name != Path(name).name):
                continue
            tried.add(folder.resolve())
            held = _checksum(str(folder))
            if held == checksum:
                return Search(str(folder), tuple(looked), tuple(others))
            if held is not None and folder.name == Path(name).name:
                others.append((str(folder), held))
    return Search(None, tuple(looked), tuple(others), reason)


def _encoders_below(place: Path) -> Iterable[Path]:
    """Folders of encoders below a place; what is half written has a name that begins with a dot."""
    found: dict[Path, None] = {}
    for depth in range(_DEPTH + 1):
        for sign in _SIGNS:
            found |= dict.fromkeys(path.parent for path in place.glob("*/" * depth + sign))
    return (folder for folder in found if not folder.name.startswith("."))


def _checksum(name: str) -> str | None:
    """Of what a name or folder holds; ``None`` if there is nothing that can be read."""
    try:
        return _read_checksum(name)
    except (ConfigError, WeightsError, OSError):
        return None


def _read_checksum(name: str) -> str:
    if are_static_vectors(name) or is_transformer(name):
        return load(name).checksum
    return find_model(name).checksum  # of the files: nothing is built
