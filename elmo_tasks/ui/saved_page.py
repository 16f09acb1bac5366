"""Answers saved as pages of their own, which need no server."""

from __future__ import annotations

import base64
import hashlib
from datetime import date

from markupsafe import Markup

from elmo_tasks.ui.rendering import joined, render


def saved_page(title: str, answer: str) -> str:
    """Return an answer as a page of its own, with the styles and scripts that it needs."""
    styles = joined(
        *(
            f"styles/{name}.css"
            for name in ("style", "map", "compare", "saved_page", "print", "worksheet")
        )
    )
    shared = joined(*(f"scripts/{name}.js" for name in ("form", "terms", "worksheet")))
    # Each script of a tab gets the arguments that gradio passes. It works on the answer that it
    # knows, and finds no other.
    calls = [
        "((element, watch) =>"
        f" {{\n{joined(f'scripts/{name}.js')}\n}})(document.querySelector('main'), () => {{}});"
        for name in ("answer", "map_answer")
    ]
    script = "\n".join(("", shared, *calls, ""))
    return render(
        "saved_page.html",
        title=title,
        answer=Markup(answer),  # from our templates, which escape what people typed
        made=date.today().isoformat(),
        style=Markup(styles),  # ours alone, as is the script
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
