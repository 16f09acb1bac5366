"""A long answer that says how far it is: the work runs in a thread, the page is told now and then."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from typing import Any, TypeVar

import gradio as gr

from elmo_tasks.api import Progress
from elmo_tasks.errors import InputError
from elmo_tasks.ui.format import note_of_error

T = TypeVar("T")
_PAUSE = 0.4  # seconds between two words to the page
_LEAST = 0.7  # what takes less long says nothing


def working(work: Callable[[Progress], T]) -> Iterator[str | tuple[T]]:
    """Run ``work`` and give what it says of its progress, at most every 0.4 seconds, and at last its result in a tuple.

    Raises:
        Exception: what the work raised.
    """
    said: queue.Queue[str] = queue.Queue()
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work(lambda what, share: said.put(f"{what}: {100 * min(1.0, share):.0f} %")))
        except BaseException as error:
            errors.append(error)

    # The context knows whether somebody still waits for the answer.
    thread = threading.Thread(target=copy_context().run, args=(run,), daemon=True)
    thread.start()
    thread.join(_LEAST)
    while thread.is_alive():
        newest = None
        while not said.empty():
            newest = said.get()
        if newest is not None:
            yield newest
        thread.join(_PAUSE)
    if errors:
        raise errors[0]
    yield (results[0],)


def answered(
    value: dict[str, Any], work: Callable[[Progress], str], nothing: Callable[[str], str]
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Answer a form: the ``value`` that it shows next (how far the work is, at first), and the markup of the answer.

    Where the work refuses, ``nothing`` makes the markup from the reason. The work may add to the value.
    """
    try:
        for step in working(work):
            if isinstance(step, str):
                yield {**value, "busy": step}, gr.skip()
            else:
                yield value, step[0]
    except InputError as error:
        yield {**value, "note": note_of_error(error)}, nothing(str(error))
