"""Locate the encoder and static vectors that a head was trained on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from elmo_tasks.bilm.model_files import find_model
from elmo_tasks.bilm.published import MODELS, cache_folder, command
from elmo_tasks.bundled import CHECKPOINTS
from elmo_tasks.encoders import load
from elmo_tasks.encoders.static_vectors import WORDS_NAME, are_static_vectors
from elmo_tasks.encoders.transformer_files import is_transformer
from elmo_tasks.errors import ConfigError, WeightsError
from elmo_tasks.heads.head_files import HeadFiles

# Names of the file that every folder of an encoder or of static vectors has.
_SIGNS = ("options.json", "*_options.json", WORDS_NAME, "config.json")
#: Depth of the search for encoders below a folder: runs/NAME/FOLDER/.
_DEPTH = 3


def resolve_source(files: HeadFiles, what: str, folders: Sequence[Path] = ()) -> str:
    """Resolve a head's ``"encoder"`` or ``"static vectors"`` to a name or folder.

    Searches by name, then by checksum of the weights up to three folders deep in ``checkpoints/``, ``folders``, ``runs/``, around
    the head, and in the cache of models; folders of the same name first.

    Raises:
        ConfigError: they are in none of the places.
    """
    source = files.encoder if what == "encoder" else files.static
    assert source is not None
    mismatches: list[tuple[str, str]] = []  # the same name, another checksum
    reason = ""
    try:
        checksum = _read_checksum(source.name)
        if checksum == source.checksum:
            return source.name
        mismatches.append((source.name, checksum))
    except (ConfigError, WeightsError, OSError) as error:
        reason = f" ({error})" if is_transformer(source.name) or Path(source.name).exists() else ""
    around = files.folder.parent.parent if files.folder.name == "head" else files.folder.parent
    places = (CHECKPOINTS, *folders, Path("runs"), around, cache_folder())
    searched, tried, name = [source.name], {Path(source.name).resolve()}, Path(source.name).name
    for place in dict.fromkeys(path.absolute() for path in places if path.is_dir()):
        searched.append(str(place))
        for folder in sorted(_encoders_below(place), key=lambda f: (f.name != name, str(f))):
            # The files of a transformer's checksum take seconds to read.
            if folder.resolve() in tried or (is_transformer(str(folder)) and folder.name != name):
                continue
            tried.add(folder.resolve())
            try:
                checksum = _read_checksum(str(folder))
            except (ConfigError, WeightsError, OSError):
                continue
            if checksum == source.checksum:
                return str(folder)
            if folder.name == name:
                mismatches.append((str(folder), checksum))
    other = "".join(f"; {place} has another checksum ({checksum[:12]}…)" for place, checksum in mismatches)
    remedy = "put it into one of these, or name its folder with --encoder"
    if what != "encoder":
        remedy = "put them into one of these"
    get = f". Get it with `{command(source.name)}`" if source.name in MODELS and not mismatches else ""
    raise ConfigError(
        f"the head {files.name} was trained on the {what} {source.name} (checksum {source.checksum[:12]}…) and reads no "
        f"other; looked for that in {', '.join(searched)}{other}{reason}: {remedy}{get}"
    )


def _encoders_below(place: Path) -> Iterable[Path]:
    """List encoder folders below a folder, without unfinished ones (dot names)."""
    encoders = {
        path.parent for depth in range(_DEPTH + 1) for sign in _SIGNS for path in place.glob("*/" * depth + sign)
    }
    return (folder for folder in encoders if not folder.name.startswith("."))


def _read_checksum(name: str) -> str:
    if are_static_vectors(name) or is_transformer(name):
        return load(name).checksum
    return find_model(name).checksum  # of the files: nothing is built
