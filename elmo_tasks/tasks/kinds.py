"""The kinds of tasks that there are."""

from __future__ import annotations

from elmo_tasks.errors import ConfigError
from elmo_tasks.tasks.classification import Classification
from elmo_tasks.tasks.kind import TaskKind
from elmo_tasks.tasks.tagging import Tagging

CLASSIFICATION, TAGGING = Classification(), Tagging()
#: By name.
KINDS: dict[str, TaskKind] = {kind.name: kind for kind in (CLASSIFICATION, TAGGING)}


def kind_of(name: str) -> TaskKind:
    """The kind of a name that a head or a data module has as ``kind``.

    Raises:
        ConfigError: there is no such kind.
    """
    if name not in KINDS:
        raise ConfigError(f"there is no kind of task '{name}', only {', '.join(KINDS)}")
    return KINDS[name]
