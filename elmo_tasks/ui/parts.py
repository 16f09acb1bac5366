"""Helpers around gradio: markup, forms built by a script, events, endpoints.

A form sends ``trigger("submit", {form})`` with a ``revision`` (``scripts/form.js``), and its new
value has the same one.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.blocks import BlockFunction
from gradio.utils import get_upload_folder
from pydantic import ValidationError, validate_call

from elmo_tasks.api import Cancelled, Progress, cancellable
from elmo_tasks.errors import InputError
from elmo_tasks.ui.rendering import joined
from elmo_tasks.wording import replace_surrogates

#: Model requests: at most four at once.
SHARED: dict[str, Any] = {"concurrency_id": "model", "concurrency_limit": 4}
#: Slow endpoints: at most two at once, so that requests of the page are not delayed.
SLOW: dict[str, Any] = {"concurrency_id": "slow", "concurrency_limit": 2}
#: Requests about training: at most two at once.
TRAINING: dict[str, Any] = {"concurrency_id": "train", "concurrency_limit": 2}
#: Events of the page are not endpoints, and the page itself shows that it waits.
PRIVATE: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
#: Events of the page that run a model.
QUIET: dict[str, Any] = {**SHARED, **PRIVATE}
#: Events of Try, which may take seconds: a comparison never waits behind them.
READ_TEXTS: dict[str, Any] = {"concurrency_id": "texts", "concurrency_limit": 2, **PRIVATE}

#: Default of an argument by which gradio shows on the page what :func:`reported_by` receives.
REPORTED = gr.Progress()
FormEvent = Mapping[str, Any]


def reported_by(progress: gr.Progress) -> Progress:
    """Return the callback of a service that reports to a gradio progress."""
    return lambda step, fraction: progress(fraction, desc=step)


def choice(choices: Sequence[Any], **options: Any) -> gr.Dropdown:
    """Create a list whose choices change; the handlers validate the chosen value."""
    # Gradio would check it against the choices of the session, which it forgets (see
    # `launch_options`).
    box = gr.Dropdown(list(choices), **options)
    box.preprocess = lambda payload: payload  # type: ignore[method-assign]
    return box


def buttons(titles: Sequence[str], label: str, **options: Any) -> gr.Dataset:
    """Create buttons; a click gives the title, or the place if the type is index."""
    samples = [[title] for title in titles]
    return gr.Dataset(
        components=[gr.Textbox(visible=False)], samples=samples, label=label, **options
    )


def folded_head(title: str) -> gr.HTML:
    """Create the button that unfolds a form; on a narrow page the answer comes first."""
    content = f'<button type="button" class="plain unfold" data-unfold>{title}</button>'
    return gr.HTML(content, apply_default_css=False, elem_classes="folded-head")


def markup(content: str, *scripts: str, classes: str | None = None) -> gr.HTML:
    """Create a part that shows markup; its scripts see ``element`` and ``watch``."""
    return gr.HTML(
        content,
        js_on_load=joined(*scripts) if scripts else None,
        apply_default_css=False,
        elem_classes=classes,
    )


def custom_form(
    name: str, *scripts: str, template: str = "", classes: str | None = None, **props: Any
) -> gr.HTML:
    """Create a part of a unique name whose scripts send requests and read its ``props``.

    A ``template`` of ``"${value.markup}"`` shows the markup of answers; the ``value`` is what the
    form shows at first.
    """
    return gr.HTML(
        {"revision": 0, **props.pop("value", {})},
        html_template=template,
        js_on_load=joined(*scripts),
        apply_default_css=False,
        elem_classes=classes,
        part=name,
        **props,
    )


def error_script(part: gr.HTML) -> str:
    """Return the script that reports an internal error to a part; gradio logged it."""
    return (
        f"() => {{ window.dispatchEvent(new CustomEvent('failed', {{ detail: '{part.props['part']}'"
        " })); }"
    )


def on_submit(
    part: gr.HTML,
    answer: Callable[[FormEvent], Any],
    outputs: Any,
    on_failure: tuple[Callable[[], Any] | None, Any] = (None, None),
) -> None:
    """Answer the requests of a form; ``on_failure`` is a function and its outputs."""

    def respond(event: gr.EventData) -> Any:
        sent = with_whole_characters(getattr(event, "form", None))
        return answer(sent if isinstance(sent, dict) else {})

    # The page sends one request at a time; "multiple" lets no click get lost.
    submitted = part.submit(respond, None, outputs, trigger_mode="multiple", **QUIET)
    submitted.failure(on_failure[0], None, on_failure[1], js=error_script(part), **QUIET)


def build_save_page(name: str, file_of: Callable[[FormEvent], tuple[str, str]]) -> None:
    """Add a tab's "Save page"; ``file_of`` computes the answer again, as none is kept."""

    def answer(event: FormEvent) -> dict[str, Any]:
        file_name, text = file_of(event)
        return {"revision": event.get("revision"), "name": file_name, "text": text}

    part = custom_form(
        name, "scripts/save_page.js", value={"name": "", "text": ""}, classes="download-slot"
    )
    on_submit(part, answer, part)


def take_upload(path: str) -> bytes | None:
    """Read and delete an upload; ``None`` unless it lies in gradio's upload folder."""
    sent = Path(path).resolve()
    if not sent.is_relative_to(Path(get_upload_folder()).resolve()) or not sent.is_file():
        return None
    content = sent.read_bytes()
    sent.unlink()
    return content


def with_whole_characters(value: Any) -> Any:
    """Replace lone surrogates in a JSON value (see :mod:`elmo_tasks.wording`)."""
    return json.loads(replace_surrogates(json.dumps(value, ensure_ascii=False)))


# --- Endpoints ---


def endpoint(function: Callable[..., Any], slots: Mapping[str, Any] = SHARED) -> None:
    """Register a public endpoint and check the types of its requests, which gradio does not."""
    strict = validate_call(config={"strict": True})(function)
    names = list(inspect.signature(function).parameters)

    @wraps(function)
    def checked(*values: Any) -> Any:
        try:
            return strict(*values)
        except ValidationError as error:
            wrong = error.errors()[0]
            raise gr.Error(
                f"{names[int(wrong['loc'][0])]}: {wrong['msg']}.", print_exception=False
            ) from None

    gr.api(checked, api_name=function.__name__, **slots)


class Pages(gr.Blocks):
    """Blocks whose endpoints fill in defaults, and whose work ends when nobody waits for it.

    Gradio's own clients fill in defaults; to a request written by hand gradio answers ``{"error":
    null}``. It removes a client that left from the queue, but cannot stop a thread: that ends
    at its next batch.
    """

    def validate_inputs(self, block_fn: BlockFunction, inputs: list[Any]) -> None:
        """Complete an endpoint's inputs and replace lone surrogates, invalid in an answer.

        Raises:
            gr.Error: one that has no default is missing; the text names it.
        """
        if (
            block_fn.fn is not None
            and block_fn.api_visibility == "public"
            and len(inputs) < len(block_fn.inputs)
        ):
            parameters = list(inspect.signature(block_fn.fn).parameters.values())[
                : len(block_fn.inputs)
            ]
            missing = parameters[len(inputs) :]
            needed = [
                parameter.name
                for parameter in missing
                if parameter.default is inspect.Parameter.empty
            ]
            if needed:
                raise gr.Error(f"Expected also: {', '.join(needed)}.", print_exception=False)
            inputs.extend(parameter.default for parameter in missing)
        inputs[:] = with_whole_characters(inputs)
        super().validate_inputs(block_fn, inputs)

    async def call_function(self, *values: Any, **named: Any) -> Any:
        """Call the function of an event, or resume it, while a client is waiting."""
        given = inspect.signature(gr.Blocks.call_function).bind(self, *values, **named).arguments
        event_id = given.get("event_id")
        event = self._queue.event_ids_to_events.get(event_id) if event_id else None
        try:
            # Gradio's threads copy the context.
            with cancellable(lambda: event is None or event.alive):
                return await super().call_function(*values, **named)
        except InputError as error:  # of an endpoint: a form says what is wrong at its field
            raise gr.Error(str(error), print_exception=False) from None
        except Cancelled:
            raise gr.Error("Nobody waits for this any more.", print_exception=False) from None
