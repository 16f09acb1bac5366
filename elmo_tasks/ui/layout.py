"""The page: a header and one tab per task, built by functions inside one ``gr.Blocks``."""

from __future__ import annotations

from typing import Any

import gradio as gr

from elmo_tasks.api import Service
from elmo_tasks.ui import compare_tab, try_tab, weights_tab

TITLE = "ELMo in context"
HEADER = f"""
<header class="top">
  <h1>{TITLE}</h1>
  <p>A word gets a different vector in every sentence. See how far apart its uses are, and what models do with that.</p>
</header>
"""
TABS = ("compare", "try", "weights")


def build_app(service: Service) -> gr.Blocks:
    """Build the pages on top of a service; ``launch(**launch_options())`` shows them."""
    with gr.Blocks(title=TITLE, analytics_enabled=False) as app:
        gr.HTML(HEADER, apply_default_css=False, js_on_load=None)
        with gr.Tabs() as tabs:
            with gr.Tab("Compare", id=TABS[0]):
                compare_tab.build(app, service)
            # What is in these two is drawn, and asks for its answer, when they are first opened.
            with gr.Tab("Try the models", id=TABS[1]):
                try_tab.build(service)
            with gr.Tab("Layer weights", id=TABS[2]):
                weights_tab.build(service)
        app.load(_open_tab, None, tabs, api_visibility="private", show_progress="hidden")
    return app


def _open_tab(request: gr.Request) -> Any:
    """Open the tab that the link names: ``/?tab=try``."""
    wanted = request.query_params.get("tab")
    return gr.Tabs(selected=wanted) if wanted in TABS[1:] else gr.skip()
