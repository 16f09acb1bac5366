"""Registry of head classes: this folder's, the program's, and listed modules'."""

from __future__ import annotations

import os
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from inspect import isabstract
from typing import Any

import elmo_tasks.heads
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.head import TaskHead

#: Names of modules with heads of one's own, with commas between them, for programs that do not import them: `predict`, the app.
HEADS_VARIABLE = "ELMO_TASKS_HEADS"
_OURS = f"{elmo_tasks.heads.__name__}."


def name_of(head: type[TaskHead]) -> str:
    """Return a head class's name in files: ``file.Class``, or with its module."""
    return head.__qualname__ if head.__module__.startswith(_OURS) else f"{head.__module__}.{head.__qualname__}"


def head_classes() -> Mapping[str, type[TaskHead]]:
    """Return the heads by name; names in files never cause an import.

    Raises:
        ConfigError: a module that ``ELMO_TASKS_HEADS`` names cannot be imported.
    """
    _import_ours()
    for module in filter(None, (part.strip() for part in os.environ.get(HEADS_VARIABLE, "").split(","))):
        try:
            import_module(module)
        except ImportError as error:
            raise ConfigError(
                f"{HEADS_VARIABLE}={module}: expected the name of a module with heads, found none that can be imported ({error}); "
                "start the program in its folder, or name that folder in PYTHONPATH"
            ) from error
    found = {name_of(head): head for head in _below(TaskHead) if not isabstract(head)}
    return dict(sorted(found.items()))


@cache
def _import_ours() -> None:
    for module in pkgutil.iter_modules(elmo_tasks.heads.__path__, _OURS):
        import_module(module.name)


def _below(base: Any) -> list[type[TaskHead]]:
    """List all subclasses in the order of definition, so that a redefinition wins."""
    return [found for head in base.__subclasses__() for found in (head, *_below(head))]
