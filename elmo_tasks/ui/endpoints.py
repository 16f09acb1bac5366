"""Gradio blocks whose endpoints validate inputs and stop when the client is gone."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import gradio as gr
from gradio.blocks import BlockFunction

from elmo_tasks.api import Cancelled, cancellable
from elmo_tasks.errors import InputError
from elmo_tasks.ui.parts import SHARED, with_whole_characters


def endpoint(
    function: Callable[..., Any], expected: str = "", slots: Mapping[str, Any] = SHARED, **expected_of: str
) -> None:
    """Register a function as a public endpoint; gradio does not check request types.

    Args:
        function: its annotations are enforced; they and its docstring are shown to API users.
        expected: the expected input, for the error message.
        slots: how many of its calls run at once.
        expected_of: the same for single arguments.
    """
    types = get_type_hints(function)

    @wraps(function)
    def checked(*values: Any) -> Any:
        for (name, wanted), value in zip(types.items(), values, strict=False):  # the last type is what comes back
            if not _is_a(value, wanted):
                raise gr.Error(f"Expected {expected_of.get(name, expected)}.", print_exception=False)
        return function(*values)

    gr.api(checked, api_name=function.__name__, **slots)


def _is_a(value: Any, wanted: Any) -> bool:
    parts = get_args(wanted)
    if NoneType in parts:
        return value is None or _is_a(value, parts[0])
    if get_origin(wanted) is list:
        return isinstance(value, list) and all(_is_a(part, parts[0]) for part in value)
    return type(value) is wanted  # to isinstance, true is a whole number


class Pages(gr.Blocks):
    """Blocks whose endpoints fill missing inputs with the functions' defaults.

    Gradio's own clients fill it in themselves; to a request written by hand gradio answers ``{"error": null}``.

    A question whose person left ends at its next batch: gradio takes those that wait out of the line by itself, but cannot stop
    one that runs in a thread.
    """

    def validate_inputs(self, block_fn: BlockFunction, inputs: list[Any]) -> None:
        """Complete an endpoint's inputs and replace lone surrogates, invalid in an answer.

        Raises:
            gr.Error: one that has no default is missing; the text names it.
        """
        if block_fn.fn is not None and block_fn.api_visibility == "public" and len(inputs) < len(block_fn.inputs):
            parameters = list(inspect.signature(block_fn.fn).parameters.values())[: len(block_fn.inputs)]
            missing = parameters[len(inputs) :]
            needed = [parameter.name for parameter in missing if parameter.default is inspect.Parameter.empty]
            if needed:
                raise gr.Error(f"Expected also: {', '.join(needed)}.", print_exception=False)
            inputs.extend(parameter.default for parameter in missing)
        inputs[:] = map(with_whole_characters, inputs)
        super().validate_inputs(block_fn, inputs)

    async def call_function(
        self,
        block_fn: BlockFunction | int,
        processed_input: list[Any],
        iterator: Any = None,
        requests: Any = None,
        event_id: str | None = None,
        *rest: Any,
        **options: Any,
    ) -> Any:
        """Call the function of an event, or resume it, while a client is waiting."""
        event = self._queue.event_ids_to_events.get(event_id) if event_id else None
        try:
            # Gradio's threads copy the context.
            with cancellable(lambda: event is None or event.alive):
                return await super().call_function(
                    block_fn, processed_input, iterator, requests, event_id, *rest, **options
                )
        except InputError as error:  # of an endpoint: a form says what is wrong at its field
            raise gr.Error(str(error), print_exception=False) from None
        except Cancelled:
            raise gr.Error("Nobody waits for this any more.", print_exception=False) from None
