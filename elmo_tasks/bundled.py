"""Locate the bundled checkpoints, configurations and samples.

In a checkout the first two are beside the package; an installed package contains them
(pyproject.toml puts them there). Nothing else needs to know which of the two it is.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "_bundled"
ROOT = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
CHECKPOINTS = ROOT / "checkpoints"
CONFIGS = ROOT / "lightning_configs"

_FOLDERS = {"checkpoints": CHECKPOINTS, "lightning_configs": CONFIGS, "elmo_tasks": _PACKAGE}


def find(path: str) -> str:
    """Resolve a path: as given if it exists, else among the bundled files.

    Only paths below ``checkpoints/``, ``lightning_configs/`` and ``elmo_tasks/`` come with the program, and what a person has at
    such a path comes first.

    Returns:
        the path; as given if neither exists, so that a message about it names the given one.
    """
    folder, slash, rest = path.partition("/")
    if not slash or folder not in _FOLDERS or ".." in rest.split("/") or Path(path).exists():
        return path
    ours = _FOLDERS[folder] / rest
    return str(ours) if ours.exists() else path


def find_config(name: str) -> str:
    """Resolve a configuration by path or name, such as ``ner_sample``."""
    ours = CONFIGS / f"{name}.yaml"
    is_name = Path(name).name == name and not Path(name).exists()
    return str(ours) if is_name and ours.is_file() else find(name)
