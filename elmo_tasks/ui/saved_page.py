"""File written by "Save page" and ``--html``: one answer as self-contained HTML."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from datetime import date

from markupsafe import Markup

from elmo_tasks.api import ModelInfo
from elmo_tasks.ui import compare_answer
from elmo_tasks.ui.compare_answer import Compared
from elmo_tasks.ui.compare_form import Form
from elmo_tasks.ui.page import joined, render

_STYLES = ("styles/style.css", "styles/map.css", "styles/compare.css", "styles/saved_page.css")
_SHARED = ("scripts/saved_page.js", "scripts/form.js", "scripts/terms.js")
#: Scripts of the tabs, each for the answer that it knows; the others find nothing to do.
_OF_ANSWERS = ("scripts/answer.js", "scripts/map_answer.js")


def page(title: str, markup: str) -> str:
    """Return the file: a rendered answer with the styles and scripts that it needs."""
    script = "\n".join(("", joined(*_SHARED), *(_run(name) for name in _OF_ANSWERS), ""))
    return render(
        "saved_page.html",
        title=title,
        answer=Markup(markup),  # from our templates, which escape what people typed
        made=date.today().isoformat(),
        style=Markup(joined(*_STYLES)),  # ours alone, as is the script
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def _run(name: str) -> str:
    """Return a script of a tab as a call, with the arguments that gradio gives it."""
    return f"((element, watch) => {{\n{joined(name)}\n}})(document.querySelector('main'), () => {{}});"


def of_comparison(answer: Compared, form: Form, models: Sequence[ModelInfo] = ()) -> str:
    """Return the file of an answer of Compare; the layer of the ``form`` is shown first."""
    return page(compare_answer.title(answer), compare_answer.page(answer, form, models, saved=True))
