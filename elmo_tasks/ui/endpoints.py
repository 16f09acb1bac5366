"""The app as gradio runs it: endpoints say what is missing or wrong, and what nobody waits for any more is not computed."""

from __future__ import annotations

import inspect
from typing import Any

import gradio as gr
from gradio.blocks import BlockFunction

from elmo_tasks.api import NoLongerWanted, wanted_while
from elmo_tasks.errors import InputError
from elmo_tasks.ui.parts import with_whole_characters


class Pages(gr.Blocks):
    """Blocks whose endpoints take what a request leaves out from the defaults of their functions.

    Gradio's own clients fill it in themselves; to a request written by hand gradio answers ``{"error": null}``.

    A question whose person left ends at its next batch: gradio takes those that wait out of the line by itself, but cannot stop
    one that runs in a thread.
    """

    def validate_inputs(self, block_fn: BlockFunction, inputs: list[Any]) -> None:
        """Complete the inputs of an endpoint, and replace half characters, which no answer could hold.

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
        """Call the function of an event, or go on with it, as long as somebody waits."""
        event = self._queue.event_ids_to_events.get(event_id) if event_id else None
        try:
            # Gradio's threads copy the context.
            with wanted_while(lambda: event is None or event.alive):
                return await super().call_function(
                    block_fn, processed_input, iterator, requests, event_id, *rest, **options
                )
        except InputError as error:  # of an endpoint: a form says what is wrong at its field
            raise gr.Error(str(error), print_exception=False) from None
        except NoLongerWanted:
            raise gr.Error("Nobody waits for this any more.", print_exception=False) from None
