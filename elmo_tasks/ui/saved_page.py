"""File written by "Save page" and ``--html``: one answer as self-contained HTML."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from datetime import date
from typing import TypeAlias

from markupsafe import Markup

from elmo_tasks.api import Comparison, ModelInfo, SentenceComparison, SideBySide
from elmo_tasks.ui import answer
from elmo_tasks.ui.format import Form
from elmo_tasks.ui.page import joined, render

#: What Compare answers with.
Compared: TypeAlias = Comparison | SideBySide | Sequence[SentenceComparison]
_STYLES = tuple(f"styles/{name}.css" for name in ("style", "groups", "several", "map", "saved_page"))
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


def of_comparison(found: Compared, form: Form, models: Sequence[ModelInfo] = ()) -> str:
    """Return the file of a comparison: by one model, by several, or of whole sentences.

    Args:
        found: the answer.
        form: the request; its layer is shown first.
        models: the models on offer, with their titles.
    """
    if isinstance(found, Comparison):
        return page(_title(found), answer.page(found, form, models, saved=True))
    if isinstance(found, SideBySide):
        return page(_title(found.comparisons[0]), answer.page_by_several(found, form, models, saved=True))
    return page(f"{len(form.sentences)} whole sentences", answer.page_of_sentences(found, form, saved=True))


def _title(comparison: Comparison) -> str:
    about = f"“{comparison.word}”" if comparison.word else "The marked words"
    return f"{about} in {len(comparison.items)} sentences"
