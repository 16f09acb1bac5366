"""The Layer weights tab: what each trained head learned about the layers of its language model."""

from __future__ import annotations

import gradio as gr

from elmo_tasks.api import Service
from elmo_tasks.ui import weights_page
from elmo_tasks.ui.events import PRIVATE
from elmo_tasks.ui.page_files import joined


def build(service: Service) -> None:
    """Put the tab's component into the open container; it asks for the weights when it is first shown."""
    result = gr.HTML(
        weights_page.waiting(),
        js_on_load=joined("weights.js"),
        apply_default_css=False,
    )
    asked = result.submit(lambda: weights_page.page(service.heads.layer_weights()), None, result, **PRIVATE)
    asked.failure(weights_page.failed, None, result, **PRIVATE)
