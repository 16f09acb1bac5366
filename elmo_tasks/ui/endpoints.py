"""The endpoints for programs, where gradio alone would say nothing of what is missing."""

from __future__ import annotations

import inspect
from typing import Any

import gradio as gr
from gradio.blocks import BlockFunction


class Pages(gr.Blocks):
    """Blocks whose endpoints take what a request leaves out from the defaults of their functions.

    Gradio's own clients fill it in themselves; to a request written by hand gradio answers ``{"error": null}``.
    """

    def validate_inputs(self, block_fn: BlockFunction, inputs: list[Any]) -> None:
        """Complete the inputs of an endpoint.

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
        super().validate_inputs(block_fn, inputs)
