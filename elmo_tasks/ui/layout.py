"""The page: a header and one tab per task, in our colours.

No web font and no file of another host: it must look right without a network.
"""

from __future__ import annotations

import json
from typing import Any

import gradio as gr

from elmo_tasks.api import Service
from elmo_tasks.ui import (
    compare_tab,
    endpoints,
    layers_tab,
    map_tab,
    nearest_tab,
    present_tab,
    train_tab,
    try_tab,
)
from elmo_tasks.ui.class_link import ClassRoom
from elmo_tasks.ui.parts import Pages, markup
from elmo_tasks.ui.rendering import joined, render

TITLE = "ELMo in context"
TABS = ("compare", "map", "nearest", "try", "train", "layers", "present")
SANS = ("Inter", "Segoe UI", "Roboto", "Helvetica Neue", "Liberation Sans", "Arial", "sans-serif")
STYLES = tuple(
    f"styles/{name}.css"
    for name in (
        "style",
        "try",
        "weights",
        "map",
        "compare",
        "train",
        "present",
        "print",
        "worksheet",
    )
)
#: Parts that belong to all tabs.
SCRIPTS = (
    "scripts/form.js",
    "scripts/vendor/modern-screenshot.js",
    "scripts/keep.js",
    "scripts/terms.js",
    "scripts/worksheet.js",
)
MONO = ("ui-monospace", "SF Mono", "Consolas", "Liberation Mono", "monospace")
#: Colours of gradio's own parts, matching those in style.css, in light and dark mode.
COLOURS = {
    "body_background_fill": "var(--paper)",
    "body_text_color": "var(--ink)",
    "block_background_fill": "transparent",
    "input_background_fill": "var(--card)",
    "input_border_color": "#8a919a",
    "button_primary_background_fill": "var(--accent)",
    "button_primary_background_fill_hover": "var(--accent)",
    "button_primary_text_color": "var(--on-accent)",
    "border_color_accent": "var(--accent)",
    "button_secondary_background_fill": "var(--card)",
    "button_secondary_background_fill_hover": "var(--accent-soft)",
    "button_secondary_text_color": "var(--accent)",
    "button_secondary_border_color": "var(--line)",
    "checkbox_label_background_fill": "var(--card)",
    "checkbox_label_background_fill_hover": "var(--accent-soft)",
    "checkbox_label_background_fill_selected": "var(--accent-soft)",
    "checkbox_label_border_color": "var(--line)",
    "checkbox_label_border_color_selected": "var(--accent)",
    "checkbox_label_text_color": "var(--ink)",
    "checkbox_label_text_color_selected": "var(--ink)",
    "block_label_background_fill": "transparent",
    "background_fill_secondary": "var(--sunk)",
    "border_color_primary": "var(--line)",
}
HEAD = """
<meta name="description" content="See that a word has a different vector in every sentence.">
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' \
viewBox='0 0 32 32'%3E\
%3Crect width='32' height='32' rx='8' fill='%230d5c63'/%3E\
%3Ccircle cx='11' cy='16' r='5' fill='%23fff'/%3E\
%3Crect x='18' y='11' width='9' height='10' rx='2' fill='%23ffd76a'/%3E%3C/svg%3E">
"""


def build_app(service: Service, room: ClassRoom | None = None) -> gr.Blocks:
    """Build the pages on top of a service; ``launch(**launch_options())`` shows them."""
    # Unused uploads are deleted after a day.
    with Pages(title=TITLE, analytics_enabled=False, delete_cache=(3600, 24 * 3600)) as app:
        markup(render("header.html", title=TITLE))
        # Not gradio's menu for tabs that do not fit: on a phone the bar scrolls (style.css).
        with gr.Tabs(overflow_behavior="wrap") as tabs:
            with gr.Tab("Compare", id=TABS[0], elem_id="tab-compare"):
                compare_tab.build(app, service)
            # The content of these tabs is drawn and requested when they are first opened.
            with gr.Tab("Sense map", id="map", elem_id="tab-map") as tab:
                map_tab.build(service, tab, room)
            with gr.Tab("Nearest uses", id="nearest", elem_id="tab-nearest") as tab:
                nearest_tab.build(service, tab)
            with gr.Tab("Try", id="try", elem_id="tab-try") as tab:
                try_page = try_tab.build(app, service, tab)
            with gr.Tab("Train", id="train", elem_id="tab-train") as tab:
                train_tab.build(app, service, tabs, tab, try_page)
            with gr.Tab("Layers", id="layers", elem_id="tab-layers") as tab:
                layers_tab.build(service, tab)
            with gr.Tab("Present", id="present", elem_id="tab-present"):
                present_tab.build(service)
        endpoints.build(service)
    return app


def launch_options() -> dict[str, Any]:
    """Return the ``launch()`` arguments: our look, no footer, and no record of requests."""
    colours = {
        f"{part}{mode}": colour for part, colour in COLOURS.items() for mode in ("", "_dark")
    }
    theme = gr.themes.Base(font=SANS, font_mono=MONO, radius_size="md")
    names = json.dumps(TABS[1:])
    # In the head and not as `css`: gradio rewrites selectors given as `css` and cuts `:is(a, b)` at
    # its comma.
    return {
        "theme": theme.set(
            block_border_width="0px",
            input_border_width="1px",
            block_shadow="none",
            color_accent="#0d5c63",
            **colours,
        ),
        "head": (
            f"{HEAD}<style>{joined(*STYLES)}</style><script>window.elmoTabs ="
            f" {names};\n{joined(*SCRIPTS)}</script>"
        ),
        "footer_links": [],
        "run_history": False,
        "ssr_mode": False,
    }
