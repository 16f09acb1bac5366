"""Titles of views: a layer, the mean of the layers, or the words around."""

from __future__ import annotations

from collections.abc import Sequence

from elmo_tasks.messages.text import listed

_TITLES = {
    "0": "Spelling only",
    "mean": "Mean of layers",
    "sentence": "As trained for sentences",
    "words": "The words around it",
    "expected": "The words expected in its place",
    "meanings": "What meanings are read from",
    "verdict": "The verdict",
}
_PLACES = {
    "mean": "in the mean of all layers",
    "sentence": "as it was trained for sentences",
    "words": "by the words around them",
    "expected": "by the words expected in their place",
    "meanings": "by what meanings are read from",
}
_MAPPED_BY = {
    "mean": "by the mean of the layers",
    "words": "by the words around them, without ELMo",
    "meanings": "by what meanings are read from",
}
_NAMES = {
    "mean": "mean of the layers",
    "words": "the words around it",
    "expected": "the words that the model expects there",
}
_COLUMNS = {
    "mean": "mean",
    "expected": "expected there",
    "words": "words around it",
    "verdict": "what the verdict reads",
}
#: Explanations of evaluation columns whose title is not enough.
COLUMN_REMARKS = {
    "before/after": (
        "before/after: the top forward state before the word and the top backward state behind it; the word is not read."
    ),
    "expected": (
        "expected there: the static vectors of the words that the model would write in its place, rare ones weighing more."
    ),
    "words": (
        "words around it: the static vectors of the other words of the sentence, rare and related ones weighing more; no model."
    ),
}


def view_title(view: str) -> str:
    """Return the title of a view by itself."""
    return _TITLES.get(view, f"Layer {view}")


READS_LETTERS = "the letters of the word"
#: Titles of layers that read no other word, by their input.
_UNREAD = {
    READS_LETTERS: "Spelling only",
    "the word's pieces and their places": "Word pieces only",
    "one vector for each word": "One vector a word",
}


def layer_title(name: str, sees: str = "") -> str:
    """Return the title of a layer, or of its input if it reads no other word."""
    return _UNREAD.get(sees, f"Layer {name}") if sees else view_title(name)


def view_place(view: str) -> str:
    """Format a view inside a sentence: ``at layer 1``."""
    return _PLACES.get(view, f"at layer {view}")


def map_title(view: str, sees: str = "") -> str:
    """Return the title of a view for the choice on the map.

    There, layers of a model, or their input if they read no other word, stand beside views that use no model.
    """
    if view == "words":
        return f"{_TITLES[view]}, without ELMo"
    return layer_title(view, sees)


def mapped_by(view: str, sees: str = "") -> str:
    """Format a view inside a sentence about a map; ``sees`` is as in :func:`map_title`."""
    if sees:
        return f"by {sees} only"
    return _MAPPED_BY.get(view, f"by layer {view}")


def views_name(views: Sequence[str]) -> str:
    """List combined views for a table: ``layer 2 and the words around it``."""
    text = listed([_NAMES.get(view, f"layer {view}") for view in views])
    return f"{text}, without the model" if tuple(views) == ("words",) else text


def column_title(view: str, layers: Sequence[str]) -> str:
    """Return the title of a narrow column.

    A column may combine one of the encoder's layers with the words around; an unknown view keeps its name.
    """
    if view == "both":
        return f"layer {layers[:2][-1]} and words"
    return f"layer {view}" if view in layers else _COLUMNS.get(view, view)
