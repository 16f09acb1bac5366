"""Locate the bundled checkpoints, configurations and samples.

In a checkout the first two are beside the package; an installed one contains them, as
pyproject.toml says.
"""

from __future__ import annotations

from pathlib import Path

from elmo_tasks.errors import ConfigError

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "_bundled"
ROOT = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
CHECKPOINTS = ROOT / "checkpoints"
CONFIGS = ROOT / "lightning_configs"

_FOLDERS = {"checkpoints": CHECKPOINTS, "lightning_configs": CONFIGS, "elmo_tasks": _PACKAGE}


def find(path: str) -> str:
    """Resolve a path below a bundled folder; a file of the working folder comes first.

    A path that does not exist is returned as it is, for messages about it.
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
    if is_name and not ours.is_file() and not Path(name).suffix:
        known = ", ".join(sorted(path.stem for path in CONFIGS.glob("*.yaml")))
        raise ConfigError(f"there is no configuration '{name}': expected a file, or one of {known}")
    return str(ours) if is_name and ours.is_file() else find(name)
