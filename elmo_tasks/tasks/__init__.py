"""Tasks, one file each: data, scores, names, results; prediction with a head."""

from __future__ import annotations

from elmo_tasks.errors import ConfigError
from elmo_tasks.tasks.classification import CLASSIFICATION
from elmo_tasks.tasks.tagging import TAGGING
from elmo_tasks.tasks.task import Task

#: By name.
TASKS: dict[str, Task] = {task.name: task for task in (CLASSIFICATION, TAGGING)}


def find_task(name: str) -> Task:
    """Return the task that a head or a data module names as its ``kind``."""
    if name not in TASKS:
        raise ConfigError(f"there is no kind of task '{name}', only {', '.join(TASKS)}")
    return TASKS[name]
