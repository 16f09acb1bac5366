"""The data that a run was trained on, from the settings in its folder."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from elmo_tasks.data.split_data import Split, SplitData
from elmo_tasks.errors import ConfigError


def run_sentences(run: Path) -> tuple[tuple[str, ...], ...]:
    """The tokens of the rows that a run was tested on, or validated on where there are no others.

    Raises:
        ConfigError: the folder has no settings of a run on labelled rows.
        DataError: the data are not there any more.
    """
    import yaml  # comes with Lightning; the core does without both

    try:
        settings = yaml.safe_load((run / "config.yaml").read_text(encoding="utf-8"))["data"]
        module, _, name = settings["class_path"].rpartition(".")
        data = getattr(import_module(module), name)(**settings["init_args"])
    except (OSError, KeyError, TypeError, AttributeError, ImportError, yaml.YAMLError) as error:
        raise ConfigError(
            f"{run}: expected the folder of a run, with its settings in config.yaml ({error!r})"
        ) from None
    if not isinstance(data, SplitData):
        raise ConfigError(f"{run}: expected a run on labelled rows, found {settings['class_path']}")
    split: Split = "test" if data.has("test") else "validation"
    data.setup("test" if split == "test" else "validate")
    return data.tokens(split)
