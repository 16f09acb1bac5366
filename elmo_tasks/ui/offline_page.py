"""The map of a word as one file to hand out: it opens without a server and without a network, on a phone and in the dark."""

from __future__ import annotations

import base64
import hashlib
import random
from collections.abc import Sequence
from datetime import date

from markupsafe import Markup

from elmo_tasks.api import Comparison, MapUse, ModelInfo, SenseMap
from elmo_tasks.ui import answer as compared
from elmo_tasks.ui import maps
from elmo_tasks.ui.page import joined, render
from elmo_tasks.wording.map_words import about, forms, measured, shown_words
from elmo_tasks.wording.models import title_of

#: Sentences to guess on.
MOST_STORY = 6
_LONGEST_STORY = 400  # characters
_STYLES = ("styles/style.css", "styles/groups.css", "styles/map.css", "styles/offline.css")


def story_of(answer: SenseMap) -> list[str]:
    """Typical sentences of every group, mixed, with ``[brackets]`` around the word: what a comparison is asked with; none where no
    groups are named.
    """
    share = max(1, MOST_STORY // max(1, len(answer.groups)))
    chosen = [
        use for group in answer.groups for use in [k for k in group.typical if _can_be_told(answer.uses[k])][:share]
    ]
    random.Random(answer.word).shuffle(chosen)
    uses = [answer.uses[k] for k in chosen]
    return [
        f"{use.sentence[: use.start]}[{use.sentence[use.start : use.end]}]{use.sentence[use.end :]}" for use in uses
    ]


def _can_be_told(use: MapUse) -> bool:
    """Whether a sentence is short enough to guess on, and has no brackets of its own."""
    return len(use.sentence) <= _LONGEST_STORY and "[" not in use.sentence and "]" not in use.sentence


def page(answer: SenseMap, comparison: Comparison | None, models: Sequence[ModelInfo], made: date) -> str:
    """The file; the comparison is that of the sentences of :func:`story_of`, if there are any."""
    script = _script()
    return render(
        "offline.html",
        answer=answer,
        about=about(answer),
        is_one_word=len(forms(answer)) == 1,
        reasons=" ".join(filter(None, (answer.said.reasons, measured(answer)))),
        story=comparison.items if comparison else (),
        verdict=compared.verdict_section(comparison, models) if comparison else "",
        picture=maps.picture(answer),
        shape=maps.shape,
        shown=shown_words(answer),
        order=maps.by_group(answer),
        model=title_of(answer.model, models),
        made=made.isoformat(),
        style=Markup(joined(*_STYLES)),  # ours alone, as is the script
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def _script() -> str:
    """What the Sense map tab runs, here on a page of its own."""
    of_map = f"((element, watch) => {{\n{joined('scripts/map_answer.js')}\n}})(document.querySelector('.map-answer'), () => {{}});"
    return "\n".join(("", joined("scripts/offline.js", "scripts/form.js"), of_map, ""))
