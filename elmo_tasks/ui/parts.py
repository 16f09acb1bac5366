"""Helpers around gr.HTML: static markup, scripted forms and their events.

The protocol is that of ``scripts/form.js``: a script sends a question by ``trigger("submit", {question})``, with a
``revision``; the answer is the new value of that part, a dict with the same ``revision``.
"""

from __future__ import annotations

import inspect
import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import gradio as gr
from gradio.utils import get_upload_folder

from elmo_tasks.api import Progress
from elmo_tasks.errors import InputError
from elmo_tasks.messages.text import replace_surrogates
from elmo_tasks.ui.format import note_of_error
from elmo_tasks.ui.page import joined, nothing

#: Model requests: at most four at once.
SHARED: dict[str, Any] = {"concurrency_id": "model", "concurrency_limit": 4}
#: Slow endpoints: at most two at once, so that requests of the page are not delayed.
SLOW: dict[str, Any] = {"concurrency_id": "slow", "concurrency_limit": 2}
#: Events of the page are no endpoints, and the page itself says that it waits.
PRIVATE: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
#: Events of the page that run a model.
QUIET: dict[str, Any] = {**SHARED, **PRIVATE}
#: Events of the page that may take seconds: a comparison never waits behind them, nor those of one tab behind another's.
READ_TEXTS: dict[str, Any] = {"concurrency_id": "texts", "concurrency_limit": 2, **PRIVATE}
MAP_USES: dict[str, Any] = {"concurrency_id": "uses", "concurrency_limit": 2, **PRIVATE}

Question = Mapping[str, Any]
T = TypeVar("T")
_PAUSE = 0.4  # seconds between two words to the page
_LEAST = 0.7  # what takes less long says nothing


def revision_of(question: Question) -> int:
    """Return the revision of a request, which its answer repeats; 0 without one.

    The page uses it to discard late answers.
    """
    revision = question.get("revision")
    return revision if isinstance(revision, int) else 0


def choice(choices: Sequence[Any], **options: Any) -> gr.Dropdown:
    """Create a list whose choices change; the handlers validate the chosen value.

    Gradio would check it against the choices of the session, which it forgets (see ``launch_options``).
    """
    box = gr.Dropdown(list(choices), **options)
    box.preprocess = _as_sent  # type: ignore[method-assign]
    return box


def _as_sent(payload: Any) -> Any:
    return payload


def markup(content: str, *scripts: str, classes: str | None = None) -> gr.HTML:
    """Create a part that shows markup; its scripts see ``element`` and ``watch``."""
    return gr.HTML(
        content, js_on_load=joined(*scripts) if scripts else None, apply_default_css=False, elem_classes=classes
    )


def scripted(name: str, *scripts: str, template: str = "", classes: str | None = None, **props: Any) -> gr.HTML:
    """Create a part whose script sends requests.

    Args:
        name: unique name of the part.
        scripts: they build the part from text nodes only, so that input is never read as a template.
        template: ``"${value.markup}"`` where the answer brings markup for this part.
        classes: CSS classes.
        props: what the script reads from ``props``; ``value`` holds what the form shows at first.
    """
    value = {"revision": 0, **props.pop("value", {})}
    return gr.HTML(
        value,
        html_template=template,
        js_on_load=joined(*scripts),
        apply_default_css=False,
        elem_classes=classes,
        part=name,
        **props,
    )


def fails(part: gr.HTML) -> str:
    """Return the script that reports an internal error to a part; gradio logged it."""
    return f"() => {{ window.dispatchEvent(new CustomEvent('failed', {{ detail: '{part.props['part']}' }})); }}"


def on_question(
    part: gr.HTML,
    answer: Callable[[Question], Any],
    outputs: Any,
    *,
    on_failure: tuple[Callable[[], Any] | None, Any] = (None, None),
    **options: Any,
) -> None:
    """Answer the requests of a part.

    Args:
        part: made by :func:`scripted`.
        answer: from the question to the values of the outputs; may be a generator of them.
        outputs: what changes.
        on_failure: gives what else changes when ``answer`` fails, beside what the part itself says, and where.
        options: of gradio's event; by default those of an event that asks a model.
    """

    def respond(event: gr.EventData) -> Any:
        return answer(_question_of(event))

    def respond_in_steps(event: gr.EventData) -> Iterator[Any]:
        yield from answer(_question_of(event))

    chosen = respond_in_steps if inspect.isgeneratorfunction(answer) else respond
    options = options or QUIET
    # The page sends one question at a time; "multiple" lets no click get lost.
    asked = part.submit(chosen, None, outputs, trigger_mode="multiple", **options)
    asked.failure(on_failure[0], None, on_failure[1], js=fails(part), **options)


def build_save_page(name: str, file_of: Callable[[Question], tuple[str, str]]) -> None:
    """Add the part behind a tab's "Save page" button to the open container.

    Args:
        name: unique name of the part.
        file_of: returns the file's name and text; requests are not stored, so it recomputes the answer.
    """

    def answer(question: Question) -> dict[str, Any]:
        try:
            file_name, text = file_of(question)
        except InputError:  # the page shows an answer, so this request was written by hand
            file_name = text = ""
        return {"revision": revision_of(question), "name": file_name, "text": text}

    part = scripted(name, "scripts/save_page.js", value={"name": "", "text": ""}, classes="download-slot")
    on_question(part, answer, part)


def take_upload(path: Any) -> bytes | None:
    """Return an uploaded file once, or ``None`` if gradio did not store it.

    The file is deleted after it is read.

    The path comes from the browser: files outside gradio's upload folder are never read.
    """
    folder = Path(get_upload_folder()).resolve()
    if not isinstance(path, str) or "\0" in path:
        return None
    sent = Path(path).resolve()
    if not sent.is_relative_to(folder) or not sent.is_file():
        return None
    content = sent.read_bytes()
    sent.unlink(missing_ok=True)
    with suppress(OSError):  # gradio gives each file a folder of its own
        sent.parent.rmdir()
    return content


def _question_of(event: gr.EventData) -> Question:
    question = with_whole_characters(getattr(event, "question", None))
    return question if isinstance(question, dict) else {}


def with_whole_characters(value: Any) -> Any:
    """Replace lone surrogates in a JSON value.

    See :func:`~elmo_tasks.messages.text.whole`.
    """
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, list):
        return [with_whole_characters(part) for part in value]
    if isinstance(value, dict):
        return {with_whole_characters(key): with_whole_characters(part) for key, part in value.items()}
    return value


def working(work: Callable[[Progress], T]) -> Iterator[str | tuple[T]]:
    """Run ``work``; yield its progress every 0.4 s at most, then its result in a tuple.

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

    # The context records if the client is still connected.
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
    question: Question, tab: str, work: Callable[[dict[str, Any], Progress], str]
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Answer the form of a tab: the next form state, and the markup of the answer.

    The form state reports progress first.

    The work makes the markup, and may add to what the form shows.
    """
    value: dict[str, Any] = {"revision": revision_of(question), "busy": "", "note": None}
    try:
        for step in working(partial(work, value)):
            if isinstance(step, str):
                yield {**value, "busy": step}, gr.skip()
            else:
                yield value, step[0]
    except InputError as error:
        yield {**value, "note": note_of_error(error)}, nothing(tab, str(error))
