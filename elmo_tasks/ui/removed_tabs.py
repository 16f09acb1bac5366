"""Links to tabs of earlier versions: open Compare with a one-sentence notice."""

from __future__ import annotations

#: Names in ``?tab=`` and the sentence that a link to each shows.
REMOVED_TABS = {
    "vote": "Votes by phone were removed: the quiz in Present goes by a show of hands.",
    "texts": "The tab “Two texts” was removed: the Sense map draws the uses of a word in your own text.",
}


def notice(tab: str | None) -> str:
    """Return the sentence for a link to a removed tab; empty for any other link."""
    return REMOVED_TABS.get(tab or "", "")
