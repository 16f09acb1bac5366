"""The page: a header and one tab per task, built by functions inside one ``gr.Blocks``."""

from __future__ import annotations

import gradio as gr

from elmo_tasks.api import Service
from elmo_tasks.ui import compare_tab

TITLE = "ELMo in context"
HEADER = f"""
<header class="top">
  <h1>{TITLE}</h1>
  <p>A word gets a different vector in every sentence. Type a word and see how far apart its uses are.</p>
</header>
"""


def build_app(service: Service) -> gr.Blocks:
    """Build the pages on top of a service; ``launch(**launch_options())`` shows them."""
    with gr.Blocks(title=TITLE, analytics_enabled=False) as app:
        gr.HTML(HEADER, apply_default_css=False, js_on_load=None)
        with gr.Tabs(), gr.Tab("Compare"):
            compare_tab.build(app, service)
    return app
