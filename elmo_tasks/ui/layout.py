"""Page layout: a header and one tab per task, inside one ``gr.Blocks``."""

from __future__ import annotations

from typing import Any

import gradio as gr

from elmo_tasks.api import Service
from elmo_tasks.ui import (
    compare_tab,
    layers_tab,
    map_tab,
    nearest_tab,
    present_tab,
    train_tab,
    try_tab,
)
from elmo_tasks.ui.endpoints import Pages
from elmo_tasks.ui.page import render
from elmo_tasks.ui.parts import markup

TITLE = "ELMo in context"
TABS = ("compare", "map", "nearest", "try", "train", "layers", "present")
#: Names in older links: of tabs that are parts of another one now, and of removed ones with a sentence about each.
RENAMED = {"weights": "layers", "probes": "layers"}
REMOVED = {
    "vote": "Votes by phone were removed: the quiz in Present goes by a show of hands.",
    "texts": "The tab “Two texts” was removed: the Sense map draws the uses of a word in your own text.",
}


def build_app(service: Service) -> gr.Blocks:
    """Build the pages on top of a service; ``launch(**launch_options())`` shows them."""
    # Unused uploads are deleted after a day.
    with Pages(title=TITLE, analytics_enabled=False, delete_cache=(3600, 24 * 3600)) as app:
        header = markup(_header())
        # Not gradio's menu for tabs that do not fit: on a phone the bar scrolls (style.css).
        with gr.Tabs(overflow_behavior="wrap") as tabs:
            with gr.Tab("Compare", id=TABS[0]):
                compare_tab.build(app, service)
            # The content of these tabs is drawn and requested when they are first opened.
            with gr.Tab("Sense map", id="map") as tab:
                map_tab.build(service, tab)
            with gr.Tab("Nearest uses", id="nearest") as tab:
                nearest_tab.build(service, tab)
            with gr.Tab("Try", id="try") as tab:
                try_page = try_tab.build(app, service, tab)
            with gr.Tab("Train", id="train") as tab:
                train_tab.build(app, service, tabs, tab, try_page)
            with gr.Tab("Layers", id="layers") as tab:
                layers_tab.build(service, tab)
            with gr.Tab("Present", id="present"):
                present_tab.build(service)
        app.load(_open_tab, None, [tabs, header], api_visibility="private", show_progress="hidden")
    return app


def _open_tab(request: gr.Request) -> tuple[Any, Any]:
    """Open the tab named in the link, or Compare with a notice if it was removed."""
    wanted = request.query_params.get("tab") or ""
    wanted = RENAMED.get(wanted, wanted)
    selected = gr.Tabs(selected=wanted) if wanted in TABS[1:] else gr.skip()
    return selected, _header(REMOVED[wanted]) if wanted in REMOVED else gr.skip()


def _header(notice: str = "") -> str:
    return render("header.html", title=TITLE, notice=notice)
