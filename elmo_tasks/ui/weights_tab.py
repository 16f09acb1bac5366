"""The Layer weights tab: what each trained head learned about the layers of its language model."""

from __future__ import annotations

from elmo_tasks.api import Service
from elmo_tasks.ui import weights_page
from elmo_tasks.ui.parts import PRIVATE, on_question, revision_of, scripted


def build(service: Service) -> None:
    """Put the tab's component into the open container; it asks for the weights when it is first shown."""
    part = scripted(
        "weights", "scripts/measured.js", template="${value.markup}", value={"markup": weights_page.waiting()}
    )
    on_question(
        part,
        lambda question: {
            "revision": revision_of(question),
            "markup": weights_page.page(service.heads.layer_weights()),
        },
        part,
        **PRIVATE,
    )
