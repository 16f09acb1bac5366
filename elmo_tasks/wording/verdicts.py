"""What is said beside a verdict; its own sentences follow from its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.wording.text import listed
from elmo_tasks.wording.views import looked_at, read_from


def read_by(views: Sequence[str], model: str, right_when_clear: float = 0.0, *, is_named: bool = False) -> str:
    """What a verdict was read from, and how often that is right; nothing where nothing could be read.

    Args:
        views: what it was read from.
        model: title of the model.
        right_when_clear: share of groupings that were right in a test, where groups were named.
        is_named: whether groups are named here, not only leaned to.
    """
    if not views:
        return ""
    by = f"It did without {model}." if tuple(views) == ("words",) else f"Model: {model}."
    said = f"The program looked {looked_at(views)}. {by}"
    if not (is_named and right_when_clear):
        return said
    # Not in percent: readers held a second percentage against the first.
    wrong = 100 - round(100 * right_when_clear)
    return f"{said} Even answers as firm as this one can be wrong: in a test with other words, {wrong} of 100 were."


def read_where(views: Sequence[str]) -> str:
    """The same by the names of the views, for those who want to know exactly: ``Read at layer 2 and from …``."""
    return f"Read {listed([read_from(view) for view in views])}." if views else ""
