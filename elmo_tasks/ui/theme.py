"""Theme of the pages and arguments of ``launch()``, shared by the app and the tests.

No web font and no file of another host: the page must look right without a network.
"""

from __future__ import annotations

from typing import Any

import gradio as gr

from elmo_tasks.ui.page import joined

SANS = ("Inter", "Segoe UI", "Roboto", "Helvetica Neue", "Liberation Sans", "Arial", "sans-serif")
STYLES = tuple(f"styles/{name}.css" for name in ("style", "try", "weights", "map", "compare", "train", "present"))
#: Parts that belong to all tabs.
SCRIPTS = ("scripts/form.js", "scripts/keep.js", "scripts/terms.js")
MONO = ("ui-monospace", "SF Mono", "Consolas", "Liberation Mono", "monospace")
HEAD = """
<meta name="description" content="See that a word has a different vector in every sentence.">
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect \
width='32' height='32' rx='8' fill='%230d5c63'/%3E%3Ccircle cx='11' cy='16' r='5' fill='%23fff'/%3E%3Crect x='18' \
y='11' width='9' height='10' rx='2' fill='%23ffd76a'/%3E%3C/svg%3E">
"""


def theme() -> gr.themes.Base:
    """Return the colours, type and radii of gradio's own components."""
    return gr.themes.Base(font=SANS, font_mono=MONO, radius_size="md").set(
        body_background_fill="#f6f4ee",
        body_background_fill_dark="#12171c",
        body_text_color="#1c2530",
        body_text_color_dark="#ece8df",
        block_background_fill="transparent",
        block_background_fill_dark="transparent",
        block_border_width="0px",
        block_shadow="none",
        input_background_fill="#fffefb",
        input_background_fill_dark="#1a2128",
        input_border_color="#8a919a",
        input_border_color_dark="#8a919a",
        input_border_width="1px",
        button_primary_background_fill="#0d5c63",
        button_primary_background_fill_dark="#74d0c9",
        button_primary_background_fill_hover="#0d5c63",
        button_primary_background_fill_hover_dark="#74d0c9",
        button_primary_text_color="#ffffff",
        button_primary_text_color_dark="#06282a",
        color_accent="#0d5c63",
        border_color_accent="#0d5c63",
        border_color_accent_dark="#74d0c9",
        border_color_primary="#ddd8cb",
        border_color_primary_dark="#303a44",
    )


def launch_options() -> dict[str, Any]:
    """Return the ``launch()`` arguments for the theme.

    There is no footer, and gradio keeps no record of requests.
    """
    # In the head and not as `css`: gradio rewrites selectors given as `css` and cuts `:is(a, b)` at its comma.
    return {
        "theme": theme(),
        "head": f"{HEAD}<style>{joined(*STYLES)}</style><script>{joined(*SCRIPTS)}</script>",
        "footer_links": [],
        "run_history": False,
        "ssr_mode": False,
        # Gradio keeps what each of its last sessions typed and was answered, about 130 kB; our pages need none of it.
        "state_session_capacity": 1,
    }
