"""What is asked of every kind of task, so that a new one is whole."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from elmo_tasks.bundled import CONFIGS
from elmo_tasks.errors import ConfigError
from elmo_tasks.heads.head_files import default_head, find_head
from elmo_tasks.messages.training import TASK_WORDS
from elmo_tasks.tasks import TASKS, find_task
from elmo_tasks.tasks.task import Task
from elmo_tasks.ui.try_tab import HEAD_ANSWERS

LIBRARY = Path(__file__).resolve().parents[2] / "elmo_tasks"


@pytest.mark.parametrize("kind", TASKS.values(), ids=lambda kind: kind.name)
def test_a_kind_is_whole(kind: Task) -> None:
    assert kind.data.kind == kind.name
    assert set(kind.uploads) == set(kind.words.endings)
    assert set(kind.uploads.values()) <= set(kind.file_formats)
    assert (CONFIGS / f"{kind.sample}.yaml").is_file()
    assert find_head(default_head(kind.name)).kind == kind.name


def test_words_kinds_and_cards_are_of_the_same_kinds() -> None:
    assert list(TASKS) == list(TASK_WORDS)
    assert set(HEAD_ANSWERS) == set(TASKS)


def test_a_kind_that_there_is_not_is_refused() -> None:
    with pytest.raises(ConfigError, match="there is no kind of task 'parsing', only classification, tagging"):
        find_task("parsing")


def test_only_what_is_of_one_kind_names_it() -> None:
    """Who asks whether it is this kind or that one would have to be changed for a third."""
    asking = set()
    for path in LIBRARY.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Compare) and any(
                isinstance(part, ast.Constant) and part.value in TASKS for part in (node.left, *node.comparators)
            ):
                asking.add(path.relative_to(LIBRARY).as_posix())
    assert asking == set()
